// The most bytes of temporary storage that CUB's sorts ask for, without CUB and without a device: from CUB 2.3 to 3.5.
//
// The numbers are those of CUB's dispatch_radix_sort.cuh, dispatch_merge_sort.cuh and their tunings. The tests on the
// GPU compare the results with what CUB asks for.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>

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

/// The bytes of temporary storage of a radix sort by all bits of the keys, within two buffers that the caller gives.
inline std::size_t cub_radix_bytes(std::int64_t n, std::size_t key, std::size_t value, gpu_of_plan const& gpu) {
  constexpr std::int64_t portion = std::int64_t{1} << 28;  // elements counted together, or fewer by a part of a tile
  constexpr std::size_t digits = 256;
  std::int64_t const tiles = (n < portion ? n : portion) /
                                 detail::cub_radix_elements(static_cast<std::int64_t>(key > value ? key : value), gpu) +
                             1;
  std::size_t const portions = static_cast<std::size_t>(n / (portion - portion / 8) + 1), counts = portions * key;
  std::size_t const one_sweep = detail::on_lines(counts * digits * sizeof(std::int64_t)) +
                                detail::on_lines(static_cast<std::size_t>(tiles) * digits * sizeof(std::int32_t)) +
                                detail::on_lines(counts * sizeof(std::int32_t)) + 255;
  if (key >= 4 || gpu.architecture >= 90) return one_sweep;
  // Sorts whose passes count, scan and sort have counts for five times so many blocks of each multiprocessor.
  std::size_t const blocks = key == 1 ? 16 : 8, digits_of_pass = key == 1 ? 64 : 128;
  std::size_t const passes =
      detail::on_lines((static_cast<std::size_t>(gpu.multiprocessors) * blocks * 5 * digits_of_pass + 512 * 23) *
                       sizeof(std::int64_t)) +
      255;
  return passes > one_sweep ? passes : one_sweep;
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

/// The tile of a block in a pass of counted_radix_sort.cuh, by the bytes of the longer of key and value. The numbers
/// are close to CUB's for sm_90.
struct onesweep_tile {
  int threads, items;

  constexpr onesweep_tile(std::size_t bytes, bool has_values)
      : threads(bytes <= 96 ? 384 : 128),
        items(bytes <= 4   ? (has_values ? 17 : 19)
              : bytes < 96 ? 96 / static_cast<int>(bytes)
                           : 1) {}
  constexpr int elements() const { return threads * items; }
  /// The most elements of a launch: their places fit into a word of CUB's look-back.
  constexpr int portion() const { return ((1 << 28) - 1) / elements() * elements(); }
};

/// The bytes that are cleared before such a sort of at most n elements: bins and a counter for each portion and pass,
/// and the words of the look-back.
struct counted_radix_bytes {
  static constexpr int digits = 256;
  std::size_t bins, counters, look_back;

  constexpr counted_radix_bytes(std::int64_t n, std::size_t key, std::size_t value)
      : counted_radix_bytes(n, key, onesweep_tile(key > value ? key : value, value > 0)) {}
  constexpr std::size_t total() const { return bins + counters + look_back; }

 private:
  constexpr counted_radix_bytes(std::int64_t n, std::size_t passes, onesweep_tile const& tile)
      : bins(detail::on_lines(parts_of(n, tile.portion()) * passes * digits * sizeof(std::uint64_t))),
        counters(detail::on_lines(parts_of(n, tile.portion()) * passes * sizeof(int))),
        look_back(detail::on_lines(parts_of(n, tile.elements()) * passes * digits * sizeof(int))) {}
  static constexpr std::size_t parts_of(std::int64_t n, std::int64_t part) {
    return static_cast<std::size_t>((n + part - 1) / part);
  }
};

/// The bytes that a sort takes of the workspace's data: a second buffer of each array, and temporary storage. In sorts
/// to other arrays, the buffers are in CUB's temporary storage; sorts in place have them beside it. counted: n is on
/// the device.
inline std::size_t sort_bytes(std::int64_t n, std::size_t key, std::size_t value, gpu_of_plan const& gpu,
                              bool counted) {
  auto const count = static_cast<std::size_t>(n);
  std::size_t const of_sorts[] = {detail::cub_merge_bytes(n, key, value),
                                  key <= 8 ? detail::cub_radix_bytes(n, key, value, gpu) : 0,
                                  key <= 8 && counted ? counted_radix_bytes(n, key, value).total() : 0};
  std::size_t most = 0;
  for (std::size_t const bytes : of_sorts) most = bytes > most ? bytes : most;
  return detail::on_lines(count * key) + detail::on_lines(count * value) + detail::on_lines(most);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
