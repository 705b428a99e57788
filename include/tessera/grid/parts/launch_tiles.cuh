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

/// The kind of small tiles of this file's kernels. Each GPU that runs the kernels has room for these tiles.
inline constexpr unsigned listed_archs[] = {TESSERA_LISTED_ARCHS};
inline constexpr tile_kind kind_of_small = tile_tuning::small_from(listed_archs[0]);

/// Launches Kernel(task, memory, cut), whose blocks have so many bytes of shared memory, with so many tagged words. If
/// there are none, the kernel has no memory.
template <auto* Kernel, class Task>
cudaError_t launch_with_words(launch_shape const& shape, std::uint64_t words, Task const& task, tile_cut cut,
                              execution on) noexcept {
  auto const run = [&](look_back_memory const& shared) {
    return detail::launch<Kernel>(shape, on.stream, task, shared, cut);
  };
  if (words == 0) return run({nullptr, 0});
  pooled_workspace const scratch(on, 0, words);
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run({scratch.tagged(), scratch.tagged_size()});
}

/// run(shape, cut) of a kernel of tile_loop.hpp for so many tiles of so many warps. As many blocks fit onto a
/// multiprocessor as have no more warps together than those that the kernel is compiled for.
template <class Shape, class Storage, class Run>
cudaError_t with_tile_loop(std::int64_t tiles, unsigned warps, Run run) noexcept {
  int multiprocessors = 0;
  cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  if (tiles > INT32_MAX || tiles * warps > UINT32_MAX) return cudaErrorInvalidValue;  // Kernels number parts so.
  std::int64_t const resident =
      multiprocessors * std::int64_t{Shape::blocks_per_multiprocessor * (Storage::most_warps + 1) / (warps + 1)};
  launch_shape const shape{tiles < resident ? tiles : resident, (warps + 1) * 32,
                           detail::bytes_of_block<Storage>(warps)};
  return run(shape, tile_cut{static_cast<unsigned>(tiles), warps});
}

/// Launches such a kernel, whose tiles publish values of type S. A single tile needs no memory.
template <auto* Kernel, class S, class Shape, class Storage, class Task>
cudaError_t launch_tile_loop(std::int64_t tiles, unsigned warps, Task const& task, execution on) noexcept {
  return detail::with_tile_loop<Shape, Storage>(tiles, warps, [&](launch_shape const& shape, tile_cut cut) {
    return detail::launch_with_words<Kernel>(shape, tiles == 1 ? 0 : detail::look_back_words<S>(tiles), task, cut, on);
  });
}

/// Launches a kernel of tile_each.hpp.
template <auto* Kernel, class S, class Storage, class Task>
cudaError_t launch_tile_each(std::int64_t tiles, Task const& task, execution on) noexcept {
  constexpr unsigned warps = Storage::most_warps, bytes = sizeof(Storage);
  static_assert(bytes <= tile_tuning::limit(tile_kind::each), "Fewer warps, or elements that lanes keep.");
  return detail::launch_with_words<Kernel>({tiles, warps * 32, bytes},
                                           tiles == 1 ? 0 : detail::tile_each_words<S>(tiles), task,
                                           {static_cast<unsigned>(tiles), warps}, on);
}

/// run(Shape{}, warps) of a kernel of tile_loop.hpp: which one has tiles for an array, and of how many warps.
/// Storage<Shape> is a block's shared memory. Tiles are small if the array is short, or the current device has no room
/// for a block of large ones; lanes that keep their elements have small ones, however much shared memory there is.
template <template <class> class Storage, class Large, class Small, class Run>
cudaError_t run_in_tiles(bool is_short, Run run) noexcept {
  using large_storage = Storage<Large>;
  constexpr unsigned small_warps = detail::warps_of_small_tiles<Large, large_storage>(kind_of_small);
  static_assert((!Large::in_shared || detail::has_planned_tiles<Large>(Large::warps)) &&
                    (small_warps > 0 ? detail::has_planned_tiles<Large>(small_warps)
                                     : detail::has_planned_tiles<Small>(Small::warps)),
                "Shorter tiles than scratch_bytes plans for: see least_tile_elements.");
  if constexpr (Large::in_shared) {
    static_assert(sizeof(large_storage) <= tile_tuning::limit(tile_kind::large),
                  "Fewer warps, or elements that lanes keep.");
    int most = 0;
    bool const has_room = !is_short &&
                          detail::query_device(cudaDevAttrMaxSharedMemoryPerBlockOptin, most) == cudaSuccess &&
                          static_cast<std::size_t>(most) >= sizeof(large_storage);
    if (has_room) return run(Large{}, Large::warps);
  }
  if constexpr (small_warps > 0) {
    return run(Large{}, small_warps);
  } else {
    static_assert(sizeof(Storage<Small>) <= tile_tuning::limit(kind_of_small),
                  "Fewer warps, or elements that lanes keep.");
    return run(Small{}, Small::warps);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
