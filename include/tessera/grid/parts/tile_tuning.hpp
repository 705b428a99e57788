// The numbers that all kernels with a look-back share.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How an array is cut: into large tiles, into small ones (small_tile or least), or into as many small ones as there
/// are blocks (tile_each.hpp).
///
///   kind          most of a block    GPUs with room               serves
///   large         227 KiB            sm_90, 100, 103, 110         arrays longer than short_array, if there is room
///   small_tile    99 KiB             all from sm_80 on            all other arrays, if no older GPU is compiled for
///   least         64 KiB             all: sm_75 has the least     all other arrays, if sm_75 is compiled for, too
///   each          64 KiB             all                          scans of up to 256 tiles
///
/// So a call has at most two kernels, and a scan three, whichever GPUs it is compiled for. Launchers ask the device
/// whether it has room for large tiles, since code for sm_90 may run where blocks have 99 KiB (sm_120). One kernel
/// serves where large tiles would be no larger than small ones, as of most elements of more than 16 bytes. Where not
/// even one warp's elements have room, each lane keeps its own (kept_by_lanes.hpp):
///
///   bytes of an element that lanes keep    large    small    least
///   scans                                  3160     1408     924      results, from so many on
///   scans by key, of segments              3256     1448     952
///   selections, runs                       3088     1376     912      about; keys and values together
enum class tile_kind { large, small_tile, least, each };

/// The number of warps of a tile, so that a lane's elements fit into registers; a block has one warp more. Large tiles
/// are for long arrays: one block on a multiprocessor, all of whose registers and shared memory it has. A scan of
/// 2^28 floats takes 546 µs by 31 warps, 588 by two blocks of 15, and 665 by four of 7 (H200). Small ones are for
/// arrays of which each multiprocessor has a few tiles at most, and for GPUs with less shared memory.
struct tile_tuning {
  TESSERA_FN static constexpr bool is_small(tile_kind kind) { return kind != tile_kind::large; }

  TESSERA_FN static constexpr unsigned most_warps(unsigned element_bytes, tile_kind kind) {
    if (element_bytes > 8 || is_small(kind)) return element_bytes > 16 ? 7 : 15;
    return element_bytes < 4 ? 23 : 31;
  }
  TESSERA_FN static constexpr unsigned blocks_per_multiprocessor(unsigned element_bytes, tile_kind kind) {
    return is_small(kind) && element_bytes >= 4 && element_bytes <= 8 ? 2 : 1;
  }
  /// The most shared memory of a block.
  TESSERA_FN static constexpr unsigned limit(tile_kind kind) {
    return (kind == tile_kind::large ? 227 : kind == tile_kind::small_tile ? 99 : 64) * 1024;
  }
  /// The part of that which the warps of a tile may fill.
  TESSERA_FN static constexpr unsigned room(tile_kind kind) {
    return (kind == tile_kind::large ? 216 : kind == tile_kind::small_tile ? 96 : 63) * 1024;
  }
  /// The kind of small tiles for which every GPU has room, from this architecture on (750 for sm_75).
  TESSERA_FN static constexpr tile_kind small_from(unsigned oldest_arch) {
    return oldest_arch < 800 ? tile_kind::least : tile_kind::small_tile;
  }
  /// The most bytes of an element that is scanned: what the parts of a tile need has room everywhere.
  static constexpr unsigned most_scanned_bytes = 4096;
  /// The most bytes of an array that is cut into small tiles, on a GPU that has room for large ones.
  static constexpr std::int64_t short_array = std::int64_t{17} << 20;
  /// That limit for scans of elements of up to 16 bytes, which cut shorter arrays into a tile a block: of 2^22 floats
  /// large tiles take 13.1 µs, small ones 13.7 (H100).
  static constexpr std::int64_t short_scan = 0;

  /// As many warps as have room, up to `most`, if each needs so many bytes of shared memory.
  TESSERA_FN static constexpr unsigned warps(unsigned most, tile_kind kind, unsigned bytes_of_warp) {
    unsigned const fitting = room(kind) / bytes_of_warp;
    return fitting == 0 ? 1 : fitting < most ? fitting : most;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
