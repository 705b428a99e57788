// The bound of a window: the entry at some rank among samples that a block's lanes hold.
//
//   of one of the first ranks from above   the least samples of 32 groups of lanes, and of these the one at the rank: at least so many
//                                          samples are not behind it, and few more. Two barriers; each lane reads those 32.
//   else    digit by digit from the highest on. For each digit of 8 bits one barrier, one atomic update in shared memory for each
//           sample that agrees with the digits known so far, and in every warp a scan of 256 counts. It ends as soon as few
//           enough samples are left between the entries that the digits allow.
//
// Source: radix select by digits from the highest on: T. Alabi et al., "Fast k-selection algorithms for graphics processing
// units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/grid/detail/top_k_entry.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A block's shared memory. Three sets of counts take turns: one is counted, one may still be read, one is cleared.
struct sample_digits {
  static constexpr unsigned bits = 8, count = 1u << bits, of_lane = count / 32;
  unsigned counts[3][count];

  /// Where a digit's count is: a lane has neighboring digits, and no two lanes' counts meet in a bank.
  TESSERA_FN static constexpr unsigned place_of(unsigned digit) {
    return digit % of_lane * 32 + digit / of_lane;
  }
};

/// Groups of neighboring threads whose samples have one least, and up to which rank these are enough: of 32, rank 16 among them is on
/// average rank 22 among all.
///
/// Samples with neighboring numbers are in different groups, since those of an array that is nearly sorted stand at neighboring ranks.
struct sample_groups {
  static constexpr unsigned count = 32;

  /// Whether a rank is sought so: of entries of a word of 64 bits. Those of two take registers that the kernel doesn't have.
  template <class Entry>
  TESSERA_FN static constexpr bool serve(unsigned rank) {
    return sizeof(Entry) <= 8 && rank <= count / 2;
  }

  /// The number of a thread's first sample. (No two lanes of half a warp load 8 bytes of one bank so.)
  TESSERA_FN static constexpr unsigned first_of(unsigned thread, unsigned threads) {
    unsigned const lanes = threads / count, row = thread % lanes;
    return row * count + (thread / lanes + row) % count;
  }
};
/// A block's shared memory for either way.
template <class Entry>
struct sample_storage {
  sample_digits digits;
  Entry least[sample_groups::count];
};

/// A rank that is sought among samples, from 1 on, for a bound from above or from below, which may be off by `slack` samples further
/// outside.
struct sought_sample {
  unsigned rank, samples, slack;
  bool upper;
};

/// What is known of all samples: that their bits above the lowest `bits` are those of `prefix`, whose others are 0.
template <class Entry>
struct common_bits {
  Entry prefix;
  unsigned bits;
};

/// A digit, how many of the counted samples have a lower one, and how many have this one.
struct found_digit {
  unsigned digit, before, inside;
};

/// The digit at which the counts reach `rank`, which they do. Called by all lanes of a warp.
template <class Warp>
TESSERA_FN found_digit find_digit(Warp const& warp, unsigned const (&counts)[sample_digits::count],
                                  unsigned rank) {
  constexpr unsigned each = sample_digits::of_lane;
  unsigned const first = warp.thread_rank() * each;
  unsigned own[each], sum = 0;
  TESSERA_UNROLL
  for (unsigned j = 0; j < each; ++j) sum += own[j] = counts[sample_digits::place_of(first + j)];
  unsigned const before = tessera::exclusive_scan(warp, sum, plus{}, tessera::converged);
  unsigned const source =
      tessera::ballot(warp, before < rank && rank <= before + sum, tessera::converged).first();
  found_digit found{};
  unsigned through = before + sum;
  TESSERA_UNROLL
  for (unsigned j = each; j-- > 0; through -= own[j]) {
    if (through >= rank) found = {first + j, through - own[j], own[j]};
  }
  return {tessera::broadcast(warp, found.digit, source, tessera::converged),
          tessera::broadcast(warp, found.before, source, tessera::converged),
          tessera::broadcast(warp, found.inside, source, tessera::converged)};
}

/// The bound from above of one of the first ranks: the sample at `rank` among the least ones of the groups.
template <unsigned Threads, class Entry, class Block, class Each>
TESSERA_FN Entry bound_of_groups(Block const& block, Entry (&shared)[sample_groups::count], unsigned rank,
                                 Each each) {
  constexpr unsigned lanes = Threads / sample_groups::count;
  unsigned const thread = block.thread_rank();
  Entry least = Entry::greatest();
  each([&](Entry const& e) {
    if (e < least) least = e;
  });
  auto const lesser = [](Entry const& a, Entry const& b) { return b < a ? b : a; };
  least = tessera::reduce(tessera::tiled_partition<lanes>(block), least, lesser, tessera::converged);
  block.sync();  // Nobody reads those of an earlier search.
  if (thread % lanes == 0) shared[thread / lanes] = least;
  block.sync();
  Entry const own = shared[thread % sample_groups::count];
  unsigned before = 0;
  TESSERA_UNROLL
  for (unsigned i = 0; i < sample_groups::count; ++i) before += shared[i] < own ? 1u : 0u;
  auto const warp = tessera::tiled_partition<32>(block);
  auto const has_rank = tessera::ballot(warp, before + 1 == rank, tessera::converged);
  if (has_rank.none()) return Entry::greatest();  // fewer groups have a sample
  return tessera::broadcast(warp, own, has_rank.first(), tessera::converged);
}

/// The bound at a sample's rank.
///
/// Called by    all threads of a block; each(visit) calls visit(e) for this lane's samples e: those with the numbers
///              `sample_groups::first_of` + i · Threads.
/// index_bits   of an entry's index, so many are used.
template <unsigned Threads, class Entry, class Block, class Each>
TESSERA_FN Entry find_bound(Block const& block, sample_storage<Entry>& storage, sought_sample const& sought,
                            common_bits<Entry> const& known, unsigned index_bits, Each each) {
  constexpr unsigned threads = Threads;
  unsigned const thread = block.thread_rank();
  if constexpr (sample_groups::serve<Entry>(1)) {
    if (sought.upper && sample_groups::serve<Entry>(sought.rank))
      return detail::bound_of_groups<Threads>(block, storage.least, sought.rank, each);
  }
  sample_digits& shared = storage.digits;
  auto const clear = [&](unsigned set) {
    for (unsigned i = thread; i < sample_digits::count; i += threads) shared.counts[set][i] = 0;
  };
  // Invariant: fewer samples than the rank come before `prefix`, and at least so many before all with the same higher bits.
  Entry prefix = known.prefix;
  unsigned bits = known.bits, before = 0, through = sought.samples;
  block.sync();  // Nobody reads the counts of an earlier search.
  clear(0);
  block.sync();
  for (unsigned set = 0;
       bits > 0 && (sought.upper ? through - sought.rank : sought.rank - 1 - before) > sought.slack;
       set = (set + 1) % 3) {
    unsigned const end = skip_empty_bits<Entry>(bits, index_bits),
                   width = end < sample_digits::bits ? end : sample_digits::bits, from = end - width;
    each([&](Entry const& e) {
      if (e.agrees(prefix, bits))
        tessera::atomic_update(&shared.counts[set][sample_digits::place_of(e.digit(from, width))], 1u);
    });
    clear((set + 1) % 3);
    block.sync();
    found_digit const found =
        find_digit(tessera::tiled_partition<32>(block), shared.counts[set], sought.rank - before);
    prefix = prefix.with_digit(from, found.digit);
    before += found.before;
    through = before + found.inside;
    bits = from;
  }
  return sought.upper ? prefix.filled(bits) : prefix;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
