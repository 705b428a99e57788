// welford and log_sum_exp, compared with sums in long double, within bounds that are derived from their
// arithmetic.
#include "operators_cases.hpp"

namespace {

using namespace test;

template <class T>
constexpr long double unit = std::numeric_limits<T>::epsilon() /
                             2;  // the greatest relative rounding error of an operation
template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

/// The depth of the tree over this many lanes, in tiles of up to 32.
constexpr int sample_count = 5;

// ---- welford

template <class T>
struct Moments : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(Moments, Floats);

template <class T>
struct spread {
  tessera::moments<T> all;
  T variance, sample_variance, deviation;
};
struct spread_of {
  template <class T>
  TESSERA_FN spread<T> operator()(tessera::moments<T> const& all, tessera::moments<T> const&) const {
    return {all, all.variance(), all.sample_variance(), all.standard_deviation()};
  }
};

auto const welford_kernel = [](who participants) {
  return reduce_then<tessera::welford, spread_of>{{}, {}, participants};
};

template <class T>
tessera::moments<T> far_from_zero(random_engine& random) {
  return tessera::as_moments(std::uniform_real_distribution<T>(T(999), T(1001))(random));
}
template <class T>
tessera::moments<T> around_zero(random_engine& random) {
  return tessera::as_moments(sample<T>(random));
}
template <class T>
tessera::moments<T> special(random_engine& random) {
  return tessera::as_moments(random() % 4 == 0 ? sample_special<T>(random) : sample<T>(random));
}

/// The count must be exact. Mean and m2 of finite values must be within the bounds below. If a value isn't
/// finite, they must be NaN.
///
/// A combination computes the mean a + (b − a) · share. Each operation rounds by u, so the error is at most
/// 5uM, where M is the greatest |x|, and after s combinations it is at most E = 5suM. The difference of two
/// means then has an error of at most D = 2E + 2uM. m2 is Σ w·apart² over all combinations, with w =
/// na·nb/n, and Σ w is at most s·n/4. Errors of D in `apart` change m2 by at most 2D·√(s·n/4·m2) +
/// D²·s·n/4; the s additions and 4 roundings per term change it by (s + 4)·u·m2.
template <class T>
void check_moments(std::vector<tessera::moments<T>> const& values, tessera::moments<T> const&, spread<T> const& got,
                   spread<T> const&) {
  long double const n = static_cast<long double>(values.size());
  long double sum = 0, greatest = 0, m2 = 0;
  for (auto const& x : values) sum += x.mean;
  long double const mean = values.empty() ? 0 : sum / n;
  for (auto const& x : values) {
    m2 += (x.mean - mean) * (x.mean - mean);
    greatest = std::max(greatest, std::fabs(static_cast<long double>(x.mean)));
  }
  ASSERT_EQ(got.all.count, static_cast<T>(values.size()));
  if (values.empty()) {
    ASSERT_TRUE(same_bits(got.all, tessera::moments<T>{0, 0, 0}) && std::isnan(got.variance));
    return;
  }
  if (!std::isfinite(m2)) {
    ASSERT_TRUE(std::isnan(got.all.m2) && std::isnan(got.variance));
    ASSERT_TRUE(!std::isfinite(got.all.mean));
    return;
  }
  long double const u = unit<T>, off = 5 * sample_count * u * greatest, apart = 2 * off + 2 * u * greatest;
  long double const weight = sample_count * n / 4;
  long double const bound = 2 * apart * std::sqrt(weight * m2) + apart * apart * weight + (sample_count + 4) * u * m2;
  long double const least = sample_count * static_cast<long double>(std::numeric_limits<T>::denorm_min());
  ASSERT_LE(std::fabs(got.all.mean - mean), off + least);
  ASSERT_LE(std::fabs(got.all.m2 - m2), bound + least);
  ASSERT_GE(got.all.m2, T(0));
  ASSERT_EQ(got.variance, got.all.m2 / got.all.count);
  ASSERT_EQ(got.deviation, std::sqrt(got.variance));
  if (values.size() == 1) {
    ASSERT_TRUE(std::isnan(got.sample_variance));
  } else {
    ASSERT_EQ(got.sample_variance, got.all.m2 / (got.all.count - 1));
  }
}

// The bits are checked, too: check_reduce calls the operator on the host for its reference.
TYPED_TEST(Moments, HaveTheBitsOfTheHost) {
  check_reduce(tessera::welford{}, special<TypeParam>, false);
}
TYPED_TEST(Moments, FarFromZero) {
  check_tiles<spread<TypeParam>>(far_from_zero<TypeParam>, welford_kernel, check_moments<TypeParam>);
}
TYPED_TEST(Moments, AroundZero) {
  check_tiles<spread<TypeParam>>(around_zero<TypeParam>, welford_kernel, check_moments<TypeParam>);
}
TYPED_TEST(Moments, WithInfinitiesAndNaN) {
  check_tiles<spread<TypeParam>>(special<TypeParam>, welford_kernel, check_moments<TypeParam>);
}
template <class T>
tessera::moments<T> a_third(random_engine&) {
  return tessera::as_moments(T(1) / 3);
}
TYPED_TEST(Moments, OfEqualValuesHaveNoVariance) {
  check_tiles<spread<TypeParam>>(a_third<TypeParam>, welford_kernel,
                                 [](auto const& values, auto const&, auto const& got, auto const&) {
                                   ASSERT_EQ(got.all.m2, 0);
                                   if (!values.empty()) {
                                     ASSERT_EQ(got.all.mean, TypeParam(1) / 3);
                                   }
                                 });
}

TEST(Welford, OfFourValuesIsExact) {
  using namespace tessera;
  auto const all =
      welford{}(welford{}(as_moments(2.0f), as_moments(4.0f)), welford{}(as_moments(4.0f), as_moments(6.0f)));
  EXPECT_TRUE(same_bits(all, moments<float>{4, 4, 8}));
  EXPECT_EQ(all.variance(), 2.0f);
}
TEST(Welford, OfNothingIsTheIdentity) {
  using namespace tessera;
  auto const nothing = operator_traits<welford, moments<float>>::identity(welford{});
  EXPECT_TRUE(same_bits(welford{}(nothing, nothing), nothing));
  for (float x : {-0.0f, 1e30f, -infinity_of<float>, 7.0f}) {
    moments<float> const one = as_moments(x);
    EXPECT_TRUE(same_bits(welford{}(nothing, one), one)) << x;
    EXPECT_TRUE(same_bits(welford{}(one, nothing), one)) << x;
  }
}

// ---- log_sum_exp

template <class T>
struct ExpSum : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};
TYPED_TEST_SUITE(ExpSum, Floats);

template <class T>
struct softmax {
  tessera::exp_sum<T> row;
  T value, share;
};
struct softmax_of {
  template <class T>
  TESSERA_FN softmax<T> operator()(tessera::exp_sum<T> const& row, tessera::exp_sum<T> const& x) const {
    return {row, row.value(), row.share(x.max)};
  }
};

auto const softmax_kernel = [](who participants) {
  return reduce_then<tessera::log_sum_exp, softmax_of>{{}, {}, participants};
};

/// A combination has a relative error of at most 7u in its sum: exp contributes 4u, and the fma u. The
/// difference d, which is the argument of exp, has an error of u·|d|; since its term has a small weight in
/// a sum of up to 32, it contributes 2u.
template <class T>
void check_exp_sum(std::vector<tessera::exp_sum<T>> const& values, tessera::exp_sum<T> const& mine,
                   softmax<T> const& got, softmax<T> const& of_rank_0) {
  ASSERT_TRUE(same_bits(got.row, of_rank_0.row) && same_bits(got.value, of_rank_0.value));
  long double const u = unit<T>, relative = 7 * sample_count * u;
  long double max = -infinity_of<long double>, sum = 0;
  for (auto const& x : values) {
    if (std::isnan(x.max)) {
      ASSERT_TRUE(std::isnan(got.row.max) && std::isnan(got.row.sum) && std::isnan(got.value) && std::isnan(got.share))
          << "a NaN wins";
      return;
    }
    max = std::max(max, static_cast<long double>(x.max));
  }
  ASSERT_EQ(got.row.max, static_cast<T>(max));
  bool const participates = mine.max <= got.row.max;  // otherwise the lane doesn't participate
  if (std::isinf(max)) {
    // If all values are −∞, or there are none, the sum is 0. If there are values of +∞, the sum is their
    // number.
    auto const count =
        std::count_if(values.begin(), values.end(), [](auto x) { return x.max > 0 && std::isinf(x.max); });
    ASSERT_EQ(got.row.sum, static_cast<T>(count));
    ASSERT_EQ(got.value, static_cast<T>(max));
    if (max < 0 && participates) {
      ASSERT_EQ(got.share, 0);
    }
    if (max > 0 && participates) {
      ASSERT_EQ(got.share, mine.max == got.row.max ? T(1) / static_cast<T>(count) : T(0));
    }
    return;
  }
  for (auto const& x : values) sum += std::exp(x.max - max);
  ASSERT_LE(std::fabs(got.row.sum - sum), relative * sum) << got.row.sum;
  long double const value = max + std::log(sum);
  ASSERT_LE(std::fabs(got.value - value), relative + 4 * u * std::log(sum) + 2 * u * std::fabs(value));
  if (participates) {
    long double const share = std::exp(mine.max - max) / sum;
    long double const off = mine.max == -infinity_of<T> ? 0 : (max - mine.max) * u;
    ASSERT_LE(std::fabs(got.share - share),
              share * (relative + off + 8 * u) + 4 * static_cast<long double>(std::numeric_limits<T>::denorm_min()))
        << got.share;
  }
}

template <class T>
tessera::exp_sum<T> small(random_engine& random) {
  return tessera::as_exp_sum(std::uniform_real_distribution<T>(-4, 4)(random));
}
template <class T>
tessera::exp_sum<T> large(random_engine& random) {
  return tessera::as_exp_sum(std::uniform_real_distribution<T>(-10000, 10000)(random));
}
template <class T>
tessera::exp_sum<T> masked(random_engine&) {
  return tessera::as_exp_sum(-infinity_of<T>);
}
template <class T>
tessera::exp_sum<T> often_masked(random_engine& random) {
  return random() % 3 != 0 ? masked<T>(random) : small<T>(random);
}
template <class T>
tessera::exp_sum<T> special_or_not(random_engine& random) {
  T const special[] = {nan_of<T>, infinity_of<T>, infinity_of<T>, -infinity_of<T>, T(0), -T(0)};
  return random() % 8 == 0 ? tessera::as_exp_sum(special[random() % 6]) : small<T>(random);
}

TYPED_TEST(ExpSum, AgreesWithAWiderOne) {
  for (auto sample_one :
       {small<TypeParam>, large<TypeParam>, masked<TypeParam>, often_masked<TypeParam>, special_or_not<TypeParam>}) {
    check_tiles<softmax<TypeParam>>(sample_one, softmax_kernel, check_exp_sum<TypeParam>);
  }
}

template <class T>
tessera::exp_sum<T> infinite(random_engine& random) {
  T const special[] = {nan_of<T>, infinity_of<T>, -infinity_of<T>, -infinity_of<T>};
  return tessera::as_exp_sum(random() % 16 == 0 ? special[0] : special[1 + random() % 3]);
}

TYPED_TEST(ExpSum, OfInfinitiesIsExact) {
  check_reduce(tessera::log_sum_exp{}, infinite<TypeParam>);
}

TEST(LogSumExp, CommutesAndHasAnIdentity) {
  using namespace tessera;
  auto const nothing = operator_traits<log_sum_exp, exp_sum<float>>::identity(log_sum_exp{});
  EXPECT_TRUE(same_bits(log_sum_exp{}(nothing, nothing), nothing));
  EXPECT_EQ(nothing.value(), -infinity_of<float>);
  EXPECT_EQ(nothing.share(-infinity_of<float>), 0.0f);
  random_engine random(3);
  for (int i = 0; i < 500; ++i) {
    auto const a = special_or_not<float>(random), b = large<float>(random), c = infinite<float>(random);
    EXPECT_TRUE(same_bits(log_sum_exp{}(a, b), log_sum_exp{}(b, a)));
    EXPECT_TRUE(same_bits(log_sum_exp{}(a, c), log_sum_exp{}(c, a)));
    if (a.max == a.max) {
      EXPECT_TRUE(same_bits(log_sum_exp{}(nothing, a), a));
      EXPECT_TRUE(same_bits(log_sum_exp{}(a, nothing), a));
    }
  }
}
TEST(LogSumExp, OfKnownValues) {
  using namespace tessera;
  auto const pair = log_sum_exp{}(as_exp_sum(20000.0f), as_exp_sum(20000.0f));
  EXPECT_TRUE(same_bits(pair, exp_sum<float>{20000.0f, 2}));
  EXPECT_EQ(pair.share(20000.0f), 0.5f);
  auto const infinite_pair = log_sum_exp{}(as_exp_sum(infinity_of<double>), as_exp_sum(1.0));
  EXPECT_EQ(infinite_pair.value(), infinity_of<double>);
  EXPECT_EQ(infinite_pair.share(1.0), 0.0);
  EXPECT_EQ(infinite_pair.share(infinity_of<double>), 1.0);
}

}  // namespace
