// Launches the kernels of tile_loop.hpp: as many persistent blocks as the GPU holds at a time, and the words for
// their look-back. Those of tile_each.hpp have as many blocks as tiles.
#pragma once

#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/parts/tile_each.hpp>
#include <tessera/grid/parts/tile_tuning.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The kind of small tiles of this file's kernels, for which each GPU has room that runs them.
inline constexpr unsigned listed_archs[] = {TESSERA_LISTED_ARCHS};
inline constexpr tile_kind kind_of_small = tile_tuning::small_from(listed_archs[0]);

/// Launches Kernel(task, memory), whose blocks have a Storage, with so many tagged words; without memory if they are 0.
template <auto* Kernel, tile_kind Kind, class Storage, class Task>
cudaError_t launch_with_words(std::int64_t blocks, unsigned threads, std::uint64_t words, Task const& task,
                              execution on) noexcept {
  constexpr unsigned bytes = sizeof(Storage);
  static_assert(bytes <= tile_tuning::limit(Kind), "Fewer warps, or elements that lanes keep.");
  if (blocks > INT32_MAX) return cudaErrorInvalidValue;
  auto const run = [&](look_back_memory const& shared) {
    return detail::launch<Kernel>({blocks, threads, bytes}, on.stream, task, shared);
  };
  if (words == 0) return run({nullptr, 0});
  pooled_workspace const scratch(on, 0, words);
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run({scratch.tagged(), scratch.tagged_size()});
}

/// Launches a kernel of tile_loop.hpp for so many tiles, which publish values of type S. A single tile needs no memory.
template <auto* Kernel, class S, class Shape, class Storage, class Task>
cudaError_t launch_tiles(std::int64_t tiles, Task const& task, execution on) noexcept {
  int multiprocessors = 0;
  cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  if (tiles > INT32_MAX) return cudaErrorInvalidValue;
  std::int64_t const resident = multiprocessors * std::int64_t{Shape::blocks_per_multiprocessor};
  return detail::launch_with_words<Kernel, Shape::kind, Storage>(
      tiles < resident ? tiles : resident, (Shape::warps + 1) * 32, tiles == 1 ? 0 : detail::look_back_words<S>(tiles),
      task, on);
}

/// Launches a kernel of tile_each.hpp.
template <auto* Kernel, class S, class Shape, class Storage, class Task>
cudaError_t launch_tile_each(std::int64_t tiles, Task const& task, execution on) noexcept {
  return detail::launch_with_words<Kernel, Shape::kind, Storage>(
      tiles, Shape::warps * 32, tiles == 1 ? 0 : detail::tile_each_words<S>(tiles), task, on);
}

/// True if so many bytes are cut into small tiles: because they are at most `short_array`, or because the current
/// device has no room for a block of large ones, which has a Storage.
template <class Storage>
bool has_small_tiles(std::int64_t bytes, std::int64_t short_array) noexcept {
  int most = 0;
  return bytes <= short_array || detail::query_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, most) != cudaSuccess ||
         static_cast<std::size_t>(most) < sizeof(Storage);
}

/// run(Large{}) or run(Small{}), whichever is for n elements. A kernel of small ones serves all where both are of one
/// size, or where lanes keep their elements, however much shared memory there is.
template <class Small, class Large, class LargeStorage, class Run>
cudaError_t run_in_small_or_large(std::int64_t n, Run run,
                                  std::int64_t short_array = tile_tuning::short_array) noexcept {
  if constexpr (Large::in_shared && (Small::row_count != Large::row_count || Small::warps != Large::warps)) {
    if (!detail::has_small_tiles<LargeStorage>(n * Large::element_bytes, short_array)) return run(Large{});
  }
  return run(Small{});
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
