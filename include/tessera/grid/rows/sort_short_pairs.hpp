// Sorts rows of keys of up to 4 bytes, with their values, whose columns a few lanes, a warp or a block sort in
// registers (row_sorter.hpp). Keys and values are then moved by the columns.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/row_sorter.hpp>
#include <tessera/grid/sort/radix_key.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A matrix, without its sizes.
template <class T>
struct rows_at {
  T* data;
  std::int64_t stride;

  TESSERA_FN T* operator[](std::int64_t row) const { return data + row * stride; }
};

/// The arguments of the kernel. An output may be the matrix that it is made of.
template <class Bits, class Value>
struct sort_pairs_task {
  rows_at<Bits const> keys;
  rows_at<Value const> values;
  rows_at<Bits> keys_out;
  rows_at<Value> values_out;
  std::int64_t row_count;
  int column_count;
  key_coding<Bits> coding;
};

/// Moves the elements of a block's rows, the first of which is row `first` of `row_count`, to their places.
///
/// Called by  all threads of the block. All lanes that move them together have read the rows before any writes.
template <class Shape, class T, class Block>
TESSERA_FN void permute_rows(Block const& block, row_sort_storage<Shape>& storage, std::int64_t row_count, int length,
                             rows_at<T const> const& from, rows_at<T> const& to) {
  T held[Shape::items];
  std::int64_t const first = std::int64_t{block.group_index().x} * Shape::rows_per_block;
  // Others stand for rows and elements that don't exist: without branches, loads wait together.
  detail::visit_sorted_places(
      block.thread_rank(), storage,
      [&](unsigned tile) { return first + tile < row_count ? from[first + tile] : from[first]; },
      [&](T const* row, unsigned i, unsigned, std::uint32_t const& word) {
        auto const place = static_cast<int>(storage.place_of(word));
        held[i] = row[place < length ? place : length - 1];
      });
  if constexpr (Shape::lanes > 32) {
    detail::barrier_of_block(block);
  } else {
    tessera::tiled_partition<32>(block).sync();
  }
  detail::visit_sorted_places(
      block.thread_rank(), storage,
      [&](unsigned tile) { return first + tile < row_count ? detail::opaque_pointer(to[first + tile]) : nullptr; },
      [&](T* row, unsigned i, unsigned at, std::uint32_t const&) {
        if (row != nullptr && static_cast<int>(at) < length) row[at] = held[i];
      });
}

/// Sorts the rows of a block.
///
/// Called by  all threads of the block.
/// storage    memory of the block.
/// Cost       one read of keys and values, another of the keys from the cache, and one write.
template <class Shape, class Bits, class Value, class Block>
TESSERA_FN void sort_short_pairs(Block const& block, sort_pairs_task<Bits, Value> const& task,
                                 row_sort_storage<Shape>& storage) {
  std::int64_t const number =
      std::int64_t{block.group_index().x} * Shape::rows_per_block + block.thread_rank() / Shape::lanes;
  bool const exists = number < task.row_count;
  Bits const* const keys = task.keys[exists ? number : 0];
  detail::sort_row<Shape>(
      block, storage, exists ? static_cast<unsigned>(task.column_count) : 0, [&](unsigned i) { return keys[i]; },
      [&](Bits x) { return task.coding.encode_equal(x); });
  detail::permute_rows<Shape>(block, storage, task.row_count, task.column_count, task.keys, task.keys_out);
  detail::permute_rows<Shape>(block, storage, task.row_count, task.column_count, task.values, task.values_out);
}

/// Moves the elements of rows to their places. Entry i of `order` is the column of the element for place i of a matrix
/// without gaps.
template <class T>
struct gather_rows {
  std::int32_t const* order;
  std::int64_t column_count;
  rows_at<T const> from;
  rows_at<T> to;

  TESSERA_FN void operator()(std::int64_t i) const {
    std::int64_t const row = i / column_count;
    to[row][i - row * column_count] = from[row][order[i]];
  }
};

/// The columns of a matrix's elements, row after row: an iterator.
template <class Index>
struct columns_in_rows {
  using value_type = Index;
  std::int64_t column_count, first;

  TESSERA_FN columns_in_rows operator+(std::int64_t i) const { return {column_count, first + i}; }
  TESSERA_FN Index operator*() const { return static_cast<Index>(first % column_count); }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
