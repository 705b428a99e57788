// Sort keys: unsigned integers in the order of numbers, and back. To sort them takes a minimum and a maximum, instead
// of a comparison and selections.
//
//   numbers   −inf  −1.5  −0  +0  2  +inf  NaN (of either sign)
//   keys      0     …     …   …   …  …     the greatest
//
// Each number has a key of its own, so that all bits are restored: −0 comes before +0, and NaNs are in the order of
// their bits. Equal values may come in any order.
//
// Source: the order-preserving image of floats that radix sorts use (M. Herf, "Radix tricks", 2001), rotated so that
// NaNs of both signs come last.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/comparators.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/operator_aliases.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The comparator of this library that Before is an alias of: other libraries' less and greater are replaced by ours.
template <class Before>
struct comparator_alias {
  using type = Before;
  using on = void;
};
template <class Ours, class On>
struct comparator_of {
  using type = Ours;
  using on = On;
};
template <class T>
struct comparator_alias<stl::less<T>> : comparator_of<less, T> {};
template <class T>
struct comparator_alias<stl::greater<T>> : comparator_of<greater, T> {};
#if TESSERA_CUDA
#if !defined(__CUDACC_RTC__)
template <class T>
struct comparator_alias<::std::less<T>> : comparator_of<less, T> {};
template <class T>
struct comparator_alias<::std::greater<T>> : comparator_of<greater, T> {};
#endif
template <class T>
struct comparator_alias<cooperative_groups::less<T>> : comparator_of<less, T> {};
template <class T>
struct comparator_alias<cooperative_groups::greater<T>> : comparator_of<greater, T> {};
#endif

/// Before, or the comparator of this library that it is an alias of for values of T.
template <class Before, class T>
using canonical_comparator_t = stl::conditional_t<stl::is_void_v<typename comparator_alias<Before>::on> ||
                                                      stl::is_same_v<typename comparator_alias<Before>::on, T>,
                                                  typename comparator_alias<Before>::type, Before>;

template <class T, class Before>
TESSERA_FN canonical_comparator_t<Before, T> canonical_comparator(Before const& before) {
  if constexpr (stl::is_same_v<canonical_comparator_t<Before, T>, Before>) {
    return before;
  } else {
    return {};
  }
}

template <class T>
inline constexpr bool is_ordered_number = (is_integer<T> && sizeof(T) <= 8) || stl::is_same_v<T, bool> ||
                                          stl::is_same_v<T, float> || stl::is_same_v<T, double> || is_half<T>;

/// True if numbers of T have keys in the order of Before.
template <class T, class Before>
inline constexpr bool has_sort_key = is_ordered_number<T> &&
                                     (stl::is_same_v<Before, less> || stl::is_same_v<Before, greater>);

template <class T>
using sort_key_t = stl::conditional_t<sizeof(T) == 8, stl::uint64_t, stl::uint32_t>;

/// The bits of a float and its keys. Keys begin at the image of −infinity; the images below it are negative NaNs.
template <class T>
struct float_image {
  using bits = typename unsigned_of<sizeof(T)>::type;
  static constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(bits) - 1));
  static constexpr unsigned fraction_bits = sizeof(T) == 8              ? 52
                                            : sizeof(T) == 4            ? 23
                                            : stl::is_same_v<T, __half> ? 10
                                                                        : 7;
  static constexpr bits begin = static_cast<bits>((bits{1} << fraction_bits) - 1);
  static constexpr bits first_nan = static_cast<bits>(2 - (bits{2} << fraction_bits));  // the key after infinity's

  template <bool Falling>
  TESSERA_FN static constexpr bits key_of(bits b) {
    if (Falling) b = static_cast<bits>(b ^ sign);
    bool const negative = (b & sign) != 0;
    return static_cast<bits>((negative ? static_cast<bits>(~b) : static_cast<bits>(b | sign)) - begin);
  }
  template <bool Falling>
  TESSERA_FN static constexpr bits bits_of(bits key) {
    bits const rotated = static_cast<bits>(key + begin);
    bits b = (rotated & sign) != 0 ? static_cast<bits>(rotated ^ sign) : static_cast<bits>(~rotated);
    if (Falling) b = static_cast<bits>(b ^ sign);
    return b;
  }
  /// The key that all equal numbers share: one for both zeros, and the greatest for every NaN.
  TESSERA_FN static constexpr bits key_of_equal(bits key) {
    constexpr bits lower_zero = static_cast<bits>(sign - 1 - begin);
    bits const number = key == lower_zero ? static_cast<bits>(lower_zero + 1) : key;
    return number < first_nan ? number : static_cast<bits>(~bits{0});
  }
};

template <bool Falling, class T>
TESSERA_FN sort_key_t<T> sort_key_of(T const& x) {
  using key = sort_key_t<T>;
  if constexpr (is_integer<T> || stl::is_same_v<T, bool>) {
    constexpr key sign = is_signed_integer<T> ? key{1} << (8 * sizeof(key) - 1) : key{0};
    key const rising = static_cast<key>(x) ^ sign;
    return Falling ? static_cast<key>(~rising) : rising;
  } else {
    using image = float_image<T>;
    return image::template key_of<Falling>(detail::from_bits<typename image::bits>(x));
  }
}

template <bool Falling, class T>
TESSERA_FN T number_of_sort_key(sort_key_t<T> at) {
  using key = sort_key_t<T>;
  if constexpr (is_integer<T> || stl::is_same_v<T, bool>) {
    constexpr key sign = is_signed_integer<T> ? key{1} << (8 * sizeof(key) - 1) : key{0};
    return static_cast<T>((Falling ? static_cast<key>(~at) : at) ^ sign);
  } else {
    using image = float_image<T>;
    return detail::from_bits<T>(image::template bits_of<Falling>(static_cast<typename image::bits>(at)));
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
