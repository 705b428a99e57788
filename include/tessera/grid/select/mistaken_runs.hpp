// Calls on runs with counts or results of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/parts/other_pointer.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class V, class Op, class R, class Count>
constexpr cudaError_t no_sums_of_runs() {
  detail::require_reduced<V, Op, R>();
  return detail::require_64_bits<Count>();
}

template <class V, class Op, class R, class Count>
using if_other_sums =
    stl::enable_if_t<is_other_pointer<R, reduced<V, Op>> || is_other_pointer<Count, std::int64_t>, bool>;

}  // namespace detail

template <class T, class Count, detail::if_other_pointer<Count, std::int64_t> = true>
cudaError_t unique(T const*, std::int64_t, T*, Count, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_64_bits<Count>();
}
template <class T, class V, class Count, detail::if_other_pointer<Count, std::int64_t> = true>
cudaError_t unique_by_key(T const*, V const*, std::int64_t, T*, V*, Count, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_64_bits<Count>();
}
template <class T, class Length, class Count, detail::if_other_pointer<Count, std::int64_t> = true>
cudaError_t run_length_encode(T const*, std::int64_t, T*, Length*, Count, detail::ignored = {}, detail::ignored = {}) {
  return detail::require_64_bits<Count>();
}
template <class T, class V, class R, class Count, class Op = plus, detail::if_other_sums<V, Op, R, Count> = true>
cudaError_t reduce_by_key(T const*, V const*, std::int64_t, T*, R, Count, Op = {}, detail::ignored = {},
                          detail::ignored = {}) {
  return detail::no_sums_of_runs<V, Op, R, Count>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
