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
// Results by column aren't sorted. Digits are counted until the last result is known, and then each block stores those
// of its part of the columns, chunk by chunk: they come after the results of the blocks before, and of the threads.
//
// A team has tile(), the block's threads; blocks(), their number, and rank(), this one's; sync(), a barrier of all; and
// storage(b), the memory of block b.
//
// Source: radix select by digits from the highest on: T. Alabi et al., "Fast k-selection algorithms for graphics
// processing units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/top_k_row.hpp>
#include <tessera/reduce.hpp>
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
  TESSERA_FN void sync() const { detail::barrier_of_block(block); }
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

  /// Selects from row `number`, and stores the results by column.
  TESSERA_FN void run_by_column(std::int64_t number) const {
    row_t const row = detail::top_k_row_of(task_, number);
    if (team_.rank() == 0) detail::store_no_top_k(task_, row, thread_, threads);
    if (row.k == 0) return;
    auto const k = static_cast<unsigned>(row.k);
    auto const all = [](entry const&) { return true; };
    entry const bound = row.k == row.length ? entry::greatest() : bound_of(row, all, k, k);
    int const chunks = (detail::shift_of(row.first) + row.length + chunk - 1) / chunk;
    int const blocks = static_cast<int>(team_.blocks()), each = (chunks + blocks - 1) / blocks;
    int const begin = static_cast<int>(team_.rank()) * each, end = begin + each < chunks ? begin + each : chunks;
    unsigned before = 0;  // the number of results that are stored of the columns before this chunk
    if (blocks > 1) {
      unsigned own = 0;
      TESSERA_LOOP
      for (int c = begin; c < end; ++c) own += tessera::detail::bits_set(selected(row, c, bound));
      own = tessera::reduce(team_.tile(), own);
      if (thread_ == 0) own_.collected = own;
      team_.sync();
      for (unsigned b = 0; b < team_.rank(); ++b) before += team_.storage(b).collected;
      team_.sync();
    }
    TESSERA_LOOP
    for (int c = begin; c < end; ++c) {
      std::uint32_t left = selected(row, c, bound);
      auto const [place, total] =
          tessera::exclusive_scan(team_.tile(), tessera::detail::bits_set(left), plus{}, tessera::with_total);
      for (auto i = static_cast<int>(before + place); left != 0; ++i, left &= left - 1)
        detail::store_top_k(
            task_, row, i,
            static_cast<std::uint32_t>(first_of_chunk(row, c) + static_cast<int>(tessera::detail::lowest_bit(left))) ^
                task_.mirrored);
      before += total;
    }
  }

 private:
  /// The elements of a thread in a chunk: some neighboring vectors.
  static constexpr int width = row_vector_length<Bits>, items = static_cast<int>(Shape::vectors) * width,
                       chunk = static_cast<int>(threads) * items;
  static_assert(items <= 32, "A word has a bit for each.");

  TESSERA_FN int first_of_chunk(row_t const& row, int c) const {
    return c * chunk + static_cast<int>(thread_) * items - detail::shift_of(row.first);
  }
  /// A bit for each of the thread's elements in a chunk that isn't after the bound.
  TESSERA_FN std::uint32_t selected(row_t const& row, int c, entry const& bound) const {
    packed<Bits> loaded[Shape::vectors];
    int const first = first_of_chunk(row, c);
    detail::load_top_k_vectors(row, first, width, loaded);
    std::uint32_t out = 0;
    TESSERA_UNROLL
    for (int i = 0; i < items; ++i) {
      auto const x = detail::from_words<row_vector<Bits>>(loaded[i / width])[static_cast<unsigned>(i % width)];
      if (detail::has_element(row, first + i) && !(bound < entries::of(task_, x, first + i))) out |= 1u << i;
    }
    return out;
  }

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

/// Selects from a row of a team. The results come in order, or by column.
///
/// Called by  all threads of the team.
/// Cost       with k up to the capacity of a block's memory two to four reads of the row, most of them from the cache;
///            for each capacity of further results as many again. By column, three to six reads for any k.
template <class Shape, bool ByColumn = false, class Bits, class Team>
TESSERA_FN void select_from_row_by_digits(Team const& team, top_k_rows_task<Bits> const& task, std::int64_t row) {
  top_k_digit_rows_agent<Shape, Bits, Team> const agent(team, task);
  if constexpr (ByColumn) {
    agent.run_by_column(row);
  } else {
    agent.run(row);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
