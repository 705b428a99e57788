// One kernel for argmin_rows and argmax_rows, and of integers for signed and unsigned ones: the least is sought of
// elements that have bits flipped.
//
//   flipped bits    argmin              argmax
//   floats          none                the sign
//   unsigned        none                all
//   signed          the sign            all but the sign     they are compared as unsigned ones
//
// The result's bits are flipped back. So a NaN comes back as it was, and what a row without columns gives is the
// operator's identity.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/number.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/rows/row_element.hpp>
#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The bits of a number that are flipped: A is the type that elements are computed in, a float or an unsigned integer.
template <class A>
struct flipped_bits {
  using bits = stl::conditional_t<sizeof(A) == 8, std::uint64_t, std::uint32_t>;
  bits flip;

  /// The bits to flip in elements of T.
  template <class T>
  static constexpr flipped_bits of(bool greatest) {
    constexpr bits sign = bits{1} << (8 * sizeof(A) - 1), all = ~bits{0};
    if constexpr (tessera::detail::is_integer<T>) {
      return {(tessera::detail::is_signed_integer<T> ? sign : bits{0}) ^ (greatest ? all : bits{0})};
    } else {
      return {greatest ? sign : bits{0}};
    }
  }
  TESSERA_FN A operator()(A x) const {
    return tessera::detail::from_bits<A>(static_cast<bits>(tessera::detail::from_bits<bits>(x) ^ flip));
  }
};

/// Converts an element to the pair that is combined: the element with bits flipped, and its column.
template <class A>
struct as_flipped_indexed {
  flipped_bits<A> flipped;

  TESSERA_FN indexed<A, int> operator()(A x, int column) const { return {flipped(x), column}; }
};

/// Stores a row's least.
template <class T>
struct store_flipped_indexed {
  using number = arithmetic_t<T>;

  indexed<T, int>* out;
  flipped_bits<number> flipped;
  element_format<T> format;

  TESSERA_FN void operator()(std::int64_t row, indexed<number, int> const& least) const {
    out[row] = {detail::from_number(flipped(least.value), format), least.index};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
