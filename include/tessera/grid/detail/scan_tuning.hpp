// The numbers of grid scans.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of a scan's kernel. Not measured yet: chosen so that two tiles of each block, one of which is being loaded, fit
/// into registers.
struct scan_tuning {
  /// The size of a block. A multiprocessor holds two such blocks with up to 64 registers for each thread. Elements of more than
  /// 8 bytes have one block, those of more than 16 a small one.
  static constexpr unsigned threads = 512;
  static constexpr unsigned threads_of_large = 256;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  /// How many bytes of a tile a lane has in registers, and how many of 8-byte elements: with as many of the next tile, more
  /// would spill. An element fills at least one register, and a lane has at least one row of them.
  static constexpr unsigned bytes = 64;
  static constexpr unsigned bytes_of_8 = 48;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
