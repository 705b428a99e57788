// Maps rows by statistics that are known, as those of rows of which each rank has some columns: a Map of map_rows.hpp
// without its reductions.
#pragma once

#include <tessera/grid/rows/map_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Maps `splits`-th parts of rows by `statistics[row]`. Of a Map it calls for_row, prepare, finish and map.
///
/// Called by  all threads of a grid that has Shape::threads_per_row threads, of whole warps, for each row and split. A
///            block of several tiles has a row in each, and one split.
/// Cost       one read and one write of each element.
template <class Shape, class T, class Map, class Block>
TESSERA_FN void map_known_rows(Block const& block, row_task<T> const& task, Map const& all_rows,
                               typename Map::statistic const* statistics, unsigned splits) {
  constexpr unsigned threads = Shape::threads_per_row;
  constexpr int step = static_cast<int>(Shape::row_vectors);
  static_assert(threads % 32 == 0, "Whole warps return if their row doesn't exist.");
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const which = block.group_index().x, rank = block.thread_rank() % threads;
  std::int64_t const row =
      Shape::tiles > 1 ? std::int64_t{which} * Shape::tiles + block.thread_rank() / threads : which / splits;
  if (row >= task.row_count) return;
  auto const& map = detail::map_for_row(all_rows, task, row);
  auto const all = statistics[row];
  auto const finished = map.finish(all, all);
  T* const to = task.out + row * task.out_stride;
  int const vectors = detail::vectors_of_columns<T>(task.column_count);
  int const first = Shape::tiles > 1 ? 0 : static_cast<int>(which % splits) * step;
  TESSERA_LOOP
  for (int at = first; at < vectors; at += static_cast<int>(splits) * step) {
    typename Shape::template fragment<T> fragment;
    fragment.load(task.in + row * task.in_stride, rank, at, task.template limit<Shape::aligned>(row), task.format);
    map.prepare(fragment, all);
    detail::store_mapped_anywhere(warp, fragment, to, task.column_count, task.column_count, warp.thread_rank() > 0,
                                  warp.thread_rank() < 31 && rank + 1 < threads, map, finished);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
