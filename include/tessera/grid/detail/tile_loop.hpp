// The loop over tiles of a kernel with a look-back: persistent blocks take tiles by tickets, and load the next one while they wait for
// the tiles before this one.
//
//   load(first)
//   scan(tile)        what the tile's warps come to, from the elements in registers
//   ---- barrier
//   stage(ticket)     what frees the registers that hold the elements; the aggregate may be published here
//   load(next)        in flight from here on
//   look_back(ticket) the first warp alone: what stands before the tile
//   ---- barrier
//   store(tile)       then the same for the next tile
//
// Shared memory that a phase writes is written again only after the barrier behind the phase that reads it: what `scan` writes may
// be read until the second barrier, what `stage` and `look_back` write may be read by `store`.
#pragma once

#include <tessera/grid/detail/look_back.hpp>
#include <tessera/grid/detail/unaligned_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The tickets of a block, in its shared memory.
struct shared_tickets {
  tile_ticket first;
  unsigned next;  // the block's next tile
};

/// Calls the agent's phases for each of the block's tiles.
///
/// Called by  all threads of a block of Threads, one of `blocks` blocks. memory.words may be null if there is one tile.
/// agent      load(tile) for any tile, which may be none; scan(tile), stage(ticket), look_back(ticket) and store(tile).
template <unsigned Threads, class Block, class Agent>
TESSERA_FN void run_tiles(Block const& block, look_back_memory const& memory, std::int64_t tiles,
                          unsigned blocks, shared_tickets& tickets, Agent& agent) {
  bool const is_single = memory.words == nullptr;
  if (block.thread_rank() == 0) tickets.first = is_single ? tile_ticket{0, 1} : detail::take_ticket(memory);
  block.sync();
  tile_ticket ticket = tickets.first;
  agent.load(ticket.tile);
  TESSERA_LOOP
  while (ticket.tile < tiles) {
    if (block.thread_rank() == Threads - 1) tickets.next = is_single ? 1 : detail::take_ticket(memory).tile;
    agent.scan(ticket.tile);
    block.sync();
    unsigned const next = tickets.next;
    agent.stage(ticket);
    agent.load(next);
    if (block.thread_rank() < 32) agent.look_back(ticket);
    block.sync();
    agent.store(ticket.tile);
    ticket.tile = next;
  }
  if (!is_single && block.thread_rank() == 0) detail::leave_launch(memory, ticket, blocks);
}

/// The elements of a lane's rows of a tile, in registers: rows of 32 lanes side by side.
template <class T, unsigned K, unsigned Rows>
class tile_rows {
 public:
  /// Loads them. `first` is the index of the lane's first element of row 0.
  TESSERA_FN void load(T const* in, std::int64_t n, std::int64_t first, std::int64_t row_stride = 32 * K) {
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      auto const row = detail::load_row<K>(in, n, first + r * row_stride);
      loaded_[r] = tessera::detail::to_words(row);
    }
  }
  TESSERA_FN items<T, K> row(unsigned r) const {
    return tessera::detail::from_words<items<T, K>>(loaded_[r]);
  }
  /// Waits until all of them are in registers, which a barrier doesn't: what is stored to their addresses afterwards isn't loaded.
  /// The wait is for the operands of a store to `unused`, which hardly ever happens, and means nothing.
  TESSERA_FN void wait([[maybe_unused]] unsigned& unused) const {
#if TESSERA_ARCH
    std::uint32_t all = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < tessera::detail::word_count<items<T, K>>; ++i) all ^= loaded_[r].word[i];
    }
    if (all == 0x9e3779b9) unused = 1;
#endif
  }

 private:
  tessera::detail::words<items<T, K>> loaded_[Rows];
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
