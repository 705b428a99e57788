// Norms of rows whose results become 8-bit numbers and a scale of every 128 columns, or of each row, in one pass: for
// nvcc.
//
//   tessera::grid::matrix q{bytes, tokens, width};  // of __nv_fp8_e4m3 or std::int8_t
//   error = tessera::grid::rms_norm_rows(x, tessera::grid::quantized{q, scales}, weight);
//   error = tessera::grid::add_rms_norm_rows(x, residual, tessera::grid::quantized{q, scales}, weight, nullptr, 1e-6);
//   error = tessera::grid::rms_norm_rows(x, tessera::grid::quantized{q, scales, tessera::grid::scale_per_row}, weight);
//
//   y             the row's norm (norm.hpp), before it is rounded to an element
//   group g       its columns 128g … 128g + 127; the last one may have fewer. With scale_per_row the row is one group
//   scale[g]      max(|y| of the group, 1e-10) / m           m is 448 for e4m3, 127 for int8
//   q             y / scale[g], rounded to nearest, ties to even: y is about q · scale[g]
//
// All of them
//   take      matrices as norm.hpp does, of float, __half or __nv_bfloat16, with weight, bias and epsilon; a residual
//             as add_norm.cuh does. q has the size of `in`, any stride, and no byte in common with another argument.
//             Nor have the scales.
//   scales    ⌈columns / 128⌉ floats for each row, row after row; with a scale_stride, group after group: each group's
//             scales of all rows begin so many floats after those of the group before. With scale_per_row, one float
//             for each row.
//   give      bits that depend on the row alone, as norm.hpp says. A group with a NaN or an infinity in y has that as
//             its scale, and all of its q are NaN, 0 in int8.
//   error     y has the error of a float of norm.hpp. The scale and the quotient are rounded once each.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if sizes differ, a stride is
//             less than the columns, the scale_stride less than the rows, or epsilon is negative or NaN.
//   cost      one launch: one read of the matrix (with a residual two reads and a write), one write of a byte for each
//             element, and of a float for each scale. Longer rows are read again as in softmax.hpp, but a block holds
//             64 KiB of a row at most. With scale_per_row those that are read again are read three times, in four
//             launches. Before sm_89, the first to round to e4m3, that takes about ten instructions for each element.
//
// Who takes the results: scales row after row are the [rows, columns / 128] of torch and Triton kernels. With a
// scale_stride, a multiple of 4, they are the column-major scales that DeepGEMM and CUTLASS load by TMA. With
// scale_per_row they are the [rows, 1] of torch._scaled_mm and of CUTLASS's epilogues.
//
// Source: the scales are those of per_token_group_quant_fp8 and _int8 in vLLM and SGLang; with scale_per_row those of
// per_token_quant_fp8 and _int8 there.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/norm.hpp>
#include <tessera/grid/parts/byte_ranges.hpp>
#include <tessera/grid/rows/add_norm_map.hpp>
#include <tessera/grid/rows/map_launch.cuh>
#include <tessera/grid/rows/quantized_map.hpp>
#include <tessera/grid/rows/row_arguments.hpp>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// The columns that have one scale: 128 neighboring ones.
struct scale_per_group_t {};
/// The columns that have one scale: all of a row.
struct scale_per_row_t {};
/// Asks for a scale of each row.
inline constexpr scale_per_row_t scale_per_row{};

/// Where quantized rows go: Q is __nv_fp8_e4m3, for which the program includes cuda_fp8.h, or std::int8_t.
///
///   quantized{q, scales}                  scales[row · groups + group]
///   quantized{q, scales, stride}          scales[group · stride + row]; for TMA, stride is a multiple of 4
///   quantized{q, scales, scale_per_row}   scales[row]
template <class Q, class Scales = scale_per_group_t>
struct quantized {
  matrix<Q> elements;
  float* scales = nullptr;
  std::int64_t scale_stride = 0;
};
template <class Q>
struct quantized<Q, scale_per_row_t> {
  matrix<Q> elements;
  float* scales = nullptr;
  scale_per_row_t which = {};
};

template <class Q>
quantized(matrix<Q>, float*) -> quantized<Q>;
template <class Q>
quantized(matrix<Q>, float*, std::int64_t) -> quantized<Q>;
template <class Q>
quantized(matrix<Q>, float*, scale_per_row_t) -> quantized<Q, scale_per_row_t>;

namespace detail {

/// The scales from the first to the last one, or −1 if there can't be as many.
inline std::int64_t count_scales(std::int64_t row_count, std::int64_t group_count, std::int64_t stride) noexcept {
  if (stride != 0 && stride < row_count) return -1;
  if (row_count == 0 || group_count == 0) return 0;
  std::int64_t const apart = stride == 0 ? row_count : stride;
  if (apart > INT64_MAX / static_cast<std::int64_t>(sizeof(float)) / group_count) return -1;
  return (group_count - 1) * apart + row_count;
}

inline namespace TESSERA_ARCHS {

/// The elements of rows of T in kernels without a residual. Those of __half would have each half in a register of its
/// own, and spill; with a scale for each row any_half would.
template <class T, class Scales>
using quantized_kernel_t =
    stl::conditional_t<stl::is_same_v<T, __half> && !stl::is_same_v<Scales, scale_per_row_t>, any_half, T>;

/// True if rows of T can be quantized to Q. Says what can.
template <class T, class Q>
constexpr bool require_quantized_rows() {
  constexpr bool has_numbers = std::is_same_v<T, float> || tessera::detail::is_half<T>;
  static_assert(has_numbers, "grid::quantized: rows of float, __half and __nv_bfloat16 are quantized.");
  static_assert(tessera::detail::has_eight_bits<Q>,
                "grid::quantized: the elements are of __nv_fp8_e4m3 (cuda_fp8.h) or std::int8_t, and not const.");
  return has_numbers && tessera::detail::has_eight_bits<Q>;
}

/// Quantizes what Base computes, with such scales.
template <class Base, class Q, class Scales>
using quantized_map_t =
    stl::conditional_t<stl::is_same_v<Scales, scale_per_row_t>, row_quantized_map<Base, Q>, quantized_map<Base, Q>>;

/// The norm of `in`, or, if it Adds, of its sum with the residual.
template <bool Adds, class T, class Q, class Scales>
cudaError_t quantized_norm(matrix<T const> const& in, matrix<T> const& residual, quantized<Q, Scales> const& out,
                           T const* weight, T const* bias, double epsilon, bool centered, execution on) noexcept {
  if constexpr (!detail::require_quantized_rows<T, Q>()) {
    return cudaErrorNotSupported;
  } else {
    matrix<Q> const& q = out.elements;
    constexpr std::int64_t width = row_vector_length<T>;
    if (!(epsilon >= 0) || !detail::is_matrix(in) || !detail::is_matrix(q) || q.row_count != in.row_count ||
        q.column_count != in.column_count)
      return cudaErrorInvalidValue;
    if (Adds && (!detail::is_matrix(residual) || residual.row_count != in.row_count ||
                 residual.column_count != in.column_count))
      return cudaErrorInvalidValue;
    std::int64_t group_count = in.column_count > 0 ? 1 : 0, scale_stride = 0;
    if constexpr (!std::is_same_v<Scales, scale_per_row_t>) {
      group_count = detail::ceiling_divide(in.column_count, quantized_group);
      scale_stride = out.scale_stride;
    }
    std::int64_t const scale_count = detail::count_scales(in.row_count, group_count, scale_stride);
    if (!detail::is_array(out.scales, scale_count)) return cudaErrorInvalidValue;
    bool aligned = in.column_count % width == 0 && detail::has_aligned_rows(in) &&
                   (!Adds || detail::has_aligned_rows(matrix<T const>(residual))) &&
                   reinterpret_cast<std::uintptr_t>(q.data) % width == 0 && (q.row_count < 2 || q.stride % width == 0);
    for (T const* const parameters : {weight, bias}) {
      if (parameters && !detail::is_array(parameters, in.column_count)) return cudaErrorInvalidValue;
      aligned = aligned && reinterpret_cast<std::uintptr_t>(parameters) % 16 == 0;
    }
    auto const written = {byte_range::of(q.data, detail::extent_of(q)), byte_range::of(out.scales, scale_count),
                          byte_range::of(residual.data, detail::extent_of(residual))};
    auto const read = {byte_range::of(in.data, detail::extent_of(in)), byte_range::of(weight, in.column_count),
                       byte_range::of(bias, in.column_count)};
    if (detail::any_overlap(written, read)) return cudaErrorInvalidValue;

    bool const by_rows = scale_stride == 0;
    quantized_place const place{reinterpret_cast<unsigned char*>(q.data), out.scales, q.stride,
                                by_rows ? group_count : 1, by_rows ? 1 : scale_stride};
    using element = stl::conditional_t<Adds, T, quantized_kernel_t<T, Scales>>;
    row_task<element> const task{reinterpret_cast<element const*>(in.data), nullptr, in.stride, 0, in.row_count,
                                 static_cast<int>(in.column_count),         nullptr};
    norm_map<element> const norm{reinterpret_cast<element const*>(weight), reinterpret_cast<element const*>(bias),
                                 static_cast<float>(epsilon), centered};
    if constexpr (Adds) {
      using map = quantized_map_t<add_norm_map<T>, Q, Scales>;
      return detail::map_task(task, map{{norm, residual.data, residual.stride}, place}, aligned, on);
    } else {
      return detail::map_task(task, quantized_map_t<norm_map<element>, Q, Scales>{norm, place}, aligned, on);
    }
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out = the layer norm of the rows of `in`, quantized. See above.
template <class In, class Q, class Scales, class T = std::remove_const_t<In>>
[[nodiscard]] cudaError_t layer_norm_rows(matrix<In> in, quantized<Q, Scales> out,
                                          detail::given_t<T> const* weight = nullptr,
                                          detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                          execution on = {}) noexcept {
  return detail::quantized_norm<false, T>(in, {}, out, weight, bias, epsilon, true, on);
}

/// out = the root-mean-square norm of the rows of `in`, quantized. See above.
template <class In, class Q, class Scales, class T = std::remove_const_t<In>>
[[nodiscard]] cudaError_t rms_norm_rows(matrix<In> in, quantized<Q, Scales> out,
                                        detail::given_t<T> const* weight = nullptr,
                                        detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                        execution on = {}) noexcept {
  return detail::quantized_norm<false, T>(in, {}, out, weight, bias, epsilon, false, on);
}

/// residual += in; out = the layer norm of residual's rows, quantized. See above.
template <class In, class T, class Q, class Scales>
[[nodiscard]] cudaError_t add_layer_norm_rows(matrix<In> in, matrix<T> residual, quantized<Q, Scales> out,
                                              detail::given_t<T> const* weight = nullptr,
                                              detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                              execution on = {}) noexcept {
  return detail::quantized_norm<true, T>(detail::rows_for<T>(in), residual, out, weight, bias, epsilon, true, on);
}

/// residual += in; out = the root-mean-square norm of residual's rows, quantized. See above.
template <class In, class T, class Q, class Scales>
[[nodiscard]] cudaError_t add_rms_norm_rows(matrix<In> in, matrix<T> residual, quantized<Q, Scales> out,
                                            detail::given_t<T> const* weight = nullptr,
                                            detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                            execution on = {}) noexcept {
  return detail::quantized_norm<true, T>(detail::rows_for<T>(in), residual, out, weight, bias, epsilon, false, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
