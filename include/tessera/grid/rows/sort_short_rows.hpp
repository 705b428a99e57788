// Sorts rows that the lanes of a warp, or a few of them, hold in registers: keys of the numbers, from which they are
// made again (sort/radix_key.hpp).
#pragma once

#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/sort/radix_key.hpp>
#include <tessera/lanes.hpp>
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

/// A kernel whose tiles of `Lanes` lanes each hold a row, `Vectors` vectors of 16 bytes a lane.
template <unsigned Lanes, unsigned Vectors, unsigned Threads>
struct sort_tile_shape {
  static constexpr unsigned lanes = Lanes, vectors = Vectors, threads = Threads, rows_per_block = Threads / Lanes;
};

struct sort_rows_tuning {
  static constexpr unsigned threads = 128;
  /// The vectors of 16 elements, or of 8 if these have 8 bytes; and of 32, or 16, for the longest rows.
  template <class Bits>
  static constexpr unsigned vectors = (sizeof(Bits) == 8 ? 8 : 16) / row_vector_length<Bits>;
  template <class Bits>
  static constexpr unsigned most_vectors = 2 * vectors<Bits>;
};

/// The vectors of a row that a lane of its tile has, from vector `begin` on.
template <class Bits>
struct sorted_part {
  Bits* row;
  int length, begin;

  TESSERA_FN void store(int v, packed<Bits> const& x) const {
    int const at = (begin + v) * static_cast<int>(row_vector_length<Bits>);
    if (at < length) detail::store_part(row + at, at, length, x);
  }
};

/// Stores the vectors of a warp's lanes. Two lanes exchange half of theirs, so that they store 32 bytes together, which
/// is what memory takes at once:
///
///   has        a b c d     e f g h
///   store      a   c  e  g
///                b   d  f  h
///
/// part_of(thread)  the part of a thread of the block.
template <class Bits, unsigned Vectors, class Block, class PartOf>
TESSERA_FN void store_sorted_parts(Block const& block, packed<Bits> const (&x)[Vectors], PartOf const& part_of) {
  unsigned const thread = block.thread_rank();
  if constexpr (Vectors % 2 != 0) {
    TESSERA_UNROLL
    for (unsigned v = 0; v < Vectors; ++v) part_of(thread).store(static_cast<int>(v), x[v]);
  } else {
    using vectors_t = tessera::items<packed<Bits>, Vectors / 2>;
    bool const is_second = thread % 2 != 0;
    auto exchanged = detail::from_words<vectors_t>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Vectors / 2; ++i) exchanged[i] = detail::select(is_second, x[2 * i], x[2 * i + 1]);
    exchanged = tessera::butterfly(tessera::tiled_partition<32>(block), exchanged, 1, converged);
    sorted_part<Bits> const first = part_of(thread & ~1u), second = part_of(thread | 1u);
    TESSERA_UNROLL
    for (unsigned i = 0; i < Vectors / 2; ++i) {
      int const v = static_cast<int>(2 * i + (is_second ? 1 : 0));
      first.store(v, detail::select(is_second, exchanged[i], x[2 * i]));
      second.store(v, detail::select(is_second, x[2 * i + 1], exchanged[i]));
    }
  }
}

/// Sorts the rows of a block.
///
/// Called by  all threads of the block.
/// Cost       one read and one write of the rows.
template <class Shape, class Bits, class Block>
TESSERA_FN void sort_short_rows(Block const& block, sort_rows_task<Bits> const& task) {
  using key = stl::conditional_t<sizeof(Bits) == 8, std::uint64_t, std::uint32_t>;
  constexpr unsigned width = row_vector_length<Bits>, items = Shape::vectors * width;
  auto const tile = tessera::tiled_partition<Shape::lanes>(block);
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
  detail::store_sorted_parts(block, sorted, [&](unsigned thread) {
    top_k_row<Bits> const its = row_of(thread);
    return sorted_part<Bits>{task.out + its.number * task.out_stride, its.length,
                             static_cast<int>(thread % Shape::lanes * Shape::vectors)};
  });
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
