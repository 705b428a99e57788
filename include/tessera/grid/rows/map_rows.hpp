// Agents that map rows to rows through a statistic of each: what a block of each kernel of softmax and the norms does.
//
//   load      Each lane loads its row fragment; all loads are issued before one is waited for.
//   measure   The threads that share a row compute its statistic: (max, Σ exp), or (count, mean, Σ squared distances).
//   map       Each element is mapped by the row's statistic, and stored.
//
// The columns of a row decide how many threads share it, and which of them holds which element (row_tuning.hpp): as
// many lanes of a warp, a block, or several blocks. How many blocks they are in doesn't change a row's bits. Longer
// rows are cut into parts, as in fold_rows.hpp.
//
// A Map says what is measured, and what becomes of an element:
//
//   number                        the type that elements are computed in
//   statistic, combine            a type, and the operator that joins the statistics of two parts of a row
//   combining()                   one such operator
//   of_fragment(fragment)         the statistic of one lane's elements
//   measure(tile, fragment, n)    the statistic of a tile's n elements, in every lane, by some reduce_row
//   prepare(fragment, all)        does to the elements what of_fragment and measure do, if `all` is the row's statistic
//   finish(own, all)              what `map` needs of the tile's statistic and of the row's
//   map(fragment, v, finished, column_count)  vector v of the result
//
// A Map may have
//   reductions                    how many reduce_row `measure` calls, if they aren't two
//   for_row(row)                  the Map of one row, with all of the above, if it needs the row's number
//   store_row(fragment, finished) called by each of the row's lanes after it has stored its vectors
//   takes_many_registers          true if blocks of 1024 threads have too few for 8 vectors each
//   stores_results                true if it stores results itself, by store_results(warp, fragment, end, column_count,
//                                 finished): those of the vectors that begin below `end`. All lanes of the warp call it
//   measures_twice                true if a second measurement needs the result of a first one. The statistic has both,
//                                 as `first`, of type first_result, and `second`. Rows that are read again are measured
//                                 by of_fragment twice: while the member `firsts` is null for the first result, then,
//                                 with those of all rows there, for the second one
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/row_block.hpp>
#include <tessera/grid/rows/row_task.hpp>
#include <tessera/lanes.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Map, class = void>
inline constexpr unsigned reductions_of_map = 2;
template <class Map>
inline constexpr unsigned reductions_of_map<Map, stl::enable_if_t<(Map::reductions > 0)>> = Map::reductions;

template <class Map, class = void>
inline constexpr bool maps_by_row = false;
template <class Map>
inline constexpr bool maps_by_row<Map, stl::void_t<decltype(stl::declval<Map const&>().for_row(std::int64_t{}))>> =
    true;

/// The Map of one row.
template <class Map>
TESSERA_FN decltype(auto) map_of_row(Map const& map, [[maybe_unused]] std::int64_t row) {
  if constexpr (maps_by_row<Map>) {
    return map.for_row(row);
  } else {
    return (map);
  }
}
/// The Map of one row, or of row 0 if there are fewer.
template <class Map, class T>
TESSERA_FN decltype(auto) map_for_row(Map const& map, row_task<T> const& task, std::int64_t row) {
  return detail::map_of_row(map, row < task.row_count ? row : 0);
}

template <class Map, class Fragment, class Finished, class = void>
inline constexpr bool stores_rows = false;
template <class Map, class Fragment, class Finished>
inline constexpr bool stores_rows<Map, Fragment, Finished,
                                  stl::void_t<decltype(stl::declval<Map const&>().store_row(
                                      stl::declval<Fragment const&>(), stl::declval<Finished const&>()))>> = true;

template <class Map, class = void>
inline constexpr bool takes_many_registers = false;
template <class Map>
inline constexpr bool takes_many_registers<Map, stl::enable_if_t<Map::takes_many_registers>> = true;

template <class Map, class = void>
inline constexpr bool stores_results = false;
template <class Map>
inline constexpr bool stores_results<Map, stl::enable_if_t<Map::stores_results>> = true;

template <class Map, class = void>
inline constexpr bool measures_twice = false;
template <class Map>
inline constexpr bool measures_twice<Map, stl::enable_if_t<Map::measures_twice>> = true;

/// Maps one lane's vectors and stores those that begin below `end`.
template <class Fragment, class T, class Map, class Finished>
TESSERA_FN void store_mapped(Fragment const& fragment, T* to, int end, int column_count, Map const& map,
                             Finished const& finished) {
  TESSERA_UNROLL
  for (unsigned v = 0; v < Fragment::vectors; ++v) {
    if (fragment.index(v) < end) fragment.store(to, v, end, map.map(fragment, v, finished, column_count));
  }
}

/// As above, for rows that may begin anywhere: lane i of the warp has the vector after that of lane i − 1, if both are
/// of one row.
///
///   every 16 bytes  |         |         |         |
///   lane 0              a b c   d                         a b c one by one
///   lane 1                        e f g   h               d, which lane 0 passes on, and e f g at once
///   the last lane                           i j k   l     h i j k … at once, and l
///
/// Called by  all lanes of the warp. `follows`: the lane before has the vector before. `is_followed`: the next lane has
/// the next vector.
template <class Warp, class Fragment, class T, class Map, class Finished>
TESSERA_FN void store_mapped_anywhere(Warp const& warp, Fragment const& fragment, T* to, int end, int column_count,
                                      bool follows, bool is_followed, Map const& map, Finished const& finished) {
  if constexpr (Fragment::aligned || Fragment::width == 1) {
    detail::store_mapped(fragment, to, end, column_count, map, finished);
  } else {
    constexpr int width = static_cast<int>(Fragment::width);
    int const shift = detail::shift_of(to);
    if (!tessera::any_of(warp, end > 0 && shift != 0, converged))
      return detail::store_mapped(fragment, to, end, column_count, map, finished);
    TESSERA_UNROLL
    for (unsigned v = 0; v < Fragment::vectors; ++v) {
      int const i = fragment.index(v);
      packed<T> own{};
      if (i < end) own = detail::pack<T>(map.map(fragment, v, finished, column_count), fragment.format);
      packed<T> const before = tessera::shift_up(warp, own, 1, converged);
      // A vector of memory has the end of one of the row's vectors, and the start of the next one.
      bool const is_whole = follows && i + width - shift <= end;
      bool const is_next_whole = is_followed && i + 2 * width - shift <= end;
      if (i >= end) continue;
      if (shift == 0) {
        detail::store_part(to + i, i, end, own);
        continue;
      }
      if (is_whole) detail::store_packed(to + i - shift, detail::joined_vectors<T>(before, own, width - shift));
      if (is_whole && is_next_whole) continue;
      auto const elements = detail::from_words<row_vector<T>>(own);
      TESSERA_UNROLL
      for (int j = 0; j < width; ++j) {
        bool const is_stored = j < width - shift ? is_whole : is_next_whole;
        if (!is_stored && i + j < end) to[i + j] = elements[static_cast<unsigned>(j)];
      }
    }
  }
}

/// Maps a row that `threads` threads share, `tile`. Called by all lanes of a warp; `stores` if the row exists.
template <class Block, class Tile, class Fragment, class T, class Map>
TESSERA_FN void map_row(Block const& block, Tile const& tile, unsigned threads, Fragment& fragment,
                        row_task<T> const& task, std::int64_t row, bool stores, Map const& all_rows) {
  detail::begin_row(tile);
  // All loads of the fragment come before begin_row. The row's own numbers are needed later, so their loads come after.
  auto const& map = detail::map_for_row(all_rows, task, row);
  auto const statistic = map.measure(tile, fragment, fragment.limit);
  auto const finished = map.finish(statistic, statistic);
  T* const to = task.out + (stores ? row : 0) * task.out_stride;
  if constexpr (stores_results<stl::decay_t<decltype(map)>>) {
    map.store_results(tessera::tiled_partition<32>(block), fragment, stores ? task.column_count : 0, task.column_count,
                      finished);
  } else if constexpr (Fragment::aligned || (is_row_of_warp<Tile> && Fragment::width <= 4)) {
    if (stores) detail::store_mapped(fragment, to, task.column_count, task.column_count, map, finished);
  } else {
    auto const warp = tessera::tiled_partition<32>(block);
    unsigned const lane = warp.thread_rank(), rank = tile.thread_rank();
    detail::store_mapped_anywhere(warp, fragment, to, stores ? task.column_count : 0, task.column_count,
                                  lane > 0 && rank > 0, lane < 31 && rank + 1 < threads, map, finished);
  }
  if constexpr (stores_rows<stl::decay_t<decltype(map)>, Fragment, decltype(finished)>) {
    if (stores) map.store_row(fragment, finished);
  }
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
    detail::map_row(block, tile, Shape::threads_per_row, fragment[r], task, first + r * Shape::apart,
                    first + r * Shape::apart < task.row_count, map);
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
  detail::map_row(block, tile, lanes, fragment, task, row, exists, map);
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
  detail::map_row(block, row_block<Block, typename Map::number>(block, storage), fragment.threads, fragment, task, row,
                  true, map);
}

/// Maps a block's vectors of a row that `blocks` blocks share, by a row_cluster or a row_pass, `tile`.
template <class Shape, class T, class Map, class Block, class Tile>
TESSERA_FN void map_shared_row(Block const& block, Tile const& tile, unsigned blocks, row_task<T> const& task,
                               std::int64_t row, bool stores, Map const& map) {
  typename Shape::template fragment<T> fragment;
  fragment.threads = static_cast<unsigned>(block.size()) * blocks;
  fragment.load(task.in + row * task.in_stride, tile.thread_rank(), 0, task.template limit<Shape::aligned>(row),
                task.format);
  detail::map_row(block, tile, fragment.threads, fragment, task, row, stores, map);
}

/// Does one pass over a block's vectors of a row that `blocks` blocks share: see row_pass. `values` has room for a
/// number of each block and reduction. `storage` is shared by the block.
///
/// Called by  all threads of the blocks of a grid that has `blocks` for each row.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_rows_in_passes(Block const& block, row_task<T> const& task, Map const& map, unsigned blocks,
                                   unsigned pass, typename Map::number* values,
                                   row_block_storage<typename Map::number>& storage) {
  using number = typename Map::number;
  constexpr unsigned reductions = reductions_of_map<Map>;
  std::int64_t const row = block.group_index().x / blocks;
  row_pass<Block, number> const tile(block, storage, values + row * (reductions * blocks),
                                     block.group_index().x % blocks, blocks, pass);
  detail::map_shared_row<Shape>(block, tile, blocks, task, row, pass == reductions, map);
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

/// Stores the statistics of a row's parts, of which there are row_parts::of<Shape, T>.
///
/// Called by  all threads of a grid that has `splits` blocks of Shape::threads_per_row threads for each row.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void measure_parts(Block const& block, row_task<T> const& task, Map const& map, unsigned splits,
                              typename Map::statistic* parts, part_storage<Shape, typename Map::statistic>& storage) {
  std::int64_t const row = block.group_index().x / splits;
  auto* const of_row = parts + row * row_parts::of<Shape, T>(task.column_count).count;
  detail::fold_parts<Shape>(block, task, detail::map_for_row(map, task, row), row, block.group_index().x % splits,
                            splits, storage,
                            [&](unsigned part, typename Map::statistic const& x) { of_row[part] = x; });
}

/// Stores the first result of each row, from the statistics of its parts.
///
/// Called by  all threads of a grid that has a warp for each row.
template <class Map, class Block>
TESSERA_FN void join_first_results(Block const& block, Map const& map, typename Map::statistic const* parts,
                                   unsigned part_count, std::int64_t row_count, typename Map::first_result* firsts) {
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row = std::int64_t{block.group_index().x} * (block.size() / 32) + block.thread_rank() / 32;
  if (row >= row_count) return;
  auto const all = detail::join_parts(warp, map, parts + row * part_count, part_count);
  if (warp.thread_rank() == 0) firsts[row] = all.first;
}

/// Maps a part of a row that didn't fit in registers, which is the second read of it: by the statistics of the row's
/// parts, which measure_parts stored.
///
/// Called by  as measure_parts.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_rows_again(Block const& block, row_task<T> const& task, Map const& all_rows,
                               typename Map::statistic const* parts, unsigned splits) {
  constexpr int step = static_cast<int>(Shape::row_vectors);
  constexpr unsigned threads = Shape::threads_per_row;
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row = block.group_index().x / splits;
  unsigned const which = block.group_index().x % splits, rank = block.thread_rank();
  unsigned const part_count = row_parts::of<Shape, T>(task.column_count).count;
  auto const all = detail::join_parts(warp, all_rows, parts + row * part_count, part_count);
  auto const& map = detail::map_for_row(all_rows, task, row);
  auto const finished = map.finish(all, all);

  T const* const from = task.in + row * task.in_stride;
  T* const to = task.out + row * task.out_stride;
  int const vectors = detail::vectors_of_columns<T>(task.column_count);
  for (int at = static_cast<int>(which) * step; at < vectors; at += static_cast<int>(splits) * step) {
    typename Shape::template fragment<T> fragment;
    fragment.load(from, rank, at, task.template limit<Shape::aligned>(row), task.format);
    map.prepare(fragment, all);
    if constexpr (stores_results<stl::decay_t<decltype(map)>>) {
      map.store_results(warp, fragment, task.column_count, task.column_count, finished);
    } else {
      detail::store_mapped_anywhere(warp, fragment, to, task.column_count, task.column_count, warp.thread_rank() > 0,
                                    warp.thread_rank() < 31 && rank + 1 < threads, map, finished);
    }
    if constexpr (stores_rows<stl::decay_t<decltype(map)>, decltype(fragment), decltype(finished)>)
      map.store_row(fragment, finished);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
