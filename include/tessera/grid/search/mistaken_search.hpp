// Searches by a predicate with results of another type, which don't compile and say what to write.
#pragma once

#include <tessera/grid/parts/other_pointer.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

template <class T, class Pred, class Out, detail::if_other_pointer<Out, std::int64_t> = true>
cudaError_t find_if(T const*, std::int64_t, Pred const&, Out, detail::ignored = {}) {
  return detail::require_64_bits<Out>();
}
template <class T, class Pred, class Out, detail::if_other_pointer<Out, std::int64_t> = true>
cudaError_t count_if(T const*, std::int64_t, Pred const&, Out, detail::ignored = {}) {
  return detail::require_64_bits<Out>();
}

}  // namespace grid
TESSERA_NAMESPACE_END
