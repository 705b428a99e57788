// Compares scans with CUB's WarpScan, and segmented reductions with CUB's, bit for bit.
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>

#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

#include <climits>

#include "reduce_cases.hpp"

namespace {

using namespace test;
namespace cg = cooperative_groups;

template <class T>
struct scans {
  T inclusive, exclusive, total;
};

struct ours {
  int n;
  template <class Tile, class T>
  TESSERA_FN scans<T> operator()(Tile const& tile, T x) const {
    auto const in = tessera::inclusive_scan(tile, x, tessera::plus{}, tessera::first(n) | tessera::with_total);
    return {in.value, tessera::exclusive_scan(tile, x, tessera::plus{}, T(3), tessera::first(n)), in.total};
  }
};

/// CUB's scan of the whole tile, with zeros for the lanes that don't participate.
template <class T, unsigned N>
struct cubs {
  int n;
  __device__ scans<T> operator()(cg::thread_block_tile<N, cg::thread_block> const& tile, T x) const {
    using warp_scan = cub::WarpScan<T, static_cast<int>(N)>;
    __shared__ typename warp_scan::TempStorage scratch[block_lanes / N];
    auto const add = [](T a, T b) { return a + b; };
    T const in = static_cast<int>(tile.thread_rank()) < n ? x : T(0);
    scans<T> out;
    warp_scan(scratch[tile.meta_group_rank()]).InclusiveScan(in, out.inclusive, add, out.total);
    tile.sync();
    warp_scan(scratch[tile.meta_group_rank()]).ExclusiveScan(in, out.exclusive, T(3), add);
    return out;
  }
};

struct ScanPeers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

template <class T, unsigned N>
void check_scans() {
  for (int n : {-1, 0, 1, static_cast<int>(N), static_cast<int>(N) + 1, INT_MIN, INT_MAX, static_cast<int>(N / 2)}) {
    random_engine random(N);
    std::vector<T> in(8 * block_lanes);
    for (T& x : in) x = sample<T>(random);
    auto const mine = gpu_backend::run<N, scans<T>>(in, ours{n});
    auto const peer = gpu_backend::run<N, scans<T>>(in, cubs<T, N>{n});
    for (unsigned i = 0; i < in.size(); ++i) {
      // If all values are −0, the zeros that replace lanes in CUB make the result +0.
      auto const close = [](T a, T b) { return same_bits(a, b) || (a == T(0) && b == T(0)); };
      ASSERT_TRUE(close(mine[i].inclusive, peer[i].inclusive)) << "N " << N << ", n " << n << ", lane " << i;
      ASSERT_TRUE(close(mine[i].exclusive, peer[i].exclusive)) << "N " << N << ", n " << n << ", lane " << i;
      ASSERT_TRUE(close(mine[i].total, peer[i].total)) << "N " << N << ", n " << n << ", lane " << i;
    }
  }
}

TEST_F(ScanPeers, Floats) {
  check_scans<float, 2>();
  check_scans<float, 8>();
  check_scans<float, 32>();
}
TEST_F(ScanPeers, Ints) {
  check_scans<int, 4>();
  check_scans<int, 16>();
  check_scans<int, 32>();
}

struct flagged {
  float x;
  bool flag;
};
template <bool Heads>
struct our_segments {
  template <class Tile>
  TESSERA_FN float operator()(Tile const& tile, flagged in) const {
    if constexpr (Heads) {
      return tessera::segmented_reduce(tile, in.x, in.flag, tessera::plus{}, tessera::to_leader);
    } else {
      return tessera::segmented_reduce(tile, in.x, tessera::by_tail(in.flag), tessera::plus{}, tessera::to_leader);
    }
  }
};
template <bool Heads, unsigned N>
struct cub_segments {
  __device__ float operator()(cg::thread_block_tile<N, cg::thread_block> const& tile, flagged in) const {
    using warp_reduce = cub::WarpReduce<float, static_cast<int>(N)>;
    __shared__ typename warp_reduce::TempStorage scratch[block_lanes / N];
    auto const add = [](float a, float b) { return a + b; };
    if constexpr (Heads) {
      return warp_reduce(scratch[tile.meta_group_rank()]).HeadSegmentedReduce(in.x, in.flag, add);
    } else {
      return warp_reduce(scratch[tile.meta_group_rank()]).TailSegmentedReduce(in.x, in.flag, add);
    }
  }
};

template <bool Heads, unsigned N>
void check_segments() {
  random_engine random(N);
  std::vector<flagged> in(16 * block_lanes);
  for (auto& one : in) one = {sample<float>(random), random() % 3 == 0};
  auto const mine = gpu_backend::run<N, float>(in, our_segments<Heads>{});
  auto const peer = gpu_backend::run<N, float>(in, cub_segments<Heads, N>{});
  for (unsigned i = 0; i < in.size(); ++i) {
    bool const first = i % N == 0 || (Heads ? in[i].flag : in[i - 1].flag);
    if (first) {
      ASSERT_TRUE(same_bits(mine[i], peer[i])) << "N " << N << ", lane " << i << ": " << show(mine[i]);
    }
  }
}

TEST_F(ScanPeers, HeadSegments) {
  check_segments<true, 8>();
  check_segments<true, 32>();
}
TEST_F(ScanPeers, TailSegments) {
  check_segments<false, 4>();
  check_segments<false, 32>();
}

}  // namespace
