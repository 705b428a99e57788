// The launchers of rows.cuh and map_launch.cuh on CPU lanes: the same shapes, of the same tables, by host blocks. What
// a GPU chooses by its multiprocessors and by whether it has clusters is the caller's choice here.
#pragma once

#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/grid/rows/row_tuning.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace test {

namespace host = tessera::host;
namespace grid_detail = tessera::grid::detail;

inline unsigned blocks_for(std::int64_t rows, unsigned each) {
  return static_cast<unsigned>((rows + each - 1) / each);
}

/// The values of a matrix's rows, by fold_matrix_by. `splits` blocks share a long row, or as many as it has parts.
template <class ShortRows, class T, class Fold>
std::vector<typename Fold::value> folded_on_host(grid_detail::row_task<T> const& task, bool aligned, Fold const& fold,
                                                 unsigned splits = 1) {
  using namespace tessera::grid::detail;
  using value = typename Fold::value;
  std::vector<value> out(static_cast<std::size_t>(task.row_count));
  auto const store = [&](std::int64_t row, value const& x) { out[static_cast<std::size_t>(row)] = x; };
  std::int64_t const vectors = vectors_of_columns<T>(task.column_count);
  auto const run_short = [&](auto shape) {
    using Shape = decltype(shape);
    host::launch_grid(blocks_for(task.row_count, Shape::block_rows), Shape::block_threads,
                      [&](host::block block) { fold_rows<Shape>(block, task, fold, store); });
  };
  auto const run_by_lanes = [&](auto shape) {
    using lanes_shape = fold_tuning::by_lanes;
    constexpr unsigned lanes = decltype(shape)::threads_per_row, rows = fold_tuning::rows_by_lanes;
    host::launch_grid(
        blocks_for(task.row_count, lanes_shape::most_threads / lanes * rows), lanes_shape::most_threads,
        [&](host::block block) { fold_rows_by_lanes<lanes_shape, rows>(block, task, fold, lanes, store); });
  };
  if (aligned && with_shape_for(vectors, typename ShortRows::aligned{}, run_short)) return out;
  if (with_shape_for(vectors, typename ShortRows::unaligned{}, run_short)) return out;
  if (with_shape_for(vectors, typename ShortRows::aligned{}, run_by_lanes)) return out;
  if (vectors < fold_tuning::long_vectors) {
    using medium = fold_tuning::medium<value>;
    host::launch_grid(blocks_for(task.row_count, medium::tiles), medium::block_threads,
                      [&](host::block block) { fold_medium_rows<medium>(block, task, fold, store); });
    return out;
  }
  using shape = fold_tuning::large;
  unsigned const parts = row_parts::of<shape, T>(task.column_count).count;
  if (splits > parts) splits = parts;
  unsigned const blocks = static_cast<unsigned>(task.row_count) * splits;
  std::vector<value> partials(static_cast<std::size_t>(task.row_count) * parts);
  std::vector<unsigned> counters(static_cast<std::size_t>(task.row_count));
  std::vector<part_storage<shape, value>> storage(blocks);
  host::launch_grid(blocks, shape::block_threads, [&](host::block block) {
    fold_large_rows<shape>(block, task, fold, splits, partials.data(), counters.data(), storage[block.group_index().x],
                           store);
  });
  return out;
}

/// What the blocks of a cluster share.
template <class X>
struct host_cluster_storage {
  using of_block = grid_detail::row_block_storage<X>;

  std::vector<of_block> blocks;
  std::vector<X> values;  // for each reduction one of each block

  explicit host_cluster_storage(unsigned count) : blocks(count), values(of_block::reductions * count) {}
};

/// What the blocks of a cluster exchange values by: tiles of a host block stand for them.
template <class Tile, class X>
struct host_cluster {
  host::block const& all;
  Tile const& block;
  host_cluster_storage<X>& shared;

  unsigned block_rank() const { return block.meta_group_rank(); }
  unsigned num_blocks() const { return block.meta_group_size(); }
  grid_detail::row_block_storage<X>& storage() const { return shared.blocks[block_rank()]; }
  void begin() const {}
  void all_gather(X const& x, unsigned number) const {
    if (block.thread_rank() == 0) shared.values[number * num_blocks() + block_rank()] = x;
    all.sync();
  }
  X value_of(unsigned b, unsigned number) const { return shared.values[number * num_blocks() + b]; }
};

/// Maps rows of `Threads · blocks` lanes by blocks that share each row. At most 1024 lanes.
template <class Shape, unsigned Threads, class T, class Map>
void map_by_host_clusters(grid_detail::row_task<T> const& task, Map const& map, unsigned blocks) {
  using namespace tessera::grid::detail;
  using number = typename Map::number;
  std::vector<host_cluster_storage<number>> storage(static_cast<std::size_t>(task.row_count),
                                                    host_cluster_storage<number>(blocks));
  host::launch_grid(static_cast<unsigned>(task.row_count), Threads * blocks, [&](host::block block) {
    auto const part = tessera::tiled_partition<Threads>(block);
    using part_t = std::decay_t<decltype(part)>;
    host_cluster<part_t, number> const cluster{block, part, storage[block.group_index().x]};
    row_cluster<part_t, host_cluster<part_t, number>> const tile(part, cluster);
    map_shared_row<Shape>(part, tile, blocks, task, block.group_index().x, true, map);
  });
}

/// Maps rows of `threads · blocks` lanes in passes.
template <class Shape, class T, class Map>
void map_in_host_passes(grid_detail::row_task<T> const& task, Map const& map, unsigned blocks, unsigned threads) {
  using namespace tessera::grid::detail;
  using number = typename Map::number;
  constexpr unsigned reductions = reductions_of_map<Map>;
  unsigned const all = static_cast<unsigned>(task.row_count) * blocks;
  std::vector<number> values(static_cast<std::size_t>(all) * reductions);
  std::vector<row_block_storage<number>> storage(all);
  for (unsigned pass = 0; pass <= reductions; ++pass) {
    host::launch_grid(all, threads, [&](host::block block) {
      map_rows_in_passes<Shape>(block, task, map, blocks, pass, values.data(), storage[block.group_index().x]);
    });
  }
}

/// Maps rows by map_matrix, those that several blocks may share by `blocks` of them, in passes; 0: by a block if one
/// holds a row. `splits` blocks share the parts of longer rows.
template <class T, class Map>
void map_on_host(grid_detail::row_task<T> const& task, bool aligned, Map const& map, unsigned blocks = 0,
                 unsigned splits = 1) {
  using namespace tessera::grid::detail;
  using number = typename Map::number;
  using tuning = map_tuning;
  std::int64_t const vectors = vectors_of_columns<T>(task.column_count);
  if (vectors > tuning::most_shared_vectors) {
    using shape = tuning::again<T>;
    using statistic = typename Map::statistic;
    unsigned const part_count = row_parts::of<shape, T>(task.column_count).count,
                   all = static_cast<unsigned>(task.row_count) * splits;
    std::vector<statistic> parts(static_cast<std::size_t>(task.row_count) * part_count);
    std::vector<part_storage<shape, statistic>> storage(all);
    auto of_rows = map;
    auto const measure = [&] {
      host::launch_grid(all, shape::block_threads, [&](host::block block) {
        measure_parts<shape>(block, task, of_rows, splits, parts.data(), storage[block.group_index().x]);
      });
    };
    auto const map_again = [&] {
      host::launch_grid(all, shape::block_threads,
                        [&](host::block block) { map_rows_again<shape>(block, task, of_rows, parts.data(), splits); });
    };
    measure();
    if constexpr (measures_twice<Map>) {
      std::vector<typename Map::first_result> firsts(static_cast<std::size_t>(task.row_count));
      host::launch_grid(blocks_for(task.row_count, 8), 256, [&](host::block block) {
        join_first_results(block, map, parts.data(), part_count, task.row_count, firsts.data());
      });
      of_rows.firsts = firsts.data();
      measure();
      map_again();
    } else {
      map_again();
    }
    return;
  }
  bool const in_block = vectors <= std::int64_t{tuning::most_unaligned_threads} * tuning::shared_vectors ||
                        (aligned && vectors <= most_vectors_of(tuning::shapes<T>{}));
  if (!in_block || (blocks > 0 && vectors >= tuning::few_rows_vectors)) {
    unsigned const lanes = tuning::shared_lanes(vectors), least = lanes / tuning::shared_threads;
    unsigned const used = blocks > least ? blocks : least > 0 ? least : 1;
    map_in_host_passes<block_shape<false, tuning::shared_vectors, tuning::shared_threads>>(task, map, used,
                                                                                           lanes / used);
    return;
  }
  auto const run = [&](auto shape) {
    using Shape = decltype(shape);
    unsigned const grid = blocks_for(task.row_count, Shape::block_rows);
    if constexpr (Shape::threads_per_row > 32) {
      using block_t = block_shape<Shape::aligned, Shape::vectors_per_lane, 1024>;
      std::vector<row_block_storage<number>> storage(grid);
      host::launch_grid(grid, Shape::block_threads, [&](host::block block) {
        map_block_rows<block_t>(block, task, map, storage[block.group_index().x]);
      });
    } else if constexpr (Shape::vectors_per_lane == 2 && Shape::rows_per_tile == 1) {
      host::launch_grid(grid, Shape::block_threads, [&](host::block block) {
        map_rows_by_lanes<block_shape<Shape::aligned, 2, 128>>(block, task, map, Shape::threads_per_row);
      });
    } else {
      host::launch_grid(grid, Shape::block_threads, [&](host::block block) { map_rows<Shape>(block, task, map); });
    }
  };
  with_shape_for(vectors, tuning::shapes<T>{}, [&](auto shape) {
    if (aligned) {
      run(shape);
    } else {
      run(tuning::unaligned<decltype(shape)>{});
    }
  });
}

}  // namespace test
