// The status of the library's calls to CUDA.
//
// CUDA keeps the last error of a thread until cudaGetLastError takes it. That error is the caller's: nothing here
// reads it as the status of a call, or clears it, unless a call of the library has just failed and replaced it.
#pragma once

#include <tessera/core/config.hpp>

#include <cuda_runtime_api.h>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The status of a call that the library has made to CUDA. An error is returned to the caller, and not left to
/// the next check.
inline cudaError_t own_status(cudaError_t status) noexcept {
  if (status != cudaSuccess && cudaPeekAtLastError() == status) (void)cudaGetLastError();
  return status;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
