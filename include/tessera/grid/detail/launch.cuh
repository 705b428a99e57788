// Launches of kernels, and what launchers ask of the current device.
#pragma once

#include <tessera/grid/detail/cuda_status.hpp>

#include <cuda_runtime.h>

#include <cstdint>

namespace tessera::grid::detail {

/// How many threads run a kernel, and in what groups.
struct launch_shape {
  std::int64_t blocks;
  unsigned threads;           // of a block
  unsigned shared_bytes = 0;  // of a block, dynamic ones
  unsigned cluster = 1;       // blocks of a cluster
};

/// Launches a kernel; no blocks are no launch. Returns what was wrong with the launch, and nothing else.
template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), launch_shape const& shape, cudaStream_t stream,
                   Arguments const&... arguments) noexcept {
  if (shape.blocks == 0) return cudaSuccess;
  if (shape.blocks > INT32_MAX) return cudaErrorInvalidValue;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = shape.cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(shape.blocks));
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = shape.cluster > 1 ? 1 : 0;
  return own_status(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...));
}

/// Lets a kernel have so many bytes of dynamic shared memory a block. Where the caller's last error is pending, by the driver's own
/// function: cudaFuncSetAttribute clears it, even where it succeeds (CUDA 13.0).
inline cudaError_t allow_shared_bytes(void const* kernel, unsigned bytes) noexcept {
  cudaFuncAttributes attributes{};
  if (own_status(cudaFuncGetAttributes(&attributes, kernel)) == cudaSuccess &&
      attributes.maxDynamicSharedSizeBytes >= static_cast<int>(bytes))
    return cudaSuccess;
  if (cudaPeekAtLastError() != cudaSuccess) {
    constexpr int max_dynamic_shared_bytes = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    using set_attribute_t = int (*)(cudaFunction_t, int, int);
    void* entry = nullptr;
    cudaFunction_t function{};
    cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
    cudaError_t const asked =
        cudaGetDriverEntryPointByVersion("cuFuncSetAttribute", &entry, 12000, cudaEnableDefault, &found);
#else
    cudaError_t const asked =
        cudaGetDriverEntryPoint("cuFuncSetAttribute", &entry, cudaEnableDefault, &found);
#endif
    if (asked == cudaSuccess && found == cudaDriverEntryPointSuccess &&
        cudaGetFuncBySymbol(&function, kernel) == cudaSuccess &&
        reinterpret_cast<set_attribute_t>(entry)(function, max_dynamic_shared_bytes,
                                                 static_cast<int>(bytes)) == 0)
      return cudaSuccess;
  }
  return own_status(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

/// An attribute of the current device.
inline cudaError_t ask_device(cudaDeviceAttr attribute, int& value) noexcept {
  int device = 0;
  cudaError_t const error = own_status(cudaGetDevice(&device));
  return error != cudaSuccess ? error : own_status(cudaDeviceGetAttribute(&value, attribute, device));
}

}  // namespace tessera::grid::detail
