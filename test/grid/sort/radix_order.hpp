// Keys of a radix sort by the type of the numbers, to hold those against whose type is data (radix_key.hpp).
#pragma once

#include <tessera/grid/sort/radix_key.hpp>

namespace test {

/// How the bits of a T become a key of the same size in ascending order, and back. `Falling`: the order of `greater`.
template <class T, bool Falling>
struct radix_order {
  using bits = typename tessera::grid::detail::unsigned_of<sizeof(T)>::type;
  static constexpr bool is_float = tessera::detail::is_any_float<T>;

  static constexpr bits key_of(bits raw) {
    if constexpr (is_float) {
      return tessera::detail::float_image<T>::template key_of<Falling>(raw);
    } else {
      return static_cast<bits>(raw ^ flipped);
    }
  }
  static constexpr bits bits_of(bits key) {
    if constexpr (is_float) {
      return tessera::detail::float_image<T>::template bits_of<Falling>(key);
    } else {
      return static_cast<bits>(key ^ flipped);
    }
  }
  static constexpr bits key_of_equal(bits key) {
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

}  // namespace test
