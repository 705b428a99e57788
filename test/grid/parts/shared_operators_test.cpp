// Operators that share a kernel give what those give that they stand for, from the same identity.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/scan.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "samples.hpp"

namespace {

using tessera::grid::detail::shared_kernel;
using test::same_bits;

template <class T>
class shared_operators : public testing::Test {};
using integers = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, long long>;
TYPED_TEST_SUITE(shared_operators, integers);
template <class T>
class shared_operators_of_floats : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(shared_operators_of_floats, floats);

/// Integers at the ends of their range and around 0, and some with bits all over.
template <class T>
std::vector<T> values() {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  std::vector<T> all{least, static_cast<T>(least + 1), static_cast<T>(-1), 0, 1, static_cast<T>(most - 1), most};
  for (unsigned i = 0; i < 25; ++i) all.push_back(static_cast<T>(0x9e3779b97f4a7c15u * (i + 1) >> i));
  return all;
}

template <class T, class Op>
void check_operator() {
  using shared = shared_kernel<T, Op>;
  using element = typename shared::type;
  using traits = tessera::operator_traits<decltype(shared::of()), element>;
  auto const op = shared::of();
  auto const start = traits::identity(op);
  EXPECT_EQ(static_cast<T>(start), (tessera::operator_traits<Op, T>::identity(Op{})));
  EXPECT_TRUE(traits::commutative);
  for (T const a : values<T>()) {
    auto const x = static_cast<element>(a);
    EXPECT_EQ(op(start, x), x);
    EXPECT_EQ(op(x, start), x);
    for (T const b : values<T>())
      EXPECT_EQ(static_cast<T>(op(x, static_cast<element>(b))), Op{}(a, b)) << +a << ' ' << +b;
  }
}

TYPED_TEST(shared_operators, give_what_they_stand_for) {
  check_operator<TypeParam, tessera::plus>();
  check_operator<TypeParam, tessera::multiplies>();
  check_operator<TypeParam, tessera::minimum>();
  check_operator<TypeParam, tessera::maximum>();
  check_operator<TypeParam, tessera::bit_and>();
  check_operator<TypeParam, tessera::bit_or>();
  check_operator<TypeParam, tessera::bit_xor>();
}

TYPED_TEST(shared_operators, give_both_extremes) {
  using T = TypeParam;
  using shared = shared_kernel<T, tessera::minmax>;
  using element = typename shared::type;
  auto const op = shared::of();
  auto const start = tessera::operator_traits<decltype(shared::of()), tessera::min_max<element>>::identity(op);
  for (T const a : values<T>()) {
    auto const x = tessera::as_min_max(static_cast<element>(a));
    auto const same = op(start, x);
    EXPECT_TRUE(same.min == x.min && same.max == x.max);
    for (T const b : values<T>()) {
      auto const both = op(x, tessera::as_min_max(static_cast<element>(b)));
      EXPECT_EQ(static_cast<T>(both.min), std::min(a, b));
      EXPECT_EQ(static_cast<T>(both.max), std::max(a, b));
    }
  }
}

/// A scan by the shared operator, beside one by Op.
template <class T, class Op>
void check_scan() {
  using shared = shared_kernel<T, Op>;
  using element = typename shared::type;
  auto const all = values<T>();
  auto const scanned = tessera::host::launch_tile<32>([&](auto const& tile) {
    T const x = all[tile.thread_rank()];
    auto const got = tessera::inclusive_scan(tile, static_cast<element>(x), shared::of());
    return static_cast<T>(got) == tessera::inclusive_scan(tile, x, Op{});
  });
  for (bool const same : scanned) EXPECT_TRUE(same);
}

/// Bits of floats: zeros, ones and infinities of both signs, NaNs of several patterns, subnormals, and some drawn.
template <class T>
std::vector<T> float_values() {
  std::vector<T> all;
  for (float const x : {0.0f, 1.0f, 2.5f, std::numeric_limits<float>::infinity(), 1e-40f, 65504.0f})
    for (float const sign : {1.0f, -1.0f}) all.push_back(static_cast<T>(sign * x));
  std::uint64_t const drawn[] = {
      ~0ull, ~0ull >> 1, 0x7ff8000000000001u, 0xfffc0000ffc1fff1u, 0x123456789abc4def, 0x8000000180010001};
  for (std::uint64_t const bits : drawn)
    for (unsigned const shift : {0u, 32u, 48u}) {
      T x;
      std::uint64_t const shifted = bits >> shift;
      std::memcpy(&x, &shifted, sizeof x);
      all.push_back(x);
    }
  return all;
}

template <class T, class Op>
void check_extreme() {
  using shared = shared_kernel<T, Op>;
  auto const op = shared::of();
  using traits = tessera::operator_traits<std::remove_const_t<decltype(op)>, T>;
  EXPECT_TRUE(traits::commutative);
  EXPECT_TRUE(same_bits(traits::identity(op), tessera::operator_traits<Op, T>::identity(Op{})));
  for (T const a : float_values<T>())
    for (T const b : float_values<T>()) EXPECT_TRUE(same_bits(op(a, b), Op{}(a, b)));
}

TYPED_TEST(shared_operators_of_floats, give_what_they_stand_for) {
  check_extreme<TypeParam, tessera::minimum>();
  check_extreme<TypeParam, tessera::maximum>();
}

/// The products of floats, whose kernel integers share.
TEST(shared_operators, multiply_floats) {
  using shared = shared_kernel<float, tessera::multiplies>;
  using tessera::detail::from_bits;
  auto const op = shared::of();
  std::uint32_t const one = tessera::operator_traits<decltype(shared::of()), std::uint32_t>::identity(op);
  EXPECT_TRUE(same_bits(from_bits<float>(one), 1.0f));
  for (float const a : float_values<float>())
    for (float const b : float_values<float>()) {
      auto const product = from_bits<float>(op(from_bits<std::uint32_t>(a), from_bits<std::uint32_t>(b)));
      EXPECT_TRUE(same_bits(product, tessera::multiplies{}(a, b))) << a << ' ' << b;
    }
}

template <class Op>
void check_sum_or_product() {
  using tessera::grid::detail::sum_or_product;
  using traits = tessera::operator_traits<sum_or_product, double>;
  sum_or_product const op{std::is_same_v<Op, tessera::multiplies>};
  EXPECT_TRUE(same_bits(traits::identity(op), tessera::operator_traits<Op, double>::identity(Op{})));
  EXPECT_TRUE(same_bits(tessera::detail::neutral_of<sum_or_product, double>::get(op),
                        tessera::detail::neutral_of<Op, double>::get(Op{})));
  for (double const a : float_values<double>()) {
    EXPECT_TRUE(
        same_bits(tessera::detail::canonicalize_nan<sum_or_product>(a), tessera::detail::canonicalize_nan<Op>(a)));
    for (double const b : float_values<double>()) EXPECT_TRUE(same_bits(op(a, b), Op{}(a, b))) << a << ' ' << b;
  }
}

TEST(shared_operators, add_or_multiply_doubles) {
  check_sum_or_product<tessera::plus>();
  check_sum_or_product<tessera::multiplies>();
}

template <class T>
void check_equality(std::vector<T> const& all) {
  using shared = tessera::grid::detail::shared_equality<T>;
  for (T const a : all)
    for (T const b : all) {
      typename shared::type x, y;
      static_assert(sizeof x == sizeof a);
      std::memcpy(&x, &a, sizeof a);
      std::memcpy(&y, &b, sizeof b);
      bool const are_equal = tessera::equal_to{}(a, b);
      EXPECT_EQ(shared::of()(x, y), are_equal) << +a << ' ' << +b;
      bool const chosen =
          tessera::grid::detail::with_equality(shared::of(), [&](auto const& equal) { return equal(x, y); });
      EXPECT_EQ(chosen, are_equal) << +a << ' ' << +b;
    }
}

TYPED_TEST(shared_operators, compare) {
  check_equality(values<TypeParam>());
}
TYPED_TEST(shared_operators_of_floats, compare) {
  check_equality(float_values<TypeParam>());
}

TYPED_TEST(shared_operators, scan_a_tile) {
  check_scan<TypeParam, tessera::minimum>();
  check_scan<TypeParam, tessera::maximum>();
  check_scan<TypeParam, tessera::bit_and>();
  check_scan<TypeParam, tessera::bit_xor>();
}

template <class T, class U>
inline constexpr bool share_a_kernel =
    std::is_same_v<typename T::type, typename U::type>&& std::is_same_v<decltype(T::of()), decltype(U::of())>;

TEST(shared_operators, are_of_one_type_where_kernels_are_shared) {
  using tessera::maximum, tessera::minimum;
  using i32 = std::int32_t;
  using u32 = std::uint32_t;
  EXPECT_TRUE((share_a_kernel<shared_kernel<i32, minimum>, shared_kernel<u32, maximum>>));
  EXPECT_TRUE((share_a_kernel<shared_kernel<i32, tessera::plus>, shared_kernel<u32, tessera::plus>>));
  EXPECT_TRUE((share_a_kernel<shared_kernel<u32, tessera::bit_and>, shared_kernel<u32, tessera::bit_xor>>));
  EXPECT_FALSE((share_a_kernel<shared_kernel<u32, maximum>, shared_kernel<std::uint64_t, maximum>>));
  EXPECT_TRUE((share_a_kernel<shared_kernel<float, minimum>, shared_kernel<float, maximum>>));
  EXPECT_FALSE((share_a_kernel<shared_kernel<float, tessera::plus>, shared_kernel<float, tessera::multiplies>>));
  EXPECT_TRUE((share_a_kernel<shared_kernel<float, tessera::multiplies>, shared_kernel<i32, tessera::multiplies>>));
  EXPECT_TRUE((
      share_a_kernel<shared_kernel<std::int64_t, tessera::multiplies>, shared_kernel<std::uint64_t, tessera::bit_or>>));
}

}  // namespace
