// Softmax of rows, against a sequential reference in double.
#include <tessera/grid/softmax.hpp>

#include <gtest/gtest.h>

#include <algorithm>

#include "gpu.hpp"
#include "row_cases.hpp"
#include "row_references.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

/// Whether a result is as near as softmax.hpp says; `distance` is |x − max|.
template <class T>
bool is_near(T result, double expected, double distance, bool logarithm) {
  double const got = as_double(result);
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == as_double(rounded<T>(expected));
  double const smallest = is_half_float<T> ? 0 : static_cast<double>(std::numeric_limits<T>::denorm_min());
  double const bound =
      logarithm ? 12 * unit<T> * (1 + distance + std::abs(expected)) : (distance + 12) * unit<T> * expected + smallest;
  if constexpr (is_half_float<T>) {
    if (steps_between(result, rounded<T>(expected)) <= 1) return true;
    if (!logarithm) return false;
  }
  return std::abs(got - expected) <= bound;
}

/// The first `distinct` rows are compared with a reference, and those that repeat them too.
template <class T>
void expect_softmax(layout where, std::vector<T> const& in, std::vector<T> const& out,
                    std::vector<std::int32_t> const& lengths, bool logarithms, std::int64_t distinct = INT64_MAX) {
  int reported = 0;
  for (std::int64_t first = 0; first < std::min(where.rows, distinct) && reported < 3; ++first) {
    std::vector<double> row(static_cast<std::size_t>(where.columns));
    for (std::size_t c = 0; c < row.size(); ++c)
      row[c] = as_double(in[static_cast<std::size_t>(first * where.columns) + c]);
    std::int64_t const length = lengths.empty() ? where.columns : lengths[static_cast<std::size_t>(first)];
    std::vector<double> const expected = expected_softmax(row, length, logarithms);
    double max = -std::numeric_limits<double>::infinity();
    for (std::int64_t c = 0; c < std::min<std::int64_t>(length, where.columns); ++c)
      max = std::max(max, row[static_cast<std::size_t>(c)]);
    for (std::int64_t r = first; r < where.rows; r += std::min(where.rows, distinct)) {
      for (std::size_t c = 0; c < row.size() && reported < 3; ++c) {
        T const got = out[static_cast<std::size_t>(r * where.columns) + c];
        double const apart = std::abs(row[c] - max);
        if (is_near(got, expected[c], std::isfinite(apart) ? apart : 0, logarithms)) continue;
        ++reported;
        ADD_FAILURE() << where.text() << ", row " << r << " of length " << length << ", column " << c
                      << (logarithms ? ", logarithm" : "") << ": " << as_double(got) << " is not near " << expected[c];
      }
    }
  }
}

template <class T>
cudaError_t run(bool logarithms, matrix<T> in, matrix<T> out, std::int32_t const* lengths = nullptr,
                execution on = {}) {
  return logarithms ? log_softmax_rows(in, out, lengths, on) : softmax_rows(in, out, lengths, on);
}

/// Random rows of this layout, to another matrix of another one.
template <class T>
void expect_right(layout from, layout to, bool logarithms, std::vector<std::int32_t> const& lengths = {}) {
  double const most = is_half_float<T> ? 12 : 30;
  auto const x =
      random_numbers<T>(from.rows * from.columns, -most, most, static_cast<unsigned>(from.columns + from.rows));
  device_matrix<T> const in(from, x), out(to);
  device_array<std::int32_t> const long_enough(lengths);
  ASSERT_EQ(run(logarithms, in.view(), out.view(), lengths.empty() ? nullptr : long_enough.data()), cudaSuccess)
      << from.text();
  expect_softmax(from, x, out.to_host(), lengths, logarithms);
  EXPECT_TRUE(all_same_bits(in.to_host(), x)) << from.text();
}

template <class T>
struct GridSoftmaxOf : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};
TYPED_TEST_SUITE(GridSoftmaxOf, row_types);

TYPED_TEST(GridSoftmaxOf, RowsOfEveryLength) {
  for (std::int64_t const columns : some_columns()) {
    layout const tight{37, columns}, apart{5, columns, 16, 0}, odd{6, columns, 3, 1};
    expect_right<TypeParam>(tight, tight, columns % 2 == 0);
    expect_right<TypeParam>(apart, tight.columns == 0 ? tight : layout{5, columns, 32, 0}, columns % 2 == 1);
    expect_right<TypeParam>(odd, odd, false);
    expect_right<TypeParam>({4, columns, 1, 1}, {4, columns, 2, 0}, true);
  }
}

TYPED_TEST(GridSoftmaxOf, RowsOfSeveralBlocks) {
  for (std::int64_t const columns : many_columns()) {
    for (std::int64_t const rows : {1, 3}) {
      expect_right<TypeParam>({rows, columns}, {rows, columns, 16, 0}, columns % 3 == 0);
      if (columns < 200000) expect_right<TypeParam>({rows, columns, 1, 1}, {rows, columns, 1, 1}, columns % 3 == 1);
    }
  }
  expect_right<TypeParam>({100, 33000 + 16}, {100, 33000 + 16}, false);
  expect_right<TypeParam>({90, 70001}, {90, 70001}, false);
}

TYPED_TEST(GridSoftmaxOf, AnyNumberOfRows) {
  for (std::int64_t const rows : {0, 1, 2, 7, 31, 32, 33, 127, 255, 256, 257, 1000, 4099}) {
    expect_right<TypeParam>({rows, 8}, {rows, 8}, false);
    expect_right<TypeParam>({rows, 5}, {rows, 5}, false);
    expect_right<TypeParam>({rows, 48}, {rows, 48}, true);
    expect_right<TypeParam>({rows, 300}, {rows, 300}, false);
  }
  device_matrix<TypeParam> const none({3, 0});
  EXPECT_EQ(softmax_rows(none.view(), none.view()), cudaSuccess);
  EXPECT_EQ(softmax_rows(matrix<TypeParam>{}, matrix<TypeParam>{}), cudaSuccess);
}

TYPED_TEST(GridSoftmaxOf, RowsInPlace) {
  using T = TypeParam;
  for (std::int64_t const columns : {5, 64, 100, 1000, 1024, 8192, 32768, 50001, 140000}) {
    if (!is_worth(columns)) continue;
    layout const where{9, columns, columns % 5, columns % 2};
    auto const x = random_numbers<T>(where.rows * columns, -9, 9, 5);
    device_matrix<T> const both(where, x);
    ASSERT_EQ(softmax_rows(both.view(), both.view()), cudaSuccess);
    expect_softmax(where, x, both.to_host(), {}, false);
  }
}

TYPED_TEST(GridSoftmaxOf, RowsWithLengths) {
  using T = TypeParam;
  for (std::int64_t const columns : {1, 7, 8, 64, 129, 1000, 4096, 20000, 140000}) {
    if (!is_worth(columns)) continue;
    auto const c = static_cast<std::int32_t>(columns);
    std::vector<std::int32_t> const lengths = {0, -3, 1, c, c - 1, c + 5, c / 2, c / 3 + 1};
    layout const where{static_cast<std::int64_t>(lengths.size()), columns, 3, 0};
    for (bool const logarithms : {false, true}) {
      auto x = random_numbers<T>(where.rows * columns, -9, 9, 6);
      for (std::int64_t r = 0; r < where.rows; ++r) {  // what doesn't count may be anything
        for (std::int64_t i = std::max(0, lengths[static_cast<std::size_t>(r)]); i < columns; ++i)
          x[static_cast<std::size_t>(r * columns + i)] = rounded<T>(i % 2 ? std::nan("") : INFINITY);
      }
      device_matrix<T> const in(where, x), out(where);
      device_array<std::int32_t> const some(lengths);
      ASSERT_EQ(run(logarithms, in.view(), out.view(), some.data()), cudaSuccess);
      auto const y = out.to_host();
      expect_softmax(where, x, y, lengths, logarithms);
      for (std::int64_t i = 0; i < columns; ++i) {
        EXPECT_EQ(as_double(y[static_cast<std::size_t>(i)]), logarithms ? -INFINITY : 0.0) << "a row of length 0";
      }
    }
  }
}

TYPED_TEST(GridSoftmaxOf, InfinitiesAndNans) {
  using T = TypeParam;
  double const inf = INFINITY, nan = std::nan("");
  for (std::int64_t const columns : {2, 3, 8, 100, 1024, 8192, 40000, 140000}) {
    if (!is_worth(columns)) continue;
    layout const where{8, columns};
    for (bool const logarithms : {false, true}) {
      auto x = random_numbers<T>(where.rows * columns, -9, 9, 8);
      auto const set = [&](std::int64_t row, std::int64_t column, double value) {
        x[static_cast<std::size_t>(row * columns + column)] = rounded<T>(value);
      };
      for (std::int64_t i = 0; i < columns; ++i) {
        set(0, i, -inf);
        set(1, i, inf);
        if (i > 0) set(2, i, -inf);
        if (i < columns / 2) set(5, i, -inf);  // whole blocks of it, in long rows
      }
      set(3, columns / 2, inf);
      set(3, columns - 1, inf);
      set(4, columns - 1, nan);
      set(6, 0, nan);
      set(6, 1, inf);
      device_matrix<T> const in(where, x), out(where);
      ASSERT_EQ(run(logarithms, in.view(), out.view()), cudaSuccess);
      expect_softmax(where, x, out.to_host(), {}, logarithms);
    }
  }
}

TYPED_TEST(GridSoftmaxOf, ExtremeNumbers) {
  using T = TypeParam;
  for (std::int64_t const columns : {8, 128, 1000, 4096}) {
    if (!is_worth(columns)) continue;
    layout const where{6, columns};
    auto x = random_numbers<T>(where.rows * columns, -32000, 32000, 9);
    double const tiny = std::is_same_v<T, __half> ? 6e-8 : std::is_same_v<T, double> ? 4.9e-324 : 1e-40;
    double const great = std::is_same_v<T, __half> ? 65504 : std::is_same_v<T, double> ? 1e308 : 3e38;
    for (std::int64_t i = 0; i < columns; ++i) {
      x[static_cast<std::size_t>(1 * columns + i)] = rounded<T>(i % 2 ? tiny : -tiny);
      x[static_cast<std::size_t>(2 * columns + i)] = rounded<T>(i % 3 ? great : -great);
      x[static_cast<std::size_t>(3 * columns + i)] =
          rounded<T>(-0.75 * static_cast<double>(i));  // down to where results are 0
      x[static_cast<std::size_t>(4 * columns + i)] = rounded<T>(17);
    }
    for (bool const logarithms : {false, true}) {
      device_matrix<T> const in(where, x), out(where);
      ASSERT_EQ(run(logarithms, in.view(), out.view()), cudaSuccess);
      expect_softmax(where, x, out.to_host(), {}, logarithms);
    }
  }
}

TYPED_TEST(GridSoftmaxOf, BadArguments) {
  using T = TypeParam;
  device_array<T> const in(100), out(100);
  device_array<std::int32_t> const lengths(10);
  auto const bad = [&](matrix<T> from, matrix<T> to, std::int32_t const* some = nullptr) {
    EXPECT_EQ(softmax_rows(from, to, some), cudaErrorInvalidValue);
    EXPECT_EQ(log_softmax_rows(from, to, some), cudaErrorInvalidValue);
  };
  T* const p = in.data();
  T* const q = out.data();
  auto* const odd = reinterpret_cast<T*>(reinterpret_cast<char*>(p) + 1);
  bad({nullptr, 4, 4}, {q, 4, 4});
  bad({p, 4, 4}, {nullptr, 4, 4});
  bad({p, -1, 4}, {q, -1, 4});
  bad({p, 4, -4}, {q, 4, -4});
  bad({p, 4, 4, 3}, {q, 4, 4});
  bad({p, 4, 4}, {q, 4, 4, 3});
  bad({p, 4, 4, -4}, {q, 4, 4});
  bad({p, 4, 4}, {q, 4, 5});
  bad({p, 3, 4}, {q, 4, 4});
  bad({odd, 4, 4}, {q, 4, 4});
  bad({p, 4, 4}, {odd, 4, 4});
  bad({p, 4, 4}, {p + 1, 4, 4});
  bad({p, 4, 4}, {p, 4, 4, 5});
  bad({p, 4, 4, 8}, {p + 3, 4, 4, 8});
  bad({p, 1, INT64_MAX / 2}, {q, 1, INT64_MAX / 2});
  bad({p, INT64_MAX / 2, 4}, {q, INT64_MAX / 2, 4});
  bad({p, 4, 4}, {q, 4, 4}, reinterpret_cast<std::int32_t const*>(reinterpret_cast<char const*>(lengths.data()) + 2));
  bad({p, 4, 4}, {q, 4, 4}, reinterpret_cast<std::int32_t const*>(q));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(in.untouched());
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(softmax_rows(matrix<T>{p, 4, 4, 8}, matrix<T>{p + 4, 4, 4, 8}), cudaSuccess) << "columns of one matrix";
  check(cudaDeviceSynchronize());
}

TYPED_TEST(GridSoftmaxOf, TwoStreamsGraphsAndRunsAgree) {
  using T = TypeParam;
  for (std::int64_t const columns : {100, 1024, 8192, 200000}) {
    if (!is_worth(columns)) continue;
    layout const where{6, columns};
    check_streams_and_graph<T>(where, where,
                               [](auto in, auto out, execution on) { return softmax_rows(in, out, nullptr, on); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(GridSoftmax, CallsWithoutAWorkspaceLeaveNothing) {
  SKIP_WITHOUT_GPU();
  layout const where{2, 300000, 1, 1};
  device_matrix<float> const in(where, random_numbers<float>(where.rows * where.columns, -9, 9, 11)), out(where);
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i) ASSERT_EQ(softmax_rows(in.view(), out.view()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

TEST(GridSoftmax, RowsOf128) {
  SKIP_WITHOUT_GPU();
  using T = __nv_bfloat16;
  for (std::int64_t const rows : {0, 1, 2, 15, 16, 17, 1000, 65537}) {
    if (!is_worth(rows * 128)) continue;
    layout const where{rows, 128};
    std::int64_t const distinct = std::min<std::int64_t>(rows, 1021);
    auto x = random_numbers<T>(distinct * 128, rows % 2 ? -32000 : -8, rows % 2 ? 32000 : 8, 12);
    for (std::size_t i = 0; x.size() < static_cast<std::size_t>(rows * 128); ++i) x.push_back(T(x[i]));
    device_matrix<T> const in(where, x), out(where);
    ASSERT_EQ(softmax128(out.view().data, in.view().data, rows), cudaSuccess);
    expect_softmax(where, x, out.to_host(), {}, false, distinct);
  }
  device_array<T> const some(2048), other(2048);
  EXPECT_EQ(softmax128(other.data() + 8, some.data(), 4), cudaErrorInvalidValue);
  EXPECT_EQ(softmax128(other.data(), some.data() + 64, 4), cudaErrorInvalidValue);
  EXPECT_EQ(softmax128(other.data(), some.data(), -1), cudaErrorInvalidValue);
  EXPECT_TRUE(other.untouched());
}

}  // namespace
