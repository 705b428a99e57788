// A histogram with counts of another type, which doesn't compile and says what to write.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <tessera/grid/detail/even_bins.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

class workspace;
struct out_of_range;

template <class T, class Count, stl::enable_if_t<!stl::is_same_v<Count, std::uint64_t>, bool> = true>
cudaError_t histogram(T const*, std::int64_t, Count*, std::int64_t, detail::bound_t<T>, detail::bound_t<T>,
                      out_of_range* = nullptr, cudaStream_t = nullptr, workspace* = nullptr) {
  static_assert(stl::is_same_v<Count, std::uint64_t>,
                "grid::histogram: counts points to std::uint64_t on the device, one for each bin.");
  return cudaErrorNotSupported;
}

}  // namespace grid
TESSERA_NAMESPACE_END
