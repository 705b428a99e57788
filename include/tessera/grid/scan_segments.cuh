// Scans of segments of arrays of any type by any operator: the kernel, for nvcc.
//
//   error = tessera::grid::inclusive_scan_segments(parts, n, offsets, segments, wholes, join{}, {stream, memory});
//
// Elements are of any trivially copyable type of up to 4096 bytes. The operator is any; it needs no identity unless
// an exclusive scan has no start. Everything else is as in scan_segments.hpp.
#pragma once

#include <tessera/grid/scan_segments.hpp>
#include <tessera/grid/segments/segmented_scan.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class T>
struct scan_segments_launcher<T, void> {
  template <class Offset, class Op, class R>
  static cudaError_t launch(T const* in, std::int64_t n, Offset const* offsets, std::int64_t segments, T* out,
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

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
