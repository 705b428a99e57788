// A matrix in the GPU's memory: the argument of the functions on rows.
//
//   columns          |  x x x x x |       rows · stride elements; those after the columns are neither read nor written
//   stride           |  x x x x x . . |
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// True if View is an mdspan of Rank dimensions: std::mdspan, cuda::std::mdspan, or a type with their members.
template <class View, int Rank, class = void>
inline constexpr bool is_mdspan = false;
template <class View, int Rank>
inline constexpr bool
    is_mdspan<View, Rank,
              std::void_t<decltype(std::declval<View&>().data_handle()), decltype(std::declval<View&>().extent(0)),
                          decltype(std::declval<View&>().stride(0))>> = static_cast<int>(View::rank()) == Rank;
template <class View, class T>
using if_matrix_of =
    std::enable_if_t<is_mdspan<View const, 2> && std::is_convertible_v<typename View::element_type (*)[], T (*)[]>>;

}  // namespace detail

/// A view of `row_count` rows of `column_count` elements. Each row begins `stride` elements after the previous one:
/// column_count or more, also of one row. The view owns nothing.
///
///   tessera::grid::matrix m{data, rows, columns};           // rows follow each other: stride == columns
///   tessera::grid::matrix m{data, rows, columns, stride};
///   tessera::grid::matrix m(mdspan);                         // of rank 2, row-major: stride(1) is 1
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
  /// A view of an mdspan's elements. If the mdspan is column-major, row_count is −1, which every call refuses.
  template <class View, class = detail::if_matrix_of<View, T>>
  constexpr matrix(View const& view) noexcept
      : matrix(view.data_handle(),
               view.extent(1) < 2 || view.stride(1) == 1 ? static_cast<std::int64_t>(view.extent(0)) : -1,
               static_cast<std::int64_t>(view.extent(1)),
               static_cast<std::int64_t>(view.extent(0) < 2 ? view.extent(1) : view.stride(0))) {}
};

template <class T>
matrix(T*, std::int64_t, std::int64_t) -> matrix<T>;
template <class T>
matrix(T*, std::int64_t, std::int64_t, std::int64_t) -> matrix<T>;
template <class View, class = std::enable_if_t<detail::is_mdspan<View const, 2>>>
matrix(View const&) -> matrix<typename View::element_type>;

}  // namespace grid
TESSERA_NAMESPACE_END
