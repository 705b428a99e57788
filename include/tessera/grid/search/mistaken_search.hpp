// Searches by a predicate with results of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/parts/other_pointer.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

template <class Out>
constexpr cudaError_t no_search() {
  detail::require_64_bits<Out>();
  return cudaErrorNotSupported;
}

}  // namespace detail

template <class T, class Pred, class Out, detail::if_other_pointer<Out, std::int64_t> = true>
cudaError_t find_if(T const*, std::int64_t, Pred const&, Out, detail::ignored = {}) {
  return detail::no_search<Out>();
}
template <class T, class Pred, class Out, detail::if_other_pointer<Out, std::int64_t> = true>
cudaError_t count_if(T const*, std::int64_t, Pred const&, Out, detail::ignored = {}) {
  return detail::no_search<Out>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
