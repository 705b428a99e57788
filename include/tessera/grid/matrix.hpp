// A matrix in the GPU's memory: the argument of the functions on rows.
//
//   columns          |  x x x x x |       rows · stride elements; those beyond the columns are neither read nor written
//   stride           |  x x x x x . . |
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// A view of `row_count` rows of `column_count` elements. Each row begins `stride` elements after the previous one. The
/// view owns nothing.
///
///   tessera::grid::matrix m{data, rows, columns};           // rows follow each other: stride == columns
///   tessera::grid::matrix m{data, rows, columns, stride};
template <class T>
struct matrix {
  T* data = nullptr;
  std::int64_t row_count = 0;
  std::int64_t column_count = 0;
  std::int64_t stride = 0;

  constexpr matrix() noexcept = default;
  constexpr matrix(T* data_, std::int64_t rows_, std::int64_t columns_) noexcept
      : matrix(data_, rows_, columns_, columns_) {}
  constexpr matrix(T* data_, std::int64_t rows_, std::int64_t columns_, std::int64_t stride_) noexcept
      : data(data_), row_count(rows_), column_count(columns_), stride(stride_) {}
  /// A read-only view of a matrix that may be written.
  template <class U, class = std::enable_if_t<std::is_same_v<U const, T>>>
  constexpr matrix(matrix<U> const& m) noexcept : matrix(m.data, m.row_count, m.column_count, m.stride) {}
};

template <class T>
matrix(T*, std::int64_t, std::int64_t) -> matrix<T>;
template <class T>
matrix(T*, std::int64_t, std::int64_t, std::int64_t) -> matrix<T>;

}  // namespace grid
TESSERA_NAMESPACE_END
