// Compacts the selected elements of an array, in order; or moves them to the front and the others after them: one
// kernel launch.
//
//   in               a b c d e f g h
//   flags            . x . . x x . x
//   select           b e f h                count: 4
//   partition        b e f h a c d g        count: 4
//   partition_copy   b e f h | a c d g      count: 4; two arrays
//
//   tessera::grid::workspace memory;                                          // once, for all calls of a stream
//   error = tessera::grid::select(in, flags, n, out, count, {stream, memory});
//   error = tessera::grid::select(in, flags, n, in, count, {stream, memory});  // in place
//   error = tessera::grid::partition(in, flags, n, out, count, {stream, memory});
//   error = tessera::grid::partition_copy(in, flags, n, selected, others, count, {stream, memory});
//
// All of them
//   take      in: n elements, n from 0 to 2^40, in memory that the GPU can access, aligned as T. T: any trivially
//             copyable type whose size and alignment are 2, 4 or 8 bytes, such as float, double, __half and integers.
//             flags: n integers of 1 or 4 bytes, such as bool, char or int; an element whose flag isn't 0 is selected.
//             <tessera/grid/select.cuh> has other types, and predicates of the elements or of another array's.
//   count     On the GPU: the number of selected elements, a std::int64_t that overlaps no input or output. 0 if n is
//             0.
//   order     stable: both the selected elements and the others keep their order.
//   return    as all calls on arrays: docs/reference/arrays.md. The number of elements that `select` and
//             `partition_copy` store isn't known at the call, so not every overlap is detected.
//   cost      one launch, one read of each element and flag, and one write of each stored element. A partition of one
//             array first needs the count: beyond the first tile (several thousand elements) one more launch, and one
//             more read of the flags. For several tiles, every call has a workspace of 16 bytes for each.
//
// Source: a decoupled look-back over the tiles' counts, grid/parts/look_back.hpp; compaction through shared memory,
// grid/select/select_agent.hpp.
#pragma once

#include <tessera/core/exchangeable.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/select/mistaken_select.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

enum class compaction_kind { select, partition, partition_copy };

/// The arrays of a call, with elements and flags of known sizes.
struct flags_request {
  void const* in;
  void const* flags;
  std::int64_t n;
  void* out;
  void* others;  // of partition_copy
  std::int64_t* count;
  compaction_kind kind;
};

/// True if the library has a kernel that compacts elements of T by flags of type Flag.
template <class T, class Flag>
inline constexpr bool has_select_instantiation = is_exchangeable_v<T> && sizeof(T) == alignof(T) &&
                                                 (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8) &&
                                                 (sizeof(Flag) == 1 || sizeof(Flag) == 4);

// Compiled into the library, for sizes as `has_select_instantiation` says.
template <unsigned Bytes, unsigned FlagBytes>
TESSERA_API cudaError_t select_instantiation(flags_request const& what, execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; select.cuh specializes the class.
template <class T, class = void>
struct select_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::select, partition, partition_copy: the library has no kernel for elements or flags of "
                  "this type: include <tessera/grid/select.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

inline namespace TESSERA_ARCHS {

template <class T, class Flag>
cudaError_t compact_by_flags(T const* in, Flag const* flags, std::int64_t n, T* out, T* others, std::int64_t* count,
                             compaction_kind kind, execution on) noexcept {
  static_assert(stl::is_integral<Flag>::value,
                "grid::select(in, flags, n, out, count): flags are integers, such as bool, char or int. For a "
                "predicate of another array write select(in, stencil, n, out, count, pred) of "
                "<tessera/grid/select.cuh>.");
  if constexpr (!stl::is_integral<Flag>::value) {
    return cudaErrorNotSupported;
  } else if constexpr (has_select_instantiation<T, Flag>) {
    return detail::select_instantiation<sizeof(T), sizeof(Flag)>({in, flags, n, out, others, count, kind},
                                                                 detail::named(on));
  } else {
    return detail::select_launcher<T>::launch(in, flags, n, out, others, count, kind, on);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[0], out[1] …: the elements whose flags aren't 0, in order.
///
/// out    memory for all selected elements: `in` itself, or memory that doesn't overlap it. In place, elements after
///        the selected ones are unchanged.
template <class T, class Flag>
[[nodiscard]] cudaError_t select(T const* in, Flag const* flags, std::int64_t n, T* out, std::int64_t* count,
                                 execution on = {}) noexcept {
  return detail::compact_by_flags(in, flags, n, out, static_cast<T*>(nullptr), count, detail::compaction_kind::select,
                                  on);
}

/// out[0] … out[n − 1]: the elements whose flags aren't 0, and after them the others, both in order:
/// std::stable_partition.
///
/// out    n elements that don't overlap `in`.
template <class T, class Flag>
[[nodiscard]] cudaError_t partition(T const* in, Flag const* flags, std::int64_t n, T* out, std::int64_t* count,
                                    execution on = {}) noexcept {
  return detail::compact_by_flags(in, flags, n, out, static_cast<T*>(nullptr), count,
                                  detail::compaction_kind::partition, on);
}

/// As above into two arrays, which needs no count beforehand: selected[0] … selected[count − 1], and others[0] …
/// others[n − count − 1].
///
/// selected, others    memory for the elements of each, which overlaps neither the other nor `in`.
template <class T, class Flag>
[[nodiscard]] cudaError_t partition_copy(T const* in, Flag const* flags, std::int64_t n, T* selected, T* others,
                                         std::int64_t* count, execution on = {}) noexcept {
  return detail::compact_by_flags(in, flags, n, selected, others, count, detail::compaction_kind::partition_copy, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
