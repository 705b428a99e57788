// Appends entries to a list that all blocks append to, in any order. A block's entries wait in its shared memory, so that one atomic
// update of the list's length serves many.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/grid/detail/top_k_state.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The list of a phase, as a block sees it. All threads call all of it but `append`.
template <class Shape, class Entry, class Block>
class top_k_list {
  static constexpr unsigned threads = Shape::threads, room = Shape::template capacity<Entry>;

 public:
  TESSERA_FN top_k_list(Block const& block, top_k_storage<Shape, Entry>& storage, select_state<Entry>* state,
                        Entry* list, std::uint64_t capacity)
      : block_(block), storage_(storage), state_(state), list_(list), capacity_(capacity) {}

  TESSERA_FN void begin() const {
    if (block_.thread_rank() == 0) {
      storage_.staged = 0;
      storage_.is_full = state_->appended > capacity_ ? 1u : 0u;
    }
    block_.sync();
  }

  /// An entry waits, or is appended at once if the block's storage is full. Called by any lanes.
  TESSERA_FN void append(Entry const& e) const {
    if (static_cast<unsigned volatile const&>(storage_.is_full) != 0) return;
    unsigned const place = tessera::atomic_update(&storage_.staged, 1u);
    if (place < room) {
      storage_.entries()[place] = e;
      return;
    }
    std::uint64_t const at = tessera::atomic_update(&state_->appended, std::uint64_t{1});
    if (at < capacity_) {
      list_[at] = e;
    } else {
      storage_.is_full = 1;
    }
  }

  /// Appends what waits, in any order.
  TESSERA_FN void end() const {
    block_.sync();
    unsigned const count = storage_.staged < room ? storage_.staged : room;
    if (count == 0) return;
    unsigned const rank = block_.thread_rank();
    if (rank == 0) storage_.base = tessera::atomic_update(&state_->appended, std::uint64_t{count});
    block_.sync();
    for (unsigned i = rank; i < count; i += threads) {
      std::uint64_t const at = storage_.base + i;
      if (at < capacity_) list_[at] = storage_.entries()[i];
    }
  }

  /// Appends what waits if that is much.
  TESSERA_FN void make_room() const {
    block_.sync();
    bool const is_much = storage_.staged > room / 2;
    block_.sync();  // All threads have seen that.
    if (!is_much) return;
    end();
    block_.sync();
    begin();
  }

 private:
  Block const& block_;
  top_k_storage<Shape, Entry>& storage_;
  select_state<Entry>* state_;
  Entry* list_;
  std::uint64_t capacity_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
