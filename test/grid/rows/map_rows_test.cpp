// Row operations of a user's own through the bodies of the kernels, on host tiles, against sequential sums in long double.
#include <tessera/grid/rows/caller_map.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "maps_on_host.hpp"
#include "random_cases.hpp"
#include "row_operations.hpp"
#include "rows_on_host.hpp"

namespace {

using namespace test;
using namespace tessera::grid::detail;

template <class T, class F>
void check(std::int64_t rows, int columns, F const& f, std::uint64_t seed, bool has_nan = false) {
  case_draw from(seed);
  constexpr int width = static_cast<int>(row_vector_length<T>);
  bool const aligned = columns % width == 0 && from.chance(50), in_place = from.chance(50);
  int const gap = aligned ? 0 : static_cast<int>(from.number(0, 3));
  rows_of<T> x(rows, columns, columns + gap, aligned ? 0 : static_cast<std::size_t>(from.number(0, 3))),
      apart(rows, columns, columns + (aligned ? width : gap + 1), aligned ? 0 : 1);
  for (std::int64_t r = 0; r < rows; ++r) {
    for (int c = 0; c < columns; ++c) x.first()[r * x.stride + c] = static_cast<T>(from.real(1, 6));
  }
  if (has_nan) x.first()[columns / 2] = std::numeric_limits<T>::quiet_NaN();
  std::vector<std::vector<double>> expected;
  for (std::int64_t r = 0; r < rows; ++r) expected.push_back(F::expected(x.row(r)));
  rows_of<T> alone(1, columns, columns, aligned ? 0 : 3);  // the last row in a batch of its own
  std::vector<double> const last = x.row(rows - 1);
  for (int c = 0; c < columns; ++c) alone.first()[c] = static_cast<T>(last[static_cast<std::size_t>(c)]);

  rows_of<T>& y = in_place ? x : apart;
  auto const blocks = static_cast<unsigned>(1 << from.number(0, 2));
  map_on_host<T>({x.first(), y.first(), x.stride, y.stride, rows, columns, nullptr}, aligned, caller_map<T, F>{f},
                 blocks, 3);
  map_on_host<T>({alone.first(), alone.first(), columns, columns, 1, columns, nullptr}, aligned, caller_map<T, F>{f}, 0,
                 1);

  double const unit = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (std::int64_t r = 0; r < rows; ++r) {
    auto const got = y.row(r);
    for (std::size_t c = 0; c < got.size(); ++c) {
      double const e = expected[static_cast<std::size_t>(r)][c];
      if (std::isnan(e)) {
        ASSERT_TRUE(std::isnan(got[c])) << "row " << r << ", column " << c << " of " << columns;
      } else {
        ASSERT_NEAR(got[c], e, 64 * unit * (1 + std::abs(e))) << "row " << r << ", column " << c << " of " << columns;
      }
    }
  }
  ASSERT_EQ(
      std::memcmp(alone.first(), y.first() + (rows - 1) * y.stride, static_cast<std::size_t>(columns) * sizeof(T)), 0)
      << "the last row alone has other bits, " << columns << " columns";
  T const* const beside = y.first();
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = columns; c < y.stride; ++c) ASSERT_EQ(beside[r * y.stride + c], T(-77));
  }
}

template <class T>
void check_all(int columns, std::uint64_t seed) {
  check<T>(3, columns, l2_normalize<T>{}, seed);
  if (columns > 1) {
    check<T>(3, columns, min_max_scale<T>{}, seed + 1, seed % 2 == 0);
    check<T>(3, columns, mean_distance<T>{static_cast<T>(columns)}, seed + 2);
  }
}

TEST(map_rows, rows_of_any_length_agree_with_sequential_sums_in_any_batch) {
  for (int const columns : {1, 2, 3, 4, 7, 16, 31, 64, 100, 256, 333, 1000, 1024, 2052, 5001}) {
    check_all<float>(columns, static_cast<std::uint64_t>(columns));
    check_all<double>(columns, static_cast<std::uint64_t>(columns) + 1);
  }
}

TEST(map_rows, rows_that_several_blocks_share_are_mapped_in_passes) {
  check_all<float>(20'000, 1);
  check_all<float>(20'000, 4);
}

TEST(map_rows, longer_rows_are_read_again) {
  int const columns = static_cast<int>(map_tuning::most_shared_vectors * row_vector_length<double>) + 5;
  check_all<double>(columns, 1);
  check_all<double>(columns + 3, 2);
}

}  // namespace
