// Random arrays through grid::reduce and its like.
#include <tessera/grid/reduce.hpp>

#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomReduce = GridRandom;

int multiprocessors() {
  int count = 0;
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
  return count;
}

template <class T>
void check_integers(GridRandom& test, std::vector<T> const& x, T const* in) {
  using U = std::make_unsigned_t<T>;
  U sum = 0, product = 1, both = static_cast<U>(~U{0}), any = 0, parity = 0;
  T least = std::numeric_limits<T>::max(), greatest = std::numeric_limits<T>::lowest();
  for (T value : x) {
    auto const u = static_cast<U>(value);
    sum += u;
    product *= u;
    both &= u;
    any |= u;
    parity ^= u;
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  auto const n = static_cast<std::int64_t>(x.size());
  auto const reduced = [&](auto op) {
    return test.results<T>(n >= 0 ? 1 : 0,
                           [&](T* out, grid::execution on) { return grid::reduce(in, n, out, op, on); })[0];
  };
  EXPECT_EQ(reduced(tessera::plus{}), static_cast<T>(sum));
  EXPECT_EQ(reduced(tessera::multiplies{}), static_cast<T>(product));
  EXPECT_EQ(reduced(tessera::bit_and{}), static_cast<T>(both));
  EXPECT_EQ(reduced(tessera::bit_or{}), static_cast<T>(any));
  EXPECT_EQ(reduced(tessera::bit_xor{}), static_cast<T>(parity));
  EXPECT_EQ(reduced(tessera::minimum{}), least);
  EXPECT_EQ(reduced(tessera::maximum{}), greatest);
}

template <class T>
void check_floats(GridRandom& test, std::vector<T> const& x, T const* in) {
  auto const n = static_cast<std::int64_t>(x.size());
  auto const values = as_doubles(x.data(), n);
  constexpr arithmetic how = arithmetic_of<computed_in<T>>();
  auto const reduced = [&](auto op) {
    using out_t = grid::reduced_t<T, decltype(op)>;
    return as_double(
        test.results<out_t>(1, [&](out_t* out, grid::execution on) { return grid::reduce(in, n, out, op, on); })[0]);
  };
  auto const expect = [](char const* what, double got, expectation const& expected) {
    EXPECT_TRUE(expected.allows(got)) << what << ": " << got << ", not " << expected.value << " to within "
                                      << expected.error;
  };
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto const length = static_cast<double>(n);
  expect("sum", reduced(tessera::plus{}), expected_sum(values, length / (2048 * multiprocessors()) + 56, how));
  expect("product", reduced(tessera::multiplies{}), expected_product(values, length, how));
  expect("minimum", reduced(tessera::minimum{}), {expected_extreme(values, false, inf)});
  expect("maximum", reduced(tessera::maximum{}), {expected_extreme(values, true, -inf)});
}

template <class T>
void check_positions(GridRandom& test, std::vector<T> const& x, T const* in) {
  using best_t = tessera::indexed<T, std::int64_t>;
  auto const n = static_cast<std::int64_t>(x.size());
  auto const first_best = [&](auto before) {
    std::int64_t best = n > 0 ? 0 : INT64_MAX;
    for (std::int64_t i = 1; i < n; ++i) {
      double const a = as_double(x[static_cast<std::size_t>(best)]), b = as_double(x[static_cast<std::size_t>(i)]);
      T const kept = x[static_cast<std::size_t>(best)], other = x[static_cast<std::size_t>(i)];
      bool better = before(b, a);
      if constexpr (!is_any_float<T>) better = before(other, kept);
      if (!std::isnan(a) && (better || std::isnan(b))) best = i;
    }
    return best;
  };
  auto const expect = [&](char const* what, best_t got, std::int64_t best) {
    EXPECT_EQ(got.index, best) << what;
    if (n > 0) {
      EXPECT_TRUE(same_number(got.value, x[static_cast<std::size_t>(best)])) << what << ": " << as_double(got.value);
    }
  };
  // The bytes between value and index are nobody's: results are compared by their members.
  device_array<best_t> const out(std::size_t{2}, 1);
  test.run_twice([&](int i, grid::execution on) {
    cudaError_t const error = grid::argmin(in, n, out.data(), on);
    if (error != cudaSuccess || i == 2) return error;
    return grid::argmax(in, n, out.data() + 1, on);
  });
  auto const got = out.to_host();
  EXPECT_TRUE(out.guards_intact());
  expect("argmin", got[0], first_best([](auto a, auto b) { return a < b; }));
  expect("argmax", got[1], first_best([](auto a, auto b) { return a > b; }));
}

template <class T>
void check_moments(GridRandom& test, std::vector<T> const& x, T const* in) {
  auto const n = static_cast<std::int64_t>(x.size());
  expected_moments const expected(as_doubles(x.data(), n));
  auto const got = test.results<tessera::moments<double>>(
      1, [&](tessera::moments<double>* out, grid::execution on) { return grid::moments(in, n, out, on); })[0];
  EXPECT_EQ(got.count, static_cast<double>(n));
  if (std::isnan(expected.mean)) {
    EXPECT_TRUE(std::isnan(got.mean) && std::isnan(got.m2)) << "mean " << got.mean << ", m2 " << got.m2;
  } else if (expected.greatest < 1e140 && (expected.deviation == 0 || expected.deviation > 1e-140)) {
    double const mean = std::abs(static_cast<double>(expected.mean)), units = 64 * 0x1p-52;
    EXPECT_NEAR(got.mean, static_cast<double>(expected.mean), units * (mean + expected.deviation));
    EXPECT_NEAR(got.m2, static_cast<double>(expected.m2),
                units * static_cast<double>(n) * expected.deviation * (mean + expected.deviation) +
                    std::numeric_limits<double>::denorm_min());
  }
}

template <class T>
void check_array(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  std::int64_t const n = from.size(most_elements(from.chance(10) ? 1 << 24 : 1 << 18));
  std::int64_t const offset = from.chance(50) ? 0 : from.number(0, 40);
  std::string text =
      std::to_string(n) + " of " + std::to_string(sizeof(T)) + " bytes, offset " + std::to_string(offset);
  auto const x = drawn<T>(from, n, text);
  SCOPED_TRACE(text);
  device_array<T> const in(x, static_cast<std::size_t>(offset));
  if constexpr (is_any_float<T>) {
    check_floats(test, x, in.data());
  } else {
    check_integers(test, x, in.data());
  }
  check_positions(test, x, in.data());
  check_moments(test, x, in.data());
  EXPECT_TRUE(all_same_bits(in.to_host(), x)) << "the array has changed";
}

TEST_F(GridRandomReduce, Arrays) {
  each_random_case(0.15, [&](std::uint64_t seed) {
    switch (seed % 8) {
      case 0:
        return check_array<float>(*this, seed);
      case 1:
        return check_array<double>(*this, seed);
      case 2:
        return check_array<__half>(*this, seed);
      case 3:
        return check_array<__nv_bfloat16>(*this, seed);
      case 4:
        return check_array<std::int32_t>(*this, seed);
      case 5:
        return check_array<std::uint32_t>(*this, seed);
      case 6:
        return check_array<std::int64_t>(*this, seed);
      default:
        return check_array<std::uint64_t>(*this, seed);
    }
  });
}

}  // namespace
