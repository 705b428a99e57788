// Layer norm and root-mean-square norm of rows, against a sequential reference in double.
#include <tessera/grid/norm.hpp>

#include <gtest/gtest.h>

#include "gpu.hpp"
#include "row_cases.hpp"

namespace {

using namespace test;
using namespace tessera::grid;

struct moments_of_row {
  long double mean;
  double scale, greatest;
};
moments_of_row measure(double const* row, std::int64_t n, double epsilon, bool centered) {
  long double mean = 0, squares = 0;
  double greatest = 0;
  if (centered) {
    for (std::int64_t i = 0; i < n; ++i) mean += row[i];
    mean /= static_cast<long double>(n);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    squares += (row[i] - mean) * (row[i] - mean);
    greatest = std::max(greatest, static_cast<double>(std::abs(row[i] - mean)));
  }
  auto const scale = static_cast<double>(1 / std::sqrt(squares / static_cast<long double>(n) + epsilon));
  return {mean, scale, greatest * scale};
}

/// What is asked of a norm.
struct request {
  layout from, to;
  bool centered = true, weighted = false, biased = false;
  double epsilon = 1e-5, low = -4, high = 4;
};

template <class T>
cudaError_t run(request const& what, matrix<T> in, matrix<T> out, T const* weight, T const* bias, execution on = {}) {
  return what.centered ? layer_norm_rows(in, out, weight, bias, what.epsilon, on)
                       : rms_norm_rows(in, out, weight, bias, what.epsilon, on);
}

template <class T>
void expect_norm(request const& what, std::vector<T> const& in, std::vector<T> const& out, std::vector<T> const& weight,
                 std::vector<T> const& bias) {
  std::int64_t const n = what.from.columns;
  int reported = 0;
  for (std::int64_t r = 0; r < what.from.rows; ++r) {
    std::vector<double> row(static_cast<std::size_t>(n));
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = as_double(in[static_cast<std::size_t>(r * n) + c]);
    auto const m = measure(row.data(), n, what.epsilon, what.centered);
    for (std::size_t c = 0; c < row.size() && reported < 3; ++c) {
      double const w = what.weighted ? as_double(weight[c]) : 1, b = what.biased ? as_double(bias[c]) : 0;
      double const y = static_cast<double>((row[c] - m.mean) * m.scale), expected = y * w + b;
      T const got = out[static_cast<std::size_t>(r * n) + c];
      double const before = 12 * m.greatest + 4 * static_cast<double>(std::abs(m.mean)) * m.scale;
      double const error = unit<T> * (before * std::abs(w) + 2 * std::abs(b)) +
                           std::numeric_limits<float>::denorm_min() * (std::is_same_v<T, double> ? 0 : 1);
      bool near;
      if (std::isnan(expected)) {
        near = std::isnan(as_double(got));
      } else if constexpr (is_half_float<T>) {
        near = steps_between(got, rounded<T>(expected)) <= 1 ||
               std::abs(as_double(got) - expected) <= error;  // where weight and bias cancel
      } else {
        near = std::abs(got - expected) <= error;
      }
      if (near) continue;
      ++reported;
      ADD_FAILURE() << what.from.text() << ", row " << r << ", column " << c << ": " << as_double(got)
                    << " is not near " << expected;
    }
  }
}

template <class T>
void expect_right(request const& what, bool in_place = false) {
  std::int64_t const n = what.from.columns;
  auto const x = random_numbers<T>(what.from.rows * n, what.low, what.high, static_cast<unsigned>(n));
  auto const w = random_numbers<T>(n, 0.5, 1.5, 2), b = random_numbers<T>(n, -1, 1, 3);
  device_array<T> const weight(w, static_cast<std::size_t>(what.from.offset)), bias(b);
  device_matrix<T> const in(what.from, x), out(what.to);
  device_matrix<T> const& to = in_place ? in : out;
  ASSERT_EQ(
      run(what, in.view(), to.view(), what.weighted ? weight.data() : nullptr, what.biased ? bias.data() : nullptr),
      cudaSuccess)
      << what.from.text();
  expect_norm(what, x, to.to_host(), w, b);
}

template <class T>
struct GridNormOf : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};
TYPED_TEST_SUITE(GridNormOf, row_types);

TYPED_TEST(GridNormOf, RowsOfEveryLength) {
  for (std::int64_t const columns : some_columns()) {
    for (bool const centered : {true, false}) {
      bool const weighted = columns % 3 != 0, biased = columns % 2 == 0;
      expect_right<TypeParam>({{37, columns}, {37, columns}, centered, weighted, biased});
      expect_right<TypeParam>({{5, columns, 16, 0}, {5, columns, 32, 0}, centered, biased, weighted});
      expect_right<TypeParam>({{6, columns, 3, 1}, {6, columns, 2, 0}, centered, true, true});
    }
  }
}

TYPED_TEST(GridNormOf, RowsOfSeveralBlocks) {
  for (std::int64_t const columns : many_columns()) {
    for (std::int64_t const rows : {1, 3}) {
      expect_right<TypeParam>({{rows, columns}, {rows, columns, 16, 0}, columns % 3 == 0, true, true});
      if (columns < 200000)
        expect_right<TypeParam>({{rows, columns, 1, 1}, {rows, columns, 1, 1}, columns % 3 == 1, true, false});
    }
  }
  expect_right<TypeParam>({{100, 33000 + 16}, {100, 33000 + 16}});
  expect_right<TypeParam>({{90, 70001}, {90, 70001}});
}

TYPED_TEST(GridNormOf, RowsInPlace) {
  for (std::int64_t const columns : {5, 64, 100, 1000, 1024, 8192, 32768, 50001, 140000}) {
    if (!is_worth(columns)) continue;
    expect_right<TypeParam>({{9, columns, columns % 5, columns % 2}, {9, columns}, true, true, false}, true);
    expect_right<TypeParam>({{9, columns, columns % 5, columns % 2}, {9, columns}, false, false, true}, true);
  }
}

TYPED_TEST(GridNormOf, RowsFarFromZero) {
  double const at = std::is_same_v<TypeParam, __half> ? 512 : 8192;
  for (std::int64_t const columns : {8, 64, 1000, 8192, 140000})
    expect_right<TypeParam>({{4, columns}, {4, columns}, true, false, false, 1e-5, at - 4, at + 4});
}

TYPED_TEST(GridNormOf, SpecialRows) {
  using T = TypeParam;
  for (std::int64_t const columns : {1, 4, 100, 1024, 40000}) {
    if (!is_worth(columns)) continue;
    layout const where{5, columns};
    auto x = random_numbers<T>(5 * columns, -4, 4, 4);
    x[static_cast<std::size_t>(columns - 1)] = rounded<T>(std::nan(""));
    x[static_cast<std::size_t>(2 * columns - 1)] = rounded<T>(INFINITY);
    for (std::int64_t i = 0; i < columns; ++i)
      x[static_cast<std::size_t>(2 * columns + i)] = rounded<T>(3);  // equal values
    device_matrix<T> const in(where, x), out(where);
    ASSERT_EQ(layer_norm_rows(in.view(), out.view()), cudaSuccess);
    auto const y = out.to_host();
    for (std::int64_t i = 0; i < columns; ++i) {
      EXPECT_TRUE(std::isnan(as_double(y[static_cast<std::size_t>(i)])));
      EXPECT_TRUE(std::isnan(as_double(y[static_cast<std::size_t>(columns + i)])));
      EXPECT_EQ(as_double(y[static_cast<std::size_t>(2 * columns + i)]), 0) << "equal values have variance 0";
    }
  }
}

TYPED_TEST(GridNormOf, RmsOfAnInfinity) {
  using T = TypeParam;
  for (std::int64_t const columns : {4, 100, 1024}) {
    if (!is_worth(columns)) continue;
    auto x = random_numbers<T>(columns, 1, 4, 4);
    x[1] = rounded<T>(INFINITY);
    device_matrix<T> const in({1, columns}, x), out({1, columns});
    ASSERT_EQ(rms_norm_rows(in.view(), out.view()), cudaSuccess);
    auto const y = out.to_host();
    for (std::size_t c = 0; c < y.size(); ++c)
      EXPECT_TRUE(c == 1 ? std::isnan(as_double(y[c])) : as_double(y[c]) == 0) << c;
  }
}

TYPED_TEST(GridNormOf, AnyNumberOfRows) {
  for (std::int64_t const rows : {0, 1, 7, 33, 255, 257, 4099}) {
    for (std::int64_t const columns : {8, 5, 64, 300})
      expect_right<TypeParam>({{rows, columns}, {rows, columns}, true, true, true});
  }
}

TYPED_TEST(GridNormOf, BadArguments) {
  using T = TypeParam;
  device_array<T> const in(100), out(100), weight(10);
  T* const p = in.data();
  T* const q = out.data();
  auto const bad = [&](matrix<T> from, matrix<T> to, T const* w = nullptr, T const* b = nullptr,
                       double epsilon = 1e-5) {
    EXPECT_EQ(layer_norm_rows(from, to, w, b, epsilon), cudaErrorInvalidValue);
    EXPECT_EQ(rms_norm_rows(from, to, w, b, epsilon), cudaErrorInvalidValue);
  };
  bad({nullptr, 4, 4}, {q, 4, 4});
  bad({p, 4, 4}, {nullptr, 4, 4});
  bad({p, -1, 4}, {q, -1, 4});
  bad({p, 4, 4, 3}, {q, 4, 4});
  bad({p, 4, 4}, {q, 4, 5});
  bad({p, 4, 4}, {p + 1, 4, 4});
  bad({p, 4, 4}, {q, 4, 4}, nullptr, nullptr, -1);
  bad({p, 4, 4}, {q, 4, 4}, nullptr, nullptr, std::nan(""));
  bad({p, 4, 4}, {q, 4, 4}, q + 2);
  bad({p, 4, 4}, {q, 4, 4}, nullptr, q);
  bad({p, 4, 4}, {q, 4, 4}, reinterpret_cast<T const*>(reinterpret_cast<char const*>(weight.data()) + 1));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(in.untouched());
  EXPECT_TRUE(out.untouched());
}

TYPED_TEST(GridNormOf, TwoStreamsGraphsAndRunsAgree) {
  using T = TypeParam;
  for (std::int64_t const columns : {100, 1024, 8192, 200000}) {
    if (!is_worth(columns)) continue;
    layout const where{6, columns};
    request const what{where, where};
    T const* const none = nullptr;
    check_streams_and_graph<T>(where, where,
                               [&](auto in, auto out, execution on) { return run(what, in, out, none, none, on); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(GridNorm, CallsWithoutAWorkspaceLeaveNothing) {
  SKIP_WITHOUT_GPU();
  layout const where{2, 300000};
  request const what{where, where};
  device_matrix<float> const in(where, random_numbers<float>(where.rows * where.columns, -9, 9, 11)), out(where);
  float const* const none = nullptr;
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i) ASSERT_EQ(run(what, in.view(), out.view(), none, none), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
