// Compares tiles of several warps with CUB's block collectives, if the tile is the block, and with
// cooperative_groups. Integers must be equal. Floats must have the same bits if the order is the same;
// otherwise they must be within the error bound of any order. racecheck can't run this test, since it
// doesn't know the barriers of cooperative_groups, which use words in memory.
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "multi_warp_mixtures_cases.hpp"
#include "reduce_cases.hpp"

namespace {

using namespace test;
namespace cg = cooperative_groups;

constexpr unsigned lanes_in_all = 4 * 1024;

/// The two libraries of a comparison, and the tile size.
template <class T>
struct compared {
  std::vector<T> in, mine, peer;
};

template <unsigned N, unsigned Threads, class T, class Kernel>
__global__ void __launch_bounds__(Threads) run_tiles(T const* in, T* out, Kernel kernel) {
  auto const tile = cg::tiled_partition<N>(cg::this_thread_block());
  unsigned const lane = blockIdx.x * Threads + threadIdx.x;
  if (has_code<N>) out[lane] = kernel(tile, in[lane]);
}

/// The results of kernel(tile<N>, in[lane]) for each lane, in blocks of `Threads`.
template <unsigned N, unsigned Threads, class T, class Kernel>
std::vector<T> run_in_blocks(std::vector<T> const& in, Kernel kernel) {
  gpu_array<T> const from(in), to(in.size());
  run_tiles<N, Threads><<<lanes_in_all / Threads, Threads>>>(from.data(), to.data(), kernel);
  check(cudaGetLastError());
  return to.to_host();
}

template <unsigned N, unsigned Threads = N, class T, class Mine, class Peer>
compared<T> compare(T (*sample_one)(random_engine&), Mine mine, Peer peer) {
  random_engine random(N);
  std::vector<T> in(lanes_in_all);
  for (T& x : in) x = sample_one(random);
  return {in, run_in_blocks<N, Threads>(in, mine), run_in_blocks<N, Threads>(in, peer)};
}

template <class T>
std::string differs(compared<T> const& c, unsigned size, unsigned lane) {
  return "N " + std::to_string(size) + ", lane " + std::to_string(lane) + ": " + show(c.mine[lane]) +
         ", the peer has " + show(c.peer[lane]);
}

struct MultiWarpPeers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

// ---- The kernels.

template <class Op>
struct our_reduce {
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, T x) const {
    return tessera::reduce(tile, x, Op{});
  }
};
template <class Op>
struct our_scan {
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, T x) const {
    return tessera::inclusive_scan(tile, x, Op{});
  }
};

struct sum_of_two {
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

/// CUB's result in every lane. (BlockReduce returns it to rank 0 only.)
template <class Op, cub::BlockReduceAlgorithm How = cub::BLOCK_REDUCE_WARP_REDUCTIONS>
struct cub_reduce {
  template <class Tile, class T>
  __device__ T operator()(Tile const&, T x) const {
    constexpr int threads = static_cast<int>(tessera::tile_size_v<Tile>);
    using block_reduce = cub::BlockReduce<T, threads, How>;
    __shared__ typename block_reduce::TempStorage scratch;
    T const result = block_reduce(scratch).Reduce(x, Op{});
    __shared__ words_of<T> all;
    if (threadIdx.x == 0) all = {result};
    __syncthreads();
    return all.x;
  }
  template <class T>
  struct words_of {
    T x;
  };
};
template <class Op>
struct cub_scan {
  template <class Tile, class T>
  __device__ T operator()(Tile const&, T x) const {
    constexpr int threads = static_cast<int>(tessera::tile_size_v<Tile>);
    using block_scan = cub::BlockScan<T, threads, cub::BLOCK_SCAN_WARP_SCANS>;
    __shared__ typename block_scan::TempStorage scratch;
    T result;
    block_scan(scratch).InclusiveScan(x, result, Op{});
    return result;
  }
};

template <class Op>
struct cg_reduce {
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, T x) const {
    return cg::reduce(tile, x, Op{});
  }
};
template <class Op>
struct cg_scan {
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, T x) const {
    return cg::inclusive_scan(tile, x, Op{});
  }
};

// ---- Equal results: integers, and operators that don't commute. Both are also compared with a sequential
// loop.

template <unsigned N, unsigned Threads, class T, class Mine, class Peer>
void check_same(Mine mine, Peer peer) {
  if (testing::Test::HasFailure()) return;
  auto const c = compare<N, Threads>(sample<T>, mine, peer);
  for (unsigned i = 0; i < lanes_in_all; ++i) ASSERT_TRUE(same_bits(c.mine[i], c.peer[i])) << differs(c, N, i);
}

template <class T, class Op, class PeerOp>
void check_cub() {
  check_same<128, 128, T>(our_reduce<Op>{}, cub_reduce<PeerOp>{});
  check_same<256, 256, T>(our_reduce<Op>{}, cub_reduce<PeerOp>{});
  check_same<512, 512, T>(our_reduce<Op>{}, cub_reduce<PeerOp>{});
  check_same<1024, 1024, T>(our_reduce<Op>{}, cub_reduce<PeerOp>{});
  check_same<128, 128, T>(our_scan<Op>{}, cub_scan<PeerOp>{});
  check_same<256, 256, T>(our_scan<Op>{}, cub_scan<PeerOp>{});
  check_same<512, 512, T>(our_scan<Op>{}, cub_scan<PeerOp>{});
  check_same<1024, 1024, T>(our_scan<Op>{}, cub_scan<PeerOp>{});
}

TEST_F(MultiWarpPeers, CubIntSum) {
  check_cub<int, tessera::plus, sum_of_two>();
}
TEST_F(MultiWarpPeers, CubLongMaximum) {
  check_cub<long long, tessera::maximum, cuda::maximum<>>();
}

template <class T, class Op>
void check_sequence(Op op) {
  random_engine random(7);
  std::vector<T> in(lanes_in_all);
  for (T& x : in) x = sample<T>(random);
  auto const check_size = [&](unsigned size, std::vector<T> const& reduced, std::vector<T> const& scanned) {
    for (unsigned base = 0; base < lanes_in_all; base += size) {
      T all = in[base];
      for (unsigned i = base; i < base + size; ++i) {
        if (i > base) all = op(all, in[i]);
        ASSERT_TRUE(same_bits(scanned[i], all))
            << "scan of N " << size << ", lane " << i << ": " << show(scanned[i]) << ", not " << show(all);
      }
      for (unsigned i = base; i < base + size; ++i)
        ASSERT_TRUE(same_bits(reduced[i], all))
            << "reduce of N " << size << ", lane " << i << ": " << show(reduced[i]) << ", not " << show(all);
    }
  };
  check_size(64, run_in_blocks<64, 256>(in, our_reduce<Op>{}), run_in_blocks<64, 256>(in, our_scan<Op>{}));
  check_size(128, run_in_blocks<128, 256>(in, our_reduce<Op>{}), run_in_blocks<128, 256>(in, our_scan<Op>{}));
  check_size(1024, run_in_blocks<1024, 1024>(in, our_reduce<Op>{}), run_in_blocks<1024, 1024>(in, our_scan<Op>{}));
}

TEST_F(MultiWarpPeers, OperatorsThatDontCommuteInSequence) {
  check_sequence<matrix>(matrix_product{});
  check_sequence<brackets>(bracket_concatenation{});
}
TEST_F(MultiWarpPeers, CubOperatorThatDoesntCommute) {
  check_same<128, 128, matrix>(our_reduce<matrix_product>{}, cub_reduce<matrix_product>{});
  check_same<512, 512, matrix>(our_reduce<matrix_product>{}, cub_reduce<matrix_product>{});
  check_same<256, 256, matrix>(our_scan<matrix_product>{}, cub_scan<matrix_product>{});
}

TEST_F(MultiWarpPeers, CooperativeGroupsIntSum) {
  check_same<64, 512, int>(our_reduce<tessera::plus>{}, cg_reduce<cg::plus<int>>{});
  check_same<64, 1024, int>(our_reduce<tessera::plus>{}, cg_reduce<cg::plus<int>>{});
  check_same<256, 1024, int>(our_reduce<tessera::plus>{}, cg_reduce<cg::plus<int>>{});
  check_same<1024, 1024, int>(our_reduce<tessera::plus>{}, cg_reduce<cg::plus<int>>{});
}
TEST_F(MultiWarpPeers, CooperativeGroupsIntScan) {
  check_same<64, 512, int>(our_scan<tessera::plus>{}, cg_scan<cg::plus<int>>{});
  check_same<128, 1024, int>(our_scan<tessera::plus>{}, cg_scan<cg::plus<int>>{});
  check_same<512, 512, int>(our_scan<tessera::plus>{}, cg_scan<cg::plus<int>>{});
}

// ---- Floats. CUB combines the warps one after the other, tessera by a tree. These orders are the same for
// two warps, and for a scan in all lanes of four warps except the last lane. Otherwise the results need not
// be equal. A sum in any order, in which each number goes through at most d additions, has an error of at
// most d·u / (1 − d·u) · Σ|x|, with u = ε/2 (N. Higham, "Accuracy and Stability of Numerical Algorithms",
// 4.2). That is below d · ε · Σ|x|.

/// The number of additions that a number goes through, in tessera and in CUB.
constexpr unsigned our_depth(unsigned size) {
  unsigned depth = 0;
  for (; 1u << depth < size; ++depth) continue;
  return depth;
}
constexpr unsigned cub_depth(unsigned size) {
  return 5 + size / 32 - 1;
}

/// Adds numbers in order, in the widest type.
struct exact_sum {
  long double value = 0, magnitude = 0;
  void add(long double x) {
    value += x;
    magnitude += std::abs(x);
  }
};

/// Checks one lane's sum: tessera's must be near the exact sum, and CUB's near tessera's.
template <class T>
void check_bound(compared<T> const& c, unsigned size, unsigned lane, unsigned depth, exact_sum const& sum) {
  long double const mine = c.mine[lane], peer = c.peer[lane], unit = std::numeric_limits<T>::epsilon() * sum.magnitude;
  ASSERT_LE(std::abs(mine - sum.value), depth * unit) << differs(c, size, lane);
  ASSERT_LE(std::abs(mine - peer), (depth + cub_depth(size)) * unit) << differs(c, size, lane);
}

template <unsigned N, class T>
void check_float_sums() {
  if (testing::Test::HasFailure()) return;
  auto const reduced = compare<N>(sample<T>, our_reduce<tessera::plus>{}, cub_reduce<sum_of_two>{});
  auto const scanned = compare<N>(sample<T>, our_scan<tessera::plus>{}, cub_scan<sum_of_two>{});
  // CUB adds warps from the left, which up to here makes the same blocks. (Of four warps the last one takes in 2 and 1 by themselves.)
  constexpr unsigned same_blocks = tessera::detail::scans_totals_in_first_warp(N / 32) ? 127 : 96;
  for (unsigned base = 0; base < lanes_in_all; base += N) {
    exact_sum sum;
    for (unsigned rank = 0; rank < N; ++rank) {
      sum.add(scanned.in[base + rank]);
      // A scan has one addition more than reduce: the prefix of the previous warps.
      check_bound(scanned, N, base + rank, our_depth(N) + 1, sum);
      if (testing::Test::HasFailure()) return;
    }
    for (unsigned rank = 0; rank < N; ++rank) {
      check_bound(reduced, N, base + rank, our_depth(N), sum);
      if (N == 64) {
        ASSERT_TRUE(same_bits(reduced.mine[base + rank], reduced.peer[base + rank]))
            << differs(reduced, N, base + rank);
      }
      if (rank < same_blocks) {
        ASSERT_TRUE(same_bits(scanned.mine[base + rank], scanned.peer[base + rank]))
            << differs(scanned, N, base + rank);
      }
    }
  }
}

TEST_F(MultiWarpPeers, CubFloatSum) {
  check_float_sums<64, float>();
  check_float_sums<128, float>();
  check_float_sums<256, float>();
  check_float_sums<512, float>();
  check_float_sums<1024, float>();
}
TEST_F(MultiWarpPeers, CubDoubleSum) {
  check_float_sums<64, double>();
  check_float_sums<256, double>();
  check_float_sums<1024, double>();
}

/// Sums of integers that floats represent exactly, so that every order has the same result.
TEST_F(MultiWarpPeers, CubFloatSumOfWholeNumbers) {
  auto const whole = [](random_engine& random) { return static_cast<float>(random() % 8192) - 4096.0f; };
  auto const c = compare<512>(+whole, our_reduce<tessera::plus>{}, cub_reduce<sum_of_two, cub::BLOCK_REDUCE_RAKING>{});
  for (unsigned i = 0; i < lanes_in_all; ++i) ASSERT_EQ(c.mine[i], c.peer[i]) << differs(c, 512, i);
}

/// Sixteen tiles of 64 in one block, which are more than there are hardware barriers besides that of
/// __syncthreads. The kernel calls __syncthreads, too.
TEST_F(MultiWarpPeers, SixteenTilesOf64) {
  check_loops<64>(1024);
}

}  // namespace
