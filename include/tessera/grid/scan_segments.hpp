// Segments of an array, given by offsets, each scanned by itself, by one kernel launch.
//
//   in                                 a b c | d e | | f g h i          4 segments
//   offsets                            0 3 5 5 9                        where each segment begins, and the end
//   inclusive_scan_segments            a ab abc | d de | | f fg fgh fghi
//   exclusive_scan_segments            0 a ab | 0 d | | 0 f fg fgh      0: the identity
//
//   error = tessera::grid::inclusive_scan_segments(values, n, row_offsets, rows, sums);
//   error = tessera::grid::exclusive_scan_segments(values, n, row_offsets, rows, sums, tessera::plus{}, 1.0f,
//                                                  {stream, memory});
//
// Both of them
//   take      in: elements in memory that the GPU can address, at any multiple of an element's size: float, double
//             and integers of 32 and 64 bits. n: an upper bound of offsets[segments], from 0 to 2^40. The CPU
//             can't read the offsets, so n determines the workspace and the number of blocks.
//             offsets: segments + 1 integers of 32 or 64 bits on the GPU, by the rules of docs/reference/arrays.md.
//             out: either `in` itself or apart from it, and apart from the offsets. op: plus.
//             <tessera/grid/scan_segments.cuh> has other types and operators.
//   order     that of the array: an operator need not commute. The bits of float sums depend on T, the elements of
//             all segments, the offsets, and on whether tiles are large, by n and the GPU
//             (grid/parts/tile_tuning.hpp; sm_90, sm_100): neither on timing nor on addresses.
//   error     A float sum of the first k elements of a segment is off by at most (k / 2^15 + 36) · 2^-24 · Σ|x|. For
//             doubles 2^-53 replaces 2^-24.
//   zeros     A float sum of elements that are all −0 is −0. The first result, and the values that op is called with,
//             are as in scan.hpp.
//   return    as all calls on arrays: docs/reference/arrays.md.
//   cost      one launch, one read of each element and offset and one write of each element. Beyond the first tile
//             (some thousand elements) a workspace has 8 bytes for each tile and 32-bit word of a result and one more.
//             One warp of a block searches for the offsets of a tile while the others scan an earlier one: in one or
//             two rounds of loads if segments are about as long as before, else in ⌈log129(segments + 1)⌉ + 1.
//
// Source: as scan_by_key.hpp.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/scan_by_key.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

// In the library, for T and Op as `has_segmented_scan_instantiation` says, and Offset an offset_t.
template <class T, class Op, class Offset, class R>
TESSERA_API cudaError_t scan_segments_instantiation(T const* in, std::int64_t n, Offset const* offsets,
                                                    std::int64_t segments, T* out,
                                                    segmented_scan_request<R> const& what, execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls that no explicit instantiation serves: scan_segments.cuh specializes the class.
template <class T, class = void>
struct scan_segments_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::inclusive_scan_segments, exclusive_scan_segments: the library has no kernel for this type "
                  "and operator: include <tessera/grid/scan_segments.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

inline namespace TESSERA_ARCHS {

template <class T, class Offset, class Op, class R>
cudaError_t scan_segments_of(T const* in, std::int64_t n, Offset const* offsets, std::int64_t segments, T* out,
                             Op const& op, segmented_scan_request<R> const& what, execution on) noexcept {
  static_assert(tessera::detail::is_integer<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "grid::inclusive_scan_segments, exclusive_scan_segments: offsets are integers of 32 or 64 bits.");
  using combine = tessera::detail::normalized_t<Op, T>;
  auto const* const begins = reinterpret_cast<detail::offset_t<Offset> const*>(offsets);
  if constexpr (has_segmented_scan_instantiation<element_t<T>, combine>) {
    using element = combined_as_t<T, combine>;
    segmented_scan_request<element> const request{what.exclusive, reinterpret_cast<element const*>(what.start)};
    return detail::scan_segments_instantiation<element, combine>(reinterpret_cast<element const*>(in), n, begins,
                                                                 segments, reinterpret_cast<element*>(out), request,
                                                                 detail::named(on));
  } else if constexpr (can_combine<combine, T>()) {
    return detail::scan_segments_launcher<T>::launch(in, n, begins, segments, out, op, what, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] = in[b] op … op in[i], where b is the offset of the segment that i is in.
template <class T, class Offset, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan_segments(T const* in, std::int64_t n, Offset const* offsets,
                                                  std::int64_t segments, T* out, Op op = {},
                                                  execution on = {}) noexcept {
  return detail::scan_segments_of(in, n, offsets, segments, out, op,
                                  detail::segmented_scan_request<scanned_t<T, Op>>{false, nullptr}, on);
}

/// out[i] = start op in[b] op … op in[i − 1]; start where i is a segment's first element.
template <class T, class Offset, class Op, class Start, class = detail::is_start<Start, scanned_t<T, Op>>>
[[nodiscard]] cudaError_t exclusive_scan_segments(T const* in, std::int64_t n, Offset const* offsets,
                                                  std::int64_t segments, T* out, Op op, Start const& start,
                                                  execution on = {}) noexcept {
  tessera::detail::require_start<Start, scanned_t<T, Op>>();
  scanned_t<T, Op> const first = static_cast<scanned_t<T, Op>>(start);
  return detail::scan_segments_of(in, n, offsets, segments, out, op,
                                  detail::segmented_scan_request<scanned_t<T, Op>>{true, TESSERA_ADDRESS_OF(first)},
                                  on);
}

/// An exclusive scan of segments from the operator's identity on.
template <class T, class Offset, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan_segments(T const* in, std::int64_t n, Offset const* offsets,
                                                  std::int64_t segments, T* out, Op op = {},
                                                  execution on = {}) noexcept {
  if constexpr (detail::can_begin_scan<tessera::detail::normalized_t<Op, T>, scanned_t<T, Op>, false>()) {
    return detail::scan_segments_of(in, n, offsets, segments, out, op,
                                    detail::segmented_scan_request<scanned_t<T, Op>>{true, nullptr}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
