// The kernel of quantiles of as many elements as the device knows, on host tiles: any number of elements, and ranks that
// are rounded.
#include <gtest/gtest.h>

#include <tessera/grid/top_k/counted_rank.hpp>
#include <tessera/grid/top_k/quantile.hpp>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "select_on_host.hpp"

namespace {

using namespace test;

/// The rank of a quantile of n elements: of the two that it lies between, the first, or if `above` the second.
struct quantile_rank {
  double q;
  bool above;
  TESSERA_FN std::int64_t operator()(std::int64_t n) const {
    auto const place = detail::quantile_place_of(q, n);
    return place.rank + (above && place.fraction > 0 ? 1 : 0);
  }
};
template <class T>
using ranked_reader = detail::ranked_reader<T const*, quantile_rank>;

/// Quantiles of as many elements as the device knows.
template <class T>
void check_counted_ranks(values how, std::int64_t at_most, setup const& with, unsigned seed) {
  auto const x = draw_values<T>(how, static_cast<std::size_t>(at_most), seed);
  for (std::int64_t count :
       {std::int64_t{0}, std::int64_t{1}, at_most / 100, at_most / 3, at_most, at_most + 5, std::int64_t{-7}}) {
    std::int64_t const n = std::min(std::max(count, std::int64_t{0}), at_most);
    auto const order = sorted_indices(std::vector<T>(x.begin(), x.begin() + n), false);
    for (double q : {0.0, 0.01, 2.0 / 3, 1.0}) {
      quantile_rank const rank_of{q, seed % 2 == 0};
      std::vector<T> out(3, x[0]);
      std::memset(static_cast<void*>(out.data()), 0x5a, 3 * sizeof(T));
      auto want = out;
      if (n > 0) want[1] = x[static_cast<std::size_t>(order[static_cast<std::size_t>(rank_of(n))])];
      detail::top_k_task<T, detail::key_by_reader<ranked_reader<T>, as_it_is, T*, std::int64_t*>> const task{
          {x.data(), {&count, at_most}, rank_of},           at_most + 1, out.data() + 1, nullptr, {},
          detail::rank_keys<T>::template order_of<T>(false)};
      run_selection<fitting<T>, small_shape>(task, rank_of(at_most), true, seed, with);
      ASSERT_EQ(std::memcmp(out.data(), want.data(), 3 * sizeof(T)), 0)
          << q << " of " << count << ", at most " << at_most << ", seed " << seed;
    }
  }
}
template <class T>
class GridCountedRank : public testing::Test {};
TYPED_TEST_SUITE(GridCountedRank, selected_types);

TYPED_TEST(GridCountedRank, IsThatOfTheElementsThatExist) {
  setup shared;
  shared.shared_samples_from = 1;
  unsigned seed = 700;
  for (std::int64_t at_most : {1, 127, 3001}) {
    for (values how : {values::specials, values::few}) {
      SCOPED_TRACE(name_of(how));
      check_counted_ranks<TypeParam>(how, at_most, {}, ++seed);
      if (at_most > 1000) check_counted_ranks<TypeParam>(how, at_most, shared, ++seed);
      if (this->HasFailure()) return;
    }
  }
}

/// Where rounding makes a rank rise by 2 at the next number, all that exist are among the elements that are planned.
TEST(GridCountedRankOnHost, IsRounded) {
  std::mt19937_64 random(11);
  unsigned jumps = 0;
  for (unsigned round = 0; round < 20000; ++round) {
    unsigned const log2 = 28 + round % 11, beyond = 1 + static_cast<unsigned>(random() % (1u << (log2 - 26)));
    std::int64_t const power = std::int64_t{1} << log2, n = power + beyond + 1, at_most = n + 1 + round % 3;
    double const q = 1 - beyond / static_cast<double>(power);
    detail::top_k_task<float, detail::key_by_reader<ranked_reader<float>, as_it_is, float*, std::int64_t*>> const task{
        {nullptr, {&n, at_most}, {q, round % 2 == 0}}, at_most + 1, nullptr, nullptr, {}, {}};
    auto const in = detail::task_now(task).in;
    ASSERT_TRUE(0 <= in.begin && in.end - in.begin == n && in.end <= task.n) << q << " of " << n;
    if (in.end == task.n) ++jumps;
  }
  EXPECT_GT(jumps, 0u);
}

}  // namespace
