// The log-sum-exp of each segment of an array: for nvcc.
//
//   in                      0 0 1 | 0 −∞ 0 | | 3        4 segments
//   offsets                 0 3 6 6 7
//   log_sum_exp_segments    1.55 0.69 −∞ 3
//
//   error = tessera::grid::log_sum_exp_segments(scores, offsets, segments, sums, {stream, memory});
//   error = tessera::grid::log_sum_exp_segments(scores, windows, segments, sums);
//
// Takes     in: float, double, __half or __nv_bfloat16 in the GPU's memory, or a random-access iterator over them
//           (core/iterators.hpp). segments: offsets by the rules of docs/reference/arrays.md, or a list of
//           segment_list.hpp, such as `windows` by segments_between; they may overlap. count: the number of segments,
//           an integer or a count_on_device.
// Writes    out: a float for each segment, a double of doubles, in memory apart from all that is read.
// Gives     the results of log_sum_exp_rows (cross_entropy.cuh), with its errors, infinities and NaN: of a segment that
//           is empty or has only −∞, −∞. The bits depend on the segment's elements alone, on no address.
// Returns   as all calls on arrays: docs/reference/arrays.md.
// Cost      two launches, one read of each element and two of each segment's bounds. A segment of up to 256 elements
//           has a lane for every 8, one of up to 2048 a warp, and a longer one blocks. The workspace has up to 1 MiB;
//           for lengths also 8 bytes for each segment, and about 1 % of that.
#pragma once

#include <tessera/grid/rows/segment_fold.hpp>
#include <tessera/grid/segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class In, class Segments, class N, class Number>
cudaError_t log_sum_exp_of_segments(In const& in, Segments const& segments, N const& count, Number* out,
                                    execution on) noexcept {
  using T = value_of<In>;
  constexpr bool is_float = is_one_of<T, float, double, __half, __nv_bfloat16>;
  static_assert(is_float,
                "grid::log_sum_exp_segments is for float, double, __half and __nv_bfloat16: convert the elements.");
  if constexpr (is_float) {
    if (!detail::are_reducible(in, segments, count, out)) return cudaErrorInvalidValue;
    std::int64_t const most = detail::most_of(count);
    if (most == 0) return cudaSuccess;
    using body = segment_log_sum_exp<T, In>;
    body const fold{{in, {}, {out}, 0}};
    return detail::with_ranges(
        segments, count, detail::each_scratch(most, bytes_of_piece<body>), on,
        [&](auto const& ranges, execution within) { return detail::for_each_segment(ranges, count, fold, within); });
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[s] = log Σ exp of all elements of segment s, without overflow. See above.
template <class In, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t log_sum_exp_segments(In in, Segments segments, N count,
                                               detail::arithmetic_t<detail::value_of<In>>* out,
                                               execution on = {}) noexcept {
  return detail::log_sum_exp_of_segments(tessera::detail::reader_of(in), segments, detail::count_as_given(count), out,
                                         on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
