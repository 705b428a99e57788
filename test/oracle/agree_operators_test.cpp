// Compares the model's operators with the library's on host tiles: NaN, zeros of both signs, identities and
// ties.
#include "agree.hpp"

namespace {

using namespace oracle::test;
namespace model = oracle::model;

/// Reduces and scans values of a small set by an operator, with some participants and with none.
template <unsigned N, class T, class Op>
void check_operator_of(vector<T> const& palette, Op op, char const* what) {
  SCOPED_TRACE(what);
  auto const a = algebra_for<T>(op);
  for (unsigned draw = 0; draw < 4; ++draw) {
    vector<T> x;
    for (unsigned r = 0; r < N; ++r) x.push_back(palette[scrambled(r + 1000 * draw) % palette.size()]);
    for (unsigned n : {0u, 1u, 3u, N - 1, N}) {
      SCOPED_TRACE("first(" + std::to_string(n) + ")");
      how const who = model::first(N, n);
      EXPECT_MODEL(model::reduce(N, x, a, who), tessera::reduce(tile, T(x[r]), op, tessera::first(n)));
      EXPECT_MODEL(model::exclusive_scan(N, x, a, who).value,
                   tessera::exclusive_scan(tile, T(x[r]), op, tessera::first(n)));
      EXPECT_MODEL(model::inclusive_scan(N, x, a, suffix(who)).value,
                   tessera::inclusive_scan(tile, T(x[r]), op, tessera::first(n) | tessera::suffix));
      EXPECT_MODEL(model::inclusive_scan(N, x, a, who).total,
                   tessera::inclusive_scan(tile, T(x[r]), op, tessera::first(n) | tessera::with_total).total);
    }
  }
}
template <class T, class Op>
void check_operator(vector<T> const& palette, Op op, char const* what) {
  check_operator_of<8>(palette, op, what);
}
template <class T>
void check_arithmetic(vector<T> const& palette) {
  check_operator(palette, tessera::plus{}, "plus");
  check_operator_of<64>(palette, tessera::plus{}, "plus");
  check_operator(palette, tessera::multiplies{}, "multiplies");
  check_operator(palette, tessera::minimum{}, "minimum");
  check_operator(palette, tessera::maximum{}, "maximum");
  check_operator(palette, tessera::minimum_number{}, "minimum_number");
  check_operator(palette, tessera::maximum_number{}, "maximum_number");
}
template <class T>
void check_bits(vector<T> const& palette) {
  check_operator(palette, tessera::bit_and{}, "bit_and");
  check_operator(palette, tessera::bit_or{}, "bit_or");
  check_operator(palette, tessera::bit_xor{}, "bit_xor");
}
template <class T>
void check_logic(vector<T> const& palette) {
  check_operator(palette, tessera::logical_and{}, "logical_and");
  check_operator(palette, tessera::logical_or{}, "logical_or");
}

TEST(AgreeOperators, OnFloats) {
  float const nan = model::not_a_number<float>(), top = model::highest<float>();
  check_arithmetic<float>({1, -2, 0.0f, -0.0f, 3.5f});
  check_arithmetic<float>({-0.0f});
  check_arithmetic<float>({-0.0f, 0.0f});
  check_arithmetic<float>({1, nan, -0.0f, top, -top});
  check_arithmetic<double>({nan, -1, 0.0, -0.0});
}
TEST(AgreeOperators, OnIntegers) {
  check_arithmetic<int>({1, -2, 1 << 30, 0x7fffffff, -0x7fffffff - 1});
  check_arithmetic<std::uint8_t>({1, 200, 255, 3});
  check_arithmetic<std::int64_t>({1, -1, INT64_MAX, INT64_MIN});
  check_bits<int>({1, -2, 0x55555555, -1});
  check_bits<std::uint16_t>({1, 0xffff, 0xfff0});
  check_logic<int>({1, 0});
}
TEST(AgreeOperators, OnBools) {
  for (vector<bool> const& palette : {vector<bool>{true, false}, vector<bool>{true}, vector<bool>{false}}) {
    check_operator(palette, tessera::plus{}, "plus");
    check_operator(palette, tessera::multiplies{}, "multiplies");
    check_operator(palette, tessera::minimum{}, "minimum");
    check_operator(palette, tessera::maximum{}, "maximum");
    check_bits(palette);
    check_logic(palette);
  }
}
TEST(AgreeOperators, OnIndexedValues) {
  float const nan = model::not_a_number<float>();
  using at = tessera::indexed<float, int>;
  vector<at> const palette{{1, 4},   {1, 2},   {0.0f, 3}, {-0.0f, 9},
                           {nan, 7}, {nan, 6}, {-5, 1},   {model::highest<float>(), 0}};
  vector<at> const numbers{{1, 4}, {1, 2}, {0.0f, 3}, {-0.0f, 9}, {7, 7}};
  for (auto const& from : {palette, numbers}) {
    check_operator(from, tessera::argmin{}, "argmin");
    check_operator(from, tessera::argmax{}, "argmax");
    vector<tessera::min_max<at>> both;
    for (at const& one : from) both.push_back(tessera::as_min_max(one));
    check_operator(both, tessera::minmax{}, "minmax");
    using three = tessera::selection<at, 3>;
    vector<three> least, greatest;
    for (at const& one : from) least.push_back(tessera::as_smallest<3>(one));
    for (at const& one : from) greatest.push_back(tessera::as_largest<3>(one));
    check_operator_of<8>(least, tessera::smallest{}, "smallest");
    check_operator_of<8>(greatest, tessera::largest{}, "largest");
  }
}
TEST(AgreeOperators, OnSelectionsOfNumbers) {
  float const nan = model::not_a_number<float>();
  vector<tessera::selection<float, 4>> least, greatest;
  for (float x : {1.0f, nan, -0.0f, 0.0f, 5.0f, -3.0f}) {
    least.push_back(tessera::as_smallest<4>(x));
    greatest.push_back(tessera::as_largest<4>(x));
  }
  check_operator(least, tessera::smallest{}, "smallest");
  check_operator(greatest, tessera::largest{}, "largest");
}
TEST(AgreeOperators, OnTuples) {
  using tessera::as_zipped;
  float const nan = model::not_a_number<float>();
  vector<tessera::zipped<int, float, bool>> const palette{as_zipped(1, 2.0f, true), as_zipped(5, nan, false),
                                                          as_zipped(-1, -0.0f, false), as_zipped(3, 0.0f, true)};
  check_operator(palette, tessera::zip(tessera::plus{}, tessera::maximum{}, tessera::logical_and{}), "zip");
  vector<tessera::zipped<float, int, char>> const named{as_zipped(1.0f, 3, 'a'), as_zipped(1.0f, 2, 'b'),
                                                        as_zipped(-2.0f, 9, 'c')};
  for (unsigned draw = 0; draw < 4; ++draw) {
    constexpr unsigned N = 8;
    vector<tessera::zipped<float, int, char>> x;
    for (unsigned r = 0; r < N; ++r) x.push_back(named[scrambled(r + draw * 77) % named.size()]);
    EXPECT_MODEL(model::reduce(N, x, algebra_for<tessera::zipped<float, int, char>>(tessera::argmin{}), everyone(N)),
                 tessera::reduce(tile, x[r], tessera::argmin{}));
  }
}
TEST(AgreeOperators, OnMomentsAndExponentials) {
  vector<tessera::moments<float>> moments;
  vector<tessera::exp_sum<float>> sums;
  for (float x : {1.5f, 2.25f, -7.0f, 0.0f, 1e6f}) {
    moments.push_back(tessera::as_moments(x));
    sums.push_back(tessera::as_exp_sum(x));
  }
  check_operator(moments, tessera::welford{}, "welford");
  check_operator(sums, tessera::log_sum_exp{}, "log_sum_exp");
  float const infinity = model::highest<float>();
  check_operator<tessera::exp_sum<float>>({tessera::as_exp_sum(-infinity)}, tessera::log_sum_exp{}, "of -infinity");
  check_operator<tessera::exp_sum<float>>({tessera::as_exp_sum(-infinity), tessera::as_exp_sum(2.0f)},
                                          tessera::log_sum_exp{}, "with -infinity");
}

/// Compares welford and log_sum_exp with their definitions.
TEST(AgreeOperators, MomentsAndExponentialsByTheirDefinitions) {
  constexpr unsigned N = 32;
  double sum = 0, exponentials = 0, squares = 0;
  vector<double> x;
  for (unsigned r = 0; r < N; ++r) x.push_back((scrambled(r) % 1000) / 37.0 - 9);
  for (double v : x) sum += v;
  for (double v : x) squares += (v - sum / N) * (v - sum / N);
  for (double v : x) exponentials += std::exp(v);
  vector<tessera::moments<double>> of_one;
  vector<tessera::exp_sum<double>> of_exp;
  for (double v : x) {
    of_one.push_back(tessera::as_moments(v));
    of_exp.push_back(tessera::as_exp_sum(v));
  }
  auto const moments =
      *model::reduce(N, of_one, algebra_for<tessera::moments<double>>(tessera::welford{}), everyone(N))[0];
  EXPECT_EQ(moments.count, N);
  EXPECT_NEAR(moments.mean, sum / N, 1e-13);
  EXPECT_NEAR(moments.m2, squares, 1e-10);
  auto const all =
      *model::reduce(N, of_exp, algebra_for<tessera::exp_sum<double>>(tessera::log_sum_exp{}), everyone(N))[0];
  EXPECT_NEAR(all.max + std::log(all.sum), std::log(exponentials), 1e-13);
}

}  // namespace
