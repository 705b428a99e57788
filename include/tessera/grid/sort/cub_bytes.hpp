// The most bytes of temporary storage that CUB's sorts ask for, without CUB and without a device: from CUB 2.3 to 3.5.
//
// The numbers are those of CUB's dispatch_radix_sort.cuh, dispatch_merge_sort.cuh and their tunings. The tests on the
// GPU compare the results with what CUB asks for.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>
#include <tessera/grid/sort/onesweep_tuning.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A GPU that memory is planned for: its architecture (90 for sm_90, 0 for any), and the most multiprocessors it has.
struct gpu_of_plan {
  int architecture, multiprocessors;
};

/// The tile of a block of CUB's radix sort, in the terms of CUB's tunings: threads, and elements of 4 bytes for each. A
/// thread has fewer longer elements, so that a block's fit into 48 KiB. The tunings below have the smallest tiles.
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

/// The fewest elements of a block's tile.
constexpr std::int64_t cub_radix_elements(std::int64_t longest, gpu_of_plan const& gpu) {
  std::int64_t least = INT64_MAX;
  for (cub_radix_tile const& tile : cub_tiles) least = tile.elements(longest) < least ? tile.elements(longest) : least;
  if (gpu.architecture > 0 && gpu.architecture < 100) return least;
  for (cub_radix_tile const& tile : cub_tiles_from_100)
    least = tile.elements(longest) < least ? tile.elements(longest) : least;
  return least;
}

/// The bytes of temporary storage of a radix sort by all bits of keys of 4 bytes or more, within two buffers that the
/// caller gives.
inline std::size_t cub_radix_bytes(std::int64_t n, std::size_t key, std::size_t value, gpu_of_plan const& gpu) {
  constexpr std::int64_t portion = std::int64_t{1} << 28;  // elements counted together, or fewer by a part of a tile
  constexpr std::size_t digits = 256;
  std::int64_t const tiles = (n < portion ? n : portion) /
                                 detail::cub_radix_elements(static_cast<std::int64_t>(key > value ? key : value), gpu) +
                             1;
  std::size_t const portions = static_cast<std::size_t>(n / (portion - portion / 8) + 1), counts = portions * key;
  return detail::on_lines(counts * digits * sizeof(std::int64_t)) +
         detail::on_lines(static_cast<std::size_t>(tiles) * digits * sizeof(std::int32_t)) +
         detail::on_lines(counts * sizeof(std::int32_t)) + 255;
}

/// The bytes of temporary storage of a merge sort, without those of its copy of the elements. Blocks whose elements
/// don't fit into 48 KiB of shared memory have them in temporary storage.
inline std::size_t cub_merge_bytes(std::int64_t n, std::size_t key, std::size_t value) {
  constexpr std::int64_t least_tile = 64;
  std::size_t const longest = key > value ? key : value, tiles = static_cast<std::size_t>(n / least_tile) + 1;
  std::size_t const tile_bytes = (least_tile + 2) * longest * 33 / 32 + 1024;
  std::size_t const shared = tile_bytes > 44 * 1024 ? tiles * tile_bytes + 300 * longest : 0;
  return detail::on_lines((tiles + 1) * sizeof(std::int64_t)) + detail::on_lines(shared) + 255;
}

/// The bytes that a sort takes of the workspace's data: a second buffer of each array, and temporary storage.
inline std::size_t sort_bytes(std::int64_t n, std::size_t key, std::size_t value) {
  auto const count = static_cast<std::size_t>(n);
  std::size_t const by_merges = detail::cub_merge_bytes(n, key, value);
  std::size_t const by_digits = key <= 8 ? detail::onesweep_bytes(n, key, value) : 0;
  return detail::on_lines(count * key) + detail::on_lines(count * value) +
         detail::on_lines(by_merges > by_digits ? by_merges : by_digits);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
