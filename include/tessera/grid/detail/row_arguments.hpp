// Whether the arguments of a function on rows are what they must be.
#pragma once

#include <tessera/grid/detail/arguments.hpp>
#include <tessera/grid/matrix.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// An element's number in its row is an int, and so are the numbers a little beyond a row's end.
inline constexpr std::int64_t most_columns = std::int64_t{1} << 30;

/// The number of elements from the first to the last, for a matrix that is_matrix has accepted.
template <class T>
std::int64_t extent_of(matrix<T> const& m) noexcept {
  return m.rows == 0 || m.columns == 0 ? 0 : (m.rows - 1) * m.stride + m.columns;
}

template <class T>
bool is_matrix(matrix<T> const& m) noexcept {
  if (m.rows < 0 || m.columns < 0 || m.columns > most_columns || m.stride < m.columns) return false;
  if (m.rows > 1 && m.stride > (INT64_MAX / static_cast<std::int64_t>(sizeof(T)) - m.columns) / (m.rows - 1))
    return false;
  return is_array(m.data, extent_of(m));
}

/// Whether two matrices of equal size are the same one, or have no element in common: they may be columns of one larger
/// matrix. If they have one row, the stride doesn't matter.
template <class T>
bool same_or_apart(matrix<T const> const& in, matrix<T> const& out) noexcept {
  if (in.data == out.data && (in.stride == out.stride || in.rows < 2)) return true;
  if (!overlap(in.data, extent_of(in), out.data, extent_of(out))) return true;
  if (in.stride != out.stride) return false;
  auto const bytes = static_cast<std::int64_t>(sizeof(T)), stride = in.stride * bytes,
             row = in.columns * bytes;
  std::int64_t apart =
      (reinterpret_cast<std::intptr_t>(out.data) - reinterpret_cast<std::intptr_t>(in.data)) % stride;
  if (apart < 0) apart += stride;
  return apart >= row && stride - apart >= row;
}

/// Whether each row of a matrix starts at a multiple of 16 bytes.
template <class T>
bool has_aligned_rows(matrix<T> const& m) noexcept {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 &&
         (m.rows < 2 || m.stride * static_cast<std::int64_t>(sizeof(T)) % 16 == 0);
}

/// How many vectors of E elements a row lies in at most.
template <class T>
std::int64_t most_vectors(matrix<T> const& m, std::int64_t E) noexcept {
  return (m.columns + (has_aligned_rows(m) ? 0 : E - 1) + E - 1) / E;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
