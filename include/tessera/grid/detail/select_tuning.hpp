// The numbers of grid::select, partition, unique and the calls on runs.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of a kernel that compacts. Not measured yet: chosen so that a tile fits into 48 KiB of shared memory, and what is
/// being loaded of the next tile into registers.
struct select_tuning {
  /// The size of a block, and how many of them a multiprocessor holds with up to 64 registers for each thread. Tiles whose elements
  /// are long have smaller blocks: as small as shared_bytes ask for.
  static constexpr unsigned threads = 512;
  static constexpr unsigned threads_of_large = 256;
  static constexpr unsigned large = 16;  // bytes
  static constexpr unsigned blocks_per_multiprocessor = 2;
  /// How many bytes of the longest elements a lane has in registers, and how many of all arrays together; of keys and values that
  /// are reduced, since as much again is computed from them. A lane has at least one row.
  static constexpr unsigned bytes = 64;
  static constexpr unsigned bytes_of_all = 80;
  static constexpr unsigned bytes_of_runs = 64;
  /// Of a key and a value of 8 bytes each: with 64 a register would spill.
  static constexpr unsigned bytes_of_long_runs = 48;
  /// How many bytes of a tile's elements shared memory has room for, besides the padding.
  static constexpr unsigned shared_bytes = 40 * 1024;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
