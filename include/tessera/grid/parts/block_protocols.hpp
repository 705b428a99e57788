// Protocols by which the blocks of one kernel hand values to each other, apart from look_back.hpp and phase_queue.hpp,
// which have their own.
//
//   protocol      each block                                          the block that goes on
//   last block    stores its partial, then takes a ticket             has the last ticket: all partials are stored
//   slots         publishes its partial, a word to a slot             has the highest number: it waits for every slot
//   words         publishes a word that isn't 0                       is every block that waits for the word
//   arrivals      updates shared memory of the grid, then arrives     has the highest number: it waits for all arrivals
//   first block   takes a ticket, waits until the memory is ready     has the first ticket: it makes the memory ready
//
// GPUs start blocks in the order of their numbers, which CUDA doesn't promise. The block with the highest number may
// therefore wait for all others, which have started and don't wait for it. Every protocol leaves its counters and
// slots 0, as it found them.
//
// On host tiles blocks run one after the other, in any order, so that nothing waits: the last block to arrive goes on.
//
// Source of the last block: the threadFenceReduction sample of the CUDA toolkit.
#pragma once

#include <tessera/core/words.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>
#include <tessera/lanes.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

// ---- The last block.

/// Takes a ticket. Called by one thread of each of `blocks` blocks. True in the block that takes the last ticket: it
/// can read all that these threads wrote before their calls.
TESSERA_FN bool is_last_block(unsigned* counter, unsigned blocks) {
  detail::fence();
  bool const last = detail::count_around(counter, blocks - 1) == blocks - 1;
  detail::fence();
  return last;
}

// ---- Arrivals.

/// Arrives. Called by one thread of each of `blocks` blocks, of which this is block `which`, after its fence(). True in
/// the block with the highest number, once all others have arrived. No other block waits.
TESSERA_FN bool is_highest_block_after_all(unsigned* counter, unsigned which, unsigned blocks) {
  if (blocks_take_turns) return detail::is_last_block(counter, blocks);
  if (which != blocks - 1) {
    detail::add_to_global(counter, 1);
    return false;
  }
  detail::wait_acquire(counter, [&](unsigned arrived) { return arrived == blocks - 1; });
  *counter = 0;
  return true;
}

/// is_last_block for the warps of a block, whose count is in shared memory. Called by one lane of each; they exchange
/// values through atomics.
TESSERA_FN bool is_last_warp(unsigned* counter, unsigned warps) {
  detail::fence_of_block();
  bool const last = detail::count_around(counter, warps - 1) == warps - 1;
  detail::fence_of_block();
  return last;
}

// ---- Slots.
//
//   slot      block 0 | block 1 | …        1 ‖ 32 bits of the value; 0 before the kernel, and after it
//
// A block neither waits for its store nor takes a ticket: the block that gathers looks until every slot is filled. On
// an H200 a sum of 2^18 floats takes 2.4 µs by slots, and 3.2 by the last block (kernels of one graph).

/// True if a partial of type R goes through slots.
template <class R>
inline constexpr bool fits_slots = sizeof(R) <= 4 * most_slot_words;

/// Publishes a word that isn't 0, for any blocks that wait for it. Whoever knows that all have read it makes it 0
/// again.
TESSERA_FN void publish_word(std::uint64_t* slot, std::uint64_t word) {
  detail::store_relaxed(slot, word);
}
/// The word, once it is published: by a block that is running and waits for nothing in between.
TESSERA_FN std::uint64_t wait_for_word(std::uint64_t const* slot) {
  return detail::wait_relaxed(slot, [](std::uint64_t word) { return word != 0; });
}

/// Publishes the partial of block `which`. Called by one thread of the block.
template <class R>
TESSERA_FN void publish(std::uint64_t* slot_words, unsigned which, R const& x) {
  constexpr unsigned count = tessera::detail::word_count<R>;
  auto const w = tessera::detail::to_words(x);
  TESSERA_UNROLL
  for (unsigned i = 0; i < count; ++i)
    detail::store_relaxed(slot_words + which * count + i, std::uint64_t{1} << 32 | w.word[i]);
}

/// Gathers the partials of blocks begin … end − 1, at most Most: calls visit(partial) for each, in their order, and
/// clears their slots. It loads the slots of all blocks before it waits for one block, and then all slots of that
/// block again.
template <unsigned Most, class R, class Visit>
TESSERA_FN void gather(std::uint64_t* slot_words, unsigned begin, unsigned end, Visit visit) {
  constexpr unsigned count = tessera::detail::word_count<R>;
  std::uint64_t seen[Most][count];
  auto const load_slots = [&](unsigned b) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) seen[b][i] = detail::load_relaxed(slot_words + (begin + b) * count + i);
  };
  auto const is_filled = [&](unsigned b) {
    bool all = true;
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) all = all && seen[b][i] != 0;
    return all;
  };
  TESSERA_UNROLL
  for (unsigned b = 0; b < Most; ++b) {
    if (begin + b < end) load_slots(b);
  }
  TESSERA_UNROLL
  for (unsigned b = 0; b < Most; ++b) {
    if (begin + b >= end) break;
    while (!is_filled(b)) load_slots(b);
    tessera::detail::words<R> w{};
    TESSERA_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      w.word[i] = static_cast<std::uint32_t>(seen[b][i]);
      detail::store_relaxed(slot_words + (begin + b) * count + i, 0);
    }
    visit(tessera::detail::from_words<R>(w));
  }
}

// ---- Partials of any type, through slots or by the last block.

/// The grid's memory for partials. All of it is in the workspace.
template <class R>
struct shared_partials {
  R* partials;                // one for each block, if they don't fit slots
  unsigned* counter;          // 0 before the kernel, and after it
  std::uint64_t* slot_words;  // 0 before and after it, too: one for each block and word
};

/// Publishes a block's partial, which its leader holds. Called by all threads of the block. True in the block that
/// gathers all partials.
template <class Tile, class R>
TESSERA_FN bool publish_partial(Tile const& tile, unsigned which, unsigned blocks, R const& partial,
                                shared_partials<R> const& shared) {
  bool const is_leader = tile.thread_rank() == 0;
  if constexpr (!blocks_take_turns && fits_slots<R>) {
    if (is_leader) detail::publish(shared.slot_words, which, partial);
    return which == blocks - 1;
  } else {
    bool last = false;
    if (is_leader) {
      shared.partials[which] = partial;
      last = detail::is_last_block(shared.counter, blocks);
    }
    return tessera::any_of(tile, last);
  }
}

/// Gathers one lane's share of the partials of all blocks, some neighbors of each other, and combines them in their
/// order, from `neutral` on. Called by all Threads of the block for which publish_partial was true. There are at most
/// MostBlocks.
template <unsigned Threads, unsigned MostBlocks, class R, class Op>
TESSERA_FN R gather_partials(unsigned rank, unsigned blocks, R const& neutral, Op const& op,
                             shared_partials<R> const& shared) {
  unsigned const each = (blocks + Threads - 1) / Threads, begin = rank * each;
  unsigned const end = begin + each < blocks ? begin + each : blocks;
  R combined = neutral;
  if constexpr (!blocks_take_turns && fits_slots<R>) {
    detail::gather<(MostBlocks + Threads - 1) / Threads, R>(
        shared.slot_words, begin, end, [&](R const& x) { combined = static_cast<R>(op(combined, x)); });
  } else {
    for (unsigned i = begin; i < end; ++i) combined = static_cast<R>(op(combined, shared.partials[i]));
  }
  return combined;
}

// ---- The first block.

/// The progress of a launch's blocks, in the workspace's counters: 0 before and after.
struct first_block_progress {
  unsigned tickets;  // blocks that have begun
  unsigned ready;    // 1: the memory is ready
  unsigned passed;   // blocks that have seen it
};

/// Called by one warp of each of `blocks` blocks. The first block to begin calls prepare(), by all lanes of the warp;
/// the others wait for it, and needn't all run at once. True in the one thread that is the last of all to have
/// passed: it sets `ready` to 0 when its block is done.
template <class Warp, class Prepare>
TESSERA_FN bool wait_for_first_block(Warp const& warp, first_block_progress* progress, unsigned blocks,
                                     Prepare prepare) {
  bool const is_leader = warp.thread_rank() == 0;
  unsigned ticket = 0;
  if (is_leader) ticket = detail::count_around(&progress->tickets, blocks - 1);  // 0 again after the last block
  if (tessera::broadcast(warp, ticket, 0, converged) == 0) {
    prepare();
    detail::fence();
    warp.sync();
    if (is_leader) detail::exchange(&progress->ready, 1);
  } else if (is_leader) {
    detail::wait_acquire(&progress->ready, [](unsigned ready) { return ready != 0; });
  }
  return is_leader && detail::count_around(&progress->passed, blocks - 1) == blocks - 1;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
