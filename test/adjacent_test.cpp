// adjacent_difference and is_sorted of known values; the oracle has all sizes, types and policies.
#include <tessera/adjacent_difference.hpp>
#include <tessera/is_sorted.hpp>
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
    auto const out =
        tessera::adjacent_difference(tile, tessera::items<unsigned, 2>{{2 * rank, 2 * rank + 1}});
    return out[0] == (rank == 0 ? 0u : 1u) && out[1] == 1u ? 1u : 0u;
  }
};
/// Sorted; out of order in the last lane; the same where that lane takes no part.
struct order_of_ranks {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    unsigned const rank = tile.thread_rank(), last = tile.size() - 1;
    float const falls = rank == last ? -1.0f : static_cast<float>(rank);
    bool const rises = tessera::is_sorted(tile, static_cast<float>(rank));
    bool const whole = tessera::is_sorted(tile, falls);
    bool const part = tessera::is_sorted(tile, falls, tessera::less{}, tessera::where(rank != last)) &&
                      tessera::is_sorted(tile, falls, tessera::less{}, tessera::first(last));
    return rises && whole == (last == 0) && part ? 1u : 0u;
  }
};
/// NaN comes last, and −0 is equal to +0.
struct order_of_floats {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    bool const is_last = tile.thread_rank() + 1 == tile.size(), is_odd = tile.thread_rank() % 2 != 0;
    float const nan = __builtin_nanf("");
    bool const nan_last = tessera::is_sorted(tile, is_last ? nan : 1.0f);
    bool const zeros = tessera::is_sorted(tile, is_odd ? -0.0f : 0.0f);
    bool const nan_first = tessera::is_sorted(tile, tile.thread_rank() == 0 ? nan : 1.0f);
    return nan_last && zeros && nan_first == (tile.size() == 1) ? 1u : 0u;
  }
};

template <unsigned N, class Kernel>
void check_all_true(Kernel kernel) {
  std::vector<unsigned> lengths(1024);
  for (unsigned i = 0; i < lengths.size(); ++i) lengths[i] = i * 2654435761u % 1000;
  for (unsigned right : backend::run<N, unsigned>(lengths, kernel)) ASSERT_EQ(right, 1u) << "N " << N;
}
template <class Kernel>
void check_sizes(Kernel kernel) {
  check_all_true<1>(kernel);
  check_all_true<2>(kernel);
  check_all_true<8>(kernel);
  check_all_true<32>(kernel);
  check_all_true<64>(kernel);
  check_all_true<256>(kernel);
  check_all_true<1024>(kernel);
}

TEST(AdjacentDifference, UndoesAScan) {
  check_sizes(lengths_of_ends{});
}
TEST(AdjacentDifference, UndoesASuffixScan) {
  check_sizes(lengths_of_begins{});
}
TEST(AdjacentDifference, Items) {
  check_sizes(steps_of_items{});
}
TEST(IsSorted, Ranks) {
  check_sizes(order_of_ranks{});
}
TEST(IsSorted, FloatsWithNaNAndZeros) {
  check_sizes(order_of_floats{});
}

}  // namespace
