// Operators: hand-computed values, identities, the traits of every operator alias, and the words of a type.
#include <tessera/core/words.hpp>
#include <tessera/operators.hpp>

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "samples.hpp"

namespace {

using namespace tessera;

template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

TEST(Operators, IntegersWrap) {
  EXPECT_EQ(plus{}(std::numeric_limits<int>::max(), 1), std::numeric_limits<int>::min());
  EXPECT_EQ(multiplies{}(static_cast<short>(300), static_cast<short>(300)), static_cast<short>(90000));
  EXPECT_EQ(multiplies{}(static_cast<unsigned short>(65535), static_cast<unsigned short>(65535)), 1);
  EXPECT_EQ(plus{}(static_cast<signed char>(127), static_cast<signed char>(1)), -128);
  EXPECT_EQ(plus{}(std::numeric_limits<long long>::min(), -1ll), std::numeric_limits<long long>::max());
}

template <class T>
struct FloatOperators : testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatOperators, Floats);

TYPED_TEST(FloatOperators, MinimumAndMaximum) {
  using T = TypeParam;
  EXPECT_EQ(minimum{}(T(1), T(2)), T(1));
  EXPECT_EQ(maximum{}(T(1), T(2)), T(2));
  EXPECT_TRUE(std::isnan(minimum{}(nan_of<T>, T(1))) && std::isnan(minimum{}(T(1), nan_of<T>)));
  EXPECT_TRUE(std::isnan(maximum{}(nan_of<T>, T(1))) && std::isnan(maximum{}(T(1), nan_of<T>)));
  EXPECT_EQ(minimum_number{}(nan_of<T>, T(1)), T(1));
  EXPECT_EQ(minimum_number{}(T(1), nan_of<T>), T(1));
  EXPECT_EQ(maximum_number{}(nan_of<T>, T(1)), T(1));
  EXPECT_TRUE(std::isnan(maximum_number{}(nan_of<T>, nan_of<T>)));
}

TYPED_TEST(FloatOperators, NegativeZeroIsLess) {
  using T = TypeParam;
  T const minus = -T(0), plus = T(0);
  EXPECT_TRUE(std::signbit(minimum{}(minus, plus)) && std::signbit(minimum{}(plus, minus)));
  EXPECT_FALSE(std::signbit(maximum{}(minus, plus)) || std::signbit(maximum{}(plus, minus)));
  EXPECT_TRUE(std::signbit(minimum_number{}(plus, minus)));
  EXPECT_FALSE(std::signbit(maximum_number{}(plus, minus)));
}

TYPED_TEST(FloatOperators, NaNsAreCanonicalized) {
  using T = TypeParam;
  T const infinity = std::numeric_limits<T>::infinity();
  EXPECT_TRUE(test::same_bits(plus{}(infinity, -infinity), plus{}(nan_of<T>, T(1))));
  EXPECT_TRUE(test::same_bits(multiplies{}(infinity, T(0)), minimum{}(-nan_of<T>, T(1))));
}

TEST(Operators, BitsAndBools) {
  EXPECT_EQ(bit_and{}(12u, 10u), 8u);
  EXPECT_EQ(bit_or{}(12u, 10u), 14u);
  EXPECT_EQ(bit_xor{}(12u, 10u), 6u);
  EXPECT_EQ(logical_and{}(2, 4), 1);
  EXPECT_EQ(logical_or{}(0, 4), 1);
  EXPECT_EQ(logical_or{}(false, false), false);
}

TEST(Operators, ArgminAndArgmax) {
  auto const at = [](float value, int index) { return with_index(value, index); };
  EXPECT_EQ(argmin{}(at(1, 5), at(2, 3)).index, 5);
  EXPECT_EQ(argmax{}(at(1, 5), at(2, 3)).index, 3);
  EXPECT_EQ(argmin{}(at(1, 5), at(1, 3)).index, 3);
  EXPECT_EQ(argmax{}(at(1, 3), at(1, 5)).index, 3);
  EXPECT_EQ(argmin{}(at(0.0f, 5), at(-0.0f, 7)).index, 5);
  EXPECT_EQ(argmin{}(at(-9, 5), at(nan_of<float>, 7)).index, 7);
  EXPECT_EQ(argmax{}(at(nan_of<float>, 8), at(nan_of<float>, 7)).index, 7);
  EXPECT_EQ(argmax{}(with_index(7u, 2ll), with_index(7u, 1ll)).index, 1);
}

TEST(Operators, Minmax) {
  auto const both = minmax{}(as_min_max(3), minmax{}(as_min_max(-4), as_min_max(9)));
  EXPECT_EQ(both.min, -4);
  EXPECT_EQ(both.max, 9);
}

template <class T, class Op>
void check_identity(Op op, T (*sample_one)(test::random_engine&) = test::sample<T>) {
  test::random_engine random(7);
  T const identity = operator_traits<Op, T>::identity(op);
  for (int i = 0; i < 200; ++i) {
    T const x = sample_one(random);
    // +0 is the identity of a sum except for −0. The sum of no values is +0, and the sum of −0 only is −0
    // (see reduce).
    if (std::is_same_v<Op, plus> && test::same(x, T(-0.0))) continue;
    ASSERT_TRUE(test::same(op(identity, x), x) && test::same(op(x, identity), x)) << test::show(x);
  }
}

TEST(Operators, IdentitiesOfNumbers) {
  check_identity<int>(plus{});
  check_identity<int>(multiplies{});
  check_identity<int>(minimum{});
  check_identity<int>(maximum{});
  check_identity<int>(bit_and{});
  check_identity<unsigned char>(bit_and{});
  check_identity<unsigned>(bit_or{});
  check_identity<unsigned>(bit_xor{});
  check_identity<bool>(logical_and{});
  check_identity<bool>(logical_or{});
  check_identity<bool>(bit_and{});
  check_identity<detail::int128>(minimum{});
  check_identity<detail::uint128>(maximum{});
  check_identity<detail::int128>(maximum{});
}

TEST(Operators, IdentitiesOfFloats) {
  check_identity<float>(plus{}, test::sample_special<float>);
  check_identity<float>(multiplies{}, test::sample_special<float>);
  check_identity<float>(minimum{}, test::sample_special<float>);
  check_identity<double>(maximum{}, test::sample_special<double>);
  check_identity<float>(minimum_number{}, test::sample_special<float>);
  check_identity<double>(maximum_number{}, test::sample_special<double>);
}

TEST(Operators, ExtremesOfIntegers) {
  EXPECT_EQ(detail::highest<signed char>(), 127);
  EXPECT_EQ(detail::lowest<signed char>(), -128);
  EXPECT_EQ(detail::lowest<unsigned>(), 0u);
  EXPECT_EQ(detail::highest<long long>(), std::numeric_limits<long long>::max());
  EXPECT_EQ(detail::lowest<long long>(), std::numeric_limits<long long>::min());
  EXPECT_EQ(detail::highest<detail::uint128>(), static_cast<detail::uint128>(-1));
  EXPECT_EQ(detail::lowest<detail::int128>(), static_cast<detail::int128>(1) << 127);
}

TEST(Operators, AliasesAreTheSameOperator) {
  static_assert(operator_traits<std::plus<>, int>::has_identity && operator_traits<std::plus<>, int>::commutative);
  static_assert(operator_traits<std::plus<int> const, int>::commutative);
  static_assert(std::is_same_v<detail::normalized_t<std::plus<>, float>, plus>);
  static_assert(std::is_same_v<detail::normalized_t<std::plus<int>, int>, plus>);
  static_assert(std::is_same_v<detail::normalized_t<std::multiplies<> const, int>, multiplies>);
  static_assert(std::is_same_v<detail::normalized_t<std::bit_xor<unsigned>, unsigned>, bit_xor>);
  static_assert(std::is_same_v<detail::normalized_t<std::logical_or<>, bool>, logical_or>);
  EXPECT_EQ((operator_traits<std::multiplies<>, int>::identity(std::multiplies<>{})), 1);
}

TEST(Operators, AnOperatorOnAnotherTypeIsNotNormalized) {
  static_assert(!std::is_same_v<detail::normalized_t<std::plus<int>, float>, plus>);
  EXPECT_EQ(detail::normalize<float>(std::plus<int>{})(2.75f, 2.75f), 4.0f);
  static_assert(!operator_traits<std::plus<int>, float>::commutative);
}

TEST(Operators, AFunctionIsNeitherCommutativeNorHasAnIdentity) {
  auto const f = [](int a, int) { return a; };
  static_assert(!operator_traits<decltype(f), int>::has_identity && !operator_traits<decltype(f), int>::commutative);
  auto const with = make_operator(f, 9);
  static_assert(operator_traits<decltype(with), int>::has_identity);
  static_assert(!operator_traits<decltype(with), int>::commutative);
  EXPECT_EQ((operator_traits<std::remove_const_t<decltype(with)>, int>::identity(with)), 9);
  EXPECT_EQ(with(3, 4), 3);
  static_assert(operator_traits<decltype(make_operator(f, 0, commutative)), int>::commutative);
}

template <class T>
void check_words(unsigned count) {
  static_assert(detail::word_count<T> >= 1);
  EXPECT_EQ(detail::word_count<T>, count);
  test::random_engine random(1);
  for (int i = 0; i < 20; ++i) {
    T const x = test::sample<T>(random), y = test::sample<T>(random);
    EXPECT_TRUE(test::same_bits(detail::from_words<T>(detail::to_words(x)), x));
    EXPECT_TRUE(test::same_bits(detail::select(true, x, y), x) && test::same_bits(detail::select(false, x, y), y));
    T const flipped = detail::by_words(x, [](unsigned w) { return ~w; });
    for (std::size_t b = 0; b < sizeof(T); ++b) {
      EXPECT_EQ(reinterpret_cast<unsigned char const*>(&flipped)[b] ^ reinterpret_cast<unsigned char const*>(&x)[b],
                0xff);
    }
  }
}

TEST(Words, OfEveryTypeConvertBack) {
  check_words<unsigned char>(1);
  check_words<short>(1);
  check_words<float>(1);
  check_words<double>(2);
  check_words<detail::uint128>(4);
  check_words<test::row<3>>(1);
  check_words<test::row<6>>(2);
  check_words<test::row<12>>(3);
  check_words<test::row<37>>(10);
  check_words<test::row<64>>(16);
}

}  // namespace
