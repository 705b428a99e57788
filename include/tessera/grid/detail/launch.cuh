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

/// An attribute of the current device.
inline cudaError_t ask_device(cudaDeviceAttr attribute, int& value) noexcept {
  int device = 0;
  cudaError_t const error = own_status(cudaGetDevice(&device));
  return error != cudaSuccess ? error : own_status(cudaDeviceGetAttribute(&value, attribute, device));
}

}  // namespace tessera::grid::detail
