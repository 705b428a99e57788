// Compares reduce of several items per lane with CUB's ThreadReduce and WarpReduce.
#include <cub/thread/thread_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

#include "reduce_items_cases.hpp"

namespace {

using namespace test;
namespace cg = cooperative_groups;

template <class Op>
struct ours {
  template <class Tile, class T, unsigned K>
  TESSERA_FN T operator()(Tile const& tile, items_input<T, K> const& in) const {
    return tessera::reduce(tile, in.x, Op{}, tessera::first(in.n) | tessera::to_leader);
  }
};

/// An operator that CUB doesn't know, so that it combines a thread's items from left to right.
struct sum_of_two {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return a + b;
  }
};

/// The reduction of lanes 0 … n − 1, with n from 1 to N.
template <class Op, unsigned N>
struct cubs {
  template <class T, unsigned K>
  __device__ T operator()(cg::thread_block_tile<N, cg::thread_block> const& tile, items_input<T, K> const& in) const {
    using warp_reduce = cub::WarpReduce<T, static_cast<int>(N)>;
    __shared__ typename warp_reduce::TempStorage scratch[block_lanes / N];
    unsigned const n = in.n < N ? in.n : N;
    T const own = cub::ThreadReduce(in.x.item, Op{});
    return warp_reduce(scratch[tile.meta_group_rank()]).Reduce(own, Op{}, static_cast<int>(n));
  }
};

template <class T, unsigned N, unsigned K, class Op, class CubOp>
void check_cub_size() {
  random_engine random(N);
  auto lanes = make_items<T, K>(N, random, sample<T>);
  for (auto& lane : lanes) lane.n = std::max(lane.n, 1u);
  auto const mine = gpu_backend::run<N, T>(lanes, ours<Op>{});
  auto const peer = gpu_backend::run<N, T>(lanes, cubs<CubOp, N>{});
  for (unsigned i = 0; i < lanes.size(); i += N) {
    ASSERT_TRUE(same_bits(mine[i], peer[i]))
        << "N " << N << ", n " << lanes[i].n << ": " << show(mine[i]) << ", CUB has " << show(peer[i]);
  }
}

template <class T, unsigned K, class Op, class CubOp = Op>
void check_cub() {
  check_cub_size<T, 2, K, Op, CubOp>();
  check_cub_size<T, 8, K, Op, CubOp>();
  check_cub_size<T, 32, K, Op, CubOp>();
}

struct ReduceItemsPeers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

TEST_F(ReduceItemsPeers, CubIntSum) {
  check_cub<int, 4, tessera::plus, cuda::std::plus<>>();
  check_cub<int, 7, tessera::plus, cuda::std::plus<>>();
}
TEST_F(ReduceItemsPeers, CubIntMinimum) {
  check_cub<int, 5, tessera::minimum>();
}
TEST_F(ReduceItemsPeers, CubFloatSum) {
  check_cub<float, 4, tessera::plus, sum_of_two>();
}
TEST_F(ReduceItemsPeers, CubLongSum) {
  check_cub<long long, 3, tessera::plus, cuda::std::plus<>>();
}

}  // namespace
