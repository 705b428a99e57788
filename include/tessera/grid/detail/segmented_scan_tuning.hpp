// The numbers of scans by key and of segments.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of the kernel. Not measured yet: chosen so that two tiles of each block, one of which is being loaded, fit into
/// registers.
struct segmented_scan_tuning {
  /// The size of a block. A multiprocessor holds two such blocks with up to 128 registers for each thread; one if elements have
  /// more than 8 bytes, or a row of them needs more registers than these:
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  /// How many registers of a thread the elements of a tile, their results and the next tile's elements and keys fill. A tile has
  /// at least one row.
  static constexpr unsigned registers = 64;
  /// The most bytes of a lane's neighboring elements.
  static constexpr unsigned row_bytes = 64;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
