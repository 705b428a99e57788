// Merges two sorted arrays into one.
//
//   a        1 4 5 7
//   b        2 4 6
//   merge    1 2 4 4 5 6 7           stable: of equal elements those of a come first
//
//   error = tessera::grid::merge(a, na, b, nb, out);
//
// Source: std::merge; merge path, see grid/sort/merge_agent.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/search.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

// Compiled into the library, for T as `has_sorted_instantiation` says.
template <class T>
TESSERA_API cudaError_t merge_instantiation(T const* a, std::int64_t na, T const* b, std::int64_t nb, T* out,
                                            execution on) noexcept;

inline namespace TESSERA_ARCHS {

/// Calls without an explicit instantiation; merge.cuh specializes the class.
template <class T, class = void>
struct merge_launcher {
  template <class... Arguments>
  static cudaError_t launch(Arguments const&...) noexcept {
    static_assert(sizeof...(Arguments) == 0,
                  "grid::merge: the library has no kernel for this type or order: include "
                  "<tessera/grid/merge.cuh> in a .cu file, which has them for all.");
    return cudaErrorNotSupported;
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// Merges the na + nb elements of both arrays.
///
/// a, b      na and nb sorted elements on the GPU, each from 0 to 2^40, aligned to their size: float, double, and
///           integers of 32 and 64 bits. If they aren't sorted, the order of the result is unspecified. merge.cuh has
///           other types.
/// out       na + nb elements that overlap neither.
/// before    a strict weak order: before(x, y). `less` by default, NaN last. merge.cuh has others.
/// Order     stable: of equal elements those of a come first, and those of each array keep their order.
/// Returns   as all calls on arrays: docs/reference/arrays.md.
/// Cost      one read and one write of each element. No workspace. One launch, or two for more than a few million
///           elements: the first then finds where tiles begin, and stores it in the tiles' places of `out`.
template <class T, class Before = less>
[[nodiscard]] cudaError_t merge(T const* a, std::int64_t na, T const* b, std::int64_t nb, T* out, Before before = {},
                                execution on = {}) noexcept {
  using element = detail::element_t<T>;
  constexpr bool possible = stl::is_invocable_v<Before const&, T const&, T const&>;
  static_assert(possible,
                "grid::merge: before(x, y) takes two elements and says whether x comes before y, and can be called "
                "while const; the execution comes after it: merge(a, na, b, nb, out, tessera::less{}, stream).");
  if constexpr (detail::has_sorted_instantiation<element, Before>) {
    return detail::merge_instantiation(reinterpret_cast<element const*>(a), na, reinterpret_cast<element const*>(b), nb,
                                       reinterpret_cast<element*>(out), detail::named(on));
  } else if constexpr (possible) {
    return detail::merge_launcher<T>::launch(a, na, b, nb, out, before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
