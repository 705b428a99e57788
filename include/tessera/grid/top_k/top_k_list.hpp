// Appends entries to a list that all blocks append to, in any order. A block's entries wait in its shared memory, so that one atomic
// update of the list's length serves many.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The list of a phase, as a block sees it. All threads call all of it but `append`.
template <class Shape, class Entry, class Block>
class top_k_list {
  static constexpr unsigned threads = Shape::threads, room = Shape::template capacity<Entry>;
  static constexpr unsigned at_once = 64 / sizeof(Entry);  // entries that a lane keeps or drops at a time

 public:
  TESSERA_FN top_k_list(Block const& block, top_k_storage<Shape, Entry>& storage, select_state<Entry>* state,
                        Entry* list, std::uint64_t capacity, bool tells_least)
      : block_(block),
        storage_(storage),
        state_(state),
        list_(list),
        capacity_(capacity),
        tells_least_(tells_least) {}

  TESSERA_FN void begin() const {
    if (block_.thread_rank() == 0) {
      storage_.staged = 0;
      storage_.is_full = state_->appended > capacity_ ? 1u : 0u;
    }
    block_.sync();
  }

  /// Whether entries were lost, as far as the lane sees it.
  TESSERA_FN bool is_full() const { return tessera::atomic_update(&storage_.is_full, 0u) != 0; }

  /// An entry waits, or is appended at once if the block's storage is full. Called by any lanes.
  TESSERA_FN void append(Entry const& e) const {
    if (is_full()) return;
    unsigned const place = tessera::atomic_update(&storage_.staged, 1u);
    if (place < room) {
      storage_.entries()[place] = e;
      return;
    }
    std::uint64_t const at = tessera::atomic_update(&state_->appended, std::uint64_t{1});
    if (tells_least_) tell_least(e.rank_key());
    if (at < capacity_) {
      list_[at] = e;
    } else {
      tessera::atomic_exchange(&storage_.is_full, 1u);
    }
  }

  /// Of the entries that wait, drops those that aren't in the window. Returns how many of those that this lane dropped are below it.
  TESSERA_FN unsigned keep(entry_window<Entry> const& window) const {
    unsigned const rank = block_.thread_rank();
    block_.sync();
    unsigned const count = storage_.staged;
    block_.sync();
    if (rank == 0) storage_.staged = 0;
    unsigned below = 0;
    TESSERA_LOOP
    for (unsigned first = 0; first < count; first += at_once * threads) {
      Entry own[at_once];
      TESSERA_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        unsigned const i = first + u * threads + rank;
        own[u] = storage_.entries()[i < count ? i : first];
      }
      block_.sync();  // All have read theirs: those that are kept go to places before the next ones.
      TESSERA_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        if (first + u * threads + rank >= count) continue;
        if (own[u] < window.lower) ++below;
        if (window.has(own[u])) storage_.entries()[tessera::atomic_update(&storage_.staged, 1u)] = own[u];
      }
    }
    return below;
  }

  /// Appends what waits, in any order.
  TESSERA_FN void end() const {
    block_.sync();
    unsigned const count = storage_.staged < room ? storage_.staged : room;
    if (count == 0) return;
    unsigned const rank = block_.thread_rank();
    if (rank == 0) storage_.base = tessera::atomic_update(&state_->appended, std::uint64_t{count});
    block_.sync();
    auto least = static_cast<typename Entry::key>(~typename Entry::key{0});
    for (unsigned i = rank; i < count; i += threads) {
      std::uint64_t const at = storage_.base + i;
      Entry const e = storage_.entries()[i];
      if (at < capacity_) list_[at] = e;
      if (e.rank_key() < least) least = e.rank_key();
    }
    if (!tells_least_) return;
    auto const warp = tessera::tiled_partition<32>(block_);
    auto const least_of_warp = tessera::reduce(warp, least, minimum{});
    if (warp.thread_rank() == 0) tell_least(least_of_warp);
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
  TESSERA_FN void tell_least(typename Entry::key key) const {
    tessera::atomic_max(&state_->greatest_left, ~std::uint64_t{key});
  }

  Block const& block_;
  top_k_storage<Shape, Entry>& storage_;
  select_state<Entry>* state_;
  Entry* list_;
  std::uint64_t capacity_;
  bool tells_least_;  // whether the least key of all entries is wanted
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
