// Functions of CUDA's driver, which is not linked.
#pragma once

#include <tessera/grid/parts/cuda_status.hpp>

#include <cuda_runtime_api.h>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The driver's function of this name, as it is since CUDA 12.0; null if there is none.
inline void* driver_function(char const* name) noexcept {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  cudaError_t const status = cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found);
#else
  cudaError_t const status = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  return detail::own_status(status) == cudaSuccess && found == cudaDriverEntryPointSuccess ? entry : nullptr;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
