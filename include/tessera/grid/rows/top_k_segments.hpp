// Selects from segments whose lengths are known when the kernel runs: what the blocks of top_k_segments.cuh do.
//
//   lengths      700  12  20000  60  0        by chunks   a lane for the second and the last, a tile for the fourth, a
//                                                         warp for the first, and all warps of the block for the third;
//                                                         still longer ones are cut into pieces for the next kernel
//                                             by digits   tiles for short ones; the block, one after the other
//
// Each segment is the only row of a matrix of its own, so that its first element has index 0. A block has some
// neighboring segments: by chunks up to one for each thread, by digits up to one for each tile.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/top_k_digit_rows.hpp>
#include <tessera/grid/rows/top_k_rows_tuning.hpp>
#include <tessera/grid/rows/top_k_short_rows.hpp>
#include <tessera/grid/rows/top_k_stream_rows.hpp>
#include <tessera/grid/segment_list.hpp>
#include <tessera/grid/segments/each_segment.hpp>
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

/// The tile of Shape selects from the segment with this number, if it exists. Called by all lanes of a warp.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_segment_by_tile(Block const& block, top_k_rows_task<Bits> const& task,
                                            segment_range const& range, std::int64_t number, bool exists) {
  auto of_tile = detail::task_of_segment(task, exists ? range : segment_range{range.begin, 0});
  if (!exists) of_tile.row_count = 0;
  // Tiles of a warp select as many.
  int const longest = tessera::reduce(tessera::tiled_partition<32>(block), of_tile.column_count, maximum{}, converged);
  if (of_tile.k > longest) of_tile.k = longest;
  top_k_short_rows_agent<Shape, Bits, Block>(block, of_tile).run(number);
}

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
  detail::select_from_segment_by_tile<Short>(block, task, range, own.first + i, !is_long && i < own.each);
  return tessera::any_of(tessera::this_block_tile<Short::threads>(block), is_long, converged);
}

/// The pieces of long segments (each_segment.hpp): the result of each has the first entries.
template <class Shape>
struct top_k_pieces {
  using piece_t = tessera::items<typename Shape::entry, Shape::most>;
};

/// A block's shared memory: its segments that have more than a lane, in no order, by who selects from them.
template <unsigned Threads>
struct top_k_segments_lists {
  enum kind { of_tiles, of_warps, of_block, kinds };
  unsigned count[kinds];
  std::uint16_t segment[kinds][Threads];
};

/// Lists the pieces of a segment, if it has more elements than a block's part, and the list has room.
template <class Shape>
TESSERA_FN bool is_listed(piece_list const& list, std::int64_t segment, std::int64_t length) {
  if (length <= top_k_rows_tuning::most_of_block) return false;
  unsigned const pieces = segment_pieces::of<top_k_pieces<Shape>>(length).count;
  return list.template add<top_k_pieces<Shape>>(detail::fetch_add(list.listed, std::uint64_t{pieces}), segment, pieces);
}

/// Selects from the segments of a block, of which it has up to one for each thread. Those of more than a block's part
/// it lists, if there is room.
///
/// Called by  all threads of the block, which has Lane::threads.
/// shared     Shape::entries_of(the number of the block's warps).
template <class Lane, class Short, class Shape, class Bits, class Segments, class Block>
TESSERA_FN void select_from_segments_in_chunks(Block const& block, top_k_rows_task<Bits> const& task,
                                               segments_of_block<Segments> const& own, piece_list const& list,
                                               typename Shape::entry* shared,
                                               top_k_segments_lists<Lane::threads>& lists) {
  using lists_t = top_k_segments_lists<Lane::threads>;
  constexpr unsigned warps = Lane::threads / 32, tiles = 32 / Short::lanes;
  unsigned const thread = block.thread_rank(), warp = thread / 32;
  if (thread < lists_t::kinds) lists.count[thread] = 0;
  detail::barrier_of_block(block);
  {
    segment_range const range = own[thread];
    bool const exists = thread < own.each && own.first + thread < own.count,
               is_of_lane = range.length <= held_by_tile<Lane, Bits> &&
                            (task.k <= static_cast<int>(Lane::most) || range.length <= Lane::most);
    if (exists && !is_of_lane && !detail::is_listed<Shape>(list, own.first + thread, range.length)) {
      auto const kind = range.length <= held_by_tile<Short, Bits>         ? lists_t::of_tiles
                        : range.length <= top_k_rows_tuning::most_of_warp ? lists_t::of_warps
                                                                          : lists_t::of_block;
      lists.segment[kind][detail::fetch_add(&lists.count[kind], 1u)] = static_cast<std::uint16_t>(thread);
    }
    if (tessera::any_of(tessera::tiled_partition<32>(block), exists && is_of_lane, converged))
      detail::select_from_segment_by_tile<Lane>(block, task, range, own.first + thread, exists && is_of_lane);
  }
  detail::barrier_of_block(block);
  TESSERA_LOOP
  for (unsigned first = warp * tiles; first < lists.count[lists_t::of_tiles]; first += warps * tiles) {
    unsigned const i = first + thread % 32 / Short::lanes;
    bool const exists = i < lists.count[lists_t::of_tiles];
    unsigned const s = exists ? lists.segment[lists_t::of_tiles][i] : 0;
    detail::select_from_segment_by_tile<Short>(block, task, own[s], own.first + s, exists);
  }
  // In the first turns each warp takes a segment, and then all warps take one. There is one call of the agent, which
  // has many instructions. Where warps share a row they wait for each other at its first chunk, before they have lists.
  unsigned const of_warps = lists.count[lists_t::of_warps], rounds = (of_warps + warps - 1) / warps;
  TESSERA_LOOP
  for (unsigned turn = 0; turn < rounds + lists.count[lists_t::of_block]; ++turn) {
    bool const alone = turn < rounds;
    unsigned const i = alone ? turn * warps + warp : turn - rounds;
    if (alone && i >= of_warps) continue;
    unsigned const s = lists.segment[alone ? lists_t::of_warps : lists_t::of_block][i];
    auto const of_segment = detail::task_of_segment(task, own[s]);
    top_k_stream_rows_agent<Shape, Bits, Block>(block, of_segment, shared, alone ? 1 : warps).run(own.first + s);
  }
}

/// Selects from listed pieces. The last block of a segment joins those of its pieces.
///
/// Called by  all threads of each of `blocks` blocks of Threads, after the kernel before.
/// shared     Shape::entries_of(the number of the block's warps).
template <unsigned Threads, class Shape, class Bits, class Segments, class Block>
TESSERA_FN void select_from_listed_pieces(Block const& block, unsigned blocks, top_k_rows_task<Bits> const& task,
                                          Segments const& segments, piece_list const& list,
                                          typename Shape::entry* shared, listed_pieces_storage& storage) {
  using agent = top_k_stream_rows_agent<Shape, Bits, Block>;
  auto const tile = tessera::this_block_tile<Threads>(block);
  detail::draw_listed_pieces(tile, blocks, list, storage, false, [&](unsigned place) {
    std::uint64_t const listed = list.entries[place];
    if (listed == piece_list::none) return;
    std::int64_t const segment = piece_list::segment_of(listed);
    unsigned const p = piece_list::piece_of(listed);
    segment_range const range = segments[segment];
    unsigned const pieces = segment_pieces::of<top_k_pieces<Shape>>(range.length).count;
    auto const of_segment = detail::task_of_segment(task, range);
    auto* const results = static_cast<typename Shape::entry*>(list.results) + (place - p) * Shape::most;
    agent(block, of_segment, shared, Threads / 32).run_piece(segment, p, pieces, results + p * Shape::most);
    tile.sync();
    bool const is_last = tile.thread_rank() == 0 && detail::is_last_block(list.done + (place - p), pieces);
    if (!tessera::any_of(tile, is_last, converged) || tile.thread_rank() >= 32) return;
    agent(block, of_segment, shared, 1).join_pieces(segment, results, pieces * Shape::most);
  });
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
