// The task of a kernel on rows: where the rows are, and which shape maps them to threads.
#pragma once

#include <tessera/grid/rows/row_fragment.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Rows that are read, and rows that are written.
template <class T>
struct row_task {
  T const* in;
  T* out;
  std::int64_t in_stride, out_stride;
  std::int64_t row_count;
  int column_count;
  std::int32_t const* lengths;  // how many elements of each row are valid; null: all
  element_format<T> format{};

  /// The number of valid elements of a row.
  template <bool Aligned>
  TESSERA_FN int limit(std::int64_t row) const {
    if constexpr (!Aligned) {
      if (lengths) {
        int const length = lengths[row];
        return length < 0 ? 0 : length < column_count ? length : column_count;
      }
    }
    return column_count;
  }
};

/// The shape of a kernel on rows: how it maps rows to threads.
///
///   a warp          tile 0   tile 1   tile 2   tile 3        8 threads per row, 2 rows per tile
///   first row of    0        1        2        3             A warp loads neighboring rows together.
///   second          4        5        6        7
///
/// Aligned         see row_fragment; false if rows aren't aligned, or have lengths
/// ThreadsPerRow   the size of the tile that shares a row
/// VectorsPerLane  how many vectors of a row each of its threads holds
/// RowsPerTile     how many rows a tile holds at once; 1 if the tile is larger than a warp
/// BlockThreads    the size of a block
template <bool Aligned_, unsigned ThreadsPerRow, unsigned VectorsPerLane, unsigned RowsPerTile, unsigned BlockThreads>
struct row_shape {
  static constexpr bool aligned = Aligned_;
  static constexpr unsigned threads_per_row = ThreadsPerRow;
  static constexpr unsigned vectors_per_lane = VectorsPerLane;
  static constexpr unsigned rows_per_tile = RowsPerTile;
  static constexpr unsigned block_threads = BlockThreads;
  /// Vectors of a row that a tile holds at once.
  static constexpr unsigned row_vectors = threads_per_row * vectors_per_lane;
  static constexpr unsigned tiles = block_threads / threads_per_row;
  static constexpr unsigned block_rows = rows_per_tile * tiles;
  /// The distance between a tile's rows.
  static constexpr unsigned apart = threads_per_row < 32 ? 32 / threads_per_row : 1;
  static_assert(threads_per_row <= 32 || rows_per_tile == 1, "A tile of several warps holds one row.");
  template <class T>
  using fragment = row_fragment<T, aligned, threads_per_row, vectors_per_lane>;
  template <class T>
  using whole_fragment = row_fragment<T, aligned, threads_per_row, vectors_per_lane, false, true>;

  /// The number of the first row of this thread's tile. Each next row of the tile is `apart` rows further.
  template <class Block>
  TESSERA_FN static std::int64_t first_row(Block const& block) {
    unsigned const tile = block.thread_rank() / threads_per_row;
    return static_cast<std::int64_t>(block.group_index().x) * block_rows + tile / apart * (rows_per_tile * apart) +
           tile % apart;
  }
  /// Loads the fragments of lane `rank` of its tile's rows. A row that doesn't exist has no valid elements.
  template <load_modifier Modifier = load_default, class T>
  TESSERA_FN static void load(row_task<T> const& task, unsigned rank, std::int64_t first,
                              fragment<T> (&to)[rows_per_tile]) {
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows_per_tile; ++r) {
      std::int64_t const row = first + r * apart;
      bool const exists = row < task.row_count;
      to[r].template load<Modifier>(task.in + (exists ? row : 0) * task.in_stride, rank, 0,
                                    exists ? task.template limit<aligned>(row) : 0, task.format);
    }
  }
};

/// The shape of a kernel whose threads hold a row by a number of them that is known when it runs: some lanes of a warp,
/// or a block of up to MostThreads.
template <bool Aligned, unsigned VectorsPerLane, unsigned MostThreads>
struct block_shape {
  static constexpr bool aligned = Aligned;
  static constexpr unsigned most_threads = MostThreads;
  template <class T>
  using fragment = row_fragment<T, Aligned, 0, VectorsPerLane>;
};

/// How a long row is cut: into at most `most` parts, each of as many steps of a block but the last. A step is the
/// vectors that a block holds at once.
struct row_parts {
  static constexpr unsigned most = 1024;
  /// The least steps of a part. Each part is reduced by itself, which takes a fifth of what log-sum-exp of a step of
  /// 16-bit floats takes.
  template <class T>
  static constexpr unsigned least_steps = has_16_bits<T> ? 2 : 1;

  unsigned count, steps;

  template <class Shape, class T>
  TESSERA_FN static row_parts of(int column_count) {
    constexpr unsigned step = Shape::row_vectors * row_vector_length<T>, least = least_steps<T>;
    unsigned const all = (static_cast<unsigned>(column_count) + step - 1) / step,
                   each = all > least * most ? (all + most - 1) / most : least;
    return all <= each ? row_parts{1, each} : row_parts{(all + each - 1) / each, each};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
