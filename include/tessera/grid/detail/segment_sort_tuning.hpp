// The numbers of grid::sort_segments.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How a block sorts segments in its temporary storage.
struct segment_sort_tuning {
  static constexpr unsigned threads = 256, warps = threads / 32;
  /// At most so many segments at a time. They are listed in 16 bits.
  static constexpr unsigned most_segments = 1024;
  /// Entries of a lane in a warp's chunk, and of a lane's slice of a merge.
  static constexpr unsigned chunk_items = 8, chunk = 32 * chunk_items;
  /// A block's part of the path has at least so many elements and boundaries.
  static constexpr unsigned least_part = 1024;
};

/// The segments that a warp sorts several at a time: those of up to `most[c]` elements, each by a tile of `lanes[c]` lanes. Longer
/// ones are sorted in chunks.
struct segment_class {
  static constexpr unsigned count = 4;
  static constexpr unsigned most[count] = {8, 32, 64, 128};
  static constexpr unsigned lanes[count] = {1, 8, 16, 32};

  /// The class of a segment of n > 1 elements; `count` if it is sorted in chunks.
  TESSERA_FN static constexpr unsigned of(unsigned n) {
    return n <= 8 ? 0 : n <= 32 ? 1 : n <= 64 ? 2 : n <= 128 ? 3 : 4;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
