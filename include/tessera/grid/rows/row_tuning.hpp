// The shapes of the kernels on rows, by the length of the rows: chosen by measuring.
//
// The measurements are in benchmark/tuning.md. What they show:
// Each lane should have 32 to 64 bytes outstanding, and every lane should have something to load. Several
// blocks on a multiprocessor let some load while others store. Streaming loads keep the results in the second-level
// cache. Unaligned rows are loaded with load_default, since two loads read parts of one line (24 columns: streaming
// 3787 GB/s, default 4113 GB/s). Rows of softmax and the norms are loaded with it, too (8192 x 8192: streaming 3945
// GB/s, default 4117 GB/s).
//
// How many lanes share a row, and how many vectors each of them holds, is the order in which its elements are combined.
// So one table, of shapes for aligned rows, says it for all rows of so many columns; what holds unaligned ones is made
// of it. Only what doesn't change the order may depend on the number of rows, on their alignment or the GPU: rows per
// tile, threads of a block, and how many blocks the lanes of a row are in.
#pragma once

#include <tessera/grid/parts/workspace_layout.hpp>
#include <tessera/grid/rows/row_block.hpp>
#include <tessera/grid/rows/row_task.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Shapes, by rising capacity.
template <class... Shapes>
struct row_shapes {};

/// The number of vectors that a tile of the last shape holds.
template <class... Shapes>
constexpr std::int64_t most_vectors_of(row_shapes<Shapes...>) {
  std::int64_t most = 0;
  ((most = Shapes::row_vectors), ...);
  return most;
}
/// Calls f(shape) with the first shape whose tile holds a row of so many vectors. False if no shape does.
template <class F, class... Shapes>
bool with_shape_for([[maybe_unused]] std::int64_t vectors, row_shapes<Shapes...>, [[maybe_unused]] F f) {
  return ((vectors <= static_cast<std::int64_t>(Shapes::row_vectors) && (f(Shapes{}), true)) || ...);
}

/// The size of the largest block that holds a row by as many vectors per lane as Shape's do.
template <class Shape, class... Shapes>
constexpr unsigned most_threads_like(row_shapes<Shapes...>) {
  unsigned most = 0;
  ((most = Shapes::vectors_per_lane == Shape::vectors_per_lane && Shapes::threads_per_row == Shapes::block_threads &&
                   Shapes::block_threads > most
               ? Shapes::block_threads
               : most),
   ...);
  return most;
}

template <class... Shapes, class... More>
constexpr row_shapes<Shapes..., More...> operator+(row_shapes<Shapes...>, row_shapes<More...>) {
  return {};
}
/// The shapes for rows of T, with `Widest` unless T is a double: doubles take too many registers for 8 vectors per
/// lane in blocks of 1024.
template <class Shapes, class Widest, class T>
using with_widest = decltype(Shapes{} + stl::conditional_t<sizeof(T) == 8, row_shapes<>, row_shapes<Widest>>{});

struct map_tuning {
  template <class T>
  using of_256_vectors =
      stl::conditional_t<has_16_bits<T>, row_shape<true, 64, 4, 1, 64>, row_shape<true, 128, 2, 1, 128>>;
  template <class T>
  using usual_shapes =
      row_shapes<row_shape<true, 2, 1, 4, 256>, row_shape<true, 4, 2, 1, 128>, row_shape<true, 8, 2, 1, 64>,
                 row_shape<true, 16, 2, 1, 128>, row_shape<true, 32, 2, 1, 128>, row_shape<true, 32, 4, 1, 128>,
                 of_256_vectors<T>, row_shape<true, 128, 4, 1, 128>, row_shape<true, 256, 4, 1, 256>,
                 row_shape<true, 256, 8, 1, 256>, row_shape<true, 512, 8, 1, 512>>;
  template <class T>
  using shapes = with_widest<usual_shapes<T>, row_shape<true, 1024, 8, 1, 1024>, T>;
  /// Unaligned rows by the same lanes. A lane may have room for more vectors than a row has: there are fewer kernels.
  template <class Shape>
  using unaligned = stl::conditional_t<
      (Shape::threads_per_row > 32),
      row_shape<false, Shape::threads_per_row, (Shape::vectors_per_lane > 4 ? 8 : 4), 1, Shape::threads_per_row>,
      row_shape<false, Shape::threads_per_row, (Shape::vectors_per_lane > 2 ? 4 : 2), 1, 128>>;
  /// The greatest block that holds an unaligned row: more threads have too few registers for 8 vectors each.
  static constexpr unsigned most_unaligned_threads = 512;

  /// Rows of `cluster_lanes` and more are held by clusters of `most_blocks` blocks, and few rows of at least
  /// `few_rows_vectors` by clusters of at most as many. A lane has `shared_vectors` vectors, a block at most
  /// `shared_threads` lanes, and at least `least_shared_threads`. On GPUs without clusters a block holds what it can.
  static constexpr unsigned shared_vectors = 8, shared_threads = 512, least_shared_threads = 64,
                            most_blocks = most_cluster_blocks, cluster_lanes = 1024;
  static constexpr std::int64_t few_rows_vectors = 2048;
  static constexpr std::int64_t most_shared_vectors =
      static_cast<std::int64_t>(shared_vectors) * shared_threads * most_blocks;
  /// The lanes that hold a row of so many vectors, from few_rows_vectors on: those of `shapes`, and beyond them.
  static constexpr unsigned shared_lanes(std::int64_t vectors) {
    unsigned lanes = 256;
    while (static_cast<std::int64_t>(lanes) * shared_vectors < vectors) lanes *= 2;
    return lanes;
  }
  /// The shape of both kernels that read rows twice. With more vectors, the softmax of doubles would spill.
  template <class T>
  using again = row_shape<false, 256, (sizeof(T) == 8 ? 2 : 4), 1, 256>;
  /// The most bytes of the statistic that the first of these kernels stores for a part of a row.
  static constexpr std::int64_t most_statistic_bytes = 32;
};

struct fold_tuning {
  /// Short rows of a length have one shape, of `unaligned` if it isn't empty; else unaligned rows take the lanes of
  /// `aligned`, by one kernel for all of them.
  struct short_rows {
    using aligned =
        row_shapes<row_shape<true, 2, 1, 2, 128>, row_shape<true, 4, 1, 2, 128>, row_shape<true, 8, 1, 4, 256>,
                   row_shape<true, 16, 1, 2, 128>, row_shape<true, 32, 1, 2, 128>, row_shape<true, 32, 2, 1, 128>>;
    using unaligned = row_shapes<>;
  };
  /// For reductions that are used less often: there is less to compile.
  struct few_short_rows {
    using aligned = row_shapes<>;
    using unaligned = row_shapes<row_shape<false, 8, 4, 1, 256>>;
  };
  /// Unaligned short rows: a lane of each has room for two vectors, and the kernel holds two rows.
  using by_lanes = block_shape<false, 2, 256>;
  static constexpr unsigned rows_by_lanes = 2;
  /// With more vectors, values of 24 bytes, such as moments of doubles, would spill.
  template <class Value>
  using medium = row_shape<false, 32, (sizeof(Value) > 16 ? 2 : 4), 1, 256>;
  static constexpr std::int64_t long_vectors = 1024;
  template <bool Aligned>
  using large_shape = row_shape<Aligned, 256, 4, 1, 256>;
  using large = large_shape<false>;
  /// The number of blocks that is enough for a multiprocessor. If rows are fewer, several blocks share the parts of a
  /// row (fold_rows.hpp). Multiprocessors end together if there are more, with at least so many parts each.
  static constexpr std::int64_t blocks_per_multiprocessor = 8, most_blocks_per_multiprocessor = 24, least_parts = 4;
  /// The most rows that blocks share: a workspace has one counter for each such row.
  static constexpr std::int64_t most_shared_rows = workspace_layout::counter_bytes / sizeof(unsigned);
};

/// The number of blocks that share a row of so many parts, if there are so few rows that several should.
inline std::int64_t splits_of(std::int64_t row_count, std::int64_t parts, int multiprocessors) noexcept {
  using tuning = fold_tuning;
  auto const with_blocks = [&](std::int64_t of_multiprocessor) {
    return (of_multiprocessor * multiprocessors + row_count - 1) / (row_count > 0 ? row_count : 1);
  };
  std::int64_t const enough = with_blocks(tuning::blocks_per_multiprocessor),
                     most = with_blocks(tuning::most_blocks_per_multiprocessor),
                     with_parts = parts / tuning::least_parts, more = most < with_parts ? most : with_parts,
                     splits = enough < more ? more : enough;
  return splits < parts ? splits : parts;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
