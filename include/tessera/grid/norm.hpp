// Normalizes the rows of a matrix to mean 0 and variance 1, or to root mean square 1, by one read and one write.
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
//   take      matrices in the GPU's memory, of float, double, __half or __nv_bfloat16, computed in float, in double for
//             double. Any number of rows, up to 2^30 columns, any stride. `out` is `in` itself (with the same stride
//             unless there is one row), or doesn't overlap it. weight, bias: null, or `columns` elements on the GPU,
//             not within `out`. epsilon isn't negative; it is converted to the type of the arithmetic before it is
//             added.
//   variance  the mean squared distance from the mean, from a second pass over the row in registers: no cancellation.
//   give      bits that depend on the row's elements, their number and type, and on weight, bias and epsilon alone: not
//             on the other rows and their number, on alignment and stride, or the GPU. CPU lanes have the same. A row
//             with a NaN becomes all NaN. So does a row with an infinity by layer norm; by rms norm the infinity
//             becomes NaN, and finite elements 0.
//   error     With s = 1 / √(variance + epsilon), a float is off, before weight and bias, by about 2^-24 · ((10 + k /
//             2) · the row's largest result + k · |mean| · s) + 2^-149 · (1 + k · s). k is 4, and columns / 4096 more
//             for rows that are read twice. The term with 2^-149, the least denormal, matters for denormal results, as
//             with a large epsilon; a weight may make them large again. The product by the weight and the sum with the
//             bias are rounded once each. The same holds for a double, with 2^-53 and 2^-1074. A 16-bit result is off
//             by one unit in the last place of the rounded double result, or by the error of a float if that is more.
//   range     These errors hold while the sum of the row's squared distances from the mean (of squares, by rms norm) is
//             finite, and variance + epsilon isn't denormal: for floats and 16 bits with distances below 2^63 /
//             √columns, for doubles below 2^511 / √columns. If the squares overflow, finite elements become 0, or NaN
//             if their sum or a distance overflows, too. If variance and epsilon vanish, results are NaN or infinite.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if sizes differ, a stride is
//             less than the columns, or epsilon is negative or NaN.
//   cost      as in softmax.hpp: one launch, one read and one write of the matrix.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/softmax.hpp>

#include <cuda_runtime_api.h>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// T, in a parameter from which T isn't deduced.
template <class T>
struct given {
  using type = T;
};
template <class T>
using given_t = typename given<T>::type;

// Compiled into the library.
template <class T>
TESSERA_API cudaError_t norm_instantiation(matrix<T const> in, matrix<T> out, T const* weight, T const* bias,
                                           double epsilon, bool centered, execution on) noexcept;

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// Normalizes each row to mean 0 and variance 1, multiplies by `weight` and adds `bias`, unless they are null.
template <class In, class T>
[[nodiscard]] cudaError_t layer_norm_rows(matrix<In> in, matrix<T> out, detail::given_t<T> const* weight = nullptr,
                                          detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                          execution on = {}) noexcept {
  return detail::norm_instantiation<T>(detail::rows_for<T>(in), out, weight, bias, epsilon, true, detail::named(on));
}

/// Normalizes each row to root mean square 1, multiplies by `weight` and adds `bias`, unless they are null.
template <class In, class T>
[[nodiscard]] cudaError_t rms_norm_rows(matrix<In> in, matrix<T> out, detail::given_t<T> const* weight = nullptr,
                                        detail::given_t<T> const* bias = nullptr, double epsilon = 1e-5,
                                        execution on = {}) noexcept {
  return detail::norm_instantiation<T>(detail::rows_for<T>(in), out, weight, bias, epsilon, false, detail::named(on));
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
