// The agent of the selections from an array whose samples misled (bucket_agent.hpp): digits are counted from the
// highest on.
//
//   phase   items                  what a block does with one            what the block that ends the phase does
//   count   pieces of the array    counts a digit of the elements        narrows the window by that digit, until a list
//                                  has room for in the window                         the entries in it
//   list    pieces of the array    lists those in the window
//   rank    32 entries each        counts for each how many come
//                                  before it, and stores it at that
//                                  place
//
// Many first ones aren't ranked: kernels follow that sort the list.
//
// Source: radix select by digits from the highest on: T. Alabi et al., "Fast k-selection algorithms for graphics
// processing units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/phase_queue.hpp>
#include <tessera/grid/top_k/array_filter.hpp>
#include <tessera/grid/top_k/bucket_list.hpp>
#include <tessera/grid/top_k/select_in_block.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class T, class Key, class Entry, class Block>
class digit_agent {
  using phase_t = digit_phase<Entry>;

 public:
  TESSERA_FN digit_agent(Block const& block, select_plan const& plan, top_k_task<T, Key> const& task,
                         top_k_memory<Entry> const& memory, top_k_storage<Shape, Entry>& storage)
      : block_(block),
        plan_(plan),
        memory_(memory),
        storage_(storage),
        rank_(block.thread_rank()),
        array_(task, plan.share, rank_),
        list_(block, storage, bucket_lists<Entry>{nullptr, 0, 1, &memory.digits->listed, memory.lists, plan.most_left}),
        ranker_(block, plan, task, storage) {}

  /// Draws an item and does it. Returns false, in all threads, if there is none left.
  TESSERA_FN bool run_next() {
    phase_queue& queue = memory_.digits->queue;
    detail::barrier_of_block(block_);
    if (rank_ == 0) {
      unsigned const ticket = queue.tickets().draw();
      if (!detail::wait_for_phase(&queue, plan_.share.blocks, ticket)) {
        phase().work = digit_work::none;
        leave();
      } else if (ticket < plan_.share.blocks) {
        phase() = {digit_work::count, 0, plan_.share.blocks, Entry::bits, {Entry::least(), Entry::greatest()}, 0};
      } else {
        phase() = memory_.digits->phase;
      }
      storage_.ticket = ticket - phase().begin;
    }
    detail::barrier_of_block(block_);
    if (phase().work == digit_work::none) return false;
    run_item(storage_.ticket);
    detail::barrier_of_block(block_);
    if (rank_ == 0) storage_.answer = detail::ends_phase(&queue, 1, phase().items) ? 1 : 0;
    detail::barrier_of_block(block_);
    if (storage_.answer != 0) begin_next();
    return true;
  }

 private:
  TESSERA_FN phase_t& phase() const { return storage_.phase; }
  TESSERA_FN digit_place digit() const {
    return digit_place::next<Entry>(phase().bits, plan_.index_bits, Shape::digit_bits);
  }

  TESSERA_FN void run_item(unsigned item) {
    switch (phase().work) {
      case digit_work::count:
        return count_elements(item);
      case digit_work::list:
        return list_elements(item);
      default:
        ranker_.rank(
            item, static_cast<unsigned>(memory_.digits->listed), [&](unsigned i) { return memory_.lists[i]; },
            plan_.wanted == wanted_ranks::one ? phase().before : 0);
    }
  }
  TESSERA_FN void count_elements(unsigned piece) const {
    detail::clear_digit_counts(block_, storage_);
    detail::barrier_of_block(block_);
    digit_place const place = digit();
    array_.visit_entries(
        piece, [&](Entry const& e) { detail::count_digit(storage_, e, phase().window.upper, phase().bits, place); });
    detail::barrier_of_block(block_);
    for (unsigned i = rank_; i < Shape::digits; i += Shape::threads) {
      unsigned const counted = storage_.digit_counts()[i];
      if (counted != 0) tessera::atomic_update(&memory_.counts[i], std::uint64_t{counted});
    }
  }
  TESSERA_FN void list_elements(unsigned piece) const {
    list_.begin();
    detail::barrier_of_block(block_);
    array_.filter(
        piece, phase().window, [&](Entry const& e) { list_.append(e); }, [] {});
    detail::barrier_of_block(block_);
    list_.flush();
  }

  /// Called by all threads of the block that ended a phase.
  TESSERA_FN void begin_next() {
    if (phase().work == digit_work::count) take_digit();
    if (rank_ != 0) return;
    phase_t& next = phase();
    bool const is_ranked = plan_.wanted != wanted_ranks::unsorted;
    if (next.work == digit_work::list && !is_ranked) *memory_.left = memory_.digits->listed;
    unsigned const end = next.begin + next.items;
    if (next.work == digit_work::count) {
      next.items = plan_.share.blocks;
      if (left() <= plan_.most_left) next.work = digit_work::list;
    } else if (next.work == digit_work::list && is_ranked) {
      next.work = digit_work::rank;
      next.items = ranker_.items_of(memory_.digits->listed);
    } else {
      return detail::end_phases(&memory_.digits->queue);
    }
    next.begin = end;
    memory_.digits->phase = next;
    detail::begin_phase(&memory_.digits->queue, next.begin + next.items);
  }
  /// The number of entries in the window.
  TESSERA_FN std::uint64_t left() const {
    std::uint64_t const inside = storage_.found.inside;
    return plan_.wanted == wanted_ranks::one ? inside : phase().before + inside;
  }
  /// Narrows the window to the digit that the wanted rank has, and if all ranks up to it are wanted, to those before
  /// it.
  TESSERA_FN void take_digit() {
    digit_place const place = digit();
    detail::find_digit<Shape>(
        block_, [&](unsigned i) { return memory_.counts[i]; }, plan_.target - phase().before, storage_.found);
    detail::barrier_of_block(block_);
    for (unsigned i = rank_; i < Shape::digits; i += Shape::threads) memory_.counts[i] = 0;
    if (rank_ == 0) {
      phase_t& next = phase();
      Entry const prefix = next.window.upper.cleared(next.bits).with_digit(place.from, storage_.found.digit);
      next.window.upper = prefix.filled(place.from);
      if (plan_.wanted == wanted_ranks::one) next.window.lower = prefix;
      next.before += storage_.found.before;
      next.bits = place.from;
    }
    detail::barrier_of_block(block_);
  }

  TESSERA_FN void leave() const {
    if (!memory_.digits->queue.tickets().is_last_to_leave(plan_.blocks)) return;
    // Word by word, since an assignment leaves bytes between members as they are.
    static_assert(sizeof(digit_state<Entry>) % sizeof(unsigned) == 0);
    auto* const words = reinterpret_cast<unsigned*>(memory_.digits);
    for (unsigned i = 0; i < sizeof(digit_state<Entry>) / sizeof(unsigned); ++i) words[i] = 0;
  }

  Block const& block_;
  select_plan const& plan_;
  top_k_memory<Entry> const& memory_;
  top_k_storage<Shape, Entry>& storage_;
  unsigned rank_;
  array_filter<Shape, T, Key, Entry> array_;
  bucket_list<Shape, Entry, Block> list_;
  entry_ranker<Shape, T, Key, Entry, Block> ranker_;
};

/// Runs the agent until there is no more work.
///
/// Called by  all Shape::threads threads of each of `plan.blocks` blocks. A host test may let a block draw `most_items`
/// only.
template <class Shape, class T, class Key, class Entry, class Block>
TESSERA_FN void run_digit_agent(Block const& block, select_plan const& plan, top_k_task<T, Key> const& task,
                                top_k_memory<Entry> const& memory, top_k_storage<Shape, Entry>& storage,
                                unsigned most_items = ~0u) {
  digit_agent<Shape, T, Key, Entry, Block> agent(block, plan, task, memory, storage);
  while (most_items > 0 && agent.run_next()) --most_items;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
