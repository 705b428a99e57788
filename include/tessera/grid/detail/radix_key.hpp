// Keys of a radix sort of whole arrays: numbers as they lie in memory, the integers that digits are taken from, and which of
// these are equal.
//
//   floats, less    −inf  −1.5  −0  +0  2  +inf  NaN (of either sign)
//   in order        0     …     …   …   …  …     the greatest            every number has its own: all bits come back
//   equal           0     …     one key …  …     one key                 what digits are taken from: the sort is stable
#pragma once

#include <tessera/comparators.hpp>
#include <tessera/detail/sort_key.hpp>

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

/// A T as it lies in memory, of a type of its own: CUB sorts it in ascending order by radix_order. `KeepsBits`: see cub_sort.cuh.
template <class T, bool Falling, bool KeepsBits>
struct radix_key {
  typename radix_order<T, Falling>::bits bits;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
