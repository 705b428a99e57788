// The softmax of each row of a matrix, by one read and one write.
//
//   tessera::grid::matrix scores{data, rows, columns};
//   error = tessera::grid::softmax_rows(scores, scores);                        // in place
//   error = tessera::grid::softmax_rows(scores, out, lengths, stream);          // of the first lengths[row] columns
//
//   a row          lengths   softmax               log_softmax
//   0  0  1        –         0.21 0.21 0.58        −1.55 −1.55 −0.55
//   0  0  1        2         0.5  0.5  0           −0.69 −0.69 −∞
//   0  0  1        0         0    0    0           −∞    −∞    −∞
//   −∞ −∞          –         0    0                −∞    −∞            (the sum is 0; PyTorch gives NaN)
//   +∞ 0  +∞       –         0.5  0    0.5         −0.69 −∞    −0.69
//   NaN 0          –         NaN  NaN              NaN   NaN
//
// All of them
//   take      matrices in the GPU's memory, of float, double, __half or __nv_bfloat16, computed in float, in double for
//             double. Any number of rows, up to 2^30 columns, any stride. `out` is `in` itself (with the same stride
//             unless there is one row), or doesn't overlap it.
//   lengths   null, or a std::int32_t for each row on the GPU. Columns from a row's length on aren't read, and their
//             results are 0 (−∞ for the logarithm). A negative length counts as 0, and one beyond the columns as all
//             columns.
//   give      bits that depend on the row's elements, their number (and the row's length) and type alone: not on the
//             other rows and their number, on alignment and stride, or on the GPU's multiprocessors. The exponential of
//             floats is the architecture's; softmaxes of doubles have the same bits on all GPUs and on CPU lanes, up to
//             65536 columns.
//   error     The softmax in float is off by about |x − max| + 12 units of 2^-24, relative to the result (the rounding
//             of x − max, an exp, a sum, a quotient), and by another 3 · 2^-149, the least denormal: below 2^-126
//             results aren't exact relative to themselves. The same holds in double, with 2^-53 and 2^-1074. A 16-bit
//             result is off by one unit in the last place of the rounded double result. The logarithm is off by 12
//             units of 2^-24 · (1 + |x − max| + |result|), and in 16 bits by one unit in the last place, if that is
//             more.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if sizes differ or a stride
//             is less than the columns.
//   cost      one launch, and one read and one write of the matrix: 253 µs for 2^27 floats at the 4240 GB/s at which an
//             H200 copies. Rows of up to 128 KiB (64 KiB if they are doubles, have lengths, or aren't aligned to 16
//             bytes at both ends) stay in a block's registers, of up to 512 KiB in those of a cluster. Before sm_90,
//             which is the first to have clusters, these are read three times, by three launches, with up to 16 bytes
//             of workspace for every 64 KiB. Longer rows are read again by a second launch, with up to 16 bytes of
//             workspace for every 16 KiB, of doubles 48.
//
// Source: M. Milakov, N. Gimelshein, "Online normalizer calculation for softmax", 2018, for rows in parts.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

struct __half;
struct __nv_bfloat16;

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

// Compiled into the library.
template <class T>
TESSERA_API cudaError_t softmax_instantiation(matrix<T const> in, matrix<T> out, std::int32_t const* lengths,
                                              bool logarithms, execution on) noexcept;

/// The matrix itself, if its rows can become those of a matrix<T>; otherwise a message says what to write.
template <class T, class In>
constexpr matrix<T const> rows_for(matrix<In> in) noexcept {
  constexpr bool one_type = std::is_same_v<std::remove_const_t<In>, T>;
  static_assert(one_type, "in and out have elements of one type, those of out not const.");
  static_assert(!one_type || is_one_of<T, float, double, __half, __nv_bfloat16>,
                "This is for rows of float, double, __half and __nv_bfloat16: convert the elements, or write "
                "a kernel by "
                "tessera::reduce(tile, as_exp_sum(x), log_sum_exp{}) or as_moments(x), welford{}.");
  if constexpr (one_type) {
    return in;
  } else {
    return {};
  }
}

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[r][c] = exp(in[r][c]) / Σ exp(in[r][·]), without overflow. See above.
template <class In, class T>
[[nodiscard]] cudaError_t softmax_rows(matrix<In> in, matrix<T> out, std::int32_t const* lengths = nullptr,
                                       execution on = {}) noexcept {
  return detail::softmax_instantiation<T>(detail::rows_for<T>(in), out, lengths, false, detail::named(on));
}

/// out[r][c] = in[r][c] − log Σ exp(in[r][·]). See above.
template <class In, class T>
[[nodiscard]] cudaError_t log_softmax_rows(matrix<In> in, matrix<T> out, std::int32_t const* lengths = nullptr,
                                           execution on = {}) noexcept {
  return detail::softmax_instantiation<T>(detail::rows_for<T>(in), out, lengths, true, detail::named(on));
}

/// The `softmax_rows` of a contiguous matrix with 128 columns. Returns cudaErrorInvalidValue if a pointer isn't a
/// multiple of 256 bytes.
[[nodiscard]] inline cudaError_t softmax128(__nv_bfloat16* out, __nv_bfloat16 const* in, std::int64_t row_count,
                                            execution on = {}) noexcept {
  if (reinterpret_cast<std::uintptr_t>(out) % 256 != 0 || reinterpret_cast<std::uintptr_t>(in) % 256 != 0)
    return cudaErrorInvalidValue;
  return grid::softmax_rows(matrix<__nv_bfloat16 const>(in, row_count, 128), matrix<__nv_bfloat16>(out, row_count, 128),
                            nullptr, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
