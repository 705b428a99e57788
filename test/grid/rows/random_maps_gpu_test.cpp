// Random matrices through softmax and the norms.
#include <tessera/grid/norm.hpp>
#include <tessera/grid/softmax.hpp>

#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomMaps = GridRandom;

/// A random matrix of a case, where its results go, and how it went.
template <class T>
struct mapped {
  layout from, to;
  std::string text;
  std::vector<T> x, y;

  explicit mapped(case_draw& random)
      : from(drawn_layout(random, most_elements(random.chance(10) ? 1 << 22 : 1 << 16))),
        to(drawn_layout(random, from.rows, from.columns)),
        text(from.text() + " to " + to.text() + ", " + std::to_string(sizeof(T)) + " bytes") {
    x = drawn<T>(random, from.rows * from.columns, text);
  }
  /// By call(in, out, execution), apart and in place.
  template <class Call>
  void run(GridRandom& test, Call call) {
    device_matrix<T> const in(from, x), out[2] = {device_matrix<T>(to), device_matrix<T>(to)};
    test.run_twice([&](int i, grid::execution on) { return call(in.view(), out[i].view(), on); });
    y = out[0].to_host();
    EXPECT_TRUE(all_same_bits(y, out[1].to_host())) << "not the same bits twice";
    EXPECT_TRUE(all_same_bits(in.to_host(), x)) << "the matrix has changed";
    device_matrix<T> const both(from, x), apart(from);
    check(cudaDeviceSynchronize());  // the stream doesn't wait for copies by others
    ASSERT_EQ(call(both.view(), both.view(), {*test.own_stream, test.memory}), cudaSuccess);
    ASSERT_EQ(call(in.view(), apart.view(), {*test.own_stream, test.memory}), cudaSuccess);
    check(cudaDeviceSynchronize());
    EXPECT_TRUE(all_same_bits(both.to_host(), apart.to_host())) << "in place there are other bits than apart";
  }
  std::vector<double> row(std::int64_t r) const { return as_doubles(x.data() + r * from.columns, from.columns); }
  T result(std::int64_t r, std::size_t c) const { return y[static_cast<std::size_t>(r * from.columns) + c]; }
};

/// Whether a result of 16 bits is one of the two neighbors of what is expected, or as near as in full precision.
template <class T>
bool is_near(T got, expectation const& expected) {
  if (expected.allows(as_double(got))) return true;
  if constexpr (is_half_float<T>) {
    return !std::isnan(expected.value) && !std::isnan(as_double(got)) &&
           steps_between(got, rounded<T>(expected.value)) <= 1;
  } else {
    return false;
  }
}

template <class T>
void check_softmax(GridRandom& test, std::uint64_t seed) {
  case_draw random(seed);
  mapped<T> m(random);
  bool const logarithms = random.chance(50), has_lengths = random.chance(40);
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(m.from.rows));
  for (auto& length : lengths) length = static_cast<std::int32_t>(random.number(-2, m.from.columns + 2));
  device_array<std::int32_t> const counted(lengths);
  SCOPED_TRACE(m.text + (logarithms ? ", logarithms" : "") + (has_lengths ? ", lengths" : ""));
  m.run(test, [&](auto in, auto out, grid::execution on) {
    auto const* const some = has_lengths ? counted.data() : nullptr;
    return logarithms ? grid::log_softmax_rows(in, out, some, on) : grid::softmax_rows(in, out, some, on);
  });
  constexpr arithmetic how = arithmetic_of<computed_in<T>>();
  for (std::int64_t r = 0; r < m.from.rows && !testing::Test::HasFailure(); ++r) {
    auto const row = m.row(r);
    std::int64_t const length = has_lengths ? lengths[static_cast<std::size_t>(r)] : m.from.columns;
    auto const expected = expected_softmax(row, length, logarithms);
    double max = -std::numeric_limits<double>::infinity();
    for (std::int64_t c = 0; c < std::min(length, m.from.columns); ++c)
      max = std::max(max, row[static_cast<std::size_t>(c)]);
    for (std::size_t c = 0; c < row.size(); ++c) {
      double const apart = std::isfinite(row[c] - max) ? std::abs(row[c] - max) : 0;
      // Of 16 bits one unit in the last place, of a logarithm what full precision allows where that is more.
      double const error = is_half_float<T> && !logarithms ? 0 : softmax_error(expected[c], apart, logarithms, how);
      double const as_stored = as_double(rounded<T>(expected[c]));
      expectation const allowed{std::isinf(as_stored) ? as_stored : expected[c], error};
      ASSERT_TRUE(is_near(m.result(r, c), allowed)) << "row " << r << " of length " << length << ", column " << c
                                                    << ": " << as_double(m.result(r, c)) << ", not " << expected[c];
    }
  }
}

template <class T>
void check_norm(GridRandom& test, std::uint64_t seed) {
  case_draw random(seed);
  mapped<T> m(random);
  std::int64_t const n = m.from.columns;
  constexpr double most = limits_of<T>().most;
  double const factor = random.one_of({1.0, 1.0, std::min(1e20, most / 8), 1e-4});
  auto const drawn_parameters = [&](double by) {
    std::vector<T> some(static_cast<std::size_t>(n));
    for (T& value : some) value = rounded<T>(random.real(-2, 2) * by);
    return some;
  };
  auto const w = drawn_parameters(factor), b = drawn_parameters(1);
  device_array<T> const weight(w, static_cast<std::size_t>(random.number(0, 3))), bias(b);
  bool const centered = random.chance(60), weighted = random.chance(50), biased = random.chance(50);
  double const epsilon = random.one_of({1e-5, 1e-5, 0.0, 1e20, 1.0});
  SCOPED_TRACE(m.text + (centered ? ", layer norm" : ", rms norm") + (weighted ? ", weights of " : ", none of ") +
               std::to_string(factor) + (biased ? ", biases" : "") + ", epsilon " + std::to_string(epsilon));
  m.run(test, [&](auto in, auto out, grid::execution on) {
    T const* const some_weight = weighted ? weight.data() : nullptr;
    T const* const some_bias = biased ? bias.data() : nullptr;
    return centered ? grid::layer_norm_rows(in, out, some_weight, some_bias, epsilon, on)
                    : grid::rms_norm_rows(in, out, some_weight, some_bias, epsilon, on);
  });
  constexpr arithmetic how = arithmetic_of<computed_in<T>>();
  double const k = 4 + static_cast<double>(n) / 4096;
  for (std::int64_t r = 0; r < m.from.rows && !testing::Test::HasFailure(); ++r) {
    auto const row = m.row(r);
    expected_norm const norm(row, static_cast<double>(static_cast<computed_in<T>>(epsilon)), centered, how);
    for (std::size_t c = 0; c < row.size(); ++c) {
      auto expected = norm.of(row[c], weighted ? as_double(w[c]) : 1.0, biased ? as_double(b[c]) : 0.0, k, how);
      if (std::abs(expected.value) > most / 2) expected.any = true;
      ASSERT_TRUE(is_near(m.result(r, c), expected))
          << "row " << r << ", column " << c << ": " << as_double(m.result(r, c)) << ", not " << expected.value
          << " to within " << expected.error;
    }
  }
}

void check_softmax128(GridRandom& test, std::uint64_t seed) {
  case_draw random(seed);
  std::int64_t const rows = random.size(most_elements(1 << 18) / 128);
  std::string text = std::to_string(rows) + " rows of 128";
  auto const x = drawn<__nv_bfloat16>(random, rows * 128, text);
  SCOPED_TRACE(text);
  device_array<__nv_bfloat16> const in(x), out(x.size()), same(x.size());
  test.run_twice([&](int, grid::execution on) {
    cudaError_t const error = grid::softmax128(out.data(), in.data(), rows, on);
    if (error != cudaSuccess) return error;
    return grid::softmax_rows(grid::matrix<__nv_bfloat16>{in.data(), rows, 128},
                              grid::matrix<__nv_bfloat16>{same.data(), rows, 128}, nullptr, on);
  });
  EXPECT_TRUE(all_same_bits(out.to_host(), same.to_host())) << "not what softmax_rows gives";
  EXPECT_TRUE(out.guards_intact());
}

template <template <class> class Check>
void of_some_type(GridRandom& test, std::uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return Check<float>::run(test, seed);
    case 1:
      return Check<double>::run(test, seed);
    case 2:
      return Check<__half>::run(test, seed);
    default:
      return Check<__nv_bfloat16>::run(test, seed);
  }
}
template <class T>
struct softmax_check {
  static void run(GridRandom& test, std::uint64_t seed) { check_softmax<T>(test, seed); }
};
template <class T>
struct norm_check {
  static void run(GridRandom& test, std::uint64_t seed) { check_norm<T>(test, seed); }
};

TEST_F(GridRandomMaps, Softmax) {
  each_random_case(0.15, [&](std::uint64_t seed) { of_some_type<softmax_check>(*this, seed); });
}
TEST_F(GridRandomMaps, Softmax128) {
  each_random_case(0.05, [&](std::uint64_t seed) { check_softmax128(*this, seed); });
}
TEST_F(GridRandomMaps, Norms) {
  each_random_case(0.15, [&](std::uint64_t seed) { of_some_type<norm_check>(*this, seed); });
}

}  // namespace
