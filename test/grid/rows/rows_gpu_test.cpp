// Reductions of rows, against sequential references.
#include <tessera/grid/rows.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "gpu.hpp"
#include "row_cases.hpp"

namespace {

using namespace test;
using namespace tessera::grid;
using tessera::indexed;
using tessera::min_max;

/// One result a row of a matrix on the GPU, by call(matrix, out, execution); that it leaves all else as it was, and
/// gives the same bits with a workspace and without.
template <class R, class T, class Call>
std::vector<R> results_of(layout where, std::vector<T> const& x, Call call) {
  device_matrix<T> const in(where, x);
  device_array<R> const out(static_cast<std::size_t>(where.rows)), again(static_cast<std::size_t>(where.rows));
  workspace memory;
  EXPECT_EQ(call(in.view(), out.data(), nullptr), cudaSuccess) << where.text();
  EXPECT_EQ(call(in.view(), again.data(), memory), cudaSuccess) << where.text();
  EXPECT_TRUE(out.guards_intact());
  EXPECT_TRUE(all_same_bits(in.to_host(), x));
  std::vector<R> const found = out.to_host();
  EXPECT_TRUE(all_same_bits(found, again.to_host())) << where.text();
  return found;
}

template <class T>
T const* row_of(std::vector<T> const& x, layout where, std::int64_t r) {
  return x.data() + r * where.columns;
}

template <class F>
void for_each_layout(F f) {
  for (std::int64_t const columns : some_columns()) {
    f(layout{37, columns});
    f(layout{6, columns, 3, 1});
  }
  for (std::int64_t const columns : many_columns()) {
    f(layout{1, columns});
    f(layout{3, columns, 1, 1});
  }
  for (std::int64_t const rows : {0, 1, 31, 33, 255, 257, 4099}) {
    for (std::int64_t const columns : {3, 8, 40, 300}) f(layout{rows, columns});
  }
  f(layout{256, 5000});
  f(layout{257, 5000});
  f(layout{5, 0});
}

template <class T>
struct GridRowsOf : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};
using all_types =
    testing::Types<float, double, __half, __nv_bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridRowsOf, all_types);

/// Sums: exact of integers, which wrap; of floats as rows.hpp says.
TYPED_TEST(GridRowsOf, Sums) {
  using T = TypeParam;
  for_each_layout([](layout where) {
    auto const x = random_numbers<T>(where.rows * where.columns, -1, 1, static_cast<unsigned>(where.columns));
    using R = reduced_t<T, tessera::plus>;
    auto const sums =
        results_of<R>(where, x, [](auto in, R* out, execution on) { return reduce_rows(in, out, std::plus<>{}, on); });
    for (std::int64_t r = 0; r < where.rows; ++r) {
      T const* const row = row_of(x, where, r);
      R const got = sums[static_cast<std::size_t>(r)];
      if constexpr (is_any_float<T>) {
        long double sum = 0, size = 0;
        for (std::int64_t c = 0; c < where.columns; ++c) {
          sum += as_double(row[c]);
          size += std::abs(as_double(row[c]));
        }
        double const steps =
            20 + std::log2(1.0 + static_cast<double>(where.columns)) + static_cast<double>(where.columns) / 2048;
        ASSERT_LE(static_cast<double>(std::abs(as_double(got) - sum)), steps * static_cast<double>(size) * unit<T>)
            << where.text() << ", row " << r;
      } else {
        std::make_unsigned_t<T> sum = 0;
        for (std::int64_t c = 0; c < where.columns; ++c) sum += static_cast<std::make_unsigned_t<T>>(row[c]);
        ASSERT_EQ(got, static_cast<T>(sum)) << where.text() << ", row " << r;
      }
    }
  });
}

/// Whether b is less than a, NaN before all and −0 before +0.
template <class T>
bool comes_before(T b, T a) {
  if constexpr (is_any_float<T>) {
    double const x = as_double(a), y = as_double(b);
    if (std::isnan(x)) return false;
    return std::isnan(y) || y < x || (x == 0 && y == 0 && std::signbit(y) && !std::signbit(x));
  } else {
    return b < a;
  }
}
template <class T>
bool comes_behind(T b, T a) {
  if constexpr (is_any_float<T>) {
    double const x = as_double(a), y = as_double(b);
    if (std::isnan(x)) return false;
    return std::isnan(y) || y > x || (x == 0 && y == 0 && !std::signbit(y) && std::signbit(x));
  } else {
    return b > a;
  }
}
/// Random rows, some of which have ties, zeros of both signs, NaNs, infinities of both, and denormals.
template <class T>
std::vector<T> rows_with_ties(layout where) {
  auto x = random_numbers<T>(where.rows * where.columns, -100, 100, static_cast<unsigned>(where.columns + 1));
  for (std::int64_t r = 0; r < where.rows; ++r) {
    for (std::int64_t c = 0; c < where.columns; ++c) {
      T& value = x[static_cast<std::size_t>(r * where.columns + c)];
      if (r % 6 == 1) value = rounded<T>(static_cast<double>(c * 7 % 5));
      if constexpr (is_any_float<T>) {
        if (r % 6 == 2) value = rounded<T>(c % 3 ? -0.0 : 0.0);
        if (r % 6 == 3 && c % 50 == where.columns % 50) value = rounded<T>(std::nan(""));
        if (r % 6 == 4 && c % 9 > 6) value = rounded<T>(c % 9 == 7 ? INFINITY : -INFINITY);
        if (r % 6 == 5) value = rounded<T>(static_cast<double>(c * 7 % 5 - 2) * as_double(smallest<T>()));
      }
    }
  }
  return x;
}

TYPED_TEST(GridRowsOf, Extremes) {
  using T = TypeParam;
  for_each_layout([](layout where) {
    auto const x = rows_with_ties<T>(where);
    auto const least = results_of<T>(
        where, x, [](auto in, T* out, execution on) { return reduce_rows(in, out, tessera::minimum{}, on); });
    auto const most = results_of<T>(
        where, x, [](auto in, T* out, execution on) { return reduce_rows(in, out, tessera::maximum{}, on); });
    auto const both = results_of<min_max<T>>(
        where, x, [](auto in, min_max<T>* out, execution on) { return minmax_rows(in, out, on); });
    for (std::int64_t r = 0; r < where.rows && where.columns > 0; ++r) {
      T const* const row = row_of(x, where, r);
      T min = row[0], max = row[0];
      for (std::int64_t c = 1; c < where.columns; ++c) {
        if (comes_before(row[c], min)) min = row[c];
        if (comes_behind(row[c], max)) max = row[c];
      }
      auto const i = static_cast<std::size_t>(r);
      ASSERT_TRUE(same_number(least[i], min)) << where.text() << ", row " << r;
      ASSERT_TRUE(same_number(most[i], max)) << where.text() << ", row " << r;
      ASSERT_TRUE(same_number(both[i].min, min) && same_number(both[i].max, max)) << where.text() << ", row " << r;
    }
  });
}

/// Every value of a type of 16 bits, subnormal ones and NaNs as well, in a row of its own.
template <class T>
void expect_each_value_is_its_own_extreme() {
  layout const where{65536, 1};
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  std::vector<T> x(bits.size());
  std::memcpy(static_cast<void*>(x.data()), bits.data(), bits.size() * sizeof(T));
  auto const least = results_of<T>(
      where, x, [](auto in, T* out, execution on) { return reduce_rows(in, out, tessera::minimum{}, on); });
  auto const most = results_of<T>(
      where, x, [](auto in, T* out, execution on) { return reduce_rows(in, out, tessera::maximum{}, on); });
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(same_number(least[i], x[i])) << "bits " << i;
    ASSERT_TRUE(same_number(most[i], x[i])) << "bits " << i;
  }
}

TEST(GridRows, EachHalfIsItsOwnExtreme) {
  SKIP_WITHOUT_GPU();
  expect_each_value_is_its_own_extreme<__half>();
  expect_each_value_is_its_own_extreme<__nv_bfloat16>();
}

TYPED_TEST(GridRowsOf, PlacesOfExtremes) {
  using T = TypeParam;
  for_each_layout([](layout where) {
    auto const x = rows_with_ties<T>(where);
    using best = indexed<T, int>;
    auto const least =
        results_of<best>(where, x, [](auto in, best* out, execution on) { return argmin_rows(in, out, on); });
    auto const most =
        results_of<best>(where, x, [](auto in, best* out, execution on) { return argmax_rows(in, out, on); });
    for (std::int64_t r = 0; r < where.rows; ++r) {
      T const* const row = row_of(x, where, r);
      std::int64_t min = 0, max = 0;
      auto const is_nan = [&](std::int64_t c) { return !(as_double(row[c]) == as_double(row[c])); };
      for (std::int64_t c = 1; c < where.columns; ++c) {
        if (is_nan(min)) break;
        bool const less = std::is_integral_v<T> ? row[c] < row[min] : as_double(row[c]) < as_double(row[min]);
        if (less || is_nan(c)) min = c;
      }
      for (std::int64_t c = 1; c < where.columns; ++c) {
        if (is_nan(max)) break;
        bool const more = std::is_integral_v<T> ? row[c] > row[max] : as_double(row[c]) > as_double(row[max]);
        if (more || is_nan(c)) max = c;
      }
      auto const i = static_cast<std::size_t>(r);
      if (where.columns == 0) {
        ASSERT_EQ(least[i].index, INT32_MAX);
        ASSERT_EQ(most[i].index, INT32_MAX);
        continue;
      }
      ASSERT_EQ(least[i].index, min) << where.text() << ", row " << r;
      ASSERT_TRUE(same_number(least[i].value, row[min]));
      ASSERT_EQ(most[i].index, max) << where.text() << ", row " << r;
      ASSERT_TRUE(same_number(most[i].value, row[max]));
    }
  });
}

TYPED_TEST(GridRowsOf, ProductsAndBits) {
  using T = TypeParam;
  for (layout const where : {layout{33, 3}, layout{33, 64}, layout{5, 1000, 1, 1}, layout{2, 20000}, layout{3, 0}}) {
    using R = reduced_t<T, tessera::multiplies>;
    auto const x = random_numbers<T>(where.rows * where.columns, 0.99, 1.01, 3);
    auto const products = results_of<R>(
        where, x, [](auto in, R* out, execution on) { return reduce_rows(in, out, tessera::multiplies{}, on); });
    for (std::int64_t r = 0; r < where.rows; ++r) {
      T const* const row = row_of(x, where, r);
      R const got = products[static_cast<std::size_t>(r)];
      if constexpr (is_any_float<T>) {
        long double product = 1;
        for (std::int64_t c = 0; c < where.columns; ++c) product *= as_double(row[c]);
        double const expected = static_cast<double>(product), steps = static_cast<double>(where.columns + 1);
        ASSERT_NEAR(as_double(got), expected, expected * steps * unit<T>) << where.text();
      } else {
        using U = std::make_unsigned_t<T>;
        U product = 1, all = static_cast<U>(~U{0}), any = 0, odd = 0;
        for (std::int64_t c = 0; c < where.columns; ++c) {
          auto const u = static_cast<U>(row[c]);
          product *= u, all &= u, any |= u, odd ^= u;
        }
        ASSERT_EQ(got, static_cast<T>(product)) << where.text();
        auto const of = [&](auto op) {
          return results_of<T>(where, x, [&](auto in, T* out, execution on) {
            return reduce_rows(in, out, op, on);
          })[static_cast<std::size_t>(r)];
        };
        if (r > 2) continue;
        ASSERT_EQ(of(tessera::bit_and{}), static_cast<T>(all)) << where.text();
        ASSERT_EQ(of(tessera::bit_or{}), static_cast<T>(any)) << where.text();
        ASSERT_EQ(of(std::bit_xor<>{}), static_cast<T>(odd)) << where.text();
      }
    }
  }
}

template <class T>
struct GridMomentsOf : GridRowsOf<T> {};
TYPED_TEST_SUITE(GridMomentsOf, row_types);

TYPED_TEST(GridMomentsOf, AreRight) {
  using T = TypeParam;
  for (double const at : {0.0, 1000.0}) {
    for_each_layout([&](layout where) {
      auto const x =
          random_numbers<T>(where.rows * where.columns, at - 4, at + 4, static_cast<unsigned>(where.columns));
      using R = detail::moments_of_rows_t<T>;
      auto const found =
          results_of<R>(where, x, [](auto in, R* out, execution on) { return moments_rows(in, out, on); });
      for (std::int64_t r = 0; r < where.rows; ++r) {
        T const* const row = row_of(x, where, r);
        long double mean = 0, m2 = 0;
        for (std::int64_t c = 0; c < where.columns; ++c) mean += as_double(row[c]);
        if (where.columns > 0) mean /= static_cast<long double>(where.columns);
        for (std::int64_t c = 0; c < where.columns; ++c) m2 += (as_double(row[c]) - mean) * (as_double(row[c]) - mean);
        R const got = found[static_cast<std::size_t>(r)];
        double const steps =
            16 + 4 * std::log2(1.0 + static_cast<double>(where.columns)) + static_cast<double>(where.columns) / 2048;
        ASSERT_EQ(got.count, where.columns);
        ASSERT_LE(static_cast<double>(std::abs(got.mean - mean)), steps * unit<T> * (at + 4))
            << where.text() << ", row " << r;
        ASSERT_LE(static_cast<double>(std::abs(std::sqrt(static_cast<long double>(got.m2)) - std::sqrt(m2))),
                  steps * unit<T> * (at + 4) * std::sqrt(static_cast<double>(where.columns)))
            << where.text() << ", row " << r;
      }
    });
  }
}

TYPED_TEST(GridMomentsOf, OfEqualAndOfInfiniteValues) {
  using T = TypeParam;
  layout const where{3, 1000};
  std::vector<T> x(3000, rounded<T>(0.7));
  x[1500] = rounded<T>(INFINITY);
  x[2500] = rounded<T>(std::nan(""));
  using R = detail::moments_of_rows_t<T>;
  auto const m = results_of<R>(where, x, [](auto in, R* out, execution on) { return moments_rows(in, out, on); });
  EXPECT_EQ(m[0].m2, 0);
  for (std::size_t const r : {1, 2}) {
    EXPECT_TRUE(std::isnan(m[r].m2));
    EXPECT_TRUE(std::isnan(m[r].mean));
  }
}

TYPED_TEST(GridRowsOf, BadArguments) {
  using T = TypeParam;
  device_array<T> const in(100);
  using R = reduced_t<T, tessera::plus>;
  device_array<R> const out(10);
  device_array<indexed<T, int>> const best(10);
  device_array<min_max<T>> const both(10);
  T* const p = in.data();
  auto* const odd = reinterpret_cast<T*>(reinterpret_cast<char*>(p) + 1);
  for (matrix<T> const m :
       {matrix<T>{nullptr, 4, 4}, matrix<T>{p, -1, 4}, matrix<T>{p, 4, -1}, matrix<T>{p, 4, 4, 3}, matrix<T>{odd, 4, 4},
        matrix<T>{p, 4, std::int64_t{1} << 40}, matrix<T>{p, INT64_MAX / 2, 4}}) {
    EXPECT_EQ(reduce_rows(m, out.data()), cudaErrorInvalidValue);
    EXPECT_EQ(argmin_rows(m, best.data()), cudaErrorInvalidValue);
    EXPECT_EQ(argmax_rows(m, best.data()), cudaErrorInvalidValue);
    EXPECT_EQ(minmax_rows(m, both.data()), cudaErrorInvalidValue);
  }
  matrix<T> const good{p, 4, 4};
  EXPECT_EQ(reduce_rows(good, static_cast<R*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQ(reduce_rows(good, reinterpret_cast<R*>(p + 2)), cudaErrorInvalidValue);
  EXPECT_EQ(argmax_rows(good, static_cast<indexed<T, int>*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_TRUE(in.untouched());
  EXPECT_TRUE(out.untouched());
  EXPECT_TRUE(best.untouched());
  EXPECT_EQ(reduce_rows(matrix<T>{}, static_cast<R*>(nullptr)), cudaSuccess) << "no rows";
}

TEST(GridRows, TwoStreamsAndGraphsAgree) {
  SKIP_WITHOUT_GPU();
  for (layout const where : {layout{1000, 64}, layout{100, 1000}, layout{2, 1 << 20}}) {
    if (!is_worth(where.columns)) continue;
    check_streams_and_graph<float>(where, {1, where.rows}, [](auto in, auto out, execution on) {
      return reduce_rows(in, out.data, tessera::plus{}, on);
    });
    if (HasFatalFailure()) return;
  }
}

TEST(GridRows, CallsWithoutAWorkspaceLeaveNothing) {
  SKIP_WITHOUT_GPU();
  layout const where{2, 300000};
  device_matrix<float> const in(where, random_numbers<float>(where.rows * where.columns, -1, 1, 11));
  device_array<float> const out(2);
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i) ASSERT_EQ(reduce_rows(in.view(), out.data()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
