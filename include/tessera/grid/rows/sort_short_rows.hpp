// Sorts rows that a few lanes, a warp or a block hold in registers: keys of the numbers, from which they are made again
// (sort/radix_key.hpp).
#pragma once

#include <tessera/grid/rows/lane_vectors.hpp>
#include <tessera/grid/rows/row_fragment.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/sort/radix_key.hpp>
#include <tessera/sort.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The arguments of the kernel. `out` may be `in`.
template <class Bits>
struct sort_rows_task {
  Bits const* in;
  Bits* out;
  std::int64_t in_stride, out_stride, row_count;
  int column_count;
  key_coding<Bits> coding;
};

/// A kernel whose tiles of `Lanes` lanes each hold a row, `Vectors` vectors of 16 bytes a lane. Above 32 they are a
/// block.
template <unsigned Lanes, unsigned Vectors, unsigned Threads>
struct sort_tile_shape {
  static constexpr unsigned lanes = Lanes, vectors = Vectors, threads = Threads, rows_per_block = Threads / Lanes;
  static_assert(Lanes <= 32 || Lanes == Threads);
};

struct sort_rows_tuning {
  static constexpr unsigned threads = 128;
  /// The vectors of 16 elements, or of 8 if these have 8 bytes; and of 32, or 16, for the longest rows.
  template <class Bits>
  static constexpr unsigned vectors = (sizeof(Bits) == 8 ? 8 : 16) / row_vector_length<Bits>;
  template <class Bits>
  static constexpr unsigned most_vectors = 2 * vectors<Bits>;
  /// The blocks of a multiprocessor, where a row has several warps: lanes have 16 elements, or 32.
  template <class Shape, class Bits>
  static constexpr unsigned blocks_per_multiprocessor =
      Shape::lanes <= 32 ? 1 : (Shape::vectors > vectors<Bits> ? 640 : 1280) / Shape::threads;
  /// True if rows of so many vectors take less time in a tile than as segments: those of 8 bytes if they fill three
  /// quarters of several warps.
  template <class Shape, class Bits>
  static constexpr bool prefers_tile(std::int64_t row_vectors) {
    return Shape::lanes <= 32 || sizeof(Bits) < 8 || 4 * row_vectors >= std::int64_t{3 * Shape::lanes * Shape::vectors};
  }
};

/// Sorts the rows of a block.
///
/// Called by  all threads of the block.
/// Cost       one read and one write of the rows. All are read before any is written.
template <class Shape, class Bits, class Block>
TESSERA_FN void sort_short_rows(Block const& block, sort_rows_task<Bits> const& task) {
  using key = stl::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
  constexpr unsigned width = row_vector_length<Bits>, items = Shape::vectors * width;
  auto const tile = detail::row_tile<Shape::lanes>(block);
  std::int64_t const first_row = std::int64_t{block.group_index().x} * Shape::rows_per_block;
  auto const row_of = [&](unsigned thread) {
    std::int64_t const number = first_row + thread / Shape::lanes;
    bool const exists = number < task.row_count;
    return top_k_row<Bits>{
        task.in + (exists ? number * task.in_stride : 0), exists ? number : 0, 0, exists ? task.column_count : 0, 0, 0};
  };
  top_k_row<Bits> const row = row_of(block.thread_rank());
  int const first = static_cast<int>(tile.thread_rank() * width) - detail::shift_of(row.first),
            apart = static_cast<int>(Shape::lanes * width);
  auto keys = detail::from_words<tessera::items<key, items>>({});
  detail::visit_lane_items<Shape::vectors>(
      row, first, apart, [&](unsigned i, Bits x) { keys[i] = task.coding.encode(x); },
      [&](unsigned i) { keys[i] = static_cast<key>(~key{0}); });
  keys = tessera::sort(tile, keys, less{}, converged);
  packed<Bits> sorted[Shape::vectors];
  TESSERA_UNROLL
  for (unsigned v = 0; v < Shape::vectors; ++v) {
    auto x = detail::from_words<row_vector<Bits>>({});
    TESSERA_UNROLL
    for (unsigned j = 0; j < width; ++j) x[j] = task.coding.decode(static_cast<Bits>(keys[v * width + j]));
    sorted[v] = detail::to_words(x);
  }
  detail::store_lane_vectors(block, sorted, [&](unsigned thread) {
    top_k_row<Bits> const its = row_of(thread);
    return lane_vectors<Bits>{task.out + its.number * task.out_stride, its.length,
                              static_cast<int>(thread % Shape::lanes * Shape::vectors)};
  });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
