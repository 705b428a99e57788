// The numbers of grid::reduce_segments that were chosen by measuring.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The steps in which a warp walks its part of the elements and boundaries. Other measurements: benchmark/tuning.md.
struct segments_tuning {
  static constexpr unsigned threads = 128;
  /// The most blocks: fewer if shared memory has no room for them.
  static constexpr unsigned blocks_per_multiprocessor = 4;
  static constexpr unsigned shared_bytes_per_multiprocessor = 227 * 1024;
  /// The bytes of elements that a lane reduces at a time, and the most elements: 32.
  static constexpr unsigned bytes = 128;
  static constexpr unsigned most_items = 32;
  /// The boundaries that a lane handles with these elements: `few_boundaries` if the mean length in a warp's part is at
  /// least `long_mean` elements, else `many_boundaries`. A tile with more boundaries has fewer elements. If
  /// boundaries are few, elements are loaded with load_streaming.
  static constexpr unsigned few_boundaries = 2;
  static constexpr unsigned many_boundaries = 4;
  static constexpr unsigned long_mean = 32;
};

/// An upper bound of the bytes of a segment_part, by which blocks pass unfinished results to each other. A result has
/// `result` bytes, and its alignment is at most that.
constexpr std::size_t segment_part_bytes(std::size_t result) {
  return result > 16 ? 3 * result + 16 : (result + 4 + 15) / 16 * 16 + 16;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
