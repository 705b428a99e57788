// A matrix in the GPU's memory, as the functions on rows take it.
//
//   columns          |  x x x x x |          rows · stride elements; those beyond the columns are not touched
//   stride           |  x x x x x . . |
#pragma once

#include <cstdint>
#include <type_traits>

namespace tessera::grid {

/// `rows` rows of `columns` elements, the first of each `stride` elements after that of the row before. A view: it
/// owns nothing.
///
///   tessera::grid::matrix m{data, rows, columns};           // rows follow each other: stride == columns
///   tessera::grid::matrix m{data, rows, columns, stride};
template <class T>
struct matrix {
  T* data = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;

  constexpr matrix() noexcept = default;
  constexpr matrix(T* data_, std::int64_t rows_, std::int64_t columns_) noexcept
      : matrix(data_, rows_, columns_, columns_) {}
  constexpr matrix(T* data_, std::int64_t rows_, std::int64_t columns_, std::int64_t stride_) noexcept
      : data(data_), rows(rows_), columns(columns_), stride(stride_) {}
  /// Of what may be written, a view that only reads.
  template <class U, class = std::enable_if_t<std::is_same_v<U const, T>>>
  constexpr matrix(matrix<U> const& m) noexcept : matrix(m.data, m.rows, m.columns, m.stride) {}
};

template <class T>
matrix(T*, std::int64_t, std::int64_t) -> matrix<T>;
template <class T>
matrix(T*, std::int64_t, std::int64_t, std::int64_t) -> matrix<T>;

}  // namespace tessera::grid
