// What a kernel on rows is told: where they are, and how it deals them to lanes.
#pragma once

#include <tessera/grid/detail/row_lane.hpp>

#include <cstdint>

namespace tessera::grid::detail {

/// Rows in, rows out.
template <class T>
struct row_task {
  T const* in;
  T* out;
  std::int64_t in_stride, out_stride;
  std::int64_t rows;
  int columns;
  std::int32_t const* lengths;  // of each row, how many elements count; null: all

  /// How many elements of a row count.
  template <bool Whole>
  TESSERA_FN int limit(std::int64_t row) const {
    if constexpr (!Whole) {
      if (lengths) {
        int const length = lengths[row];
        return length < 0 ? 0 : length < columns ? length : columns;
      }
    }
    return columns;
  }
};

/// How a kernel deals rows to lanes.
///
///   a warp          tile 0   tile 1   tile 2   tile 3        W = 8, R = 2: its loads and stores are of neighbors
///   first row of    0        1        2        3
///   second          4        5        6        7
///
/// Whole     see row_lane; where rows aren't, or have lengths, false
/// W, V      lanes that share a row, and vectors of each
/// R         rows that a tile holds at once: one, where it is larger than a warp
/// Threads   of a block
template <bool Whole_, unsigned W_, unsigned V_, unsigned R_, unsigned Threads_>
struct row_shape {
  static constexpr bool Whole = Whole_;
  static constexpr unsigned W = W_, V = V_, R = R_, Threads = Threads_;
  static constexpr unsigned tiles = Threads / W;
  static constexpr unsigned apart = W < 32 ? 32 / W : 1;  // rows of a tile
  static_assert(W <= 32 || R == 1, "A tile of several warps has one row.");
  template <class T>
  using lane = row_lane<T, Whole, W, V>;

  /// The number of the first of the R rows of this thread's tile; the next are `apart` from each other.
  template <class Block>
  TESSERA_FN static std::int64_t first_row(Block const& block) {
    unsigned const tile = block.thread_rank() / W;
    return static_cast<std::int64_t>(block.group_index().x) * (R * tiles) + tile / apart * (R * apart) +
           tile % apart;
  }
  /// Loads the vectors of lane `rank` of these rows; nothing of rows that aren't there.
  template <wanted For = wanted::as_usual, class T>
  TESSERA_FN static void load(row_task<T> const& task, unsigned rank, std::int64_t first, lane<T> (&to)[R]) {
    TESSERA_UNROLL
    for (unsigned r = 0; r < R; ++r) {
      std::int64_t const row = first + r * apart;
      bool const there = row < task.rows;
      to[r].template load<For>(task.in + (there ? row : 0) * task.in_stride, rank, 0,
                               there ? task.template limit<Whole>(row) : 0);
    }
  }
};

}  // namespace tessera::grid::detail
