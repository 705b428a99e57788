// The numbers of grid scans.
#pragma once

#include <tessera/grid/parts/tile_tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of a scan's kernel, on an H200.
struct scan_tuning {
  /// The bytes of a tile that a lane has, of elements of up to 4 bytes: a lane loads as many into registers while
  /// others wait in shared memory. Of 2^28 floats a scan took 546 µs with 96, 582 with 64.
  static constexpr unsigned bytes = 96;
  /// The bytes of 8-byte elements: with 80 maxima of doubles would spill.
  static constexpr unsigned bytes_of_8 = 64;
  /// The bytes of elements of up to 16 bytes, whose tiles have fewer warps.
  static constexpr unsigned bytes_of_16 = 128;
  /// The bytes of a tile that is its block's only one.
  static constexpr unsigned bytes_of_each = 64;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
