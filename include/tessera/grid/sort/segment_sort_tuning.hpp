// The numbers of grid::sort_segments.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>

#include <cstddef>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The sort of segments in a block's temporary storage. benchmark/tuning.md has what was tried.
struct segment_sort_tuning {
  static constexpr unsigned threads = 256, warps = threads / 32;
  /// A window has at most most_segments segments, whose numbers are listed in 16 bits. A block reads the ends of
  /// least_segments for its first window, and later of a quarter and more_segments more than the previous window had.
  static constexpr unsigned most_segments = 1024, least_segments = 256, more_segments = 64;
  /// The whole block sorts segments of more than most_by_warps keys of 4 bytes, in parts of `part` keys, block_items a
  /// lane. (For 16-bit keys the kernel would spill.)
  static constexpr unsigned block_items = 8, part = threads * block_items, most_by_warps = 1024;
  /// The least number of elements and boundaries together in a block's part of the path.
  static constexpr unsigned least_part = 1024;
  /// The least capacity of any codec: the number of entries that a block sorts at a time.
  static constexpr unsigned least_capacity = 1024;
};

/// The workspace's data where a segment may be longer than `capacity` entries: a list of the tiles of long segments, n
/// spare keys of `key` bytes, and n spare values of `value` bytes.
struct segment_sort_memory {
  std::size_t list_bytes, key_bytes, bytes;

  constexpr segment_sort_memory(std::size_t n, std::size_t capacity, std::size_t key, std::size_t value)
      : list_bytes(detail::on_lines(2 * n / capacity * bytes_of_tile)),
        key_bytes(detail::on_lines(n * key)),
        bytes(list_bytes + key_bytes + n * value) {}

  static constexpr std::size_t bytes_of_tile = 16;
};

/// The sorting networks of a kernel, by the length of a segment.
///
///   elements        2 … 8    9 … 32    33 … 64    65 … 128    more
///   lanes × items   1 × 8    4 × 8     8 × 8      16 × 8      32 × 8 for each chunk
///   Few             8 × 4    8 × 4                            32 × 4 for each chunk
///
/// A lane has many items, since a comparator within a lane takes two instructions, while one between two lanes takes
/// two instructions and a shuffle in each of them.
///
/// Few is true where a user's function compares entries. Every comparator of every network calls it, and a kernel with
/// all networks would take half a minute to compile.
template <bool Few>
struct segment_networks {
  static constexpr unsigned chunk_items = Few ? 4 : 8, chunk = 32 * chunk_items;
  /// Classes of segments that a warp sorts in one go, most of them several at a time. Longer ones are sorted in chunks.
  static constexpr unsigned classes = Few ? 1 : 4;
  template <unsigned Class>
  static constexpr unsigned lanes = Few          ? 8
                                    : Class == 0 ? 1
                                                 : 2u << Class;
  template <unsigned Class>
  static constexpr unsigned items = Few ? 4 : 8;
  /// A segment that is sorted in chunks has more than this number of elements for each of its chunks.
  static constexpr unsigned not_in_chunks = lanes<classes - 1> * items<classes - 1>;

  /// The class of a segment of n > 1 elements; `classes` if it is sorted in chunks.
  TESSERA_FN static constexpr unsigned class_of(unsigned n) {
    if (n > not_in_chunks) return classes;
    if (Few) return 0;
    return n <= 8 ? 0 : n <= 32 ? 1 : n <= 64 ? 2 : n <= 128 ? 3 : 4;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
