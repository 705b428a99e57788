// Scans by key: each run of equal keys is scanned by itself, all in one kernel launch.
//
//   keys                                 3 3 8 8 8 3
//   in                                   1 2 1 1 4 5
//   inclusive_scan_by_key                1 3 1 2 6 5
//   exclusive_scan_by_key                0 1 0 1 2 0           each run begins with the identity
//   exclusive_scan_by_key, start 100     100 101 100 101 102 100
//
//   error = tessera::grid::inclusive_scan_by_key(keys, in, n, out);
//   error = tessera::grid::exclusive_scan_by_key(keys, in, n, out, tessera::plus{}, 100, {stream, memory});
//
// Both of them
//   take      keys, in: n of each, n from 0 to 2^40, in memory that the GPU can address, at any multiple of an
//             element's size. An element whose key is equal to its left neighbor's continues a run: keys need not be
//             sorted. out: n elements, either `in` itself or apart from it, and apart from `keys`. Keys: integers of 32
//             and 64 bits; T: float, double and integers of 32 and 64 bits; op: plus. <tessera/grid/scan_by_key.cuh>
//             has other keys, types and operators, and other equalities.
//   order     that of the array: an operator need not commute. The bits of float sums depend on T, the type of the
//             keys, the elements, where runs begin, and whether the GPU has large tiles
//             (grid/parts/tile_tuning.hpp; sm_90, sm_100). They depend neither on timing nor on addresses.
//   error     A float sum of the first k elements of a run is off by at most (k / 2^15 + 36) · 2^-24 · Σ|x|. For
//             doubles 2^-53 replaces 2^-24.
//   zeros     A float sum of elements that are all −0 is −0. The first result, and the values that op is called with,
//             are as in scan.hpp.
//   return    as all calls on arrays: docs/reference/arrays.md.
//   cost      one launch, one read of each element and key and one write of each element. Arrays of several tiles
//             (of some thousand elements each) need a workspace: for each tile 8 bytes for every 32-bit word of a
//             result, and 8 more.
//
// Source: D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016, with the
// operator of S. Sengupta, M. Harris, Y. Zhang, J. Owens, "Scan primitives for GPU computing", 2007.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/reduce.hpp>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/segments/segmented_scan_request.hpp>
#include <tessera/operators.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// True if the library has kernels that scan segments of elements of T by Op, a normalized_t.
template <class T, class Op>
inline constexpr bool has_segmented_scan_instantiation =
    is_one_of<T, float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>&& stl::is_same_v<Op, plus>;
/// True if those kernels compare keys of type Key by Equal.
template <class Key, class Equal>
inline constexpr bool has_scan_key_instantiation =
    tessera::detail::is_integer<Key> && (sizeof(Key) == 4 || sizeof(Key) == 8) && stl::is_same_v<Equal, equal_to>;

// In the library, for T and Op with has_segmented_scan_instantiation<T, Op>, and Key std::uint32_t or std::uint64_t.
template <class Key, class T, class Op, class R>
TESSERA_API cudaError_t scan_by_key_instantiation(Key const* keys, T const* in, std::int64_t n, T* out,
                                                  segmented_scan_request<R> const& what, execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls that no explicit instantiation serves: scan_by_key.cuh specializes the class.
template <class T, class = void>
struct scan_by_key_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::inclusive_scan_by_key, exclusive_scan_by_key: the library has no kernel for these keys, "
                  "this type or operator: include <tessera/grid/scan_by_key.cuh> in a .cu file, which has them "
                  "for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

/// True if Equal compares two keys.
template <class Key, class Equal>
constexpr bool can_compare_keys() {
  constexpr bool possible = stl::is_invocable_v<Equal const&, Key const&, Key const&>;
  static_assert(possible,
                "equal(a, b) says whether two keys are equal, and can be called while const. It comes after the "
                "operator and the start: inclusive_scan_by_key(keys, in, n, out, tessera::plus{}, equal).");
  return possible;
}

inline namespace TESSERA_ARCHS {

template <class Keys, class In, class N, class Out, class Op, class Equal, class R>
cudaError_t scan_keyed_array(Keys const& keys, In const& in, N const& n, Out const& out, Op const& op,
                             Equal const& equal, segmented_scan_request<R> const& what, execution on) noexcept {
  using Key = tessera::detail::value_of<Keys>;
  using T = tessera::detail::value_of<In>;
  using combine = tessera::detail::normalized_t<Op, T>;
  if constexpr (!scans_into<T, Out>()) {
    return cudaErrorNotSupported;
  } else if constexpr (tessera::detail::is_contiguous_writer<T, Out>) {
    return detail::scan_keyed_array(keys, in, n, tessera::detail::address_of(out), op, equal, what, on);
  } else if constexpr (stl::is_pointer_v<Keys> && stl::is_pointer_v<In> && stl::is_pointer_v<Out> &&
                       stl::is_same_v<N, std::int64_t> && has_segmented_scan_instantiation<element_t<T>, combine> &&
                       has_scan_key_instantiation<Key, Equal>) {
    using element = combined_as_t<T, combine>;
    using key = stl::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
    segmented_scan_request<element> const request{what.exclusive, reinterpret_cast<element const*>(what.start)};
    return detail::scan_by_key_instantiation<key, element, combine>(
        reinterpret_cast<key const*>(keys), reinterpret_cast<element const*>(in), n, reinterpret_cast<element*>(out),
        request, detail::named(on));
  } else if constexpr (can_combine<combine, T>() && can_compare_keys<Key, Equal>()) {
    return detail::scan_by_key_launcher<Key>::launch(keys, in, n, out, op, equal, what, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

/// Enables calls whose argument Equal is neither a start nor an execution.
template <class Equal, class R>
using takes_equality = stl::enable_if_t<!stl::is_convertible_v<Equal const&, R> && !is_execution<Equal>>;

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] = in[h] op … op in[i], where h is the index of the first element of i's run.
///
/// equal   equal(before, key) is true if a key continues the run of the key before it. A function object that is an
///         equivalence; `equal_to` by default.
template <class Keys, class In, class Out, class Op, class Equal,
          class = detail::takes_equality<Equal, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t inclusive_scan_by_key(Keys keys, In in, std::int64_t n, Out out, Op op, Equal equal,
                                                execution on = {}) noexcept {
  return detail::scan_keyed_array(tessera::detail::reader_of(keys), tessera::detail::reader_of(in), n, out, op, equal,
                                  detail::segmented_scan_request<detail::scanned_of<In, Op>>{false, nullptr}, on);
}
template <class Keys, class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan_by_key(Keys keys, In in, std::int64_t n, Out out, Op op = {},
                                                execution on = {}) noexcept {
  return grid::inclusive_scan_by_key(keys, in, n, out, op, equal_to{}, on);
}

/// out[i] = start op in[h] op … op in[i − 1]; start where i is the first element of a run.
template <class Keys, class In, class Out, class Op, class Start, class Equal,
          class = detail::is_start<Start, detail::scanned_of<In, Op>>,
          class = detail::takes_equality<Equal, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan_by_key(Keys keys, In in, std::int64_t n, Out out, Op op, Start const& start,
                                                Equal equal, execution on = {}) noexcept {
  tessera::detail::require_start<Start, detail::scanned_of<In, Op>>();
  detail::scanned_of<In, Op> const first = static_cast<detail::scanned_of<In, Op>>(start);
  return detail::scan_keyed_array(
      tessera::detail::reader_of(keys), tessera::detail::reader_of(in), n, out, op, equal,
      detail::segmented_scan_request<detail::scanned_of<In, Op>>{true, TESSERA_ADDRESS_OF(first)}, on);
}
template <class Keys, class In, class Out, class Op, class Start,
          class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan_by_key(Keys keys, In in, std::int64_t n, Out out, Op op, Start const& start,
                                                execution on = {}) noexcept {
  return grid::exclusive_scan_by_key(keys, in, n, out, op, start, equal_to{}, on);
}

/// exclusive_scan_by_key with the operator's identity as the start.
template <class Keys, class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t exclusive_scan_by_key(Keys keys, In in, std::int64_t n, Out out, Op op = {},
                                                execution on = {}) noexcept {
  if constexpr (detail::can_begin_scan<tessera::detail::normalized_t<Op, tessera::detail::value_of<In>>,
                                       detail::scanned_of<In, Op>, false>()) {
    return detail::scan_keyed_array(tessera::detail::reader_of(keys), tessera::detail::reader_of(in), n, out, op,
                                    equal_to{},
                                    detail::segmented_scan_request<detail::scanned_of<In, Op>>{true, nullptr}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
