// The numbers of grid::select, partition, unique and the calls on runs.
#pragma once

#include <tessera/grid/parts/tile_tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of a kernel that compacts. 96 bytes by 31 warps were measured for scans (scan_tuning.hpp); the others
/// not yet.
struct select_tuning {
  /// The bytes of a tile that a lane has of the longest elements, if those have up to 8 bytes, and of longer ones,
  /// whose tiles have fewer warps. A lane has at least one row.
  static constexpr unsigned bytes = 96;
  static constexpr unsigned bytes_of_long = 128;
  /// The most bytes of all arrays together that a lane loads into registers.
  static constexpr unsigned bytes_of_all = 128;
  static constexpr unsigned bytes_of_all_long = 192;
  /// The most warps of a tile whose values are combined, from which as much again is computed: threads of more would
  /// spill registers.
  static constexpr unsigned warps_of_runs = 19;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
