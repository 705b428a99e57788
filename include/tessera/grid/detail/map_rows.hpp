// Rows to rows through a statistic of each: what softmax and the norms have in common.
//
//   load      each lane its vectors of a row, all loads on their way at once
//   measure   what the row's elements have in common: (max, Σ exp), or (count, mean, Σ squared distances)
//   join      of a row that several blocks share: their statistics combined
//   map       each element by the row's statistic; stored
//
// A Map tells what is measured, and what becomes of an element:
//
//   statistic, combine            a type, and the operator that joins those of two parts of a row: combining() is one
//   of_lane(lane)                 the statistic of one lane's elements
//   measure(tile, lane, n)        that of a tile's n elements, in every lane
//   settle(lane, all)             what of_lane and measure do to the elements, where the row's statistic is `all`
//   finish(own, all)              what `map` needs, of the tile's statistic and of the row's
//   map(lane, v, finished, columns)   vector v of the result
#pragma once

#include <tessera/grid/detail/row_task.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>

namespace tessera::grid::detail {

/// R rows of each tile of W lanes, which hold a row in V vectors each.
///
/// Called by  all threads of the blocks of a grid, which has a tile for every R rows.
/// Cost       one read and one write of each element; two `reduce` of a tile and row.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_rows(Block const& block, row_task<T> const& task, Map const& map) {
  using lane_t = typename Shape::template lane<T>;
  constexpr unsigned W = Shape::W, R = Shape::R;
  auto const tile = detail::row_tile<W>(block);
  unsigned const rank = tile.thread_rank();
  std::int64_t const first = Shape::first_row(block);

  lane_t lane[R];
  Shape::load(task, rank, first, lane);
  TESSERA_UNROLL
  for (unsigned r = 0; r < R; ++r) {
    auto const own = map.measure(tile, lane[r], lane[r].limit);
    auto const finished = map.finish(own, own);
    std::int64_t const row = first + r * Shape::apart;
    if (row < task.rows) {
      T* const to = task.out + row * task.out_stride;
      TESSERA_UNROLL
      for (unsigned v = 0; v < Shape::V; ++v) {
        if (lane[r].index(v) < task.columns)
          lane[r].store(to, v, task.columns, map.map(lane[r], v, finished, task.columns));
      }
    }
  }
}

/// One block's part of a row that `blocks` share: block `which` of them holds an equal number of vectors a lane.
/// join(own) is the statistic of the whole row, from those of all blocks.
///
/// Called by  all lanes of a tile of W, which hold blocks · W · V vectors together.
template <class Shape, class T, class Map, class Tile, class Join>
TESSERA_FN void map_part(Tile const& tile, row_task<T> const& task, Map const& map, std::int64_t row,
                         unsigned which, unsigned blocks, Join join) {
  constexpr int E = row_vector_length<T>, W = static_cast<int>(Shape::W);
  T const* const from = task.in + row * task.in_stride;
  int const lanes = static_cast<int>(blocks) * W;
  int const each = (detail::vector_count(from, task.columns) + lanes - 1) / lanes;  // vectors a lane
  int const first = static_cast<int>(which) * each * W;
  int const begin = first * E - (Shape::Whole ? 0 : detail::shift_of(from)), end = begin + each * W * E;
  int const limit = minimum{}(task.template limit<Shape::Whole>(row), end),
            columns = minimum{}(task.columns, end);

  typename Shape::template lane<T> lane;
  lane.load(from, tile.thread_rank(), first, limit);
  auto const own = map.measure(tile, lane, maximum{}(limit - maximum{}(begin, 0), 0));
  auto const finished = map.finish(own, join(own));
  T* const to = task.out + row * task.out_stride;
  TESSERA_UNROLL
  for (unsigned v = 0; v < Shape::V; ++v) {
    if (lane.index(v) < columns) lane.store(to, v, columns, map.map(lane, v, finished, task.columns));
  }
}

/// The second read of rows that didn't fit: a part of each, by the statistics that fold_rows has left, `splits` a row.
///
/// Called by  all threads of the blocks of W threads of a grid, which has `splits` blocks a row.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_rows_again(Block const& block, row_task<T> const& task, Map const& map,
                               typename Map::statistic const* parts, unsigned splits) {
  constexpr int step = static_cast<int>(Shape::W * Shape::V);
  using lane_t = typename Shape::template lane<T>;
  using statistic = typename Map::statistic;
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row = block.group_index().x / splits;
  unsigned const part = block.group_index().x % splits;

  auto const combine = map.combining();
  statistic some = operator_traits<typename Map::combine, statistic>::identity(combine);
  for (unsigned i = warp.thread_rank(); i < splits; i += 32) some = combine(some, parts[row * splits + i]);
  statistic const all = tessera::reduce(warp, some, combine, converged);
  auto const finished = map.finish(all, all);

  T const* const from = task.in + row * task.in_stride;
  T* const to = task.out + row * task.out_stride;
  int const vectors = detail::vector_count(from, task.columns);
  for (int at = static_cast<int>(part) * step; at < vectors; at += static_cast<int>(splits) * step) {
    lane_t lane;
    lane.load(from, block.thread_rank(), at, task.template limit<Shape::Whole>(row));
    map.settle(lane, all);
    TESSERA_UNROLL
    for (unsigned v = 0; v < Shape::V; ++v) {
      if (lane.index(v) < task.columns)
        lane.store(to, v, task.columns, map.map(lane, v, finished, task.columns));
    }
  }
}

}  // namespace tessera::grid::detail
