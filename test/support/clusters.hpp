// Runs a kernel once for each lane of clusters, on host lanes or on the GPU.
#pragma once

#include <tessera/cluster_tile.hpp>
#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#endif

#include <vector>

#include "backend.hpp"

namespace test {

#if TESSERA_CUDA

template <unsigned N, unsigned Threads, class Out, class Kernel>
__global__ void __launch_bounds__(Threads)
    run_cluster_kernel([[maybe_unused]] Out* out, [[maybe_unused]] Kernel kernel) {
#if TESSERA_ARCH >= 900
  auto const tile = tessera::this_cluster_tile<N, Threads>(cooperative_groups::this_cluster());
  out[blockIdx.x / tile.num_blocks() * N + tile.thread_rank()] = kernel(tile);
#endif
}

/// The results of kernel(tile) for each lane of a grid of three clusters; none if the GPU can't hold such a cluster.
template <unsigned N, unsigned Threads, class Out, class Kernel>
std::vector<Out> run_clusters(Kernel kernel) {
  auto* const run = run_cluster_kernel<N, Threads, Out, Kernel>;
  cudaLaunchAttribute shape[1] = {};
  shape[0].id = cudaLaunchAttributeClusterDimension;
  shape[0].val.clusterDim.x = N / Threads;
  shape[0].val.clusterDim.y = shape[0].val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = ::dim3(3 * (N / Threads));
  launch.blockDim = ::dim3(Threads);
  launch.attrs = shape;
  launch.numAttrs = 1;
  check(cudaFuncSetAttribute(run, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  int clusters = 0;
  if (cudaOccupancyMaxActiveClusters(&clusters, run, &launch) != cudaSuccess || clusters == 0) {
    static_cast<void>(cudaGetLastError());
    return {};
  }
  gpu_array<Out> const to(3 * N);
  check(cudaLaunchKernelEx(&launch, run, to.data(), kernel));
  return to.to_host();
}
inline bool has_clusters() {
  int device = 0, major = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return major >= 9;
}

#else

/// The same of one cluster of host lanes.
template <unsigned N, unsigned Threads, class Out, class Kernel>
std::vector<Out> run_clusters(Kernel kernel) {
  return tessera::host::launch_cluster(N / Threads, Threads, [&](tessera::host::cluster const& cluster) {
    return kernel(tessera::this_cluster_tile<N, Threads>(cluster));
  });
}
inline bool has_clusters() {
  return true;
}

#endif

}  // namespace test

/// The first lines of a case on clusters.
#define SKIP_WITHOUT_CLUSTERS() \
  SKIP_WITHOUT_BACKEND();       \
  if (!test::has_clusters()) GTEST_SKIP() << "needs a GPU with clusters, from sm_90 on"
