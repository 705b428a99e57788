// Segments of an array, given by offsets, each reduced to one value.
//
//   in         a b c | d e | | f g h i          4 segments
//   offsets    0 3 5 5 9                        where each segment begins, and where the last one ends
//   out        abc de 1 fghi                    1: the identity
//
//   error = tessera::grid::reduce_segments(values, row_offsets, rows, sums);
//   error = tessera::grid::reduce_segments(values, row_offsets, rows, peaks, tessera::maximum{}, {stream, memory});
//   error = tessera::grid::reduce_segments(values, tessera::grid::segments_of_length(128), rows, sums);
//
// Each warp reduces an equal share of elements and segments together, wherever segments begin and end. So a segment of
// a million elements among a million short ones takes only the time of its bytes.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/rows.hpp>
#include <tessera/grid/segment_list.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

// In the library, for T and Op with has_instantiation<T, Op>, and Offset an offset_t.
template <class T, class Op, class Offset, class R>
TESSERA_API cudaError_t segments_instantiation(T const* in, Offset const* offsets, std::int64_t segments, R* out,
                                               execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls that no explicit instantiation serves: segments.cuh specializes the class.
template <class T, class = void>
struct segments_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::reduce_segments: the library has no kernel for this type and operator: include "
                  "<tessera/grid/segments.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[s] = in[offsets[s]] op … op in[offsets[s + 1] − 1] for each segment s; the identity of `op` if s is empty.
///
/// in       elements on the GPU, at any multiple of their size: float, double, __half, __nv_bfloat16, integers of 32
///          and 64 bits. It may be null if all segments are empty.
/// offsets  segments + 1 integers of 32 or 64 bits on the GPU, by the rules of docs/reference/arrays.md. `in` ends
///          at the last offset.
/// out      one value for each segment, in memory apart from `in` and `offsets`. Its type is T; for plus and multiplies
///          of __half and __nv_bfloat16 it is float, and for plus of shorter integers int: see reduced_t.
/// op       plus, multiplies, minimum, maximum, and for integers bit_and, bit_or, bit_xor.
///          <tessera/grid/segments.cuh> has others.
/// Order    Elements are combined in order: the operator need not commute. The bits of float sums are the same at each
///          call with the same offsets, the same address of `in` modulo 128 bytes, and the same GPU.
/// Error    A sum of L floats is off by at most (L / 512 + 80) · 2^-24 · Σ|x|. The relative error of a product of L
///          floats is at most L · 2^-24, if no product of neighbors overflows or is denormal. For doubles 2^-53
///          replaces 2^-24.
/// Zeros    A float sum of elements that are all −0 is −0; the sum of an empty segment is +0.
/// Returns  as all calls on arrays: docs/reference/arrays.md.
/// Cost     one launch, one read of each element and offset, one write of each result, and in each warp two searches
///          of log16(segments) steps. On an H200, with 32-bit offsets:
///
///   2^24 segments of 8 floats          at least 150 µs, for 40 bytes a segment at 4490 GB/s
///   lengths by Zipf's law, mean 8      192 µs for 2^24 segments
///   segments of 64 floats              3.6 TB/s
template <class T, class Offset, class Op = plus>
[[nodiscard]] cudaError_t reduce_segments(T const* in, Offset const* offsets, std::int64_t segments,
                                          reduced_t<T, Op>* out, Op op = {}, execution on = {}) noexcept {
  static_assert(tessera::detail::is_integer<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "grid::reduce_segments: offsets are integers of 32 or 64 bits.");
  using combine = tessera::detail::normalized_t<Op, T>;
  auto const* const begins = reinterpret_cast<detail::offset_t<Offset> const*>(offsets);
  if constexpr (detail::has_instantiation<detail::element_t<T>, combine>) {
    using element = detail::combined_as_t<T, combine>;
    using result = reduced_t<element, combine>;
    return detail::segments_instantiation<element, combine>(reinterpret_cast<element const*>(in), begins, segments,
                                                            reinterpret_cast<result*>(out), detail::named(on));
  } else if constexpr (detail::can_combine<combine, T>()) {
    return detail::segments_launcher<T>::launch(in, begins, segments, out, op, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// Reduces segments of one length, of up to 2^30 elements, as the rows of a matrix: see reduce_rows of rows.hpp.
/// <tessera/grid/segments.cuh> takes other segments.
template <class T, class Op = plus>
[[nodiscard]] cudaError_t reduce_segments(T const* in, equal_segments segments, std::int64_t count,
                                          reduced_t<T, Op>* out, Op op = {}, execution on = {}) noexcept {
  return grid::reduce_rows(matrix<T const>(in, count, segments.length), out, op, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
