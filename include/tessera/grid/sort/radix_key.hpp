// Keys of a radix sort of whole arrays: numbers as they lie in memory, the integers that digits are taken from, and
// which of these are equal.
//
//   floats, less    −inf  −1.5  −0  +0  2  +inf  NaN (of either sign)
//   in order        0     …     …   …   …  …     the greatest            every number has its own: all bits come back
//   equal           0     …     one key …  …     one key                 what digits are taken from: the sort is stable
#pragma once

#include <tessera/core/canonical_key.hpp>
#include <tessera/core/comparators.hpp>
#include <tessera/core/sort_key.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The unsigned integer of so many bytes.
template <std::size_t Bytes>
struct unsigned_of {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};

/// How the bits of a T become a key of the same size in ascending order, and back. `Falling`: the order of `greater`.
template <class T, bool Falling>
struct radix_order {
  using bits = typename unsigned_of<sizeof(T)>::type;
  static constexpr bool is_float = tessera::detail::is_any_float<T>;

  TESSERA_FN static constexpr bits key_of(bits raw) {
    if constexpr (is_float) {
      return tessera::detail::float_image<T>::template key_of<Falling>(raw);
    } else {
      return static_cast<bits>(raw ^ flipped);
    }
  }
  TESSERA_FN static constexpr bits bits_of(bits key) {
    if constexpr (is_float) {
      return tessera::detail::float_image<T>::template bits_of<Falling>(key);
    } else {
      return static_cast<bits>(key ^ flipped);
    }
  }
  TESSERA_FN static constexpr bits key_of_equal(bits key) {
    if constexpr (is_float) {
      return tessera::detail::float_image<T>::key_of_equal(key);
    } else {
      return key;
    }
  }

 private:
  static constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(bits) - 1));
  static constexpr bits flipped = static_cast<bits>((tessera::detail::is_signed_integer<T> ? sign : bits{0}) ^
                                                    (Falling ? static_cast<bits>(~bits{0}) : bits{0}));
};

/// What a radix sort makes of a number when it loads it: the integers in order from above, of any type, or of a float
/// the bits with negative numbers reversed.
enum class key_form { in_order, reversed };

/// How a radix sort in that form makes a key_of a T, takes digits of it, and makes bits_of it again. `digits_of` is
/// the same for equal numbers, and with a sign if `has_sign`.
template <class T, bool Falling, key_form Form>
struct digit_order : radix_order<T, Falling> {
  static_assert(Form == key_form::in_order);
  using bits = typename radix_order<T, Falling>::bits;
  static constexpr bool has_sign = false;
  static constexpr bits least = radix_order<T, Falling>::bits_of(0);
  static constexpr bits greatest = radix_order<T, Falling>::bits_of(static_cast<bits>(~bits{0}));

  TESSERA_FN static constexpr bits digits_of(bits key) { return radix_order<T, Falling>::key_of_equal(key); }
};

/// Negative numbers are reversed, the greatest for the least, and every other float is its own key. Keys are zeros
/// and NaNs where the numbers are. So one addition makes one of both zeros and one of all NaNs, and the bits of the
/// sum are integers with a sign, in order:
///
///   numbers   −inf         …   −2^−149      −0           +0   2^−149   …   +inf         NaN
///   keys      0x80000001   …   0xff800000   0x80000000   0    1        …   0x7f800000   its bits
///   sums      0x80000001   …   0xff800000   0            0    1        …   0x7f800000   0x7fffffff
template <bool Falling>
struct digit_order<float, Falling, key_form::reversed> {
  using bits = std::uint32_t;
  static constexpr bool has_sign = true;
  static constexpr bits sign = bits{1} << 31, infinity = 0x7f800000;
  static constexpr bits least = Falling ? infinity : sign | infinity, greatest = 0x7fffffff;

  TESSERA_FN static constexpr bits key_of(bits raw) { return reversed(Falling ? raw ^ sign : raw); }
  TESSERA_FN static constexpr bits bits_of(bits key) {
    return Falling ? reversed(key) ^ sign : reversed(key);
  }
  TESSERA_FN static bits digits_of(bits key) {
    float const sum = tessera::detail::canonical_float<false>(tessera::detail::from_bits<float>(key));
    return tessera::detail::from_bits<bits>(sum);
  }

 private:
  TESSERA_FN static constexpr bits reversed(bits b) {
    bool const is_negative_number = b - (sign + 1) < infinity;
    return is_negative_number ? infinity + 1 - b : b;
  }
};

/// A T as it lies in memory, of a type of its own: CUB sorts it in ascending order of digits (cub_sort.cuh).
template <class T, bool Falling, key_form Form>
struct radix_key {
  typename radix_order<T, Falling>::bits bits;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
