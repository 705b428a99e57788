// Selects from segments whose lengths are known when the kernel runs: what the blocks of top_k_segments.cuh do.
//
//   lengths      700  12  100000  0        a tile of lanes for the second and the last; for the others
//                                          by chunks: a warp for the first, and all warps of the block for the third
//                                          by digits: the block, one after the other
//
// Each segment is the only row of a matrix of its own, so that its first element has index 0. A block has up to as many
// neighboring segments as it has tiles.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/top_k_digit_rows.hpp>
#include <tessera/grid/rows/top_k_rows_tuning.hpp>
#include <tessera/grid/rows/top_k_short_rows.hpp>
#include <tessera/grid/rows/top_k_stream_rows.hpp>
#include <tessera/grid/segment_list.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The segments that there are, and the first of those of a block.
template <class Segments>
struct segments_of_block {
  Segments const& segments;
  std::int64_t count, first;
  unsigned each;  // of a block

  /// The range of the block's i-th segment: an empty one if there is no such segment.
  TESSERA_FN segment_range operator[](unsigned i) const {
    return i < each && first + i < count ? segments[first + i] : segment_range{0, 0};
  }
};

/// The task of a segment, of one of all segments, whose rows have stride 0. If ties go to the higher place, that task
/// has some other `mirrored` than 0.
template <class Bits>
TESSERA_FN top_k_rows_task<Bits> task_of_segment(top_k_rows_task<Bits> task, segment_range const& range) {
  auto const length = static_cast<std::uint32_t>(range.length);
  task.in += range.begin;
  task.column_count = static_cast<int>(range.length);
  task.place_bits = length > 1 ? tessera::detail::highest_bit(length - 1) + 1 : 0;
  if (task.mirrored != 0) task.mirrored = (std::uint32_t{1} << task.place_bits) - 1;
  return task;
}

/// The elements of a segment that a tile of Short holds wherever it begins.
template <class Short, class Bits>
inline constexpr int held_by_tile = static_cast<int>(Short::lanes* Short::vectors - 1) * row_vector_length<Bits> + 1;

/// Each tile of Short selects from its segment of a block, if it holds that. Returns whether any of the block's
/// segments is longer.
///
/// Called by  all threads of the block, which has Short::threads.
template <class Short, class Bits, class Segments, class Block>
TESSERA_FN bool select_from_short_segments(Block const& block, top_k_rows_task<Bits> const& task,
                                           segments_of_block<Segments> const& own) {
  unsigned const i = block.thread_rank() / Short::lanes;
  segment_range const range = own[i];
  bool const is_long = range.length > held_by_tile<Short, Bits>;
  auto of_tile = detail::task_of_segment(task, is_long ? segment_range{range.begin, 0} : range);
  if (is_long || i >= own.each) of_tile.row_count = 0;
  // Tiles of a warp select as many.
  int const longest = tessera::reduce(tessera::tiled_partition<32>(block), of_tile.column_count, maximum{}, converged);
  if (of_tile.k > longest) of_tile.k = longest;
  top_k_short_rows_agent<Short, Bits, Block>(block, of_tile).run(own.first + i);
  return tessera::any_of(tessera::this_block_tile<Short::threads>(block), is_long, converged);
}

/// Selects from the segments of a block, which has as many tiles of Short at least.
///
/// Called by  all threads of the block.
/// shared     Shape::entries_of(the number of the block's warps).
template <class Short, class Shape, class Bits, class Segments, class Block>
TESSERA_FN void select_from_segments_in_chunks(Block const& block, top_k_rows_task<Bits> const& task,
                                               segments_of_block<Segments> const& own, typename Shape::entry* shared) {
  if (!detail::select_from_short_segments<Short>(block, task, own)) return;
  constexpr unsigned warps = Short::threads / 32;
  unsigned const warp = block.thread_rank() / 32, rounds = (own.each + warps - 1) / warps;
  // In the first turns each warp takes a segment, and then all warps take one. There is one call of the agent, which
  // has many instructions.
  TESSERA_LOOP
  for (unsigned turn = 0; turn < rounds + own.each; ++turn) {
    bool const alone = turn < rounds;
    unsigned const i = alone ? turn * warps + warp : turn - rounds;
    segment_range const range = own[i];
    if (range.length <= held_by_tile<Short, Bits> || (range.length > top_k_rows_tuning::most_of_warp) == alone)
      continue;
    if (!alone) detail::barrier_of_block(block);  // the lists are free
    auto const of_segment = detail::task_of_segment(task, range);
    top_k_stream_rows_agent<Shape, Bits, Block>(block, of_segment, shared, alone ? 1 : warps).run(own.first + i);
  }
}

/// Selects from the segments of a block, which has as many tiles of Short at least. Team is one of the block.
///
/// Called by  all threads of the block.
template <class Short, class Shape, class Bits, class Segments, class Block, class Team>
TESSERA_FN void select_from_segments_by_digits(Block const& block, Team const& team, top_k_rows_task<Bits> const& task,
                                               segments_of_block<Segments> const& own) {
  static_assert(Short::threads == Shape::threads && Short::most >= held_by_tile<Short, Bits>);
  if (!detail::select_from_short_segments<Short>(block, task, own)) return;
  TESSERA_LOOP
  for (unsigned s = 0; s < own.each; ++s) {
    segment_range const its = own[s];
    if (its.length <= held_by_tile<Short, Bits>) continue;
    team.sync();
    detail::select_from_row_by_digits<Shape>(team, detail::task_of_segment(task, its), own.first + s);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
