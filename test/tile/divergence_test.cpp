// Collectives of a tile while the other tiles of its warp have diverged: they are in loops of other lengths
// or in other collectives, or have exited, or sleep. Blocks have any size and shape, and there are tiles of
// tiles.
#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#include "backend.hpp"

namespace {

using namespace test;

struct Divergence : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TESSERA_FN unsigned trips_of(unsigned tile) {
  return 1 + tile * 7 % 11;
}
TESSERA_FN bool leaves_early(unsigned tile) {
  return tile % 5 == 3;
}
TESSERA_FN unsigned step(unsigned x, unsigned rank) {
  return x * 1664525u + 1013904223u + rank;
}

TESSERA_FN void sleep([[maybe_unused]] unsigned tile) {
#if TESSERA_ARCH >= 700
  if (tile % 3 == 1) __nanosleep(200 * (tile % 7));
#endif
}

/// The tiles of a block diverge. Each lane returns its last value.
template <unsigned N, class Policy>
struct own_ways {
  Policy policy;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    unsigned const index = block.thread_rank() / N;
    auto const tile = tessera::tiled_partition<N>(block);
    if (index * N + N > block.size() || leaves_early(index)) return 0;
    unsigned const rank = tile.thread_rank();
    unsigned x = rank;
    for (unsigned trip = 0; trip < trips_of(index); ++trip) {
      sleep(index + trip);
      x = step(x, rank);
      if (index % 3 == 0) {
        x += tessera::reduce(tile, x, tessera::plus{}, policy);
      } else if (index % 3 == 1) {
        x += tessera::exclusive_scan(tile, x, tessera::plus{}, policy);
        x += tessera::match_any(tile, x % 2, policy).count();
        x += tessera::reduce_by_label(tile, x % 4, x, tessera::plus{}, policy);
      } else {
        x += tessera::count_if(tile, x % 3 == 0, policy);
        x ^= tessera::shift_up(tile, x, 1, 7u, policy);
      }
    }
    return x;
  }
};

/// Computes the same sequentially, one lane after the other.
std::vector<unsigned> own_ways_of(unsigned size, unsigned threads) {
  std::vector<unsigned> out(threads, 0);
  for (unsigned index = 0; index * size + size <= threads; ++index) {
    if (leaves_early(index)) continue;
    std::vector<unsigned> x(size);
    for (unsigned r = 0; r < size; ++r) x[r] = r;
    for (unsigned trip = 0; trip < trips_of(index); ++trip) {
      unsigned sum = 0, thirds = 0;
      for (unsigned r = 0; r < size; ++r) {
        x[r] = step(x[r], r);
        sum += x[r];
        thirds += x[r] % 3 == 0 ? 1 : 0;
      }
      if (index % 3 == 0) {
        for (unsigned r = 0; r < size; ++r) x[r] += sum;
      } else if (index % 3 == 1) {
        for (unsigned r = 0, before = 0; r < size; ++r) {
          unsigned const own = x[r];
          x[r] += before;
          before += own;
        }
        unsigned counts[2] = {0, 0}, sums[4] = {0, 0, 0, 0};
        for (unsigned r = 0; r < size; ++r) ++counts[x[r] % 2];
        for (unsigned r = 0; r < size; ++r) x[r] += counts[x[r] % 2];
        for (unsigned r = 0; r < size; ++r) sums[x[r] % 4] += x[r];
        for (unsigned r = 0; r < size; ++r) x[r] += sums[x[r] % 4];
      } else {
        for (unsigned r = 0; r < size; ++r) x[r] += thirds;
        for (unsigned r = size; r-- > 0;) x[r] ^= r == 0 ? 7u : x[r - 1];
      }
    }
    for (unsigned r = 0; r < size; ++r) out[index * size + r] = x[r];
  }
  return out;
}

template <unsigned N, class Policy>
void check_own_ways(tessera::host::dim3 threads, Policy policy) {
  auto const out = backend::run_block<unsigned>(threads, own_ways<N, Policy>{policy});
  auto const expected = own_ways_of(N, static_cast<unsigned>(threads.volume()));
  for (unsigned i = 0; i < out.size(); ++i)
    ASSERT_EQ(out[i], expected[i]) << "N " << N << ", block of " << threads.volume() << ", thread " << i;
}

template <class Policy>
void check_own_ways_of_all_sizes(tessera::host::dim3 threads, Policy policy) {
  for_each_size(small_sizes{}, [&](auto n) { check_own_ways<decltype(n)::value>(threads, policy); });
}

TEST_F(Divergence, TilesDiverge) {
  for (unsigned threads : {32u, 64u, 256u, 1024u}) {
    check_own_ways_of_all_sizes(threads, tessera::adaptive);
    check_own_ways_of_all_sizes(threads, tessera::isolated);
  }
}

TEST_F(Divergence, BlocksThatEndWithinAWarp) {
  for (unsigned threads : {1u, 33u, 48u, 100u}) check_own_ways_of_all_sizes(threads, tessera::adaptive);
}

TEST_F(Divergence, BlocksOfTwoAndThreeDimensions) {
  check_own_ways_of_all_sizes({16, 6}, tessera::adaptive);
  check_own_ways_of_all_sizes({3, 5, 8}, tessera::adaptive);
  check_own_ways_of_all_sizes({4, 4, 4}, tessera::isolated);
}

/// The sums of a tile of 16 of the block and of a tile of 4 of that tile.
struct nested_sums {
  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const outer = tessera::tiled_partition<16>(block);
    auto const inner = tessera::tiled_partition<4>(outer);
    unsigned const x = block.thread_rank();
    return 1000000 * inner.meta_group_rank() + 1000 * tessera::reduce(inner, x, tessera::maximum{}) +
           tessera::reduce(outer, x, tessera::minimum{}, tessera::converged);
  }
};

TEST_F(Divergence, TilesOfTiles) {
  auto const out = backend::run_block<unsigned>(64, nested_sums{});
  for (unsigned i = 0; i < 64; ++i)
    ASSERT_EQ(out[i], 1000000 * (i % 16 / 4) + 1000 * (i / 4 * 4 + 3) + i / 16 * 16) << i;
}

/// Half of the warp has exited. The tiles of the other half, which have all of their lanes, go on.
struct half_left {
  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<8>(block);
    unsigned const x = block.thread_rank();
    if (x % 32 >= 16) return 0;
    return tessera::reduce(tile, x) + tessera::ballot(tile, x % 2 == 0).word();
  }
};

TEST_F(Divergence, HalfTheWarpHasExited) {
  auto const out = backend::run_block<unsigned>(96, half_left{});
  for (unsigned i = 0; i < 96; ++i) ASSERT_EQ(out[i], i % 32 >= 16 ? 0 : 8 * (i / 8 * 8) + 28 + 0x55) << i;
}

}  // namespace
