// `redux.sync`: one instruction that combines 32-bit integers of all lanes, and by ordered integer images minima and
// maxima of floats.
//
// Source of the ordered image of floats: "Radix tricks", M. Herf, 2001; on signed integers it is its own inverse.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Op>
inline constexpr bool is_minimum = stl::is_same_v<Op, minimum> || stl::is_same_v<Op, minimum_number>;
template <class Op>
inline constexpr bool is_maximum = stl::is_same_v<Op, maximum> || stl::is_same_v<Op, maximum_number>;
template <class Op>
inline constexpr bool is_bitwise =
    stl::is_same_v<Op, bit_and> || stl::is_same_v<Op, bit_or> || stl::is_same_v<Op, bit_xor>;

/// One `redux.sync`; T is int or unsigned.
template <class Op, class T>
TESSERA_FN T redux(unsigned mask, T x) {
  using bits = stl::make_unsigned_t<T>;
  if constexpr (stl::is_same_v<Op, plus>) {
    return __reduce_add_sync(mask, x);
  } else if constexpr (is_minimum<Op>) {
    return __reduce_min_sync(mask, x);
  } else if constexpr (is_maximum<Op>) {
    return __reduce_max_sync(mask, x);
  } else if constexpr (stl::is_same_v<Op, bit_and>) {
    return static_cast<T>(__reduce_and_sync(mask, static_cast<bits>(x)));
  } else if constexpr (stl::is_same_v<Op, bit_or>) {
    return static_cast<T>(__reduce_or_sync(mask, static_cast<bits>(x)));
  } else {
    return static_cast<T>(__reduce_xor_sync(mask, static_cast<bits>(x)));
  }
}

/// Signed integers in the order of the floats with these bits: −NaN < −inf < … < −0 < +0 < … < inf < NaN. Its own
/// inverse.
template <class Int>
TESSERA_FN Int ordered_key_of_bits(Int bits) {
  constexpr Int all_but_sign = highest<Int>();
  return static_cast<Int>(bits < 0 ? bits ^ all_but_sign : bits);
}

/// Minimum or maximum of floats by one `redux.sync` of their images. The least and the greatest image represent NaN:
/// whichever wins if NaN wins, and otherwise the one that loses to all numbers.
template <class Op, class T>
TESSERA_FN T redux_ordered(unsigned mask, T x) {
  using bits_t = stl::conditional_t<sizeof(T) == 2, stl::int16_t, stl::int32_t>;
  constexpr bool nan_wins = stl::is_same_v<Op, minimum> || stl::is_same_v<Op, maximum>;
  constexpr bool nan_is_least = is_minimum<Op> == nan_wins;
  constexpr bits_t nan_bits = highest<bits_t>();
  constexpr bits_t nan_image = nan_is_least ? lowest<bits_t>() : highest<bits_t>();

  bits_t const image = detail::is_nan(x) ? nan_image : detail::ordered_key_of_bits(detail::from_bits<bits_t>(x));
  bits_t const result = static_cast<bits_t>(detail::redux<Op>(mask, static_cast<int>(image)));
  return detail::from_bits<T>(result == nan_image ? nan_bits : detail::ordered_key_of_bits(result));
}

}  // namespace detail
TESSERA_NAMESPACE_END
