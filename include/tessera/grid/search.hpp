// Searches of a sorted array for many needles, by one kernel launch.
//
//   sorted          1 3 3 3 7 9
//   needles         3 8 0 10
//   lower_bound     1 5 0 6         the first element that doesn't come before the needle
//   upper_bound     4 5 0 6         the first element that comes after the needle
//
//   error = tessera::grid::lower_bound(sorted, n, needles, count, out);                         // std::int64_t* out
//   error = tessera::grid::upper_bound(sorted, n, needles, count, out, tessera::less{}, stream);
//
// find_if and count_if of <tessera/grid/search.cuh> find the first element of any array that satisfies a predicate, and
// the number of such elements.
//
// Source: std::lower_bound, std::upper_bound. P. Khuong, P. Morin, "Array layouts for comparison-based searching",
// 2017: a search whose steps don't depend on comparisons, and the order of samples.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

/// True if the library has kernels for sorted arrays of T, an element_t, by Before.
template <class T, class Before>
inline constexpr bool has_sorted_instantiation =
    is_one_of<T, float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>&&
        stl::is_same_v<Before, less>;

// Compiled into the library, for T as `has_sorted_instantiation` says, and Index std::uint32_t or std::uint64_t.
template <bool Upper, class T, class Index>
TESSERA_API cudaError_t bounds_instantiation(T const* sorted, std::int64_t n, T const* needles, std::int64_t count,
                                             Index* out, execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; search.cuh specializes the class.
template <class T, class = void>
struct bounds_launcher {
  template <bool Upper, class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::lower_bound, upper_bound: the library has no kernel for these elements and needles, or this "
                  "order: include <tessera/grid/search.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

inline namespace TESSERA_ARCHS {

template <bool Upper, class T, class Key, class Index, class Before>
cudaError_t bounds_of(T const* sorted, std::int64_t n, Key const* needles, std::int64_t count, Index* out,
                      Before const& before, execution on) noexcept {
  static_assert(tessera::detail::is_integer<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "grid::lower_bound, upper_bound: out has integers of 32 or 64 bits.");
  using index = stl::conditional_t<sizeof(Index) == 4, std::uint32_t, std::uint64_t>;  // an index isn't negative
  using element = element_t<T>;
  constexpr bool possible = Upper ? stl::is_invocable_v<Before const&, Key const&, T const&>
                                  : stl::is_invocable_v<Before const&, T const&, Key const&>;
  static_assert(possible,
                "before(element, needle), for upper_bound before(needle, element), says whether the first comes "
                "before the second, and can be called while const; the execution comes after it.");
  if (!detail::fits_index<Index>(n)) return cudaErrorInvalidValue;
  if constexpr (stl::is_same_v<element_t<Key>, element> && has_sorted_instantiation<element, Before>) {
    return detail::bounds_instantiation<Upper, element>(reinterpret_cast<element const*>(sorted), n,
                                                        reinterpret_cast<element const*>(needles), count,
                                                        reinterpret_cast<index*>(out), detail::named(on));
  } else if constexpr (possible) {
    return detail::bounds_launcher<T>::template launch<Upper>(sorted, n, needles, count, reinterpret_cast<index*>(out),
                                                              before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] is the index of the first of n sorted elements that doesn't come before needles[i]; n if all do.
///
/// sorted    n elements on the GPU, n from 0 to 2^40, in the order of `before`, aligned to their size: float, double,
///           and integers of 32 and 64 bits. If they aren't sorted, the results are unspecified.
/// needles   `count` of the same type, in any order. search.cuh has other types, also for needles that aren't elements.
/// out       `count` integers of 32 or 64 bits that overlap neither array.
/// before    a strict weak order: before(element, needle). `less` by default, NaN last. search.cuh has others.
/// Returns   as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if n doesn't fit into `out`.
/// Cost      one launch, ⌈log2(n)⌉ + 1 loads for each needle; the cache serves most of them if needles are sorted or
///           the array is small. From about a million needles on, shared memory serves the first dozen. No
///           workspace.
template <class T, class Key, class Index, class Before = less>
[[nodiscard]] cudaError_t lower_bound(T const* sorted, std::int64_t n, Key const* needles, std::int64_t count,
                                      Index* out, Before before = {}, execution on = {}) noexcept {
  return detail::bounds_of<false>(sorted, n, needles, count, out, before, on);
}

/// out[i] is the index of the first of n sorted elements that comes after needles[i]; n if there is none. Otherwise as
/// lower_bound, with before(needle, element).
template <class T, class Key, class Index, class Before = less>
[[nodiscard]] cudaError_t upper_bound(T const* sorted, std::int64_t n, Key const* needles, std::int64_t count,
                                      Index* out, Before before = {}, execution on = {}) noexcept {
  return detail::bounds_of<true>(sorted, n, needles, count, out, before, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
