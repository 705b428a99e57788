// Compares reduce with CUB's WarpReduce, bit for bit in lane 0, and with cooperative_groups' reduce if that
// is exact.
#include <cooperative_groups/reduce.h>

#include <cub/warp/warp_reduce.cuh>

#include "reduce_cases.hpp"

namespace {

using namespace test;
namespace cg = cooperative_groups;

template <class T, class Op>
struct ours {
  template <class Tile>
  TESSERA_FN T operator()(Tile const& tile, lane_input<T> in) const {
    return tessera::reduce(tile, in.x, Op{}, tessera::first(in.n) | tessera::to_leader);
  }
};

template <class T>
struct sum_of_two {
  TESSERA_FN T operator()(T a, T b) const { return a + b; }
};

/// CUB's partial reduction, of lanes 0 … n − 1, with n from 1 to N.
template <class T, class Op, unsigned N>
struct cubs {
  __device__ T operator()(cg::thread_block_tile<N, cg::thread_block> const& tile, lane_input<T> in) const {
    using warp_reduce = cub::WarpReduce<T, static_cast<int>(N)>;
    __shared__ typename warp_reduce::TempStorage scratch[block_lanes / N];
    unsigned const n = in.n < N ? in.n : N;
    return warp_reduce(scratch[tile.meta_group_rank()]).Reduce(in.x, Op{}, static_cast<int>(n));
  }
};

template <class Op>
struct cgs {
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, lane_input<T> in) const {
    return cg::reduce(tile, in.x, Op{});
  }
};

template <class T, unsigned N, class Op, class CubOp>
void check_cub_size(T (*sample_one)(random_engine&)) {
  random_engine random(N);
  auto lanes = make_lanes<T>(N, random, sample_one);
  for (auto& lane : lanes) lane.n = std::max(lane.n, 1u);
  auto const mine = gpu_backend::run<N, T>(lanes, ours<T, Op>{});
  auto const peer = gpu_backend::run<N, T>(lanes, cubs<T, CubOp, N>{});
  for (unsigned i = 0; i < lanes.size(); i += N) {
    ASSERT_TRUE(same_bits(mine[i], peer[i]))
        << "N " << N << ", n " << lanes[i].n << ": " << show(mine[i]) << ", CUB has " << show(peer[i]);
  }
}

template <class T, class Op, class CubOp = Op>
void check_cub(T (*sample_one)(random_engine&) = sample<T>) {
  check_cub_size<T, 2, Op, CubOp>(sample_one);
  check_cub_size<T, 4, Op, CubOp>(sample_one);
  check_cub_size<T, 8, Op, CubOp>(sample_one);
  check_cub_size<T, 16, Op, CubOp>(sample_one);
  check_cub_size<T, 32, Op, CubOp>(sample_one);
}

struct ReducePeers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

TEST_F(ReducePeers, CubFloatSum) {
  check_cub<float, tessera::plus, sum_of_two<float>>();
}
TEST_F(ReducePeers, CubDoubleSum) {
  check_cub<double, tessera::plus, sum_of_two<double>>();
}
TEST_F(ReducePeers, CubFloatSumOfZeros) {
  check_cub<float, tessera::plus, sum_of_two<float>>(
      [](random_engine& random) { return random() % 4 == 0 ? 0.0f : -0.0f; });
}
TEST_F(ReducePeers, CubIntSum) {
  check_cub<int, tessera::plus, sum_of_two<int>>();
}
TEST_F(ReducePeers, CubIntMinimum) {
  check_cub<int, tessera::minimum>();
}
TEST_F(ReducePeers, CubLongMaximum) {
  check_cub<long long, tessera::maximum>();
}

template <class T, unsigned N, class Op, class CgOp>
void check_cg_size() {
  random_engine random(N);
  auto const lanes = make_lanes<T>(N, random, sample<T>);
  auto const mine =
      gpu_backend::run<N, lane_output<T>>(lanes, reduce_kernel<Op, tessera::policy<>>{{}, {}, who::everyone});
  auto const peer = gpu_backend::run<N, T>(lanes, cgs<CgOp>{});
  for (unsigned i = 0; i < lanes.size(); ++i) ASSERT_EQ(mine[i].x, peer[i]) << "N " << N << ", lane " << i;
}

template <class T, class Op, class CgOp>
void check_cg() {
  check_cg_size<T, 2, Op, CgOp>();
  check_cg_size<T, 8, Op, CgOp>();
  check_cg_size<T, 32, Op, CgOp>();
}

TEST_F(ReducePeers, CooperativeGroupsIntSum) {
  check_cg<int, tessera::plus, cg::plus<int>>();
}
TEST_F(ReducePeers, CooperativeGroupsIntMinimum) {
  check_cg<int, tessera::minimum, cg::less<int>>();
}
TEST_F(ReducePeers, CooperativeGroupsUnsignedXor) {
  check_cg<unsigned, tessera::bit_xor, cg::bit_xor<unsigned>>();
}
TEST_F(ReducePeers, CooperativeGroupsFloatMaximum) {
  check_cg<float, tessera::maximum, cg::greater<float>>();
}

}  // namespace
