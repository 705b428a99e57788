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
/// Whole     see row_lane; where rows aren't, or have lengths, false
/// W, V      lanes that share a row, and vectors of each
/// R         rows that a tile holds at once
/// Threads   of a block
template <bool Whole_, unsigned W_, unsigned V_, unsigned R_, unsigned Threads_>
struct row_shape {
  static constexpr bool Whole = Whole_;
  static constexpr unsigned W = W_, V = V_, R = R_, Threads = Threads_;
  static constexpr unsigned tiles = Threads / W;
  template <class T>
  using lane = row_lane<T, Whole, W, V>;

  /// The number of the first of the R rows of this thread's tile; the next are `tiles` apart.
  template <class Block>
  TESSERA_FN static std::int64_t first_row(Block const& block) {
    return static_cast<std::int64_t>(block.group_index().x) * (R * tiles) + block.thread_rank() / W;
  }
  /// Loads the vectors of lane `rank` of these rows; nothing of rows that aren't there.
  template <class T>
  TESSERA_FN static void load(row_task<T> const& task, unsigned rank, std::int64_t first, lane<T> (&to)[R]) {
    TESSERA_UNROLL
    for (unsigned r = 0; r < R; ++r) {
      std::int64_t const row = first + r * tiles;
      bool const there = row < task.rows;
      to[r].load(task.in + (there ? row : 0) * task.in_stride, rank, 0,
                 there ? task.template limit<Whole>(row) : 0);
    }
  }
};

}  // namespace tessera::grid::detail
