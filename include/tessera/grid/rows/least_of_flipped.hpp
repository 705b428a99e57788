// One kernel for argmin_rows and argmax_rows: the least is sought of elements that have bits flipped
// (parts/flipped_bits.hpp). The result's bits are flipped back.
#pragma once

#include <tessera/grid/parts/flipped_bits.hpp>
#include <tessera/grid/rows/row_element.hpp>
#include <tessera/operators.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

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
