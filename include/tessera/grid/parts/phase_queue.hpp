// Several phases in one kernel, each of which begins when the one before it has ended. Blocks draw their items by
// tickets (ticket_queue.hpp).
//
//   phase      sample        filter                    rank
//   items      0 1 2 3       0 1 2 3 4 5 6 7 8 9       0 1 2 3 4          each is done by one block
//   tickets    0 1 2 3       4 5 6 7 8 9 …             14 15 16 17 18
//   the block that ends a phase's last item says what the next phase is
//
// A block draws a ticket, waits until its phase has begun, does the item and draws again. It does its items in the
// order of their tickets and waits only for lower ones, so that nothing hangs where other kernels have most of the GPU.
//
// On host tiles blocks run one after the other, and none ever waits.
#pragma once

#include <tessera/grid/parts/ticket_queue.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The queue in the workspace's counters: 0 before the kernel, and after it. A block leaves it when wait_for_phase is
/// false.
struct phase_queue {
  unsigned drawn;  // tickets
  unsigned done;   // items of this phase
  unsigned end;    // the next phase's first ticket; 0 in the first phase, no_more if all is done
  unsigned left;   // blocks that have seen that

  static constexpr unsigned no_more = ~0u;

  TESSERA_FN ticket_queue<> tickets() { return {&drawn, &left}; }
};

/// Waits until the ticket's phase has begun. Returns false if there is no more work. The first phase has `first_items`
/// items. Called by one thread of a block, with its tickets in their order.
TESSERA_FN bool wait_for_phase(phase_queue* queue, unsigned first_items, unsigned ticket) {
  unsigned const end =
      detail::wait_acquire(&queue->end, [&](unsigned now) { return ticket < (now == 0 ? first_items : now); });
  return end != phase_queue::no_more;
}

/// Ends `done` items of a phase of so many. Called by one thread of a block, after a barrier of the block. True in the
/// block that ends the phase: it can read all that blocks have written in it, and must begin the next one.
TESSERA_FN bool ends_phase(phase_queue* queue, unsigned done, unsigned items) {
  detail::fence();
  bool const is_last = detail::fetch_add(&queue->done, done) + done == items;
  if (!is_last) return false;
  queue->done = 0;
  detail::fence();
  return true;
}

/// Without a queue: says that `done` items more are done, and waits until all of `items` are. Called by one thread of a
/// block, after a barrier of the block. Returns whether these were the last ones.
TESSERA_FN bool wait_for_items(unsigned* counter, unsigned done, unsigned items) {
  detail::fence();
  bool const are_last = done != 0 && detail::fetch_add(counter, done) + done == items;
  detail::wait_acquire(counter, [&](unsigned all) { return all == items; });
  return are_last;
}

/// Begins the phase whose tickets are those below `end`. Called by one thread, after a barrier
/// of its block, which has ended the phase before.
TESSERA_FN void begin_phase(phase_queue* queue, unsigned end) {
  detail::fence();
  detail::store_release(&queue->end, end);
}

/// Says that there is no more work. Called by one thread of the block that has ended the last phase.
TESSERA_FN void end_phases(phase_queue* queue) {
  detail::store_relaxed(&queue->end, phase_queue::no_more);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
