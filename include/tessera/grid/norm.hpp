// Rows of a matrix brought to mean 0 and variance 1, or to root mean square 1, by one read and one write.
//
//   tessera::grid::matrix x{data, rows, columns};
//   error = tessera::grid::layer_norm_rows(x, x, weight, bias, 1e-5, stream);   // in place
//   error = tessera::grid::rms_norm_rows(x, out, weight);
//
//   a row         1  2  3  4
//   layer norm    −1.34 −0.45 0.45 1.34        (x − mean) / √(variance + epsilon) · weight + bias
//   rms norm      0.37 0.73 1.10 1.46          x / √(mean of x² + epsilon) · weight + bias
//
// Both
//   take      matrices in the GPU's memory, of float, double, __half or __nv_bfloat16; computed in float, doubles in
//             double. Any number of rows, up to 2^30 columns, any stride. `out` is `in` itself (of one row with
//             any stride), or has no element in common with it. weight, bias: null, or `columns` elements on the GPU, not within `out`.
//             epsilon is added as the type of the arithmetic; it isn't negative.
//   variance  the mean squared distance from the mean, by a second look at the row in registers: no cancellation.
//   give      the same bits at each call with the same arguments, alignment and GPU. A row with a NaN is all NaN; one
//             with an infinity too, by layer norm. By rms norm that is NaN, and all finite elements become 0.
//   error     with s = 1 / √(variance + epsilon), of a float, before weight and bias, some 2^-24 · (12 · the row's
//             largest result + k · |mean| · s) + 2^-149 · (1 + k · s), where k is 4, and columns / 4096 more of rows
//             that are read twice. 2^-149, the least denormal, is what counts where results are denormal: where
//             epsilon is large, say, and a weight may make that large again. The product by the weight and the sum with
//             the bias are rounded once each. Likewise of a double, with 2^-53 and 2^-1074. Of 16 bits one unit in the
//             last place of the double result, rounded, or that, where it is more.
//   range     that holds while the sum of the row's squared distances from the mean (of squares, by rms norm) is
//             finite, and variance + epsilon is no denormal: of floats (and 16 bits) for distances below 2^63 /
//             √columns, of doubles 2^511 / √columns. Where the squares overflow, the results of finite elements are
//             0, or NaN where their sum or a distance overflows, too; where variance and epsilon vanish, they are NaN or
//             infinite.
//   return    cudaErrorInvalidValue, before anything is launched, for sizes that are negative or differ, strides
//             below the columns, null or misaligned pointers, overlaps, and an epsilon that is negative or NaN; else
//             what the launch returned. They never throw, wait or print, and go into graphs. CUDA's last error stays
//             as it was: see reduce.hpp.
//   cost      as softmax.hpp: one launch, one read and one write of the matrix.
#pragma once

#include <tessera/grid/detail/instantiations.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/workspace.hpp>

#include <cuda_runtime_api.h>

namespace tessera::grid {

namespace detail {

/// T, but not deduced from this argument.
template <class T>
struct given {
  using type = T;
};
template <class T>
using given_t = typename given<T>::type;

// In the library.
template <class T>
cudaError_t norm_instantiation(matrix<T const> in, matrix<T> out, T const* weight, T const* bias,
                               double epsilon, bool centered, cudaStream_t stream,
                               workspace* memory) noexcept;

}  // namespace detail

template <class In, class T>
[[nodiscard]] cudaError_t layer_norm_rows(matrix<In> in, matrix<T> out,
                                          detail::given_t<T> const* weight = nullptr,
                                          detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                          cudaStream_t stream = nullptr,
                                          workspace* memory = nullptr) noexcept {
  return detail::norm_instantiation<T>(detail::rows_for<T>(in), out, weight, bias, epsilon, true, stream,
                                       memory);
}

template <class In, class T>
[[nodiscard]] cudaError_t rms_norm_rows(matrix<In> in, matrix<T> out,
                                        detail::given_t<T> const* weight = nullptr,
                                        detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                        cudaStream_t stream = nullptr, workspace* memory = nullptr) noexcept {
  return detail::norm_instantiation<T>(detail::rows_for<T>(in), out, weight, bias, epsilon, false, stream,
                                       memory);
}

}  // namespace tessera::grid
