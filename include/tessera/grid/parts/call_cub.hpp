// Calls of CUB's device functions.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/cuda_status.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// Calls CUB, and returns its status. CUB takes the thread's last error for one of its own launches, returns it and
/// clears it. So while an earlier call's error is pending, that error is returned, and stays pending.
template <class Call>
cudaError_t call_cub(Call const& call) noexcept {
  cudaError_t const pending = cudaPeekAtLastError();
  return pending != cudaSuccess ? pending : detail::own_status(call());
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
