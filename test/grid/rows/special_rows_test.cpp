// Rows with NaNs, infinities and zeros of both signs, of floats, doubles and 16-bit floats, through the bodies of the
// kernels of map_rows and reduce_rows, on host tiles: the bits that a sequential computation gives.
#include <tessera/grid/rows/caller_map.hpp>
#include <tessera/grid/rows/fold_rows.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "exact_row_operations.hpp"
#include "maps_on_host.hpp"
#include "oracle/halves.hpp"
#include "random_cases.hpp"
#include "rows_on_host.hpp"

namespace {

using namespace test;
using namespace tessera::grid::detail;
using tessera::detail::convert;

/// The same bits, or NaN both.
template <class N>
bool same(N a, N b) {
  return (a != a && b != b) || std::memcmp(&a, &b, sizeof(N)) == 0;
}

/// Terms combined one after the other.
struct in_order {
  template <class N, class Op>
  N operator()(std::vector<N> const& terms, Op op) const {
    N all = terms[0];
    for (std::size_t i = 1; i < terms.size(); ++i) all = static_cast<N>(op(all, terms[i]));
    return all;
  }
};

/// Small integers, whose sums are exact in any order; in some rows also special numbers, of one kind or of all.
template <class T>
struct special_rows {
  using N = arithmetic_t<T>;
  static constexpr std::int64_t count = 6;

  rows_of<T> x;
  std::vector<std::vector<N>> numbers;

  special_rows(case_draw& from, int columns)
      : x(count, columns, columns + from.number(0, 3), static_cast<std::size_t>(from.number(0, 3))) {
    constexpr N inf = std::numeric_limits<N>::infinity(), nan = std::numeric_limits<N>::quiet_NaN();
    N const special[] = {nan, inf, -inf, N(-0.0), N(0.0), -nan};
    for (std::int64_t r = 0; r < count; ++r) {
      std::vector<N> row;
      for (int c = 0; c < columns; ++c) {
        N number = static_cast<N>(from.number(-8, 8));
        if (r > 0 && from.chance(r == count - 1 ? 50 : 5)) number = special[r < 4 ? r - 1 : from.number(0, 5)];
        if (r == 4) number = special[from.number(3, 4)];  // zeros alone
        x.at(r, c) = convert<T>(number);
        row.push_back(number);
      }
      numbers.push_back(row);
    }
  }
  row_task<T> task(rows_of<T>& to) { return {x.first(), to.first(), x.stride, to.stride, count, x.columns, nullptr}; }
};

template <class T, class Operation>
void check_map(case_draw& from, int columns) {
  special_rows<T> rows(from, columns);
  rows_of<T> y(rows.count, columns, columns + 1, 1);
  map_on_host<T>(rows.task(y), false, caller_map<T, Operation>{{}}, static_cast<unsigned>(1 << from.number(0, 2)), 3);
  for (std::int64_t r = 0; r < rows.count; ++r) {
    auto const want = mapped(Operation{}, rows.numbers[static_cast<std::size_t>(r)], in_order{});
    for (int c = 0; c < columns; ++c) {
      using N = arithmetic_t<T>;
      N const got = convert<N>(y.at(r, c)), rounded = convert<N>(convert<T>(want[static_cast<std::size_t>(c)]));
      ASSERT_TRUE(same(got, rounded)) << "row " << r << ", column " << c << " of " << columns << ": " << got
                                      << " instead of " << rounded;
    }
  }
}

struct itself {
  template <class N>
  N operator()(N x, int) const {
    return x;
  }
};

template <class T, class Op>
void check_reduction(case_draw& from, int columns) {
  using N = arithmetic_t<T>;
  special_rows<T> rows(from, columns);
  auto const got = folded_on_host<fold_tuning::short_rows, T>(rows.task(rows.x), false, element_fold<T, Op, itself>{},
                                                              static_cast<unsigned>(from.number(1, 3)));
  for (std::size_t r = 0; r < got.size(); ++r) {
    N const want = in_order{}(rows.numbers[r], Op{});
    ASSERT_TRUE(same(static_cast<N>(got[r]), want))
        << "row " << r << " of " << columns << " columns: " << got[r] << " instead of " << want;
  }
}

template <class T>
struct SpecialRowsOnHost : testing::Test {};
using types = testing::Types<float, double, __half, __nv_bfloat16>;
TYPED_TEST_SUITE(SpecialRowsOnHost, types);

constexpr int lengths[] = {1, 2, 3, 8, 17, 64, 100, 257, 700, 2100, 5001};

TYPED_TEST(SpecialRowsOnHost, AreMapped) {
  case_draw from(1);
  for (int const columns : lengths) {
    check_map<TypeParam, above_sum>(from, columns);
    check_map<TypeParam, swap_ends>(from, columns);
    check_map<TypeParam, next_greatest>(from, columns);
  }
}
TYPED_TEST(SpecialRowsOnHost, AreReduced) {
  case_draw from(2);
  for (int const columns : lengths) {
    check_reduction<TypeParam, tessera::plus>(from, columns);
    check_reduction<TypeParam, tessera::minimum>(from, columns);
    check_reduction<TypeParam, tessera::maximum>(from, columns);
    check_reduction<TypeParam, tessera::maximum_number>(from, columns);
  }
}

}  // namespace
