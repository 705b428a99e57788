// Selects from rows of any length, and any number of results. A block reads a row several times:
//
//   count      the digits of the entries, from the highest on, until the first results and all entries that agree with
//              the last of them in the digits so far are few enough for the block's memory
//   collect    these entries, in any order
//   sort       them, and store the results
//
// If there are more results than the memory has room for, the same follows for the entries after the last one. If the
// row itself is short enough, nothing is counted.
//
// Source: radix select by digits from the highest on: T. Alabi et al., "Fast k-selection algorithms for graphics
// processing units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/grid/top_k/select_in_block.hpp>
#include <tessera/joint_sort.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class Bits>
struct top_k_digit_storage {
  using entries = top_k_row_entry<Bits>;
  using stored = typename entries::stored;
  static constexpr unsigned capacity = Shape::template capacity<stored>;

  alignas(16) unsigned char bytes[2 * capacity * sizeof(stored)];  // entries, and as many to sort them
  unsigned counts[Shape::digits];
  found_digit found;
  unsigned collected;

  TESSERA_FN stored* list() { return reinterpret_cast<stored*>(bytes); }
};

template <class Shape, class Bits, class Block>
class top_k_digit_rows_agent {
  using task_t = top_k_rows_task<Bits>;
  using row_t = top_k_row<Bits>;
  using storage_t = top_k_digit_storage<Shape, Bits>;
  using entries = top_k_row_entry<Bits>;
  using entry = typename entries::type;
  static constexpr unsigned threads = Shape::threads;
  static constexpr int capacity = static_cast<int>(storage_t::capacity);

 public:
  TESSERA_FN top_k_digit_rows_agent(Block const& block, task_t const& task, storage_t& storage)
      : block_(block), task_(task), storage_(storage), thread_(block.thread_rank()) {}

  TESSERA_FN void run() const {
    row_t const row = detail::top_k_row_of(task_, std::int64_t{block_.group_index().x});
    for (int i = row.k + static_cast<int>(thread_); i < task_.k; i += static_cast<int>(threads))
      detail::store_no_top_k(task_, row, i);
    entry last = entry::least();
    // Invariant: the first `done` results are stored, and `last` is the last of them.
    TESSERA_LOOP
    for (int done = 0; done < row.k;) {
      int const wanted = row.k - done < capacity ? row.k - done : capacity;
      auto const is_left = [&](entry const& e) { return done == 0 || last < e; };
      entry const bound = row.length - done <= capacity ? entry::greatest() : bound_of(row, is_left, wanted);
      int const collected = collect(row, is_left, bound);
      auto* const list = storage_.list();
      tessera::joint_sort(tessera::this_block_tile<threads>(block_), list, collected, list + capacity);
      block_.sync();
      for (int i = static_cast<int>(thread_); i < wanted; i += static_cast<int>(threads))
        detail::store_top_k(task_, row, done + i, static_cast<std::uint32_t>(entries::from_stored(list[i]).index()));
      last = entries::from_stored(list[wanted - 1]);
      done += wanted;
      block_.sync();
    }
  }

 private:
  template <class Use>
  TESSERA_FN void visit(row_t const& row, Use const& use) const {
    detail::visit_top_k_row<threads, Shape::vectors>(row, thread_,
                                                     [&](Bits x, int element) { use(entries::of(task_, x, element)); });
  }

  /// An entry up to which there are at least `wanted` of those that are left, and at most as many as there is room for.
  template <class IsLeft>
  TESSERA_FN entry bound_of(row_t const& row, IsLeft const& is_left, int wanted) const {
    entry prefix = entry::least();
    unsigned bits = entry::bits;
    auto rank = static_cast<std::uint64_t>(wanted - 1), before = std::uint64_t{0};
    // Invariant: the entry of rank `wanted` − 1 agrees with `prefix` above the lowest `bits`; `before` of those that
    // are left come before all that do, and it has rank `rank` among these.
    TESSERA_LOOP
    while (true) {
      for (unsigned i = thread_; i < Shape::digits; i += threads) storage_.counts[i] = 0;
      block_.sync();
      digit_place const digit = digit_place::next<entry>(bits, task_.place_bits, Shape::digit_bits);
      visit(row, [&](entry const& e) {
        if (e.agrees(prefix, bits) && is_left(e))
          tessera::atomic_update(&storage_.counts[e.digit(digit.from, digit.width)], 1u);
      });
      block_.sync();
      detail::find_digit<Shape>(
          block_, [&](unsigned i) { return std::uint64_t{storage_.counts[i]}; }, rank, storage_.found);
      block_.sync();
      found_digit const found = storage_.found;
      prefix = prefix.with_digit(digit.from, static_cast<unsigned>(found.digit));
      bits = digit.from;
      before += found.before;
      rank -= found.before;
      if (before + found.inside <= static_cast<std::uint64_t>(capacity)) return prefix.filled(bits);
    }
  }

  /// Lists the entries that are left, up to a bound. Returns their number.
  template <class IsLeft>
  TESSERA_FN int collect(row_t const& row, IsLeft const& is_left, entry const& bound) const {
    if (thread_ == 0) storage_.collected = 0;
    block_.sync();
    auto* const list = storage_.list();
    visit(row, [&](entry const& e) {
      if (!(bound < e) && is_left(e)) list[tessera::atomic_update(&storage_.collected, 1u)] = entries::to_stored(e);
    });
    block_.sync();
    return static_cast<int>(storage_.collected);
  }

  Block const& block_;
  task_t const& task_;
  storage_t& storage_;
  unsigned thread_;
};

/// Selects from the row of a block.
///
/// Called by  all threads of the block.
/// Cost       with k up to the capacity of the block's memory two to four reads of the row, most of them from the
///            cache; for each capacity of further results as many again.
template <class Shape, class Bits, class Block>
TESSERA_FN void select_from_row_by_digits(Block const& block, top_k_rows_task<Bits> const& task,
                                          top_k_digit_storage<Shape, Bits>& storage) {
  top_k_digit_rows_agent<Shape, Bits, Block>(block, task, storage).run();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
