// is_sorted of known values; the oracle has all sizes, types and policies.
#include <tessera/is_sorted.hpp>

#include <gtest/gtest.h>

#include <functional>

#include "backend.hpp"

namespace {

using namespace test;

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
    bool const by_std = tessera::is_sorted(tile, tile.thread_rank() == 0 ? nan : 1.0f, std::less<>{});
    return nan_last && zeros && nan_first == (tile.size() == 1) && by_std == nan_first ? 1u : 0u;
  }
};

template <unsigned N, class Kernel>
void check_order(Kernel kernel) {
  std::vector<unsigned> const lengths(1024);
  for (unsigned right : backend::run<N, unsigned>(lengths, kernel)) ASSERT_EQ(right, 1u) << "N " << N;
}
template <class Kernel>
void check_orders(Kernel kernel) {
  check_order<1>(kernel);
  check_order<2>(kernel);
  check_order<8>(kernel);
  check_order<32>(kernel);
  check_order<64>(kernel);
  check_order<256>(kernel);
  check_order<1024>(kernel);
}

TEST(IsSorted, Ranks) {
  SKIP_WITHOUT_BACKEND();
  check_orders(order_of_ranks{});
}
TEST(IsSorted, FloatsWithNaNAndZeros) {
  SKIP_WITHOUT_BACKEND();
  check_orders(order_of_floats{});
}

}  // namespace
