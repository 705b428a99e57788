// Selections by one block: the entry of a rank among many, by digits from the highest on, and the ranks of
// few.
//
// Digits are those of an entry's distance from the window's first: entries that are close to each other may differ in
// high bits, as floats around 0.5 do.
//
// Source: radix select by digits from the highest on: T. Alabi et al., "Fast k-selection algorithms for graphics
// processing units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/top_k/top_k_state.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Calls visit(entry, i) for this lane's i of the entries get(0) … get(count − 1). Some are loaded before the first of
/// them is visited: a visit may store.
template <unsigned Threads, class Index, class Get, class Visit>
TESSERA_FN void visit_entries(unsigned thread, Index count, Get get, Visit visit) {
  constexpr unsigned at_once = 64 / sizeof(get(count));
  TESSERA_LOOP
  for (Index first = 0; first < count; first += at_once * Threads) {
    decltype(get(count)) loaded[at_once];
    TESSERA_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      Index const i = first + thread + u * Threads;
      loaded[u] = get(i < count ? i : first);
    }
    TESSERA_UNROLL
    for (unsigned u = 0; u < at_once; ++u) {
      Index const i = first + thread + u * Threads;
      if (i < count) visit(loaded[u], i);
    }
  }
}

/// Finds the digit at which counts reach `rank`, from 0 on: count(i) are those of digit i.
///
/// Called by  all threads of a block. A barrier later `found` is known.
template <class Shape, class Block, class Count>
TESSERA_FN void find_digit(Block const& block, Count count, std::uint64_t rank, found_digit& found) {
  constexpr unsigned threads = Shape::threads, each = Shape::digits / threads > 0 ? Shape::digits / threads : 1;
  unsigned const first = block.thread_rank() * each;
  std::uint64_t own[each], sum = 0;
  TESSERA_UNROLL
  for (unsigned j = 0; j < each; ++j) {
    own[j] = first + j < Shape::digits ? count(first + j) : 0;
    sum += own[j];
  }
  std::uint64_t before = tessera::exclusive_scan(tessera::this_block_tile<threads>(block), sum);
  TESSERA_UNROLL
  for (unsigned j = 0; j < each; ++j) {
    if (before <= rank && rank < before + own[j]) found = {first + j, before, own[j]};
    before += own[j];
  }
}

/// Sets the counts of a digit to 0. Called by all threads of a block, before a barrier.
template <class Shape, class Entry, class Block>
TESSERA_FN void clear_digit_counts(Block const& block, top_k_storage<Shape, Entry>& storage) {
  for (unsigned i = block.thread_rank(); i < Shape::digits; i += Shape::threads) storage.digit_counts()[i] = 0;
}
/// Counts the digit of an entry whose bits above the lowest `bits` are those of `prefix`.
template <class Shape, class Entry>
TESSERA_FN void count_digit(top_k_storage<Shape, Entry>& storage, Entry const& e, Entry const& prefix, unsigned bits,
                            digit_place digit) {
  if (e.agrees(prefix, bits)) tessera::atomic_update(&storage.digit_counts()[e.digit(digit.from, digit.width)], 1u);
}

/// The entry of a rank, from 0 on, among `count` entries, all of which are in a window.
///
/// from     the entries: in memory, or the block's storage beside its counts.
/// Called by  all threads of a block, after a barrier.
/// Cost       each digit is one pass over the entries; as soon as the block's storage holds those that are left, over
///            these.
template <class Shape, class Entry, class Block>
TESSERA_FN Entry select_in_block(Block const& block, top_k_storage<Shape, Entry>& storage, Entry const* from,
                                 std::uint64_t count, std::uint64_t rank, entry_window<Entry> const& window) {
  constexpr unsigned threads = Shape::threads, room = Shape::template beside_counts<Entry>;
  unsigned const thread = block.thread_rank();
  Entry* const staged = storage.beside_counts();
  // Invariant: the distance that is sought agrees with `prefix` above the lowest `bits`. Of `inside` that do it has the
  // rank.
  unsigned bits = detail::differing_bits(Entry::least(), window.upper.distance_from(window.lower));
  Entry prefix = Entry::least();
  std::uint64_t inside = count;
  auto const visit = [&](auto use) {
    detail::visit_entries<threads>(
        thread, count, [&](std::uint64_t i) { return from[i]; },
        [&](Entry const& e, std::uint64_t) { use(e, e.distance_from(window.lower)); });
  };
  TESSERA_LOOP
  while (inside > 1) {
    if (from != staged && inside <= room) {
      if (thread == 0) storage.staged = 0;
      detail::barrier_of_block(block);
      visit([&](Entry const& e, Entry const& distance) {
        if (distance.agrees(prefix, bits)) staged[tessera::atomic_update(&storage.staged, 1u)] = e;
      });
      from = staged;
      count = inside;
    }
    detail::clear_digit_counts(block, storage);
    detail::barrier_of_block(block);
    unsigned const width = bits < Shape::digit_bits ? bits : Shape::digit_bits;
    digit_place const digit{bits - width, width};
    visit([&](Entry const&, Entry const& distance) { detail::count_digit(storage, distance, prefix, bits, digit); });
    detail::barrier_of_block(block);
    detail::find_digit<Shape>(
        block, [&](unsigned i) { return std::uint64_t{storage.digit_counts()[i]}; }, rank, storage.found);
    detail::barrier_of_block(block);
    prefix = prefix.with_digit(digit.from, storage.found.digit);
    bits = digit.from;
    rank -= storage.found.before;
    inside = storage.found.inside;
  }
  visit([&](Entry const& e, Entry const& distance) {
    if (distance.agrees(prefix, bits)) storage.chosen = e;
  });
  detail::barrier_of_block(block);
  return storage.chosen;
}

/// Ranks entries by comparing each with all of its bucket, and stores those that are wanted.
template <class Shape, class T, class Key, class Entry, class Block>
class entry_ranker {
  static_assert(Shape::template capacity<Entry> % 2 == 0);
  static constexpr unsigned threads = Shape::threads, room = Shape::template capacity<Entry>,
                            lanes = threads / Shape::entries_per_item;

  /// Two entries that are loaded at once.
  struct alignas(16) entry_pair {
    Entry first, second;
  };

 public:
  TESSERA_FN entry_ranker(Block const& block, select_plan const& plan, top_k_task<T, Key> const& task,
                          top_k_storage<Shape, Entry>& storage)
      : block_(block), plan_(plan), task_(task), storage_(storage) {}

  /// Items of so many entries.
  TESSERA_FN static unsigned items_of(std::uint64_t count) {
    constexpr unsigned each = Shape::entries_per_item;
    return static_cast<unsigned>((count + each - 1) / each);
  }
  /// Ranks an item of the entries get(0) … get(count − 1), each by some lanes. `before` others come before all of them.
  template <class Get>
  TESSERA_FN void rank(unsigned item, unsigned count, Get get, std::uint64_t before) const {
    unsigned const thread = block_.thread_rank(), which = item * Shape::entries_per_item + thread / lanes,
                   lane = thread % lanes;
    Entry const own = get(which < count ? which : 0);
    Entry* const staged = storage_.entries();
    unsigned less = 0;
    TESSERA_LOOP
    for (unsigned begin = 0; begin < count; begin += room) {
      unsigned const here = count - begin < room ? count - begin : room;
      detail::barrier_of_block(block_);  // Nobody reads what was there.
      for (unsigned i = thread; i < here; i += threads) staged[i] = get(begin + i);
      if (thread == 0 && here % 2 != 0) staged[here] = Entry::greatest();
      detail::barrier_of_block(block_);
      for (unsigned i = lane; 2 * i < here; i += lanes) {
        auto const two = reinterpret_cast<entry_pair const*>(staged)[i];
        less += (two.first < own ? 1u : 0u) + (two.second < own ? 1u : 0u);
      }
    }
    std::uint64_t const rank = before + tessera::reduce(tessera::tiled_partition<lanes>(block_), less);
    if (lane == 0 && which < count) store(rank, own.index());
  }
  /// Stores the element at an index if its rank is wanted. Called by one thread.
  TESSERA_FN void store(std::uint64_t rank, std::uint64_t index) const {
    bool const alone = plan_.wanted == wanted_ranks::one;
    if (alone ? rank != plan_.target : rank > plan_.target) return;
    std::uint64_t const place = alone ? 0 : rank;
    if (detail::is_given(task_.values))
      tessera::detail::store_at(task_.values, place, tessera::detail::read_element(task_.in, index));
    if (detail::is_given(task_.indices))
      tessera::detail::store_at(task_.indices, place, static_cast<std::int64_t>(index));
  }

 private:
  Block const& block_;
  select_plan const& plan_;
  top_k_task<T, Key> const& task_;
  top_k_storage<Shape, Entry>& storage_;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
