// How kernels of tile_loop.hpp are launched: as many persistent blocks as the GPU holds at a time, and the words for their look-back.
#pragma once

#include <tessera/grid/detail/launch.cuh>
#include <tessera/grid/detail/look_back.hpp>
#include <tessera/grid/detail/pooled_workspace.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// Launches kernel(task, memory) for so many tiles, which publish values of type R. A single tile needs no memory.
template <class R, class Shape, class Task>
cudaError_t launch_tiles(void (*kernel)(Task, look_back_memory), std::int64_t tiles, Task const& task,
                         cudaStream_t stream, workspace* memory) noexcept {
  int multiprocessors = 0;
  cudaError_t const error = query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  if (tiles > INT32_MAX) return cudaErrorInvalidValue;
  std::int64_t const resident = multiprocessors * std::int64_t{Shape::blocks_per_multiprocessor};
  auto const run = [&](look_back_memory const& words) {
    return launch(kernel, {tiles < resident ? tiles : resident, Shape::threads}, stream, task, words);
  };
  if (tiles == 1) return run({nullptr, 0});
  pooled_workspace const scratch(memory, 0, stream, look_back_words<R>(tiles));
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run({scratch.tagged(), scratch.tagged_size()});
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
