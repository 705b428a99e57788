// The numbers of grid reductions that were chosen by measuring.
#pragma once

#include <cstdint>

namespace tessera::grid::detail {

/// On an H200, a sum of floats, µs a call of 4 in a row. Blocks of 256 threads a multiprocessor:
///
///   n              1      2      4      6     only reading
///   2^24        20.9   19.9   20.0   19.9     18.2
///   2^26        66.7   63.2   62.9   63.9     61.3
///   2^28       250.1  236.5  234.3  243.5    232.5
///
/// With 64 bytes a lane on their way instead of 128: 242.7 for 240.4 at 2^28.
/// With 8, 16, 32, 64 KiB at least for each block: 4.2, 3.7, 3.8, 3.8 at 2^20 (50 in a row; an empty kernel takes 3.5).
struct reduce_tuning {
  /// Of a block. A multiprocessor holds four such blocks with up to 64 registers a thread.
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_a_multiprocessor = 4;
  /// Of one kernel: as many as have two slots each.
  static constexpr unsigned most_blocks = 1024;
  /// Bytes that a lane has on their way from memory at a time. Less where the elements' results need many registers.
  static constexpr unsigned bytes = 128;
  /// As many elements as this many bytes are worth a block of their own.
  static constexpr std::int64_t bytes_a_block = 16384;
  /// What order::any_device cuts an array for: an H200.
  static constexpr int multiprocessors = 132;
};

}  // namespace tessera::grid::detail
