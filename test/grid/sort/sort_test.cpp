// Keys of the radix sort of whole arrays, and the agent of argsort, on the CPU.
#include <gtest/gtest.h>

#include <tessera/grid/sort/iota_agent.hpp>
#include <tessera/grid/sort/radix_key.hpp>
#include <tessera/grid/sort/segment_sort_codec.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "radix_order.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

template <class T>
std::vector<T> all_kinds() {
  random_engine random(3);
  std::vector<T> x{T(0), T(1), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  for (int i = 0; i < 300; ++i) x.push_back(sample<T>(random));
  if constexpr (std::is_floating_point_v<T>) {
    using bits = typename detail::unsigned_of<sizeof(T)>::type;
    for (T value : {T(-0.0), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                    std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN(),
                    std::numeric_limits<T>::denorm_min(), -std::numeric_limits<T>::denorm_min()})
      x.push_back(value);
    for (bits nan : {static_cast<bits>(~bits{0}), static_cast<bits>(~bits{0} >> 1)}) {  // the greatest payloads
      T value;
      std::memcpy(&value, &nan, sizeof(T));
      x.push_back(value);
    }
  }
  return x;
}

/// Keys are ordered as numbers are, equal ones are the same, and all bits come back.
template <class T, bool Falling>
void check_keys() {
  using order = radix_order<T, Falling>;
  using bits = typename order::bits;
  using comparator = std::conditional_t<Falling, tessera::greater, tessera::less>;
  auto const x = all_kinds<T>();
  auto const coding = detail::key_coding<bits>::template of<T, Falling>();
  auto const raw = [](T const& value) {
    bits b;
    std::memcpy(&b, &value, sizeof(T));
    return b;
  };
  constexpr auto greatest = static_cast<bits>(~bits{0});  // fills up a tile
  ASSERT_EQ(order::key_of_equal(greatest), greatest);
  for (T const& a : x) {
    bits const key = order::key_of(raw(a));
    ASSERT_EQ(order::bits_of(key), raw(a));
    ASSERT_EQ(coding.encode(raw(a)), key);
    ASSERT_EQ(coding.decode(key), raw(a));
    ASSERT_EQ(coding.encode_equal(raw(a)), order::key_of_equal(key));
    for (T const& b : x) {
      bits const other = order::key_of(raw(b));
      ASSERT_EQ(comparator{}(a, b), order::key_of_equal(key) < order::key_of_equal(other)) << +a << ", " << +b;
      ASSERT_FALSE(comparator{}(a, b) && !(key < other)) << +a << ", " << +b;
    }
  }
}

TEST(GridSortKeys, Order) {
  check_keys<float, false>();
  check_keys<float, true>();
  check_keys<double, false>();
  check_keys<double, true>();
  check_keys<std::int8_t, false>();
  check_keys<std::int16_t, true>();
  check_keys<std::int32_t, false>();
  check_keys<std::int32_t, true>();
  check_keys<std::uint32_t, false>();
  check_keys<std::uint32_t, true>();
  check_keys<std::int64_t, false>();
  check_keys<std::uint64_t, true>();
}

/// Digits are ordered as numbers are, equal ones have the same, and all bits come back.
template <class T, bool Falling, detail::key_form Form>
void check_digits() {
  using bits = typename detail::unsigned_of<sizeof(T)>::type;
  using coding = detail::digit_coding<bits, Form>;
  using comparator = std::conditional_t<Falling, tessera::greater, tessera::less>;
  coding const order(detail::key_coding<bits>::template of<T, Falling>());
  auto const x = all_kinds<T>();
  auto const digits = [&](bits raw) { return order.digits_of(order.key_of(raw)); };
  auto const raw = [](T const& value) { return tessera::detail::from_bits<bits>(value); };
  ASSERT_EQ(digits(order.greatest()), static_cast<bits>(~bits{0}));  // fills up a tile
  for (T const& a : x) {
    ASSERT_EQ(order.bits_of(order.key_of(raw(a))), raw(a));
    for (T const& b : x) ASSERT_EQ(comparator{}(a, b), digits(raw(a)) < digits(raw(b))) << +a << ", " << +b;
  }
}
template <class T, detail::key_form Form>
void check_digits_both_ways() {
  check_digits<T, false, Form>();
  check_digits<T, true, Form>();
}

TEST(GridSortKeys, Digits) {
  using detail::key_form;
  check_digits_both_ways<float, key_form::in_order>();
  check_digits_both_ways<double, key_form::in_order>();
  check_digits_both_ways<std::int8_t, key_form::flipped>();
  check_digits_both_ways<std::uint8_t, key_form::flipped>();
  check_digits_both_ways<std::int16_t, key_form::flipped>();
  check_digits_both_ways<std::int32_t, key_form::flipped>();
  check_digits_both_ways<std::uint32_t, key_form::flipped>();
  check_digits_both_ways<std::int64_t, key_form::flipped>();
  check_digits_both_ways<std::uint64_t, key_form::flipped>();
}

/// Floats of 16 bits by their image, which tests of sort keys check: of all bits, keys and their digits are its own.
template <unsigned FractionBits, bool Falling>
void check_halves() {
  using bits = std::uint16_t;
  constexpr bits begin = static_cast<bits>((1u << FractionBits) - 1),
                 first_nan = static_cast<bits>(2 - (2u << FractionBits)), sign = 0x8000;
  detail::key_coding<bits> const keys{true, Falling ? bits{0} : sign, 0x7fff, begin, first_nan};
  detail::digit_coding<bits, detail::key_form::in_order> const order(keys);
  for (unsigned i = 0; i < 65536; ++i) {
    auto const raw = static_cast<bits>(i);
    ASSERT_EQ(order.key_of(raw), keys.encode(raw)) << i;
    ASSERT_EQ(order.digits_of(order.key_of(raw)), keys.encode_equal(raw)) << i;
    ASSERT_EQ(order.bits_of(order.key_of(raw)), raw) << i;
  }
  ASSERT_EQ(order.digits_of(order.key_of(order.greatest())), 0xffff);
}
TEST(GridSortKeys, Halves) {
  check_halves<10, false>();
  check_halves<10, true>();
  check_halves<7, false>();
  check_halves<7, true>();
}

TEST(GridSortKeys, Numbers) {
  for (std::int64_t n : {1, 255, 4096, 4097, 10000}) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(n) + 1, -1);
    for (std::int64_t block = 0; block * 4096 < n; ++block)
      for (unsigned rank = 0; rank < detail::iota_tuning::threads; ++rank)
        detail::run_iota_agent(rank, block, out.data(), n);
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], i);
    ASSERT_EQ(out.back(), -1);
  }
}

}  // namespace
