// Selections from arrays with values or indices of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/parts/other_pointer.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class T, class Values, class Indices>
constexpr cudaError_t no_top_k() {
  static_assert(!is_other_pointer<Values, T>,
                "grid::top_k, top_k_by, nth_element: values have the type of the elements, and aren't const: write T* "
                "for them, or nullptr.");
  return detail::require_64_bits<Indices>();
}

template <class T, class Values, class Indices>
inline constexpr bool are_other_entries = is_other_pointer<Values, T> || is_other_pointer<Indices, std::int64_t>;
template <class T, class Values, class Indices>
using if_other_entries = stl::enable_if_t<are_other_entries<T, Values, Indices>, bool>;

}  // namespace detail

template <class T, class Values, class Indices, detail::if_other_entries<T, Values, Indices> = true>
cudaError_t top_k(T const*, std::int64_t, std::int64_t, Values, Indices, detail::ignored = {}, detail::ignored = {}) {
  return detail::no_top_k<T, Values, Indices>();
}
template <class T, class Values, class Indices, detail::if_other_entries<T, Values, Indices> = true>
cudaError_t top_k_by(T const*, std::int64_t, std::int64_t, Values, Indices, detail::ignored = {}, detail::ignored = {},
                     detail::ignored = {}) {
  return detail::no_top_k<T, Values, Indices>();
}
template <class T, class Value, class Index = std::int64_t*, detail::if_other_entries<T, Value, Index> = true>
cudaError_t nth_element(T const*, std::int64_t, std::int64_t, Value, Index = nullptr, detail::ignored = {},
                        detail::ignored = {}) {
  return detail::no_top_k<T, Value, Index>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
