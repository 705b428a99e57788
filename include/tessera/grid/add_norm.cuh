// Adds a matrix to the residual in place, and normalizes the rows of the sum: for nvcc.
//
//   tessera::grid::matrix x{data, tokens, width}, residual{stream_of_layers, tokens, width};
//   error = tessera::grid::add_rms_norm_rows(x, residual, x, weight, nullptr, 1e-6, stream);   // x in place
//   error = tessera::grid::add_layer_norm_rows(x, residual, out, weight, bias);
//
//   residual[r][c] = x[r][c] + residual[r][c]         rounded to an element
//   out[r]         = the norm of residual[r]          as rms_norm_rows or layer_norm_rows gives it
//
// Both
//   take      matrices as norm.hpp does, and `residual` of their size, which has no element in common with another
//             argument. weight, bias and epsilon as there. `x`, `out` or both may be what matrix_of makes of an
//             iterator, by the rules of computed_rows.cuh; `residual` is in memory.
//   give      the sums, and what the norms of norm.hpp give of them, with their errors.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if sizes differ, a stride is
//             less than the columns, or epsilon is negative or NaN.
//   cost      one launch, two reads and two writes of a matrix. Longer rows are read again as in softmax.hpp. By
//             iterators, x and the residual are read twice in rows of more than 4096 columns (2048 of doubles, 8192 of
//             16-bit floats), and all is loaded and stored element by element.
#pragma once

#include <tessera/grid/computed_rows.cuh>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/rows/add_norm_map.hpp>
#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/row_arguments.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T>
cudaError_t add_norm(matrix<T const> const& in, matrix<T> const& residual, matrix<T> const& out, T const* weight,
                     T const* bias, double epsilon, bool centered, execution on) noexcept {
  if (!(epsilon >= 0) || !detail::is_matrix(in) || !detail::is_matrix(residual) || !detail::is_matrix(out) ||
      residual.row_count != in.row_count || residual.column_count != in.column_count)
    return cudaErrorInvalidValue;
  std::int64_t const extent = detail::extent_of(residual);
  if (detail::overlap(residual.data, extent, in.data, detail::extent_of(in)) ||
      detail::overlap(residual.data, extent, out.data, detail::extent_of(out)))
    return cudaErrorInvalidValue;
  bool aligned = detail::has_aligned_rows(matrix<T const>(residual));
  for (T const* const parameters : {weight, bias}) {
    if (!parameters) continue;
    if (!detail::is_array(parameters, in.column_count) ||
        detail::overlap(parameters, in.column_count, out.data, detail::extent_of(out)) ||
        detail::overlap(parameters, in.column_count, residual.data, extent))
      return cudaErrorInvalidValue;
    aligned = aligned && reinterpret_cast<std::uintptr_t>(parameters) % 16 == 0;
  }
  norm_map<T> const norm{weight, bias, static_cast<arithmetic_t<T>>(epsilon), centered};
  return detail::map_matrix(in, out, nullptr, add_norm_map<T>{norm, residual.data, residual.stride}, aligned, on);
}

/// Adds and normalizes rows that an iterator reads or writes.
template <class In, class T, class Out>
cudaError_t add_computed_norm(computed_matrix<In> const& in, matrix<T> const& residual, computed_matrix<Out> const& out,
                              T const* weight, T const* bias, double epsilon, bool centered, execution on) noexcept {
  constexpr bool one_type = stl::is_same_v<value_of<In>, T>;
  static_assert(one_type, "in and residual have elements of one type, those of residual not const.");
  if constexpr (one_type && maps_rows<In, Out>()) {
    std::int64_t const column_count = in.column_count, extent = detail::extent_of(residual);
    if (!(epsilon >= 0) || !detail::can_map(in, out) || !detail::is_matrix(residual) ||
        residual.row_count != in.row_count || residual.column_count != column_count)
      return cudaErrorInvalidValue;
    for (T const* const parameters : {weight, bias}) {
      if (!detail::is_apart_from_rows(out, parameters, column_count) ||
          (parameters && detail::overlap(parameters, column_count, residual.data, extent)))
        return cudaErrorInvalidValue;
    }
    if (column_count == 0) return cudaSuccess;
    if (in.row_count > 0 && (!detail::is_apart_from_rows(out, residual.data, extent) ||
                             !detail::is_apart_from_rows(in, residual.data, extent)))
      return cudaErrorInvalidValue;
    norm_map<T> const norm{weight, bias, static_cast<arithmetic_t<T>>(epsilon), centered};
    add_norm_map<T> const map{norm, residual.data, residual.stride};
    return detail::for_each_row(
        {in.stride, column_count}, in.row_count,
        computed_map_by_row<T, add_norm_map<T>, In, Out>{in.first, out.first, map, {in.stride, out.stride, nullptr}},
        on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// residual += in; out = the layer norm of residual's rows. See above.
template <class In, class T>
[[nodiscard]] cudaError_t add_layer_norm_rows(matrix<In> in, matrix<T> residual, matrix<T> out,
                                              detail::given_t<T> const* weight = nullptr,
                                              detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                              execution on = {}) noexcept {
  return detail::add_norm<T>(detail::rows_for<T>(in), residual, out, weight, bias, epsilon, true, on);
}

/// residual += in; out = the root-mean-square norm of residual's rows. See above.
template <class In, class T>
[[nodiscard]] cudaError_t add_rms_norm_rows(matrix<In> in, matrix<T> residual, matrix<T> out,
                                            detail::given_t<T> const* weight = nullptr,
                                            detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                            execution on = {}) noexcept {
  return detail::add_norm<T>(detail::rows_for<T>(in), residual, out, weight, bias, epsilon, false, on);
}

// ---- Of rows that an iterator reads or writes

template <class In, class T, class Out, detail::if_computed<In, Out> = true>
[[nodiscard]] cudaError_t add_layer_norm_rows(In in, matrix<T> residual, Out out,
                                              detail::given_t<T> const* weight = nullptr,
                                              detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                              execution on = {}) noexcept {
  return detail::add_computed_norm(detail::any_rows(in), residual, detail::any_rows(out), weight, bias, epsilon, true,
                                   on);
}
template <class In, class T, class Out, detail::if_computed<In, Out> = true>
[[nodiscard]] cudaError_t add_rms_norm_rows(In in, matrix<T> residual, Out out,
                                            detail::given_t<T> const* weight = nullptr,
                                            detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                            execution on = {}) noexcept {
  return detail::add_computed_norm(detail::any_rows(in), residual, detail::any_rows(out), weight, bias, epsilon, false,
                                   on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
