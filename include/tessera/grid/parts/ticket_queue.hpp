// Work that the blocks of a launch draw by tickets: 0, 1, 2, … in the order in which blocks ask for them.
//
//   block 0   draws 0      item 0      draws 3   item 3   draws 5: there is none, leaves
//   block 1   draws 1   item 1   draws 2       item 2     draws 4   item 4     draws 6, leaves: the last one
//
// A block that has a ticket is running. So a block may wait for blocks with lower tickets, if those do their items
// without waiting for it: nothing hangs, however few blocks run at once.
//
// The last block to leave makes the counters 0 again, for the next launch.
#pragma once

#include <tessera/grid/parts/block_protocols.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A launch's tickets: two counters in the workspace, which are 0 before the kernel and after it.
template <class Number = unsigned>
struct ticket_queue {
  Number* drawn;   // tickets
  unsigned* left;  // blocks that draw no more

  /// The next ticket. Called by one thread of a block.
  TESSERA_FN Number draw() const { return detail::fetch_add(drawn, Number{1}); }

  /// Leaves the queue. Called by one thread of each of `blocks` blocks, after a barrier of the block. True in the last
  /// one: it can read all that the others wrote before they left, and clears the queue.
  TESSERA_FN bool is_last_to_leave(unsigned blocks) const { return detail::is_last_block(left, blocks); }
  /// Called by the last block. `left` is 0 already.
  TESSERA_FN void clear() const { *drawn = 0; }
};

/// A block's tickets in shared memory. One of its threads draws the next ticket while all work at the last one, and
/// hands it to the others in one of two places, which alternate. So each ticket takes a single barrier, between its
/// `put` and its `at`.
class tickets_ahead {
 public:
  TESSERA_FN unsigned put(unsigned turn, unsigned ticket) { return next_[turn] = ticket; }
  TESSERA_FN unsigned at(unsigned turn) const { return next_[turn]; }

 private:
  unsigned next_[2];
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
