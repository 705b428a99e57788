// Reduces each row of a matrix to one value, by one kernel launch.
//
//   tessera::grid::matrix x{data, rows, columns};                              // or {data, rows, columns, stride}
//   error = tessera::grid::reduce_rows(x, sums);                               // sums[r] = x[r][0] + x[r][1] + …
//   error = tessera::grid::reduce_rows(x, out, tessera::maximum{}, stream);
//   error = tessera::grid::argmax_rows(x, best, stream);                      // indexed<T, int>* best: {value, column}
//   error = tessera::grid::moments_rows(x, m, stream);                         // moments<float>* m: count, mean, m2
//
//   x            sums   maximum   argmax
//   1  5  2      8      5         {5, 1}
//   4  0  3      7      4         {4, 0}
//
// All of them
//   take      x: a matrix in the GPU's memory, of any number of rows, 0 to 2^30 columns, any stride and alignment. T:
//             float, double, __half, __nv_bfloat16, and integers of 32 and 64 bits. <tessera/grid/rows.cuh> has other
//             types and operators, and functions of the elements. out: a result for each row, on the GPU, too, none
//             between the matrix's first and last element.
//   give      bits that depend on the row's elements, their number and type alone: not on the other rows and their
//             number, on alignment and stride, or the GPU. CPU lanes have the same. The operator's identity if there
//             are no columns.
//   error     A float sum is off by at most (20 + log2(columns) + columns / 2048) · u · Σ|x|, with u = 2^-24, or
//             2^-53 for doubles. A product is off by (columns + 1) · u, relative to it, if no partial product overflows
//             or is denormal.
//   zeros     A float sum of a row whose elements are all −0 is −0; the sum of a row without columns is +0.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if the stride is less than
//             the columns.
//   cost      one read of the matrix: 120 µs for 2^27 floats at the 4490 GB/s of an H200; and one launch. If there are
//             at most 256 rows of more than 16 KiB each, several blocks share a row.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/rows/mistaken_rows.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// The moments of rows of T: in double for double, in float for all other types. (A class, since g++ and clang++ write
/// an `is_same_v` in the name of a function in different ways, and the library's functions are linked by name.)
template <class T>
struct moments_of_rows {
  using type = tessera::moments<std::conditional_t<std::is_same_v<std::remove_const_t<T>, double>, double, float>>;
};
template <class T>
using moments_of_rows_t = typename moments_of_rows<T>::type;

// Compiled into the library, for T and Op as `has_instantiation` says.
template <class T, class Op, class R>
TESSERA_API cudaError_t reduce_rows_instantiation(matrix<T const> in, R* out, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t argmin_rows_instantiation(matrix<T const> in, indexed<T, int>* out, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t argmax_rows_instantiation(matrix<T const> in, indexed<T, int>* out, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t minmax_rows_instantiation(matrix<T const> in, min_max<T>* out, execution on) noexcept;
template <class T>
TESSERA_API cudaError_t moments_rows_instantiation(matrix<T const> in, moments_of_rows_t<T>* out,
                                                   execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; rows.cuh specializes the class.
template <class T, class = void>
struct reduce_rows_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::reduce_rows: the library has no kernel for this type and operator: include "
                  "<tessera/grid/rows.cuh> in a "
                  ".cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

/// The matrix itself, with another name for its elements' type.
template <class To, class T>
matrix<To const> renamed(matrix<T> const& m) noexcept {
  return {reinterpret_cast<To const*>(m.data), m.row_count, m.column_count, m.stride};
}

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// Combines the elements of each row by `op`: out[r] is row r's result.
///
/// op   plus, multiplies, minimum, maximum, and for integers bit_and, bit_or, bit_xor; or an alias, such as
///      std::plus<>. As on tiles, integers wrap, and minimum and maximum return NaN if there is one and order −0 < +0.
///      rows.cuh takes other operators.
/// out  values of T; for __half and __nv_bfloat16 with plus or multiplies floats, for shorter integers with plus ints:
///      see reduced_t.
template <class In, class Op = plus>
[[nodiscard]] cudaError_t reduce_rows(matrix<In> in, reduced_t<std::remove_const_t<In>, Op>* out, Op op = {},
                                      execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  using combine = tessera::detail::normalized_t<Op, T>;
  if constexpr (detail::has_instantiation<detail::element_t<T>, combine>) {
    using element = detail::combined_as_t<T, combine>;
    using result = reduced_t<element, combine>;
    return detail::reduce_rows_instantiation<element, combine>(detail::renamed<element>(in),
                                                               reinterpret_cast<result*>(out), detail::named(on));
  } else if constexpr (detail::can_combine<combine, T>()) {
    return detail::reduce_rows_launcher<T>::launch(matrix<T const>(in), out, op, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// The least value of each row and its column: the lowest column of equal values (−0 equals +0); the first NaN, if
/// there is one.
template <class In>
[[nodiscard]] cudaError_t argmin_rows(matrix<In> in, indexed<std::remove_const_t<In>, int>* out,
                                      execution on = {}) noexcept {
  using element = detail::element_t<std::remove_const_t<In>>;
  detail::require_element<element>();
  return detail::argmin_rows_instantiation(detail::renamed<element>(in), reinterpret_cast<indexed<element, int>*>(out),
                                           detail::named(on));
}

/// The greatest value of each row and its column: the lowest column of equal values (−0 equals +0); the first NaN, if
/// there is one.
template <class In>
[[nodiscard]] cudaError_t argmax_rows(matrix<In> in, indexed<std::remove_const_t<In>, int>* out,
                                      execution on = {}) noexcept {
  using element = detail::element_t<std::remove_const_t<In>>;
  detail::require_element<element>();
  return detail::argmax_rows_instantiation(detail::renamed<element>(in), reinterpret_cast<indexed<element, int>*>(out),
                                           detail::named(on));
}

/// The least and the greatest value of each row; both are NaN if an element is.
template <class In>
[[nodiscard]] cudaError_t minmax_rows(matrix<In> in, min_max<std::remove_const_t<In>>* out,
                                      execution on = {}) noexcept {
  using element = detail::element_t<std::remove_const_t<In>>;
  detail::require_element<element>();
  return detail::minmax_rows_instantiation(detail::renamed<element>(in), reinterpret_cast<min_max<element>*>(out),
                                           detail::named(on));
}

/// Count, mean and the sum of squared distances from the mean of each row of float, double, __half or __nv_bfloat16: in
/// double for double, else in float, with variance() and others as members. If a value is infinite or NaN, mean and m2
/// are NaN. If all values are equal, m2 is 0. The count is the number of columns, rounded once: above 2^24 a float
/// isn't exact.
///
/// Error  Mean and the root of variance() are off by about 16 + 4 · log2(columns) + columns / 2048 roundings, relative
///        to the largest |x|: each lane measures its vectors from their own mean, and the operator is `welford`.
///        Squares of distances below 2^-75 (2^-537 for doubles) vanish from m2, and those below 2^-63 (2^-511) are
///        denormal: that makes the root up to 2^-74 (2^-536) more off. A denormal mean is rounded by up to 2^-150
///        (2^-1075).
/// Range  |x| up to 2^63 / √columns (2^511 / √columns for doubles). For rows with larger values m2 is infinite or NaN
///        if squares overflow, and the mean is if sums do.
template <class In>
[[nodiscard]] cudaError_t moments_rows(matrix<In> in, detail::moments_of_rows_t<In>* out, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(detail::is_one_of<T, float, double, __half, __nv_bfloat16>,
                "grid::moments_rows is for rows of float, double, __half and __nv_bfloat16: for integers write "
                "transform_reduce_rows of <tessera/grid/rows.cuh> with as_moments(float(x)) and welford{}.");
  return detail::moments_rows_instantiation<T>(in, out, detail::named(on));
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
