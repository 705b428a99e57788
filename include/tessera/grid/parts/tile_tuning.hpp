// The numbers that all kernels with a look-back share.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The tiles of an array: large ones, small ones (small_tile or least), or as many as there are blocks
/// (tile_each.hpp).
///
///   kind          most of a block    GPUs with room               serves
///   large         227 KiB            sm_90, 100, 103, 110         arrays longer than short_array, if there is room
///   small_tile    99 KiB             all from sm_80 on            all other arrays, if no older GPU is compiled for
///   least         64 KiB             all: sm_75 has the least     all other arrays, if sm_75 is compiled for, too
///   each          64 KiB             all                          scans of up to 256 tiles
///
/// Small tiles have fewer warps than large ones, and are otherwise the same: one kernel serves both, whose blocks say
/// how many warps they have. Launchers ask the device whether it has room for large tiles, since code for sm_90 may run
/// where blocks have 99 KiB (sm_120). Small tiles have a kernel of their own where elements are so long that not even
/// one warp of the kernel for large ones has room, and in scans of segments (segmented_scan_tuning.hpp). Where not even
/// one warp's elements have room, each lane keeps its own (kept_by_lanes.hpp):
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
  /// The most warps of a large tile, of which a multiprocessor has one.
  TESSERA_FN static constexpr unsigned most_warps(unsigned element_bytes) {
    return element_bytes > 16 ? 7 : element_bytes > 8 ? 15 : element_bytes < 4 ? 23 : 31;
  }
  /// The most warps, but for one, of a tile that is its block's only one: there the warp that would look back scans.
  TESSERA_FN static constexpr unsigned most_warps_each(unsigned element_bytes) { return element_bytes > 16 ? 7 : 15; }
  /// The most warps of a small tile, if a large one has so many, and a lane has so many bytes of a tile: a block's
  /// warps, with the one that looks back, would have 32 KiB of elements. Of long elements, of which a lane has one,
  /// small tiles have as many warps as large ones.
  TESSERA_FN static constexpr unsigned small_warps(unsigned large_warps, unsigned element_bytes, unsigned lane_bytes) {
    unsigned const most = 1024 / (lane_bytes > 64 ? lane_bytes : 64) - 1;
    return element_bytes > 16 || most > large_warps ? large_warps : most;
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

  /// As many warps as have room, up to `most`, if each needs so many bytes of shared memory.
  TESSERA_FN static constexpr unsigned warps(unsigned most, tile_kind kind, unsigned bytes_of_warp) {
    unsigned const fitting = room(kind) / bytes_of_warp;
    return fitting == 0 ? 1 : fitting < most ? fitting : most;
  }
};

/// The shared memory of a block of so many warps, in bytes. It has a Storage, whose last member is an array for
/// Storage::most_warps warps, an of_warp_t each: of that, it has no more than its own warps'.
template <class Storage>
TESSERA_FN constexpr unsigned bytes_of_block(unsigned warps) {
  return static_cast<unsigned>(sizeof(Storage) - (Storage::most_warps - warps) * sizeof(typename Storage::of_warp_t));
}

/// Blocks' shared memory for a task, or for results of a type, as a template of the shape alone.
template <template <class, class, unsigned> class Storage, class Task>
struct storage_of {
  template <class Shape>
  using with = Storage<Task, Shape, Shape::warps>;
};

/// The number of warps of small tiles of a kind, by the kernel for large ones, whose blocks have a Storage. 0 if there
/// is no room for one warp.
template <class Shape, class Storage>
TESSERA_FN constexpr unsigned warps_of_small_tiles(tile_kind kind) {
  unsigned warps = Shape::in_shared ? Shape::small_warps : 0;
  while (warps > 0 && detail::bytes_of_block<Storage>(warps) > tile_tuning::limit(kind)) --warps;
  return warps;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
