// Tiles of several warps in a kernel that leaves the library two slots a warp, so that values move in rounds.
#define TESSERA_SHARED_BYTES 0

#include <tessera/lanes.hpp>
#include <tessera/match.hpp>
#include <tessera/partition.hpp>
#include <tessera/radix.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>
#include <tessera/transpose.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "backend.hpp"
#include "rearranged.hpp"

namespace {

using namespace test;
using tessera::items;

/// What a lane gets from each call.
struct results {
  unsigned shuffled, sum, before, peers, label_sum, rank;
  items<unsigned, 4> sorted, scattered, blocked, best;
};

struct all_calls {
  template <class Tile>
  TESSERA_FN results operator()(Tile const& tile, items<unsigned, 4> x) const {
    unsigned const r = tile.thread_rank(), N = tessera::tile_size_v<Tile>;
    items<unsigned, 4> position{};
    for (unsigned i = 0; i < 4; ++i) position[i] = (4 * r + i) ^ 5;
    return {tessera::shuffle(tile, x[0], (r + 35) % N),
            tessera::reduce(tile, x[0]),
            tessera::exclusive_scan(tile, x[0]),
            tessera::match_any(tile, x[1] % 7).count(),
            tessera::reduce_by_label(tile, x[1] % 7, x[2]),
            tessera::radix_rank<3>(tile, x[1] % 7).rank,
            tessera::sort(tile, x),
            tessera::scatter(tile, x, position),
            tessera::striped_to_blocked(tile, x),
            tessera::top_k<4>(tile, x)};
  }
};

template <unsigned N>
void check_all() {
  auto const x = random_items<4>(block_lanes_of(N), N, 1000);
  auto const got = backend::run<N, results>(x, all_calls{});
  for (unsigned base = 0; base < x.size(); base += N) {
    auto const all = values_of_tile<N>(x, base);
    auto sorted = all;
    std::sort(sorted.begin(), sorted.end());
    unsigned sum = 0;
    std::array<unsigned, 7> label_sum{}, peers{};
    for (unsigned r = 0; r < N; ++r) {
      label_sum[x[base + r][1] % 7] += x[base + r][2];
      ++peers[x[base + r][1] % 7];
    }
    std::array<unsigned, 7> place{};
    std::exclusive_scan(peers.begin(), peers.end(), place.begin(), 0u);
    for (unsigned r = 0; r < N; ++r) {
      results const& of = got[base + r];
      unsigned const label = x[base + r][1] % 7;
      ASSERT_EQ(of.shuffled, x[base + (r + 35) % N][0]) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.before, sum) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.peers, peers[label]) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.label_sum, label_sum[label]) << "N " << N << ", rank " << r;
      ASSERT_EQ(of.rank, place[label]++) << "N " << N << ", rank " << r;
      sum += x[base + r][0];
      for (unsigned i = 0; i < 4; ++i) {
        unsigned const at = 4 * r + i;
        ASSERT_EQ(of.sorted[i], sorted[at]) << "N " << N << ", position " << at;
        ASSERT_EQ(of.scattered[i], all[at ^ 5]) << "N " << N << ", position " << at;
        ASSERT_EQ(of.blocked[i], x[base + at % N][at / N]) << "N " << N << ", position " << at;
        ASSERT_EQ(of.best[i], sorted[4 * N - 1 - i]) << "N " << N << ", number " << i;
      }
    }
    for (unsigned r = 0; r < N; ++r) ASSERT_EQ(got[base + r].sum, sum) << "N " << N << ", rank " << r;
  }
}

TEST(MultiWarpShortMemory, AllCalls) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(some_large_sizes{}, [](auto n) { check_all<decltype(n)::value>(); });
}

}  // namespace
