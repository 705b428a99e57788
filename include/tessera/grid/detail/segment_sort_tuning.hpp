// The numbers of grid::sort_segments.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// How a block sorts segments in its temporary storage. Not measured yet.
struct segment_sort_tuning {
  static constexpr unsigned threads = 256, warps = threads / 32;
  /// At most so many segments at a time, which are listed in 16 bits. For a window a block looks at `least_segments`, and twice as
  /// many as the window before had.
  static constexpr unsigned most_segments = 1024, least_segments = 64;
  /// A block's part of the path has at least so many elements and boundaries.
  static constexpr unsigned least_part = 1024;
};

/// The networks of a kernel: by which of them a segment is sorted.
///
///   elements        2 … 8    9 … 32    33 … 64    65 … 128    more
///   lanes × items   1 × 8    8 × 4     16 × 4     32 × 4      32 × 8 for each chunk
///   Few             8 × 4    8 × 4     32 × 4                 32 × 4 for each chunk
///
/// Few: where entries are compared by a function of the user's, which each comparator of each network calls. A kernel with all
/// networks would take half a minute to compile.
template <bool Few>
struct segment_networks {
  /// Classes of segments that a warp sorts several at a time. Longer ones are sorted in chunks.
  static constexpr unsigned classes = 4;
  template <unsigned Class>
  static constexpr unsigned lanes = Class == 0   ? 1
                                    : Class == 1 ? 8
                                    : Class == 2 ? 16
                                                 : 32;
  template <unsigned Class>
  static constexpr unsigned items = Class == 0 ? 8 : 4;
  static constexpr unsigned chunk_items = Few ? 4 : 8, chunk = 32 * chunk_items;
  /// Segments that are sorted in chunks are longer than this, and than half a chunk if they have several.
  static constexpr unsigned not_in_chunks = Few ? 32 : 128;

  /// The class of a segment of n > 1 elements; `classes` if it is sorted in chunks.
  TESSERA_FN static constexpr unsigned class_of(unsigned n) {
    if (Few) return n <= 32 ? 1 : classes;
    return n <= 8 ? 0 : n <= 32 ? 1 : n <= 64 ? 2 : n <= 128 ? 3 : classes;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
