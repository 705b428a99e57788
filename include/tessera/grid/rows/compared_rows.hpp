// Selects from rows of any elements by a comparator: the elements' places are sorted, and the first of them stored.
//
//   elements, by the last digit     31 20 11 50
//   places                          0 1 2 3       of equal elements that of the lower column is less
//   if the higher column is first   3 2 1 0       the place is the other one's number (top_k_row.hpp)
//   sorted                          1 3 0 2, and 2 0 3 1
//
// A tile of a few lanes sorts a short row. Longer rows are copied to memory, and sorted there as segments are, with the
// columns of their elements, mirrored if the higher column is first.
#pragma once

#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/sort/segment_sort_codec.hpp>
#include <tessera/sort.hpp>
#include <tessera/transpose.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// In place of rank keys. A comparator knows no last element, which could stand for a missing one.
template <class T, class Before>
struct compared_elements {
  using bits = opaque_t<T>;
  using key = bits;
  using order = Before;
  static constexpr bool has_last_number = false;
};
template <class T, class Before>
using compared_rows_task = top_k_rows_task<opaque_t<T>, compared_elements<T, Before>>;

/// A kernel whose tiles of `Lanes` lanes each sort the places of a row, `Items` in a lane.
template <unsigned Lanes, unsigned Items, unsigned Threads>
struct compared_tile_shape {
  static constexpr unsigned lanes = Lanes, items = Items, threads = Threads, rows_per_block = Threads / Lanes;
  static constexpr int capacity = Lanes * Items;
};

struct compared_rows_tuning {
  static constexpr unsigned threads = 128;
  using narrow = compared_tile_shape<8, 4, threads>;
  using wide = compared_tile_shape<32, 8, threads>;
};

/// The numbers of the elements at places of a row.
struct places_of_row {
  std::uint32_t mirrored;

  TESSERA_FN std::uint32_t at(std::uint32_t place) const { return place ^ mirrored; }
};

/// Selects from the rows of a block, whose columns a tile holds.
///
/// Called by  all threads of the block.
/// Cost       each comparison reads two elements, nearly always from the cache; results are read once more.
template <class Shape, class T, class Before, class Block>
TESSERA_FN void select_from_compared_rows(Block const& block, compared_rows_task<T, Before> const& task) {
  auto const tile = tessera::tiled_partition<Shape::lanes>(block);
  auto const row = detail::top_k_row_of(
      task, std::int64_t{block.group_index().x} * Shape::rows_per_block + block.thread_rank() / Shape::lanes);
  positions_by<T, places_of_row, Before> const before{
      reinterpret_cast<T const*>(row.first), {task.mirrored}, task.order};
  auto places = detail::from_words<tessera::items<std::uint32_t, Shape::items>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < Shape::items; ++i) {
    auto const element = static_cast<int>(i * Shape::lanes + tile.thread_rank());
    places[i] = element < row.length ? static_cast<std::uint32_t>(element) ^ task.mirrored : before.last();
  }
  places = tessera::blocked_to_striped(tile, tessera::sort(tile, places, before, converged), converged);
  TESSERA_UNROLL
  for (unsigned i = 0; i < Shape::items; ++i) {
    auto const at = static_cast<int>(i * Shape::lanes + tile.thread_rank());
    if (at < row.k) detail::store_top_k(task, row, at, places[i]);
  }
  detail::store_no_top_k(task, row, tile.thread_rank(), Shape::lanes);
}

// ---- Long rows, one after the other without gaps, each mirrored if the task says so. `i` is a place among all.

/// The columns of the elements of all rows: an iterator.
struct columns_to_sort {
  using value_type = std::int32_t;
  std::int64_t column_count, first;
  bool mirrored;

  TESSERA_FN columns_to_sort operator+(std::int64_t i) const { return {column_count, first + i, mirrored}; }
  TESSERA_FN std::int64_t row() const { return first / column_count; }
  TESSERA_FN std::int32_t operator*() const {
    std::int64_t const column = first % column_count;
    return static_cast<std::int32_t>(mirrored ? column_count - 1 - column : column);
  }
};

/// The elements of all rows: an iterator.
template <class T>
struct elements_to_sort {
  using value_type = T;
  T const* in;
  std::int64_t stride;
  columns_to_sort places;

  TESSERA_FN elements_to_sort operator+(std::int64_t i) const { return {in, stride, places + i}; }
  TESSERA_FN T const& operator*() const { return in[places.row() * stride + *places]; }
};

/// Where the elements of each row that take part begin, or end: an iterator.
struct ends_to_sort {
  using value_type = std::int64_t;
  std::int32_t const *begins, *lengths;
  int column_count;
  bool mirrored, is_end;
  std::int64_t row;

  template <class Task>
  TESSERA_FN static ends_to_sort of(Task const& task, bool is_end, std::int64_t row) {
    return {task.begins, task.lengths, task.column_count, task.mirrored != 0, is_end, row};
  }
  TESSERA_FN ends_to_sort operator+(std::int64_t rows_after) const {
    return {begins, lengths, column_count, mirrored, is_end, row + rows_after};
  }
  TESSERA_FN std::int64_t operator*() const {
    auto const [begin, length] = detail::columns_of_row(*this, row);
    return row * column_count + (mirrored ? column_count - begin - length : begin) + (is_end ? length : 0);
  }
};

/// Stores the results of all rows, `task.results` of each, when `sorted` has the columns.
template <class Task>
struct store_sorted_rows {
  Task task;
  std::int32_t const* sorted;

  TESSERA_FN void operator()(std::int64_t i) const {
    std::int64_t const number = i / task.results, result = i - number * task.results;
    auto const row = detail::top_k_row_of(task, number);
    auto const at = static_cast<int>(result) + row.from;
    if (at >= row.k)
      return detail::store_no_top_k(task, row, static_cast<unsigned>(at - row.k), static_cast<unsigned>(task.results));
    std::int64_t const begin = *ends_to_sort::of(task, false, number);
    auto const element = static_cast<std::uint32_t>(sorted[begin + at] - row.begin);
    detail::store_top_k(task, row, at, element ^ task.mirrored);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
