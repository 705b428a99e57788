// Agents that map rows to rows through a statistic of each: what a block of each kernel of softmax and the norms does.
//
//   load      Each lane loads its row fragment; all loads are issued before one is waited for.
//   measure   The tile computes the row's statistic: (max, Σ exp), or (count, mean, Σ squared distances).
//   join      If several blocks share a row, their statistics are combined.
//   map       Each element is mapped by the row's statistic, and stored.
//
// A Map says what is measured, and what becomes of an element:
//
//   number                        the type that elements are computed in
//   statistic, combine            a type, and the operator that joins the statistics of two parts of a row
//   combining()                   one such operator
//   of_fragment(fragment)         the statistic of one lane's elements
//   measure(tile, fragment, n)    the statistic of a tile's n elements, in every lane, by two reduce_row
//   prepare(fragment, all)        does to the elements what of_fragment and measure do, if `all` is the row's statistic
//   finish(own, all)              what `map` needs of the tile's statistic and of the row's
//   map(fragment, v, finished, column_count)  vector v of the result
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/rows/row_block.hpp>
#include <tessera/grid/rows/row_task.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Maps one lane's vectors and stores those that begin below `end`, the row's columns or the end of the block's part.
template <class Fragment, class T, class Map, class Finished>
TESSERA_FN void store_mapped(Fragment const& fragment, T* to, int end, int column_count, Map const& map,
                             Finished const& finished) {
  TESSERA_UNROLL
  for (unsigned v = 0; v < Fragment::vectors; ++v) {
    if (fragment.index(v) < end) fragment.store(to, v, end, map.map(fragment, v, finished, column_count));
  }
}

/// Maps a row that the threads of a tile hold.
template <class Tile, class Fragment, class T, class Map>
TESSERA_FN void map_row(Tile const& tile, Fragment& fragment, row_task<T> const& task, std::int64_t row,
                        Map const& map) {
  auto const statistic = map.measure(tile, fragment, fragment.limit);
  auto const finished = map.finish(statistic, statistic);
  if (row < task.row_count)
    detail::store_mapped(fragment, task.out + row * task.out_stride, task.column_count, task.column_count, map,
                         finished);
}

/// Maps the rows that a tile holds at once.
///
/// Called by  all threads of the blocks of a grid, which has a tile for every Shape::rows_per_tile rows.
/// Cost       one read and one write of each element; two `reduce` of a tile for each row.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_rows(Block const& block, row_task<T> const& task, Map const& map) {
  auto const tile = detail::row_tile<Shape::threads_per_row>(block);
  std::int64_t const first = Shape::first_row(block);
  typename Shape::template fragment<T> fragment[Shape::rows_per_tile];
  Shape::load(task, tile.thread_rank(), first, fragment);
  TESSERA_UNROLL
  for (unsigned r = 0; r < Shape::rows_per_tile; ++r)
    detail::map_row(tile, fragment[r], task, first + r * Shape::apart, map);
}

/// Maps a row in every `lanes` lanes, a power of two.
///
/// Called by  all threads of the blocks of a grid that has as many for each row.
/// Cost       one read and one write of each element; two exchanges of a warp for each doubling of the lanes.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_rows_by_lanes(Block const& block, row_task<T> const& task, Map const& map, unsigned lanes) {
  unsigned const shift = tessera::detail::lowest_bit(lanes),
                 rows_of_block = static_cast<unsigned>(block.size()) >> shift;
  std::int64_t const row = std::int64_t{block.group_index().x} * rows_of_block + (block.thread_rank() >> shift);
  bool const exists = row < task.row_count;
  row_lanes<Block> const tile(block, lanes);
  typename Shape::template fragment<T> fragment;
  fragment.threads = lanes;
  fragment.load(task.in + (exists ? row : 0) * task.in_stride, tile.thread_rank(), 0,
                exists ? task.template limit<Shape::aligned>(row) : 0, task.format);
  detail::map_row(tile, fragment, task, row, map);
}

/// Maps one row in each block. `storage` is shared by the block.
///
/// Called by  all threads of the blocks of a grid that has one for each row.
/// Cost       one read and one write of each element; two `reduce` of the block.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_block_rows(Block const& block, row_task<T> const& task, Map const& map,
                               row_block_storage<typename Map::number>& storage) {
  std::int64_t const row = block.group_index().x;
  typename Shape::template fragment<T> fragment;
  fragment.threads = static_cast<unsigned>(block.size());
  fragment.load(task.in + row * task.in_stride, block.thread_rank(), 0, task.template limit<Shape::aligned>(row),
                task.format);
  detail::map_row(row_block<Block, typename Map::number>(block, storage), fragment, task, row, map);
}

/// Maps one block's part of a row that `blocks` share. Each lane of every block holds an equal number of vectors.
/// join(own) is the statistic of the whole row, from those of all blocks.
///
/// Called by  all lanes of a tile of Shape::threads_per_row. All blocks together hold blocks · Shape::row_vectors
/// vectors.
template <class Shape, class T, class Map, class Tile, class Join>
TESSERA_FN void map_part(Tile const& tile, row_task<T> const& task, Map const& map, std::int64_t row, unsigned which,
                         unsigned blocks, Join join) {
  constexpr int width = row_vector_length<T>, threads = static_cast<int>(Shape::threads_per_row);
  T const* const from = task.in + row * task.in_stride;
  int const lanes = static_cast<int>(blocks) * threads;
  int const vectors_per_lane = (detail::vector_count(from, task.column_count) + lanes - 1) / lanes;
  int const first = static_cast<int>(which) * vectors_per_lane * threads;
  int const begin = first * width - (Shape::aligned ? 0 : detail::shift_of(from));
  int const end = begin + vectors_per_lane * threads * width;
  int const limit = minimum{}(task.template limit<Shape::aligned>(row), end);

  typename Shape::template fragment<T> fragment;
  fragment.load(from, tile.thread_rank(), first, limit, task.format);
  auto const own = map.measure(tile, fragment, maximum{}(limit - maximum{}(begin, 0), 0));
  auto const finished = map.finish(own, join(own));
  detail::store_mapped(fragment, task.out + row * task.out_stride, minimum{}(task.column_count, end), task.column_count,
                       map, finished);
}

/// The statistic of a row, combined from its parts' in every lane of a warp.
template <class Warp, class Map>
TESSERA_FN auto join_parts(Warp const& warp, Map const& map, typename Map::statistic const* parts, unsigned count) {
  using statistic = typename Map::statistic;
  auto const combine = map.combining();
  statistic partial = operator_traits<typename Map::combine, statistic>::identity(combine);
  for (unsigned i = warp.thread_rank(); i < count; i += 32) partial = combine(partial, parts[i]);
  return tessera::reduce(warp, partial, combine, converged);
}

/// Maps a part of a row that didn't fit in registers, which is the second read of it: by the statistics of the row's
/// `splits` parts, which fold_part computed.
///
/// Called by  all threads of a grid that has `splits` blocks of Shape::threads_per_row threads for each row.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_rows_again(Block const& block, row_task<T> const& task, Map const& map,
                               typename Map::statistic const* parts, unsigned splits) {
  constexpr int step = static_cast<int>(Shape::row_vectors);
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row = block.group_index().x / splits;
  unsigned const part = block.group_index().x % splits;
  auto const all = detail::join_parts(warp, map, parts + row * splits, splits);
  auto const finished = map.finish(all, all);

  T const* const from = task.in + row * task.in_stride;
  T* const to = task.out + row * task.out_stride;
  int const vectors = detail::vector_count(from, task.column_count);
  for (int at = static_cast<int>(part) * step; at < vectors; at += static_cast<int>(splits) * step) {
    typename Shape::template fragment<T> fragment;
    fragment.load(from, block.thread_rank(), at, task.template limit<Shape::aligned>(row), task.format);
    map.prepare(fragment, all);
    detail::store_mapped(fragment, to, task.column_count, task.column_count, map, finished);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
