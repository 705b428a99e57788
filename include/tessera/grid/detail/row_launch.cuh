// What launches kernels on rows.
#pragma once

#include <tessera/grid/detail/row_tuning.hpp>

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tessera::grid::detail {

/// So many threads in all of so many blocks, in clusters; what was wrong with the launch is returned, and no later
/// call's.
template <class... Parameters, class... Arguments>
cudaError_t launch_clusters(unsigned cluster, void (*kernel)(Parameters...), std::int64_t blocks,
                            unsigned threads, cudaStream_t stream, Arguments const&... arguments) noexcept {
  if (blocks == 0) return cudaSuccess;
  if (blocks > INT32_MAX) return cudaErrorInvalidValue;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = cluster > 1 ? 1 : 0;
  cudaError_t const error = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error;
}
template <class... Parameters, class... Arguments>
cudaError_t launch_rows(void (*kernel)(Parameters...), std::int64_t blocks, unsigned threads,
                        cudaStream_t stream, Arguments const&... arguments) noexcept {
  return launch_clusters(1, kernel, blocks, threads, stream, arguments...);
}

/// What a launcher asks of the current device.
struct row_device {
  int multiprocessors = 1;
  bool has_clusters = false;
  cudaError_t error;

  row_device() noexcept {
    int device = 0, major = 0;
    error = cudaGetDevice(&device);
    if (error == cudaSuccess)
      error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
      error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    has_clusters = major >= 9;
  }
};

/// a / b, up.
inline std::int64_t ceiling(std::int64_t a, std::int64_t b) noexcept {
  return (a + b - 1) / b;
}

/// How many blocks share a row where there are few, and each of them has at least a step of so many vectors.
inline std::int64_t splits_of(std::int64_t rows, std::int64_t vectors, std::int64_t step,
                              row_device const& device) noexcept {
  std::int64_t const steps = ceiling(vectors, step);
  std::int64_t const enough = ceiling(fold_tuning::blocks_a_multiprocessor * device.multiprocessors, rows);
  return enough < steps ? enough : steps;
}

}  // namespace tessera::grid::detail
