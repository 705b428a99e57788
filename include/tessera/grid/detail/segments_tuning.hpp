// The numbers of grid::reduce_segments that were chosen by measuring.
#pragma once

namespace tessera::grid::detail {

/// On an H200 sums of 2^27 floats in segments of Zipf lengths, mean 8 / 64 / 1024, take 263 / 228 / 221 µs with
/// these. It is the instructions that take the time, some 550 of a warp for a tile, at four blocks: a fifth one has
/// no room in the registers.
struct segments_tuning {
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_a_multiprocessor = 4;
  /// Bytes of elements that a lane reduces at a time, and how many elements they are at most.
  static constexpr unsigned bytes = 64;
  static constexpr unsigned most_items = 16;
  /// Ends of segments that a block looks at for that many elements, and bytes of their results at most: enough for a
  /// mean length of 4, below which a tile has fewer elements (of 2: 759 µs).
  static constexpr unsigned most_ends = 1024;
  static constexpr unsigned result_bytes = 8192;
};

}  // namespace tessera::grid::detail
