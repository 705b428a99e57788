// Segments of an array, given by offsets, each in order.
//
//   in          7 2 5 | 9 1 | | 4 3 8 6          4 segments
//   offsets     0 3 5 5 9                        where each segment begins, and where the last one ends
//   out         2 5 7 | 1 9 | | 3 4 6 8
//
//   error = tessera::grid::sort_segments(in, n, offsets, segments, out);
//   error = tessera::grid::sort_segments_by_key(keys, values, n, offsets, segments, keys_out, values_out,
//                                               tessera::greater{}, {stream, memory});
//
// All of them
//   take      in, keys: n elements on the GPU, n from 0 to 2^40, at any multiple of an element's size: float, double,
//             __half, __nv_bfloat16, integers of 32 and 64 bits. values: as many of any trivially copyable type of 4
//             or 8 bytes, aligned to as many. <tessera/grid/sort_segments.cuh> has other types and orders. offsets:
//             segments + 1 integers of 32 or 64 bits on the GPU, by the rules of docs/reference/arrays.md. before:
//             less or greater, or an alias.
//   write     out, keys_out, values_out: each either the array that it is made from, or apart from all others.
//             Elements of no segment are not written.
//   Order     as on tiles (tessera/sort.hpp): NaNs come last in `less` and in `greater`, equal to each other, and −0
//             is equal to +0. stable_sort_segments and sort_segments_by_key keep the order of equal elements.
//             sort_segments may leave them in any order: that of zeros, and of NaNs, may differ between short and
//             long segments, and between `less` and `greater`. All bits of each element are kept, and results are the
//             same at each call.
//   return    as all calls on arrays (docs/reference/arrays.md): lengths are only looked at on the GPU.
//   cost      A kernel that reads and writes each element of a segment once, and reads each offset: 8 bytes for each
//             float, 63 µs for 2^25 of them at the 4240 GB/s of a copy on an H200. Comparisons come on top: a segment
//             of L elements goes through a network of log2(L) · (log2(L) + 1) / 2 stages in registers, up to 256
//             elements (with L rounded up to 8, 32, 64, 128, 256), and then through log2(L / 256) merges in shared
//             memory. A segment that doesn't fit into a block's shared memory (above one to four thousand elements)
//             is sorted in pieces by a second kernel, which then reads and writes it log2(pieces) times more. All
//             blocks share that work, however it is spread over segments. The second kernel is launched if n allows
//             such a segment, and does nothing if there is none. It needs a workspace of the arrays' size plus at
//             most n / 32 bytes.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/sort.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// The values that move with keys: nothing, and equal keys may change places; or values of 4 or 8 bytes; or nothing,
/// stably.
enum class moved_with_keys : unsigned { nothing = 1, nothing_stably = 0, four_bytes = 4, eight_bytes = 8 };

/// The arguments of all these calls. Offsets have 32 bits, or 64.
struct segment_sort_call {
  void const *keys, *values;
  std::int64_t n;
  void const* offsets;
  bool wide_offsets;
  std::int64_t segments;
  void *keys_out, *values_out;
  moved_with_keys moved;
};

// In the library, for T and Before as `has_sort_instantiation` says.
template <class T, class Before>
TESSERA_API cudaError_t sort_segments_instantiation(segment_sort_call const& call, execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls that no explicit instantiation serves: sort_segments.cuh specializes the class.
template <class T, class = void>
struct sort_segments_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::sort_segments: the library has no kernel for this type and order: include "
                  "<tessera/grid/sort_segments.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

inline namespace TESSERA_ARCHS {

/// Calls the library's kernel for T and Before, or the template. `Value` is what moves with the keys; void: nothing.
template <class T, class Value, class Offset, class Before>
cudaError_t dispatch_sort_segments(T const* keys, Value const* values, std::int64_t n, Offset const* offsets,
                                   std::int64_t segments, T* keys_out, Value* values_out, moved_with_keys moved,
                                   Before const& before, execution on) noexcept {
  static_assert(tessera::detail::is_integer<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "grid::sort_segments: offsets are integers of 32 or 64 bits.");
  using comparator = tessera::detail::canonical_comparator_t<Before, T>;
  constexpr bool movable = [] {
    if constexpr (stl::is_void_v<Value>) {
      return true;
    } else {
      return has_value_instantiation<Value>;
    }
  }();
  segment_sort_call const call{keys, values, n, offsets, sizeof(Offset) == 8, segments, keys_out, values_out, moved};
  if constexpr (has_sort_instantiation<element_t<T>, comparator> && movable) {
    return detail::sort_segments_instantiation<element_t<T>, comparator>(call, detail::named(on));
  } else if constexpr (can_sort<comparator, T>()) {
    return detail::sort_segments_launcher<T>::launch(call, keys, values, before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out: each segment's elements in order.
template <class T, class Offset, class Before = less>
[[nodiscard]] cudaError_t sort_segments(T const* in, std::int64_t n, Offset const* offsets, std::int64_t segments,
                                        T* out, Before before = {}, execution on = {}) noexcept {
  return detail::dispatch_sort_segments<T, void>(in, nullptr, n, offsets, segments, out, nullptr,
                                                 detail::moved_with_keys::nothing, before, on);
}

/// As sort_segments; equal elements stay in the order of `in`.
template <class T, class Offset, class Before = less>
[[nodiscard]] cudaError_t stable_sort_segments(T const* in, std::int64_t n, Offset const* offsets,
                                               std::int64_t segments, T* out, Before before = {},
                                               execution on = {}) noexcept {
  constexpr auto moved =
      tessera::detail::is_integer<T> ? detail::moved_with_keys::nothing : detail::moved_with_keys::nothing_stably;
  return detail::dispatch_sort_segments<T, void>(in, nullptr, n, offsets, segments, out, nullptr, moved, before, on);
}

/// keys_out: each segment's keys in order. values_out: the value of each; those of equal keys stay in the order of
/// `values`.
template <class Key, class Value, class Offset, class Before = less>
[[nodiscard]] cudaError_t sort_segments_by_key(Key const* keys, Value const* values, std::int64_t n,
                                               Offset const* offsets, std::int64_t segments, Key* keys_out,
                                               Value* values_out, Before before = {}, execution on = {}) noexcept {
  constexpr auto moved =
      sizeof(Value) == 4 ? detail::moved_with_keys::four_bytes : detail::moved_with_keys::eight_bytes;
  return detail::dispatch_sort_segments(keys, values, n, offsets, segments, keys_out, values_out, moved, before, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
