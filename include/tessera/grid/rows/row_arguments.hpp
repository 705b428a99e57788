// Checks of the arguments of functions on rows.
#pragma once

#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/arguments.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// An element's number in its row is an int, and so are the numbers a little beyond a row's end.
inline constexpr std::int64_t most_columns = std::int64_t{1} << 30;

/// The number of elements from the first to the last, for a matrix that is_matrix has accepted.
template <class T>
std::int64_t extent_of(matrix<T> const& m) noexcept {
  return m.row_count == 0 || m.column_count == 0 ? 0 : (m.row_count - 1) * m.stride + m.column_count;
}

template <class T>
bool is_matrix(matrix<T> const& m) noexcept {
  if (m.row_count < 0 || m.column_count < 0 || m.column_count > most_columns || m.stride < m.column_count) return false;
  if (m.row_count > 1 &&
      m.stride > (INT64_MAX / static_cast<std::int64_t>(sizeof(T)) - m.column_count) / (m.row_count - 1))
    return false;
  return detail::is_array(m.data, detail::extent_of(m));
}

/// True if two matrices of equal size are the same one, or have no element in common: they may be columns of one larger
/// matrix. If they have one row, the stride doesn't matter.
template <class T>
bool same_or_apart(matrix<T const> const& in, matrix<T> const& out) noexcept {
  if (in.data == out.data && (in.stride == out.stride || in.row_count < 2)) return true;
  if (!detail::overlap(in.data, detail::extent_of(in), out.data, detail::extent_of(out))) return true;
  if (in.stride != out.stride) return false;
  auto const bytes = static_cast<std::int64_t>(sizeof(T)), stride = in.stride * bytes, row = in.column_count * bytes;
  std::int64_t apart = (reinterpret_cast<std::intptr_t>(out.data) - reinterpret_cast<std::intptr_t>(in.data)) % stride;
  if (apart < 0) apart += stride;
  return apart >= row && stride - apart >= row;
}

/// True if each row of a matrix starts at a multiple of 16 bytes.
template <class T>
bool has_aligned_rows(matrix<T> const& m) noexcept {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 &&
         (m.row_count < 2 || m.stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0);
}

/// The most vectors of E elements at multiples of 16 bytes that a row touches.
template <class T>
std::int64_t most_vectors(matrix<T> const& m, std::int64_t width) noexcept {
  return (m.column_count + (detail::has_aligned_rows(m) ? 0 : width - 1) + width - 1) / width;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
