// Rows as the library's kernels on rows take them: both formats of 16-bit floats as any_half (rows/row_element.hpp).
#pragma once

#include <tessera/grid/matrix.hpp>
#include <tessera/grid/rows/row_element.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The type of elements whose kernels serve rows of T.
template <class T>
using row_kernel_t = stl::conditional_t<tessera::detail::is_half<T>, any_half, T>;

/// The format of elements of T as elements of their kernel's type.
template <class T, class Element = row_kernel_t<T>>
constexpr element_format<Element> row_format_of() {
  if constexpr (stl::is_same_v<Element, any_half>) {
    return {stl::is_same_v<T, __nv_bfloat16>};
  } else {
    return {};
  }
}

/// The same rows, as elements of To.
template <class To, class T>
matrix<To> rows_as(matrix<T> const& rows) noexcept {
  return {reinterpret_cast<To*>(rows.data), rows.row_count, rows.column_count, rows.stride};
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
