// The bound of a window: the entry at some rank among samples that a block's lanes hold.
//
// Digit by digit from the highest on. For each digit of 8 bits one barrier, one atomic update in shared memory for each sample that
// agrees with the digits known so far, and in every warp a scan of 256 counts. It ends as soon as few enough samples are left between
// the entries that the digits allow.
//
// Source: radix select by digits from the highest on: T. Alabi et al., "Fast k-selection algorithms for graphics processing
// units", 2012.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/top_k/top_k_entry.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
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

/// The bound at a sample's rank.
///
/// Called by    all threads of a block; each(visit) calls visit(e) for this lane's samples e.
/// index_bits   of an entry's index, so many are used.
template <unsigned Threads, class Entry, class Block, class Each>
TESSERA_FN Entry find_bound(Block const& block, sample_digits& shared, sought_sample const& sought,
                            common_bits<Entry> const& known, unsigned index_bits, Each each) {
  constexpr unsigned threads = Threads;
  unsigned const thread = block.thread_rank();
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
    unsigned const end = detail::skip_empty_bits<Entry>(bits, index_bits),
                   width = end < sample_digits::bits ? end : sample_digits::bits, from = end - width;
    each([&](Entry const& e) {
      if (e.agrees(prefix, bits))
        tessera::atomic_update(&shared.counts[set][sample_digits::place_of(e.digit(from, width))], 1u);
    });
    clear((set + 1) % 3);
    block.sync();
    found_digit const found =
        detail::find_digit(tessera::tiled_partition<32>(block), shared.counts[set], sought.rank - before);
    prefix = prefix.with_digit(from, found.digit);
    before += found.before;
    through = before + found.inside;
    bits = from;
  }
  return sought.upper ? prefix.filled(bits) : prefix;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
