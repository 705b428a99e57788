// Scans of segments of arrays of any type by any operator: the kernel, for nvcc.
//
//   error = tessera::grid::inclusive_scan_segments(parts, n, offsets, segments, wholes, join{}, {stream, memory});
//   auto const windows = tessera::grid::segments_between(begins, ends);  // or others of segment_list.hpp
//   error = tessera::grid::inclusive_scan_segments(parts, n, windows, segments, wholes, join{}, {stream, memory});
//
// Elements are of any trivially copyable type of up to 4096 bytes. Any operator works; only an exclusive scan without a
// start needs its identity. Everything else is as in scan_segments.hpp.
#pragma once

#include <tessera/grid/scan_segments.hpp>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/segments/scan_each_segment.hpp>
#include <tessera/grid/segments/segmented_scan.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T>
struct scan_segments_launcher<T, void> {
  template <class In, class Offset, class Out, class Op, class R>
  static cudaError_t launch(In const& in, std::int64_t n, Offset const* offsets, std::int64_t segments, Out const& out,
                            Op const& op, segmented_scan_request<R> const& what, execution on) noexcept {
    if (n < 0 || segments < 0) return cudaErrorInvalidValue;
    if (n == 0 || segments == 0) return cudaSuccess;
    if (segments > INT64_MAX / 16 || !detail::are_scannable_in_place(in, n, out) ||
        !detail::is_array(offsets, segments + 1) || detail::overlap(offsets, segments + 1, out, n))
      return cudaErrorInvalidValue;
    return detail::scan_segmented_array(in, n, out, offset_source<>{segment_offsets::of(offsets), segments},
                                        tessera::detail::normalize<R>(op), what, on);
  }
};

/// Makes the request for a call by offsets.
template <class R>
segmented_scan_request<R> request_for(inclusive_kind const&) noexcept {
  return {false, nullptr};
}
template <class R>
segmented_scan_request<R> request_for(exclusive_kind const&) noexcept {
  return {true, nullptr};
}
template <class R>
segmented_scan_request<R> request_for(exclusive_from_kind<R> const& kind) noexcept {
  return {true, TESSERA_ADDRESS_OF(kind.start)};
}

/// Scans segments that are given by offsets or by a list of segment_list.hpp, of an array or an iterator.
template <class In, class Segments, class N, class Out, class Op, class Kind>
cudaError_t scan_listed(In const& in, std::int64_t n, Segments const& by, N const& count, Out const& out, Op const& op,
                        Kind const& kind, execution on) noexcept {
  using T = value_of<In>;
  using result = scanned_t<T, Op>;
  auto const what = detail::request_for<result>(kind);
  constexpr bool by_offsets = stl::is_pointer_v<Segments> && !is_on_device<N>;
  if constexpr (!scans_into<T, Out>()) {
    return cudaErrorNotSupported;
  } else if constexpr (tessera::detail::is_contiguous_writer<T, Out>) {
    return detail::scan_listed(in, n, by, count, tessera::detail::address_of(out), op, kind, on);
  } else if constexpr (by_offsets && stl::is_pointer_v<In> && stl::is_pointer_v<Out>) {
    return detail::scan_segments_of(in, n, by, count, out, op, what, on);
  } else if constexpr (!can_combine<tessera::detail::normalized_t<Op, T>, T>()) {
    return cudaErrorNotSupported;
  } else if constexpr (by_offsets) {
    using offset = offset_t<stl::remove_cv_t<stl::remove_pointer_t<Segments>>>;
    return detail::scan_segments_launcher<T>::launch(in, n, reinterpret_cast<offset const*>(by), count, out, op, what,
                                                     on);
  } else {
    std::int64_t const most = detail::most_of(count);
    if (n < 0 || most < 0) return cudaErrorInvalidValue;
    if (n == 0 || most == 0) return cudaSuccess;
    if (!detail::are_scannable_in_place(in, n, out) || !detail::are_bounds(by, most) ||
        detail::overlap_bounds(by, most, out, n) || !detail::is_count(count, out, n))
      return cudaErrorInvalidValue;
    if constexpr (is_scattered<Segments> || is_on_device<N>) {
      static_assert(stl::is_same_v<result, T>,
                    "grid::inclusive_scan_segments, exclusive_scan_segments: sums and products of 16-bit floats need "
                    "segments_of_lengths or offsets, and a number of segments that the host knows.");
      static_assert(is_exchangeable_v<T> && sizeof(T) <= 48,
                    "grid::inclusive_scan_segments, exclusive_scan_segments: with begins and ends, or a count on the "
                    "device, elements are trivially copyable, of up to 48 bytes.");
      auto const combine = tessera::detail::normalize<T>(op);
      using scan_t = segment_scan<In, Out, stl::decay_t<decltype(combine)>, Kind>;
      return detail::with_ranges(by, count, detail::each_scratch(most), on, [&](auto const& ranges, execution within) {
        return detail::for_each_segment(ranges, count, scan_t{in, out, combine, kind}, within);
      });
    } else {
      return detail::with_offsets(by, count, detail::scanned_scratch(n, sizeof(T), sizeof(result)), on,
                                  [&](std::int64_t const* offsets, execution within) {
                                    return detail::scan_listed(in, n, offsets, count, out, op, kind, within);
                                  });
    }
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// inclusive_scan_segments of scan_segments.hpp, also for segments without offsets, for iterators, and for a count on
/// the device.
///
/// in        a pointer or a random-access iterator (core/iterators.hpp).
/// segments  offsets, or a list of segment_list.hpp. No two segments overlap.
/// count     the number of segments: an integer, or a count_on_device.
/// out       also an iterator that writes.
/// n         an upper bound of the number of elements of all segments, and of the index after each one's last element.
/// Cost      by the kind of segments:
///
///   offsets                     as in scan_segments.hpp
///   lengths, one length         a scan that makes offsets, then the call by offsets
///   begins and ends,            two launches; a lane scans every 8 elements of a segment of up to 256, a warp one of
///   or a count on the device    up to 2048, and a block a longer one
///
/// In the last case elements have up to 48 bytes, and the workspace up to 300 KiB. The bits of a float sum depend on
/// the elements before it in its segment, the segment's length, and its address modulo 16 bytes. The sum of the first k
/// floats of a segment is off by at most (k / 32 + 17) · 2^-24 · Σ|x|; for doubles 2^-53 replaces 2^-24.
template <class In, class Segments, class N, class Out, class Op = plus,
          detail::if_segments<In, Segments, N, Out> = true>
[[nodiscard]] cudaError_t inclusive_scan_segments(In in, std::int64_t n, Segments segments, N count, Out out,
                                                  Op op = {}, execution on = {}) noexcept {
  return detail::scan_listed(tessera::detail::reader_of(in), n, segments, detail::count_as_given(count), out, op,
                             detail::inclusive_kind{}, on);
}

/// exclusive_scan_segments of scan_segments.hpp, with a start. Otherwise as inclusive_scan_segments above.
template <class In, class Segments, class N, class Out, class Op, class Start,
          class = detail::is_start<Start, detail::scanned_of<In, Op>>, detail::if_segments<In, Segments, N, Out> = true>
[[nodiscard]] cudaError_t exclusive_scan_segments(In in, std::int64_t n, Segments segments, N count, Out out, Op op,
                                                  Start const& start, execution on = {}) noexcept {
  using result = detail::scanned_of<In, Op>;
  tessera::detail::require_start<Start, result>();
  return detail::scan_listed(tessera::detail::reader_of(in), n, segments, detail::count_as_given(count), out, op,
                             detail::exclusive_from_kind<result>{static_cast<result>(start)}, on);
}

/// exclusive_scan_segments with the operator's identity as the start.
template <class In, class Segments, class N, class Out, class Op = plus,
          detail::if_segments<In, Segments, N, Out> = true>
[[nodiscard]] cudaError_t exclusive_scan_segments(In in, std::int64_t n, Segments segments, N count, Out out,
                                                  Op op = {}, execution on = {}) noexcept {
  if constexpr (detail::can_begin_scan<tessera::detail::normalized_t<Op, tessera::detail::value_of<In>>,
                                       detail::scanned_of<In, Op>, false>()) {
    return detail::scan_listed(tessera::detail::reader_of(in), n, segments, detail::count_as_given(count), out, op,
                               detail::exclusive_kind{}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
