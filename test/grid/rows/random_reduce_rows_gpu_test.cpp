// Random matrices through grid::reduce_rows and its like.
#include <tessera/grid/rows.hpp>

#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomRows = GridRandom;

template <class T>
bool is_less(T a, T b) {
  if constexpr (is_half_float<T>) {
    return as_double(a) < as_double(b);
  } else {
    return a < b;
  }
}
template <class T>
std::vector<T> row_of(std::vector<T> const& x, std::int64_t r, std::int64_t columns) {
  return std::vector<T>(x.begin() + r * columns, x.begin() + (r + 1) * columns);
}

template <class T>
void check_numbers(GridRandom& test, layout where, std::vector<T> const& x, grid::matrix<T> in) {
  auto const reduced = [&](auto op) {
    using out_t = grid::reduced_t<T, decltype(op)>;
    return test.results<out_t>(where.rows,
                               [&](out_t* out, grid::execution on) { return grid::reduce_rows(in, out, op, on); });
  };
  auto const sums = reduced(tessera::plus{});
  auto const products = reduced(tessera::multiplies{});
  auto const least = reduced(tessera::minimum{});
  auto const greatest = reduced(tessera::maximum{});
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto const columns = static_cast<double>(where.columns);
  for (std::int64_t r = 0; r < where.rows && !testing::Test::HasFailure(); ++r) {
    SCOPED_TRACE("row " + std::to_string(r));
    auto const i = static_cast<std::size_t>(r);
    auto const row = row_of(x, r, where.columns);
    if constexpr (is_any_float<T>) {
      auto const values = as_doubles(row.data(), where.columns);
      constexpr arithmetic how = arithmetic_of<computed_in<T>>();
      auto const sum = expected_sum(values, 20 + std::log2(columns + 1) + columns / 2048, how);
      auto const product = expected_product(values, columns + 1, how);
      EXPECT_TRUE(sum.allows(as_double(sums[i]))) << "sum " << as_double(sums[i]) << ", not " << sum.value;
      EXPECT_TRUE(product.allows(as_double(products[i])))
          << "product " << as_double(products[i]) << ", not " << product.value;
      EXPECT_TRUE((expectation{expected_extreme(values, false, inf)}).allows(as_double(least[i])));
      EXPECT_TRUE((expectation{expected_extreme(values, true, -inf)}).allows(as_double(greatest[i])));
    } else {
      using U = std::make_unsigned_t<T>;
      U sum = 0, product = 1;
      T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
      for (T value : row) {
        sum += static_cast<U>(value);
        product *= static_cast<U>(value);
        low = std::min(low, value);
        high = std::max(high, value);
      }
      EXPECT_EQ(sums[i], static_cast<T>(sum));
      EXPECT_EQ(products[i], static_cast<T>(product));
      EXPECT_EQ(least[i], low);
      EXPECT_EQ(greatest[i], high);
    }
  }
}

template <class T>
void check_positions(GridRandom& test, layout where, std::vector<T> const& x, grid::matrix<T> in) {
  using best_t = tessera::indexed<T, int>;
  auto const n = static_cast<std::size_t>(where.rows);
  device_array<best_t> const least(n, 1), greatest(n, 1);
  test.run_twice([&](int, grid::execution on) {
    cudaError_t const error = grid::argmin_rows(in, least.data(), on);
    return error != cudaSuccess ? error : grid::argmax_rows(in, greatest.data(), on);
  });
  auto const both = test.results<tessera::min_max<T>>(
      where.rows, [&](tessera::min_max<T>* out, grid::execution on) { return grid::minmax_rows(in, out, on); });
  EXPECT_TRUE(least.guards_intact() && greatest.guards_intact());
  auto const first_least = least.to_host(), first_greatest = greatest.to_host();
  if (where.columns == 0) return;
  for (std::size_t r = 0; r < n && !testing::Test::HasFailure(); ++r) {
    auto const row = row_of(x, static_cast<std::int64_t>(r), where.columns);
    std::size_t low = 0, high = 0;
    for (std::size_t c = 1; c < row.size(); ++c) {
      auto const is_nan = [&](std::size_t at) { return std::isnan(as_double(row[at])); };
      if (!is_nan(low) && (is_nan(c) || is_less(row[c], row[low]))) low = c;
      if (!is_nan(high) && (is_nan(c) || is_less(row[high], row[c]))) high = c;
    }
    EXPECT_EQ(first_least[r].index, static_cast<int>(low)) << "argmin of row " << r;
    EXPECT_TRUE(same_number(first_least[r].value, row[low])) << "argmin of row " << r;
    EXPECT_EQ(first_greatest[r].index, static_cast<int>(high)) << "argmax of row " << r;
    EXPECT_TRUE(same_number(first_greatest[r].value, row[high])) << "argmax of row " << r;
    if constexpr (is_any_float<T>) {
      auto const values = as_doubles(row.data(), where.columns);
      constexpr double inf = std::numeric_limits<double>::infinity();
      EXPECT_TRUE((expectation{expected_extreme(values, false, inf)}).allows(as_double(both[r].min)))
          << "minimum of row " << r << ": " << as_double(both[r].min);
      EXPECT_TRUE((expectation{expected_extreme(values, true, -inf)}).allows(as_double(both[r].max)))
          << "maximum of row " << r << ": " << as_double(both[r].max);
    } else {
      EXPECT_TRUE(both[r].min == row[low] && both[r].max == row[high]) << "minmax of row " << r;
    }
  }
}

template <class T>
void check_moments(GridRandom& test, layout where, std::vector<T> const& x, grid::matrix<T> in) {
  using number = computed_in<T>;
  auto const got = test.results<tessera::moments<number>>(
      where.rows, [&](tessera::moments<number>* out, grid::execution on) { return grid::moments_rows(in, out, on); });
  constexpr arithmetic how = arithmetic_of<number>();
  auto const columns = static_cast<double>(where.columns);
  double const units = 16 + 4 * std::log2(columns + 1) + columns / 2048;
  for (std::int64_t r = 0; r < where.rows && !testing::Test::HasFailure(); ++r) {
    SCOPED_TRACE("moments of row " + std::to_string(r));
    auto const row = row_of(x, r, where.columns);
    expected_moments const expected(as_doubles(row.data(), where.columns));
    auto const& m = got[static_cast<std::size_t>(r)];
    EXPECT_EQ(m.count, static_cast<number>(where.columns));
    if (std::isnan(expected.mean)) {
      EXPECT_TRUE(std::isnan(m.mean) && std::isnan(m.m2)) << "mean " << m.mean << ", m2 " << m.m2;
    } else if (expected.greatest < std::sqrt(how.most / (columns + 1)) / 2) {
      double const near = units * (how.unit * expected.greatest + how.least);
      EXPECT_NEAR(static_cast<double>(m.mean), static_cast<double>(expected.mean), near);
      if (columns > 0) {
        EXPECT_NEAR(std::sqrt(static_cast<double>(m.variance())), expected.deviation, near + 2 * std::sqrt(how.least));
      }
    }
  }
}

template <class T>
void check_matrix(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  layout const where = drawn_layout(from, most_elements(from.chance(10) ? 1 << 22 : 1 << 16));
  std::string text = where.text() + " of " + std::to_string(sizeof(T)) + " bytes";
  auto const x = drawn<T>(from, where.rows * where.columns, text);
  SCOPED_TRACE(text);
  device_matrix<T> const in(where, x);
  check_numbers(test, where, x, in.view());
  check_positions(test, where, x, in.view());
  if constexpr (is_any_float<T>) check_moments(test, where, x, in.view());
  EXPECT_TRUE(all_same_bits(in.to_host(), x)) << "the matrix has changed";
}

TEST_F(GridRandomRows, Matrices) {
  each_random_case(0.2, [&](std::uint64_t seed) {
    switch (seed % 8) {
      case 0:
        return check_matrix<float>(*this, seed);
      case 1:
        return check_matrix<double>(*this, seed);
      case 2:
        return check_matrix<__half>(*this, seed);
      case 3:
        return check_matrix<__nv_bfloat16>(*this, seed);
      case 4:
        return check_matrix<std::int32_t>(*this, seed);
      case 5:
        return check_matrix<std::uint32_t>(*this, seed);
      case 6:
        return check_matrix<std::int64_t>(*this, seed);
      default:
        return check_matrix<std::uint64_t>(*this, seed);
    }
  });
}

}  // namespace
