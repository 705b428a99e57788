// The numbers that all kernels with a look-back share.
#pragma once

#include <tessera/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How an array is cut: into large tiles, into small ones, or into as many small ones as there are blocks (tile_each.hpp).
enum class tile_kind { large, small_tile, each };

/// How many warps a tile has, so that a lane's elements fit into registers; a block has one warp more. Large tiles are for long arrays:
/// one block on a multiprocessor, all of whose registers and shared memory it has. A scan of 2^28 floats takes 546 µs by 31 warps,
/// 588 by two blocks of 15, and 665 by four of 7 (H200). Small ones are for arrays of which each multiprocessor has a few tiles at most,
/// and for GPUs with less shared memory.
struct tile_tuning {
  TESSERA_FN static constexpr unsigned most_warps(unsigned element_bytes, bool is_small) {
    if (element_bytes > 8 || is_small) return element_bytes > 16 ? 7 : 15;
    return element_bytes < 4 ? 23 : 31;
  }
  TESSERA_FN static constexpr unsigned blocks_per_multiprocessor(unsigned element_bytes, bool is_small) {
    return is_small && element_bytes >= 4 && element_bytes <= 8 ? 2 : 1;
  }
  /// The shared memory that a tile may fill.
  TESSERA_FN static constexpr unsigned room(bool is_small) { return is_small ? 96 * 1024 : 216 * 1024; }
  /// The most bytes of an array that is cut into small tiles, on a GPU that has room for large ones.
  static constexpr std::int64_t short_array = std::int64_t{17} << 20;

  /// As many warps as have room, if each needs so many bytes of shared memory.
  TESSERA_FN static constexpr unsigned warps(unsigned element_bytes, bool is_small, unsigned bytes_of_warp) {
    unsigned const most = most_warps(element_bytes, is_small), fitting = room(is_small) / bytes_of_warp;
    return fitting == 0 ? 1 : fitting < most ? fitting : most;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
