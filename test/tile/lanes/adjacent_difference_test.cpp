// adjacent_difference of known values; the oracle has all sizes, types and policies.
#include <tessera/adjacent_difference.hpp>
#include <tessera/scan.hpp>

#include <gtest/gtest.h>

#include "backend.hpp"

namespace {

using namespace test;

struct lengths_of_ends {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned length) const {
    unsigned const end = tessera::inclusive_scan(tile, length);
    return tessera::adjacent_difference(tile, end) == length ? 1u : 0u;
  }
};
struct lengths_of_begins {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned length) const {
    unsigned const rest = tessera::inclusive_scan(tile, length, tessera::plus{}, tessera::suffix);
    return tessera::adjacent_difference(tile, rest, tessera::minus{}, tessera::suffix) == length ? 1u : 0u;
  }
};
/// Items rank · 2 and rank · 2 + 1: each differs by 1 from its predecessor, but for the first, which stays 0.
struct steps_of_items {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const rank = tile.thread_rank();
    auto const out = tessera::adjacent_difference(tile, tessera::items<unsigned, 2>{{2 * rank, 2 * rank + 1}});
    return out[0] == (rank == 0 ? 0u : 1u) && out[1] == 1u ? 1u : 0u;
  }
};
template <unsigned N, class Kernel>
void check_lengths(Kernel kernel) {
  std::vector<unsigned> lengths(1024);
  for (unsigned i = 0; i < lengths.size(); ++i) lengths[i] = i * 2654435761u % 1000;
  for (unsigned right : backend::run<N, unsigned>(lengths, kernel)) ASSERT_EQ(right, 1u) << "N " << N;
}
template <class Kernel>
void check_sizes(Kernel kernel) {
  for_each_size(sizes<1, 2, 8, 32, 64, 256, 1024>{}, [&](auto n) { check_lengths<decltype(n)::value>(kernel); });
}

TEST(AdjacentDifference, UndoesAScan) {
  SKIP_WITHOUT_BACKEND();
  check_sizes(lengths_of_ends{});
}
TEST(AdjacentDifference, UndoesASuffixScan) {
  SKIP_WITHOUT_BACKEND();
  check_sizes(lengths_of_begins{});
}
TEST(AdjacentDifference, Items) {
  SKIP_WITHOUT_BACKEND();
  check_sizes(steps_of_items{});
}
}  // namespace
