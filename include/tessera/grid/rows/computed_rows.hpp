// Agents that call a function for each row that an iterator computes: what a block of each kernel of computed_rows.cuh
// does. All rows have one length, and so one kernel for it:
//
//   up to 8 columns          a lane for each row
//   up to 64                 8 lanes
//   up to Body::most_by_warp a warp
//   up to one piece          a block
//   more                     a block for each piece, whose results the next kernel combines, in order; then it stores
//                            the row's result, or maps the pieces by it
//
// Body has the members that each_segment.hpp asks for.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/rows/computed_fragment.hpp>
#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Rows as segments.
struct row_ranges {
  std::int64_t stride, column_count;

  TESSERA_FN segment_range operator[](std::int64_t row) const { return {row * stride, column_count}; }
};

/// Rows that are cut into pieces.
struct row_pieces {
  row_ranges ranges;
  segment_pieces pieces;

  TESSERA_FN std::int64_t row(std::int64_t which) const { return which / pieces.count; }
  /// The number in its row of the first column of a piece.
  TESSERA_FN std::int64_t first(std::int64_t which) const { return which % pieces.count * pieces.length; }
  /// Piece `which` of all.
  TESSERA_FN segment_range operator[](std::int64_t which) const {
    std::int64_t const left = ranges.column_count - first(which);
    return {row(which) * ranges.stride + first(which), left < pieces.length ? left : pieces.length};
  }
};

/// Calls body for a row in every N lanes.
///
/// Called by  all threads of the blocks of a grid that has as many for each row.
template <unsigned N, class Block, class Body>
TESSERA_FN void run_computed_rows_agent(Block const& block, row_ranges const& ranges, std::int64_t row_count,
                                        Body const& body) {
  constexpr unsigned threads = computed_rows_tuning::threads;
  std::int64_t const row = std::int64_t{block.group_index().x} * (threads / N) + block.thread_rank() / N;
  bool const exists = row < row_count;
  if constexpr (N == 1) {
    if (exists) body.process_by_lane(row, ranges[row]);
  } else if constexpr (N < 32) {
    body(tessera::tiled_partition<N>(block), exists ? row : 0, exists ? ranges[row] : segment_range{0, 0}, exists);
  } else if constexpr (N == 32) {
    if (exists) body(tessera::tiled_partition<N>(block), row, ranges[row], true);
  } else {
    static_assert(N == threads);
    body(tessera::this_block_tile<N>(block), row, ranges[row], true);
  }
}

/// Reduces a piece of a row. Called by all threads of the blocks of a grid that has one for each piece.
template <class Block, class Body>
TESSERA_FN void run_row_pieces_agent(Block const& block, row_pieces const& pieces, Body const& body,
                                     piece_t<Body>* results) {
  auto const tile = tessera::this_block_tile<computed_rows_tuning::threads>(block);
  std::int64_t const which = block.group_index().x;
  auto const all = body.reduce_piece(tile, pieces[which], pieces.first(which));
  if (tile.thread_rank() == 0) results[which] = all;
}

/// The results of a row's pieces, combined in order, in each lane of a warp.
template <class Warp, class Body>
TESSERA_FN piece_t<Body> combined_pieces(Warp const& warp, Body const& body, piece_t<Body> const* results,
                                         unsigned count) {
  unsigned const each = (count + 31) / 32, first = warp.thread_rank() * each;
  auto own = body.neutral();
  for (unsigned i = first; i < first + each && i < count; ++i) own = body.combine(own, results[i]);
  return tessera::reduce(warp, own, body.combining(), tessera::converged);
}

/// Finishes a row in each warp. Called by all threads of the blocks of a grid that has a warp for each row.
template <class Block, class Body>
TESSERA_FN void run_finish_rows_agent(Block const& block, row_pieces const& pieces, std::int64_t row_count,
                                      Body const& body, piece_t<Body> const* results) {
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row =
      std::int64_t{block.group_index().x} * (computed_rows_tuning::threads / 32) + block.thread_rank() / 32;
  if (row >= row_count) return;
  unsigned const count = pieces.pieces.count;
  auto const all = detail::combined_pieces(warp, body, results + row * count, count);
  if (warp.thread_rank() == 0) body.finish(row, all, false);
}

/// Maps a piece of a row by the row's result. Called by all threads of the blocks of a grid that has one for each
/// piece.
template <class Block, class Body>
TESSERA_FN void run_map_pieces_agent(Block const& block, row_pieces const& pieces, Body const& body,
                                     piece_t<Body> const* results) {
  std::int64_t const which = block.group_index().x;
  unsigned const count = pieces.pieces.count;
  auto const all =
      detail::combined_pieces(tessera::tiled_partition<32>(block), body, results + pieces.row(which) * count, count);
  body.map_piece(tessera::this_block_tile<computed_rows_tuning::threads>(block), pieces[which], all);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
