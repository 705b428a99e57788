// Selects from segments whose lengths are known when the kernel runs: what the blocks of top_k_segments.cuh do.
//
//   lengths      700  12  100000  0        by chunks: a warp for each, but all warps of the block for the third
//                                          by digits: a tile for the second and the last, and the block for the others
//
// Each segment is the only row of a matrix of its own, so that its first element has index 0. A block has up to as many
// neighboring segments as it has warps or tiles. It selects from those that one of these holds at once, and then from
// the long ones, one after the other.
#pragma once

#include <tessera/core/lane_mask.hpp>
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

/// Selects from the segments of a block, which has as many warps at least.
///
/// Called by  all threads of the block.
/// shared     Shape::room entries for each warp.
template <class Shape, class Bits, class Segments, class Block>
TESSERA_FN void select_from_segments_in_chunks(Block const& block, top_k_rows_task<Bits> const& task,
                                               segments_of_block<Segments> const& own, typename Shape::entry* shared) {
  unsigned const warps = static_cast<unsigned>(block.size()) / 32, warp = block.thread_rank() / 32;
  // Each warp takes its segment at turn 0, and all warps segment i at turn i + 1. There is one call of the agent, which
  // has many instructions.
  TESSERA_LOOP
  for (unsigned turn = 0; turn <= own.each; ++turn) {
    bool const alone = turn == 0;
    unsigned const i = alone ? warp : turn - 1;
    segment_range const range = own[i];
    if ((range.length > top_k_rows_tuning::most_of_warp) == alone || i >= own.each) continue;
    if (!alone) block.sync();  // the lists are free
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
  constexpr int width = row_vector_length<Bits>, held = static_cast<int>(Short::lanes * Short::vectors - 1) * width + 1;
  static_assert(Short::threads == Shape::threads && Short::most >= held);
  unsigned const i = block.thread_rank() / Short::lanes;
  segment_range const range = own[i];
  bool const is_long = range.length > held;
  auto of_tile = detail::task_of_segment(task, is_long ? segment_range{range.begin, 0} : range);
  if (is_long || i >= own.each) of_tile.row_count = 0;
  // Tiles of a warp select as many.
  int const longest = tessera::reduce(tessera::tiled_partition<32>(block), of_tile.column_count, maximum{}, converged);
  if (of_tile.k > longest) of_tile.k = longest;
  top_k_short_rows_agent<Short, Bits, Block>(block, of_tile).run(own.first + i);
  if (!tessera::any_of(team.tile(), is_long, converged)) return;
  TESSERA_LOOP
  for (unsigned s = 0; s < own.each; ++s) {
    segment_range const its = own[s];
    if (its.length <= held) continue;
    team.sync();
    detail::select_from_row_by_digits<Shape>(team, detail::task_of_segment(task, its), own.first + s);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
