// Each row of a matrix in order; and the columns of its elements in that order.
//
//   x              sort_rows        argsort_rows
//   3  9  2  7     2  3  7  9       2  0  3  1
//   5  0  5  1     0  1  5  5       1  3  0  2
//
//   tessera::grid::matrix<float const> x{in, rows, columns};  // or {in, rows, columns, stride}
//   tessera::grid::matrix<float> y{out, rows, columns};
//   error = tessera::grid::sort_rows(x, y, {}, {stream, memory});  // y may be x
//   error = tessera::grid::argsort_rows(x, indices, tessera::greater{});
//
// Takes    x: a matrix in the GPU's memory, of any number of rows, 0 to 2^30 columns, any stride and alignment, of
//          float, double, __half, __nv_bfloat16, bool, and integers of 8 to 64 bits.
// Order    less{} or greater{}, or an alias such as std::greater<>. In both NaNs come last, equal to each other, and −0
//          is equal to 0. argsort_rows keeps the order of equal elements; sort_rows may give zeros, and NaNs, in any
//          order. All bits of each element are kept.
// Gives    the same bits at each call: those of a row depend on its elements alone.
// Returns  as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if a stride is less than the
//          columns.
// Cost     of sort_rows up to 1024 columns (512 of elements of 8 bytes) one kernel that reads and writes once, without
//          scratch memory; above, sort_segments, after a copy if the rows are another matrix with gaps between them.
//          argsort_rows is top_k_rows of all columns, without scratch memory: one read up to 256 columns, above some
//          reads from the cache for each 2048 columns, which takes long for rows of many thousands.
//
// Sources: see tessera/sort.hpp.
#pragma once

#include <tessera/grid/rows/sort_short_rows.hpp>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k_rows.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// Where the rows of a matrix begin, or end: an iterator.
struct row_ends {
  using value_type = std::int64_t;
  std::int64_t first, stride;

  TESSERA_FN row_ends operator+(std::int64_t row) const { return {first + row * stride, stride}; }
  TESSERA_FN std::int64_t operator*() const { return first; }
};

inline namespace TESSERA_ARCHS {

template <class Shape, class Bits>
__global__ void __launch_bounds__(Shape::threads) sort_short_rows_kernel(sort_rows_task<Bits> task) {
  wait_for_stream();
  detail::sort_short_rows<Shape>(cooperative_groups::this_thread_block(), task);
}

/// Launches the kernel for short rows with tiles of Lanes lanes. False if these don't hold rows of so many vectors.
template <unsigned Lanes, unsigned Vectors, class Bits>
bool launch_short_sort(sort_rows_task<Bits> const& task, std::int64_t row_vectors, cudaStream_t stream,
                       cudaError_t& error) noexcept {
  using shape = sort_tile_shape<Lanes, Vectors, sort_rows_tuning::threads>;
  if (row_vectors > Lanes * Vectors) return false;
  error = detail::launch<sort_short_rows_kernel<shape, Bits>>(
      {detail::ceiling_divide(task.row_count, shape::rows_per_block), shape::threads}, stream, task);
  return true;
}

/// Copies rows, which don't overlap.
template <class T>
cudaError_t copy_long_rows(matrix<T const> const& x, matrix<T> const& y, cudaStream_t stream) noexcept {
  auto const bytes = [](std::int64_t n) { return static_cast<std::size_t>(n) * sizeof(T); };
  constexpr std::size_t most_pitch = INT32_MAX;  // cudaDeviceProp::memPitch
  if (bytes(x.stride) <= most_pitch && bytes(y.stride) <= most_pitch)
    return detail::own_status(cudaMemcpy2DAsync(y.data, bytes(y.stride), x.data, bytes(x.stride), bytes(x.column_count),
                                                static_cast<std::size_t>(x.row_count), cudaMemcpyDeviceToDevice,
                                                stream));
  cudaError_t error = cudaSuccess;
  for (std::int64_t row = 0; row < x.row_count && error == cudaSuccess; ++row)
    error = detail::own_status(cudaMemcpyAsync(y.data + row * y.stride, x.data + row * x.stride, bytes(x.column_count),
                                               cudaMemcpyDeviceToDevice, stream));
  return error;
}

/// Sorts rows that no tile holds.
template <class T, class Before>
cudaError_t sort_long_rows(matrix<T const> const& x, matrix<T> const& y, Before before, execution on) noexcept {
  std::int64_t const row_count = x.row_count, column_count = x.column_count;
  bool const dense = (x.stride == column_count && y.stride == column_count) || row_count == 1;
  if (dense)
    return grid::sort_segments(x.data, row_count * column_count, grid::segments_of_length(column_count), row_count,
                               y.data, before, on);
  if (x.data != y.data) {
    cudaError_t const error = detail::copy_long_rows(x, y, on.stream);
    if (error != cudaSuccess) return error;
  }
  auto const within = grid::segments_between(row_ends{0, y.stride}, row_ends{column_count, y.stride});
  return grid::sort_segments(static_cast<T const*>(y.data), detail::extent_of(y), within, row_count, y.data, before,
                             on);
}

template <class T, class Before>
cudaError_t sort_matrix(matrix<T const> const& x, matrix<T> const& y, Before before, execution on) noexcept {
  using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;
  using tuning = sort_rows_tuning;
  if (!detail::is_matrix(x) || !detail::is_matrix(y) || x.row_count != y.row_count ||
      x.column_count != y.column_count || !detail::same_or_apart<T>(x, y))
    return cudaErrorInvalidValue;
  if (x.row_count == 0 || x.column_count == 0) return cudaSuccess;
  sort_rows_task<bits> const task{reinterpret_cast<bits const*>(x.data),
                                  reinterpret_cast<bits*>(y.data),
                                  x.stride,
                                  y.stride,
                                  x.row_count,
                                  static_cast<int>(x.column_count),
                                  key_coding<bits>::template of<T, is_falling<T, Before>>()};
  constexpr unsigned many = tuning::vectors<bits>, few = many > 1 ? many / 2 : 1, most = tuning::most_vectors<bits>;
  std::int64_t const vectors = x.column_count > 0 ? detail::most_vectors(x, row_vector_length<bits>) : 0;
  cudaError_t error = cudaErrorInvalidValue;
  if (detail::launch_short_sort<1, few>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<2, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<4, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<8, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<16, many>(task, vectors, on.stream, error) ||
      detail::launch_short_sort<32, most>(task, vectors, on.stream, error))
    return error;
  return detail::sort_long_rows(x, y, before, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The elements of each row in order.
///
/// y  a matrix of as many rows and columns: x itself, or apart from it.
template <class In, class Before = less>
[[nodiscard]] cudaError_t sort_rows(matrix<In> x, matrix<std::remove_const_t<In>> y, Before before = {},
                                    execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(tessera::detail::is_ordered_number<T>,
                "grid::sort_rows: elements are integers, bool, float, double, __half or __nv_bfloat16.");
  if constexpr (!tessera::detail::is_ordered_number<T> || !detail::can_select<T, Before>()) {
    return cudaErrorNotSupported;
  } else {
    return detail::sort_matrix<T>(x, y, before, on);
  }
}

/// The columns of each row's elements in order, row after row: equal ones in rising order.
///
/// indices  as many std::int32_t or std::int64_t as the matrix has elements.
template <class In, class Index, class Before = less>
[[nodiscard]] cudaError_t argsort_rows(matrix<In> x, Index* indices, Before before = {}, execution on = {}) noexcept {
  return grid::top_k_rows(x, x.column_count, nullptr, indices, before, {}, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
