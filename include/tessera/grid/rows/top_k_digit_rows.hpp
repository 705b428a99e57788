// Selects from rows of any length, and any number of results. A team of one block, or of the blocks of a cluster, reads
// a row several times:
//
//   count      the digits of the entries, from the highest on, until the first results and all entries that agree with
//              the last of them in the digits so far are few enough for a block's memory
//   collect    these entries in the first block's memory, in any order
//   sort       them there, and store the results
//
// If there are more results than the memory has room for, the same follows for the entries after the last one. If the
// row itself is short enough, nothing is counted.
//
// A team has tile(), the block's threads; blocks(), their number, and rank(), this one's; sync(), a barrier of all; and
// storage(b), the memory of block b.
//
// Source: radix select by digits from the highest on: T. Alabi et al., "Fast k-selection algorithms for graphics
// processing units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/scan.hpp>
#include <tessera/sort.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Shape, class Bits>
struct top_k_digit_storage {
  using entries = top_k_row_entry<Bits>;
  using stored = typename entries::stored;
  static constexpr unsigned capacity = Shape::template capacity<stored>;

  alignas(16) unsigned char list[capacity * sizeof(stored)];
  unsigned counts[Shape::digits];
  unsigned digit, before, inside;  // the one at which counts reach a rank, and the numbers of entries before and in it
  unsigned collected;

  TESSERA_FN stored* entry(unsigned i) { return reinterpret_cast<stored*>(list) + i; }
};

/// A team of one block.
template <class Shape, class Block, class Storage>
struct top_k_block {
  Block const& block;
  Storage& memory;

  TESSERA_FN auto tile() const { return tessera::this_block_tile<Shape::threads>(block); }
  TESSERA_FN unsigned blocks() const { return 1; }
  TESSERA_FN unsigned rank() const { return 0; }
  TESSERA_FN void sync() const { block.sync(); }
  TESSERA_FN Storage& storage(unsigned) const { return memory; }
};

template <class Shape, class Bits, class Team>
class top_k_digit_rows_agent {
  using task_t = top_k_rows_task<Bits>;
  using row_t = top_k_row<Bits>;
  using storage_t = top_k_digit_storage<Shape, Bits>;
  using entries = top_k_row_entry<Bits>;
  using entry = typename entries::type;
  using stored = typename entries::stored;
  static constexpr unsigned threads = Shape::threads, capacity = storage_t::capacity;
  static_assert(capacity % threads == 0);

 public:
  TESSERA_FN top_k_digit_rows_agent(Team const& team, task_t const& task)
      : team_(team), task_(task), own_(team.storage(team.rank())), thread_(team.tile().thread_rank()) {}

  TESSERA_FN void run(std::int64_t number) const {
    row_t const row = detail::top_k_row_of(task_, number);
    if (team_.rank() == 0) detail::store_no_top_k(task_, row, thread_, threads);
    auto const length = static_cast<unsigned>(row.length), k = static_cast<unsigned>(row.k);
    entry last = entry::least();
    auto done = static_cast<unsigned>(row.from);
    if (done > 0)
      last = bound_of(
          row, [](entry const&) { return true; }, done, done);
    // Invariant: the first `done` entries are stored or not wanted; `last` isn't before any of them, nor after another.
    TESSERA_LOOP
    while (done < k) {
      unsigned const wanted = k - done < capacity ? k - done : capacity;
      auto const is_left = [&](entry const& e) { return done == 0 || last < e; };
      entry const bound = length - done <= capacity ? entry::greatest() : bound_of(row, is_left, wanted, capacity);
      collect(row, is_left, bound);
      if (team_.rank() == 0) sort(row, done, wanted);
      done += wanted;
      if (done == k) break;
      team_.sync();
      last = entries::from_stored(*team_.storage(0).entry(wanted - 1));
    }
  }

 private:
  template <class Use>
  TESSERA_FN void visit(row_t const& row, Use const& use) const {
    detail::visit_top_k_row<Shape::vectors>(row, team_.rank() * threads + thread_, team_.blocks() * threads,
                                            [&](Bits x, int element) { use(entries::of(task_, x, element)); });
  }

  /// An entry up to which there are at least `wanted` of those that are left, and at most `most`.
  template <class IsLeft>
  TESSERA_FN entry bound_of(row_t const& row, IsLeft const& is_left, unsigned wanted, unsigned most) const {
    entry prefix = entry::least();
    unsigned bits = entry::bits, rank = wanted - 1, before = 0;
    // Invariant: the entry of rank `wanted` − 1 agrees with `prefix` above the lowest `bits`; `before` of those that
    // are left come before all that do, and it has rank `rank` among these.
    TESSERA_LOOP
    while (true) {
      for (unsigned i = thread_; i < Shape::digits; i += threads) own_.counts[i] = 0;
      team_.tile().sync();
      digit_place const digit = digit_place::next<entry>(bits, task_.place_bits, Shape::digit_bits);
      visit(row, [&](entry const& e) {
        if (e.agrees(prefix, bits) && is_left(e))
          tessera::atomic_update(&own_.counts[e.digit(digit.from, digit.width)], 1u);
      });
      team_.sync();
      find_digit(rank);
      team_.sync();
      prefix = prefix.with_digit(digit.from, own_.digit);
      bits = digit.from;
      before += own_.before;
      rank -= own_.before;
      if (before + own_.inside <= most) return prefix.filled(bits);
    }
  }

  /// Finds the digit at which the counts of all blocks reach `rank`. A barrier later it is in each block's storage.
  TESSERA_FN void find_digit(unsigned rank) const {
    constexpr unsigned each = Shape::digits / threads > 0 ? Shape::digits / threads : 1;
    unsigned const first = thread_ * each;
    unsigned own[each], sum = 0;
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j) own[j] = 0;
    TESSERA_LOOP
    for (unsigned b = 0; b < team_.blocks(); ++b) {
      unsigned const* const counts = team_.storage(b).counts;
      TESSERA_UNROLL
      for (unsigned j = 0; j < each; ++j) own[j] += first + j < Shape::digits ? counts[first + j] : 0;
    }
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j) sum += own[j];
    unsigned before = tessera::exclusive_scan(team_.tile(), sum);
    TESSERA_UNROLL
    for (unsigned j = 0; j < each; ++j) {
      if (before <= rank && rank < before + own[j]) {
        own_.digit = first + j;
        own_.before = before;
        own_.inside = own[j];
      }
      before += own[j];
    }
  }

  /// Lists the entries that are left, up to a bound, in the first block's storage.
  template <class IsLeft>
  TESSERA_FN void collect(row_t const& row, IsLeft const& is_left, entry const& bound) const {
    storage_t& to = team_.storage(0);
    if (team_.rank() == 0 && thread_ == 0) to.collected = 0;
    team_.sync();
    visit(row, [&](entry const& e) {
      if (!(bound < e) && is_left(e)) *to.entry(tessera::atomic_update(&to.collected, 1u)) = entries::to_stored(e);
    });
    team_.sync();
  }

  /// Sorts the entries of this block's list, and stores the first of them from result `done` on. The last of these is
  /// back in the list.
  TESSERA_FN void sort(row_t const& row, unsigned done, unsigned wanted) const {
    constexpr unsigned each = capacity / threads;
    unsigned const count = own_.collected;
    auto x = detail::from_words<tessera::items<stored, each>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < each; ++i)
      x[i] = i * threads + thread_ < count ? *own_.entry(i * threads + thread_) : entries::to_stored(entry::greatest());
    x = tessera::sort(team_.tile(), x);
    TESSERA_UNROLL
    for (unsigned i = 0; i < each; ++i) {
      unsigned const at = thread_ * each + i;
      if (at < wanted)
        detail::store_top_k(task_, row, static_cast<int>(done + at),
                            static_cast<std::uint32_t>(entries::from_stored(x[i]).index()));
      if (at + 1 == wanted) *own_.entry(at) = x[i];
    }
  }

  Team const& team_;
  task_t const& task_;
  storage_t& own_;
  unsigned thread_;
};

/// Selects from a row of a team.
///
/// Called by  all threads of the team.
/// Cost       with k up to the capacity of a block's memory two to four reads of the row, most of them from the cache;
///            for each capacity of further results as many again.
template <class Shape, class Bits, class Team>
TESSERA_FN void select_from_row_by_digits(Team const& team, top_k_rows_task<Bits> const& task, std::int64_t row) {
  top_k_digit_rows_agent<Shape, Bits, Team>(team, task).run(row);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
