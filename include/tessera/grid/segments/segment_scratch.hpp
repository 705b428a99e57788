// The workspace of a call on segments that makes other calls, and has arrays besides. The inner calls use the workspace
// from its start, one after the other. The arrays of the outer call are at its end.
//
//   counters, slots | tagged words: the most of any inner call | data: the most of any inner call | arrays
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/tile_words.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>
#include <tessera/grid/segments/each_segment_tuning.hpp>
#include <tessera/grid/segments/segments_tuning.hpp>
#include <tessera/grid/sort/segment_sort_tuning.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Upper bounds of the tagged words and of the bytes of data. They don't depend on the shapes of tiles.
struct segment_scratch {
  std::uint64_t words;
  std::size_t bytes;

  /// Adds an array of `array_bytes` bytes after the data.
  constexpr segment_scratch with_array(std::size_t array_bytes) const {
    return {words, detail::on_lines(bytes) + array_bytes};
  }
  /// The most of this and another.
  constexpr segment_scratch or_of(segment_scratch const& other) const {
    return {words > other.words ? words : other.words, bytes > other.bytes ? bytes : other.bytes};
  }
  /// The bytes of the whole workspace.
  constexpr std::size_t total() const { return workspace_layout::total(static_cast<std::size_t>(words), bytes); }
};

/// A look-back over n elements. The longest type has `longest` bytes, and each tile publishes `words` words.
constexpr segment_scratch look_back_scratch(std::int64_t n, std::size_t longest, std::uint64_t words) {
  auto const bytes = static_cast<std::int64_t>(longest > 4 ? longest : 4);
  return {detail::most_tiles(n, bytes) == 1 ? 0 : detail::most_tile_words(n, bytes, words), 0};
}

/// reduce_segments by offsets, with results of `result` bytes.
constexpr segment_scratch reduced_scratch(std::int64_t multiprocessors, std::size_t result) {
  return {0, static_cast<std::size_t>(multiprocessors) * segments_tuning::blocks_per_multiprocessor *
                 detail::segment_part_bytes(result)};
}
/// Scans by offsets of n elements of `element` bytes, which are combined in a type of `result` bytes.
constexpr segment_scratch scanned_scratch(std::int64_t n, std::size_t element, std::size_t result) {
  return detail::look_back_scratch(n, element > result ? element : result, (result + 3) / 4 + 1);
}
/// Sorts by offsets of n keys of `key` bytes and n values of `value` bytes.
constexpr segment_scratch sorted_scratch(std::int64_t n, std::size_t key, std::size_t value) {
  constexpr auto least = segment_sort_tuning::least_capacity;
  return {0, n <= least ? 0 : segment_sort_memory(static_cast<std::size_t>(n), least, key, value).bytes};
}

/// Calls of each_segment.cuh for `segments` segments, whose pieces have results of `result` bytes, or none.
constexpr segment_scratch each_scratch(std::int64_t segments, std::size_t result = 0) {
  return {0, piece_list_memory::of(segments, result, result > 0).bytes};
}
/// The bytes of a piece's first elements, 8 for each: room for 8 elements if `few`, else for 64.
constexpr std::size_t top_k_piece_bytes(bool few) {
  return (few ? 8 : 64) * 8;
}
/// First elements of `segments` segments, k of each.
constexpr segment_scratch top_k_segments_scratch(std::int64_t segments, std::size_t element, std::int64_t k) {
  return element > 4 || k > 64 ? segment_scratch{0, 0}
                               : detail::each_scratch(segments, detail::top_k_piece_bytes(k <= 8));
}
/// Copies of segments.
constexpr segment_scratch copied_scratch(std::int64_t segments) {
  return {0, piece_list_memory::of(segments, 0, true).bytes};
}

/// Calls that scan the lengths of `segments` segments, and keep the begins while the call that takes `inside` runs.
constexpr segment_scratch located_scratch(std::int64_t segments, segment_scratch const& inside) {
  segment_scratch const scan = detail::look_back_scratch(segments, sizeof(std::int64_t), 2);
  return inside.or_of({scan.words, 0}).with_array((static_cast<std::size_t>(segments) + 1) * sizeof(std::int64_t));
}
/// Sorts that first copy their segments into an array without gaps.
constexpr std::size_t gathered_bytes(std::int64_t n, std::size_t key, std::size_t value) {
  auto const count = static_cast<std::size_t>(n);
  return detail::on_lines(count * key) + count * value;
}
/// The calls inside them: of copies and of the sort.
constexpr segment_scratch gathering_scratch(std::int64_t n, std::int64_t segments, std::size_t key, std::size_t value) {
  return detail::sorted_scratch(n, key, value).or_of(detail::copied_scratch(segments));
}
constexpr segment_scratch gathered_scratch(std::int64_t n, std::int64_t segments, std::size_t key, std::size_t value) {
  return detail::located_scratch(segments, detail::gathering_scratch(n, segments, key, value))
      .with_array(detail::gathered_bytes(n, key, value));
}

/// sort_rows_by_key of rows that no tile holds: sorts the n columns of `row_count` rows by keys, in spare memory if
/// these have gaps. Values that are sorted in place are copied first.
struct sorted_pairs_scratch {
  segment_scratch all;
  std::size_t before_order, before_keys, before_values;

  static constexpr std::int64_t most_value_bytes = 8;
  /// The most columns of rows that a block holds with values of up to most_value_bytes bytes; of longer keys none.
  static constexpr std::int64_t most_short(std::int64_t key) { return key > 4 ? 0 : 4096; }

  constexpr sorted_pairs_scratch(std::int64_t n, std::int64_t row_count, std::size_t key, bool spare_keys,
                                 std::size_t spare_value)
      : all(detail::located_scratch(row_count, detail::sorted_scratch(n, key, sizeof(std::int32_t)))),
        before_order(add(n, sizeof(std::int32_t))),
        before_keys(add(n, spare_keys ? key : 0)),
        before_values(add(n, spare_value)) {}

 private:
  /// The bytes before an array, which is added.
  constexpr std::size_t add(std::int64_t n, std::size_t size) {
    std::size_t const before = all.bytes;
    all = all.with_array(static_cast<std::size_t>(n) * size);
    return before;
  }
};

/// argsort_rows of rows that no block holds: sorts the n columns of `row_count` rows, as indices of `index` bytes, by
/// keys in spare memory.
struct argsorted_rows_scratch {
  segment_scratch all;
  std::size_t before_keys;

  /// The most columns of rows that a block holds.
  static constexpr std::int64_t most_short = 4096;

  constexpr argsorted_rows_scratch(std::int64_t n, std::int64_t row_count, std::size_t key, std::size_t index)
      : all(detail::located_scratch(row_count, detail::sorted_scratch(n, key, index))), before_keys(all.bytes) {
    all = all.with_array(static_cast<std::size_t>(n) * key);
  }
};

/// Selections by a comparator from rows that no tile holds: sorts copies of their elements, with the columns.
struct sorted_columns_scratch {
  segment_scratch all;
  std::size_t before_keys, before_columns;

  /// The most columns of rows that a tile holds.
  static constexpr std::int64_t most_short = 256;

  /// by_range  of each row, elements from some column on take part.
  constexpr sorted_columns_scratch(std::int64_t n, std::int64_t row_count, std::size_t key, bool by_range)
      : all(by_range ? detail::gathered_scratch(n, row_count, key, sizeof(std::int32_t))
                     : detail::located_scratch(row_count, detail::sorted_scratch(n, key, sizeof(std::int32_t)))),
        before_keys(all.bytes),
        before_columns(0) {
    auto const count = static_cast<std::size_t>(n);
    all = all.with_array(count * key);
    before_columns = all.bytes;
    all = all.with_array(count * sizeof(std::int32_t));
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
