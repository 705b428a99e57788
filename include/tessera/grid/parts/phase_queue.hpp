// Several phases in one kernel, each of which begins when the one before it has ended: a queue of items that blocks
// draw.
//
//   phase      sample        filter                    rank
//   items      0 1 2 3       0 1 2 3 4 5 6 7 8 9       0 1 2 3 4          each is done by one block
//   tickets    0 1 2 3       4 5 6 7 8 9 …             14 15 16 17 18
//   the block that ends a phase's last item says what the next phase is
//
// A block draws a ticket, waits until its phase has begun, does the item and draws again. It does its items in the
// order of their tickets and waits only for lower ones, and blocks that are running have drawn those. So all blocks
// need not run at once, and nothing hangs where other kernels have most of the GPU.
//
// On host tiles blocks run one after the other, and none ever waits.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/grid/parts/block_protocols.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The queue in the workspace's counters: 0 before the kernel, and after it.
struct phase_queue {
  unsigned tickets;  // drawn
  unsigned done;     // items of this phase
  unsigned
      end;  // the first ticket that isn't of this phase; 0: the first phase; all bits: there is no more work
  unsigned left;  // blocks that have seen that

  static constexpr unsigned no_more = ~0u;
};

/// Draws a ticket. Called by one thread of a block; also ahead of the block's next wait_for_phase.
TESSERA_FN unsigned take_ticket(phase_queue* queue) {
  return tessera::atomic_update(&queue->tickets, 1u);
}

/// Waits until the ticket's phase has begun. Returns false if there is no more work. The first phase has `first_items`
/// items. Called by one thread of a block, with its tickets in their order.
TESSERA_FN bool wait_for_phase(phase_queue* queue, [[maybe_unused]] unsigned first_items,
                               [[maybe_unused]] unsigned ticket) {
  unsigned end = 0;
#if TESSERA_ARCH
  detail::wait_until(&queue->end, [&](unsigned now) {
    end = now;
    return ticket < (now == 0 ? first_items : now);
  });
#else
  end = queue->end;
#endif
  return end != phase_queue::no_more;
}

/// Ends `done` items of a phase of so many. Called by one thread of a block, after a barrier of the block. True in the
/// block that ends the phase: it can read all that blocks have written in it, and must begin the next one.
TESSERA_FN bool ends_phase(phase_queue* queue, unsigned done, unsigned items) {
#if TESSERA_ARCH
  __threadfence();
#endif
  bool const is_last = tessera::atomic_update(&queue->done, done) + done == items;
  if (!is_last) return false;
  queue->done = 0;
#if TESSERA_ARCH
  __threadfence();
#endif
  return true;
}

/// Without a queue: says that `done` items more are done, and waits until all of `items` are. Called by one thread of a
/// block, after a barrier of the block. Returns whether these were the last ones.
TESSERA_FN bool wait_for_items(unsigned* counter, unsigned done, unsigned items) {
#if TESSERA_ARCH
  __threadfence();
#endif
  bool const are_last = done != 0 && tessera::atomic_update(counter, done) + done == items;
#if TESSERA_ARCH
  detail::wait_until(counter, [&](unsigned all) { return all == items; });
#endif
  return are_last;
}

/// Begins the phase whose tickets are those below `end`. Called by one thread, after a barrier
/// of its block, which has ended the phase before.
TESSERA_FN void begin_phase(phase_queue* queue, unsigned end) {
#if TESSERA_ARCH
  __threadfence();
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(&queue->end), "r"(end) : "memory");
#else
  queue->end = end;
#endif
}

/// Says that there is no more work. Called by one thread of the block that has ended the last phase.
TESSERA_FN void end_phases(phase_queue* queue) {
#if TESSERA_ARCH
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(&queue->end), "r"(phase_queue::no_more)
               : "memory");
#else
  queue->end = phase_queue::no_more;
#endif
}

/// Leaves the queue. Called by one thread of each of `blocks` blocks, after wait_for_phase was false. True in the last
/// of them: it makes the queue 0 again.
TESSERA_FN bool leaves_last(phase_queue* queue, unsigned blocks) {
  return detail::is_last_block(&queue->left, blocks);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
