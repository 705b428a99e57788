// Sorts rows of keys of up to 4 bytes, with their values, whose columns the lanes of a warp, or a few of them, hold in
// registers.
//
//   keys               −0     5      +0     −3
//   words              2‖0    3‖1    2‖2    1‖3      the code that equal keys share ‖ the column
//   sorted             1‖3    2‖0    2‖2    3‖1      no two are equal: the sort is stable
//   columns            3      0      2      1        that keys and values are then moved by
#pragma once

#include <tessera/grid/rows/sort_short_rows.hpp>
#include <tessera/sort.hpp>
#include <tessera/transpose.hpp>

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

/// The code of a key above its column, in half of the bits each: words of keys of up to 16 bits have 32 bits.
template <class Bits>
using sort_pairs_word = stl::conditional_t<sizeof(Bits) == 4, std::uint64_t, std::uint32_t>;

/// Moves the elements of a row to its first `length` places. Item i of a lane's `order` is the column of the element
/// for place i · lanes + rank.
///
/// Called by  all lanes of the tile. All have read the row before any writes.
template <class T, class Tile, class Order>
TESSERA_FN void permute_row(Tile const& tile, Order const& order, int length, T const* from, T* to) {
  constexpr unsigned items = Order::size();
  auto const rank = tile.thread_rank(), lanes = tile.num_threads();
  T held[items];
  TESSERA_UNROLL
  for (unsigned i = 0; i < items; ++i)
    if (static_cast<int>(i * lanes + rank) < length) held[i] = from[order[i]];
  tile.sync();
  TESSERA_UNROLL
  for (unsigned i = 0; i < items; ++i)
    if (static_cast<int>(i * lanes + rank) < length) to[i * lanes + rank] = held[i];
}

/// Sorts the rows of a block.
///
/// Called by  all threads of the block.
/// Cost       one read of keys and values, another of the keys from the cache, and one write.
template <class Shape, class Bits, class Value, class Block>
TESSERA_FN void sort_short_pairs(Block const& block, sort_pairs_task<Bits, Value> const& task) {
  using word = sort_pairs_word<Bits>;
  constexpr unsigned items = Shape::vectors * row_vector_length<word>, column_bits = 4 * sizeof(word);
  static_assert(Shape::lanes * items <= 1u << 16);
  auto const tile = tessera::tiled_partition<Shape::lanes>(block);
  std::int64_t const number =
      std::int64_t{block.group_index().x} * Shape::rows_per_block + block.thread_rank() / Shape::lanes;
  bool const exists = number < task.row_count;
  std::int64_t const row = exists ? number : 0;
  int const length = exists ? task.column_count : 0;
  Bits const* const keys = task.keys[row];
  auto words = detail::from_words<tessera::items<word, items>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < items; ++i) {
    unsigned const column = i * Shape::lanes + tile.thread_rank();
    words[i] = static_cast<word>(~word{0});
    if (static_cast<int>(column) < length)
      words[i] = static_cast<word>(word{task.coding.encode_equal(keys[column])} << column_bits | column);
  }
  words = tessera::sort(tile, words, less{}, converged);
  auto order = detail::from_words<tessera::items<std::uint16_t, items>>({});
  TESSERA_UNROLL
  for (unsigned i = 0; i < items; ++i) order[i] = static_cast<std::uint16_t>(words[i]);
  order = tessera::blocked_to_striped(tile, order, converged);
  detail::permute_row(tile, order, length, keys, task.keys_out[row]);
  detail::permute_row(tile, order, length, task.values[row], task.values_out[row]);
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
