// The softmax of each segment of an array: for nvcc.
//
//   in                  0 0 1 | 0 0 | | 3        4 segments
//   offsets             0 3 5 5 6
//   softmax_segments    0.21 0.21 0.58 | 0.5 0.5 | | 1
//
//   error = tessera::grid::softmax_segments(scores, offsets, segments, out, {stream, memory});
//   error = tessera::grid::log_softmax_segments(scores, windows, segments, scores);
//   auto const squares = thrust::make_transform_iterator(scores, square{});  // or another random-access iterator
//   error = tessera::grid::softmax_segments(squares, offsets, segments, out, {stream, memory});
//
// Both of them
//   take      in: float, double, __half or __nv_bfloat16 in the GPU's memory, or a random-access iterator over them
//             (core/iterators.hpp); doubles are computed in double, all others in float. segments: offsets by the rules
//             of docs/reference/arrays.md, or a list of segment_list.hpp, such as `windows` by segments_between; each
//             of up to 2^30 elements, and no two overlap. count: the number of segments, an integer or a
//             count_on_device.
//   write     out: `in` itself, or memory apart from `in` and from the bounds of segments; or an iterator that takes
//             results. Precondition: if `in` is an iterator over `out`, it computes element i from out[i] alone.
//             Elements outside of all segments are not written.
//   give      the results of softmax_rows, with its errors, infinities and NaN. The bits depend only on a segment's
//             elements and, from 257 elements on, their address modulo 16 bytes; if `in` or `out` is an iterator, on
//             the elements alone; and of all but double on the architecture, which has its own exponential.
//   return    as all calls on arrays: docs/reference/arrays.md.
//   cost      three launches, one read and one write of each element, and two reads of each segment's bounds: 520
//             bytes for a segment of 64 floats by 32-bit offsets. A segment of up to 256 elements has a lane for every
//             8; a warp maps one of up to 2048 and blocks a longer one, which they read twice, warps mostly from the
//             cache. Elements that an iterator computes are computed twice in segments of more than 256. The workspace
//             has up to 1 MiB; for lengths also 8 bytes for each segment, and about 1 % of that.
#pragma once

#include <tessera/grid/rows/computed_softmax.hpp>
#include <tessera/grid/rows/segment_softmax.hpp>
#include <tessera/grid/segments.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// True if `out` begins within the arrays of the bounds of segments.
template <class Out, class Segments>
bool begins_in_bounds(Out const& out, Segments const& by, std::int64_t count) noexcept {
  return detail::any_of_bounds(
      by, count, [&](auto const& bounds, std::int64_t length) { return detail::begins_within(out, bounds, length); });
}

/// The function that maps segments: of memory to memory, or by an iterator.
template <class T>
segment_softmax<T> softmax_body(T const* in, T* out, bool logarithms) noexcept {
  return {in, out, {logarithms}};
}
template <class In, class Out>
auto softmax_body(In const& in, Out const& out, bool logarithms) noexcept {
  return computed_segment_softmax<value_of<In>, In, Out>{{in, out, {logarithms}, {}}};
}

template <class In, class Segments, class N, class Out>
cudaError_t map_segments_by_softmax(In const& in, Segments const& segments, N const& count, Out const& out,
                                    bool logarithms, execution on) noexcept {
  using T = value_of<In>;
  constexpr bool is_float = is_one_of<T, float, double, __half, __nv_bfloat16>;
  static_assert(is_float, "grid::softmax_segments is for float, double, __half and __nv_bfloat16.");
  if constexpr (is_float) {
    std::int64_t const most = detail::most_of(count);
    bool const good =
        most >= 0 && detail::is_array(in, 0) && detail::is_array(out, 0) && detail::is_count(count, out, 0) &&
        (most == 0 || (detail::are_bounds(segments, most) && !detail::begins_in_bounds(out, segments, most)));
    if (!good) return cudaErrorInvalidValue;
    if (most == 0) return cudaSuccess;
    auto const body = detail::softmax_body(in, out, logarithms);
    using body_t = stl::remove_const_t<decltype(body)>;
    segment_scratch const inside = detail::each_scratch(most, bytes_of_piece<body_t>);
    return detail::with_ranges(segments, count, inside, on, [&](auto const& ranges, execution within) {
      return detail::for_each_segment(ranges, count, body, within);
    });
  } else {
    return cudaErrorNotSupported;
  }
}

/// Enables the calls by an iterator.
template <class In, class Segments, class Out>
using if_softmax_by_iterator =
    stl::enable_if_t<are_segments<Segments> && (!stl::is_pointer_v<In> || is_iterator<Out>), bool>;

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] = exp(in[i]) / Σ exp of all elements of i's segment, without overflow. See above.
template <class T, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t softmax_segments(T const* in, Segments segments, N count, T* out,
                                           execution on = {}) noexcept {
  return detail::map_segments_by_softmax(in, segments, detail::count_as_given(count), out, false, on);
}

/// out[i] = in[i] − log Σ exp of all elements of i's segment. See above.
template <class T, class Segments, class N, stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t log_softmax_segments(T const* in, Segments segments, N count, T* out,
                                               execution on = {}) noexcept {
  return detail::map_segments_by_softmax(in, segments, detail::count_as_given(count), out, true, on);
}

/// softmax_segments with `in`, `out` or both by an iterator.
template <class In, class Segments, class N, class Out, detail::if_softmax_by_iterator<In, Segments, Out> = true>
[[nodiscard]] cudaError_t softmax_segments(In in, Segments segments, N count, Out out, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  return detail::map_segments_by_softmax(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                         detail::writer_of<T>(out), false, on);
}

/// log_softmax_segments with `in`, `out` or both by an iterator.
template <class In, class Segments, class N, class Out, detail::if_softmax_by_iterator<In, Segments, Out> = true>
[[nodiscard]] cudaError_t log_softmax_segments(In in, Segments segments, N count, Out out, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  return detail::map_segments_by_softmax(tessera::detail::reader_of(in), segments, detail::count_as_given(count),
                                         detail::writer_of<T>(out), true, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
