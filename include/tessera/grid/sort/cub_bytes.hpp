// The most bytes of temporary storage that CUB's sorts ask for, without CUB and without a device: from CUB 2.3 to 3.5.
//
// CUB's numbers are those of dispatch_radix_sort.cuh, dispatch_merge_sort.cuh and their tunings. The tests on the GPU
// compare what CUB asks for.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A GPU that memory is planned for: 90 for sm_90, 0 for any; and its multiprocessors, at most.
struct gpu_of_plan {
  int architecture, multiprocessors;
};

/// What a block of CUB's radix sort sorts, in the terms of CUB's tunings: threads, and elements of 4 bytes of each. Of
/// longer ones a thread has fewer, and a block's elements fit into 48 KiB. These have the least elements.
struct cub_radix_tile {
  std::int64_t threads, items;

  constexpr std::int64_t elements(std::int64_t longest) const {
    std::int64_t const fewer = items * 4 / (longest < 4 ? 4 : longest), each = fewer < 1 ? 1 : fewer;
    std::int64_t const fitting = (48 * 1024 / (longest * each) + 31) / 32 * 32;
    return (fitting < threads ? fitting < 32 ? 32 : fitting : threads) * each;
  }
};
inline constexpr cub_radix_tile cub_tiles[] = {{256, 23}, {384, 14}, {512, 12}};
inline constexpr cub_radix_tile cub_tiles_from_100[] = {{256, 14}, {288, 16}, {320, 14}, {352, 12}};

/// The least elements of a block.
constexpr std::int64_t cub_radix_elements(std::int64_t longest, gpu_of_plan const& gpu) {
  std::int64_t least = INT64_MAX;
  for (cub_radix_tile const& tile : cub_tiles) least = tile.elements(longest) < least ? tile.elements(longest) : least;
  if (gpu.architecture > 0 && gpu.architecture < 100) return least;
  for (cub_radix_tile const& tile : cub_tiles_from_100)
    least = tile.elements(longest) < least ? tile.elements(longest) : least;
  return least;
}

/// The temporary storage of a radix sort of all bits of keys in both buffers that it is given.
inline std::size_t cub_radix_bytes(std::int64_t n, std::size_t key, std::size_t value, gpu_of_plan const& gpu) {
  constexpr std::int64_t portion = std::int64_t{1} << 28;  // counted together: this, less a part of a tile
  constexpr std::size_t digits = 256;
  std::int64_t const tiles = (n < portion ? n : portion) /
                                 detail::cub_radix_elements(static_cast<std::int64_t>(key > value ? key : value), gpu) +
                             1;
  std::size_t const portions = static_cast<std::size_t>(n / (portion - portion / 8) + 1), counts = portions * key;
  std::size_t const one_sweep = detail::on_lines(counts * digits * sizeof(std::int64_t)) +
                                detail::on_lines(static_cast<std::size_t>(tiles) * digits * sizeof(std::int32_t)) +
                                detail::on_lines(counts * sizeof(std::int32_t)) + 255;
  if (key >= 4 || gpu.architecture >= 90) return one_sweep;
  // Passes that count, scan and sort: counts of so many blocks of a multiprocessor, five times over.
  std::size_t const blocks = key == 1 ? 16 : 8, digits_of_pass = key == 1 ? 64 : 128;
  std::size_t const passes =
      detail::on_lines((static_cast<std::size_t>(gpu.multiprocessors) * blocks * 5 * digits_of_pass + 512 * 23) *
                       sizeof(std::int64_t)) +
      255;
  return passes > one_sweep ? passes : one_sweep;
}

/// The temporary storage of a merge sort, without that for the elements once more. Blocks whose elements don't fit into
/// 48 KiB of shared memory have as much of this.
inline std::size_t cub_merge_bytes(std::int64_t n, std::size_t key, std::size_t value) {
  constexpr std::int64_t least_tile = 64;
  std::size_t const longest = key > value ? key : value, tiles = static_cast<std::size_t>(n / least_tile) + 1;
  std::size_t const tile_bytes = (least_tile + 2) * longest * 33 / 32 + 1024;
  std::size_t const shared = tile_bytes > 44 * 1024 ? tiles * tile_bytes + 300 * longest : 0;
  return detail::on_lines((tiles + 1) * sizeof(std::int64_t)) + detail::on_lines(shared) + 255;
}

/// The bytes of a sort in the workspace's data: a second buffer of each array, and temporary storage. Sorts to other
/// arrays have the buffers from CUB, sorts in place from here.
inline std::size_t sort_bytes(std::int64_t n, std::size_t key, std::size_t value, gpu_of_plan const& gpu) {
  auto const count = static_cast<std::size_t>(n);
  std::size_t const merge = detail::cub_merge_bytes(n, key, value),
                    radix = key <= 8 ? detail::cub_radix_bytes(n, key, value, gpu) : 0;
  return detail::on_lines(count * key) + detail::on_lines(count * value) +
         detail::on_lines(merge > radix ? merge : radix);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
