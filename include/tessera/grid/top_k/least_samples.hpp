// The least samples of a block in their order: one of each of 64 groups of neighboring threads.
//
// So many of all samples, at least, are not behind the one at some rank among these, and few more: rank 16 is on average rank 18 among
// all samples, and rank 32 is 44.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Groups of neighboring threads. Samples with neighboring numbers are in different groups, since those of an array that is nearly sorted
/// stand at neighboring ranks.
struct sample_groups {
  static constexpr unsigned count = 64;

  /// The number of a thread's first sample.
  TESSERA_FN static constexpr unsigned first_of(unsigned thread, unsigned threads) {
    unsigned const lanes = threads / count, row = thread % lanes;
    return row * count + (thread / lanes + 2 * row) % count;
  }
  /// The set of shared samples that comes as number i: those of one group come one after the other.
  TESSERA_FN static constexpr unsigned set_of(unsigned i, unsigned sets) {
    unsigned const each = sets / count;
    return i % each * count + i / each;
  }
};

/// A block's shared memory. `sorted`: the least samples of the groups; behind them are as many greatest entries as there are groups
/// without any.
template <class Entry>
struct least_samples {
  Entry of_group[sample_groups::count], sorted[sample_groups::count];
};

/// Sorts the least samples of the groups. `least` is that of the lane, or the greatest entry if it has none.
///
/// Called by  all threads of a block. Two barriers.
template <unsigned Threads, class Entry, class Block>
TESSERA_FN void sort_least_samples(Block const& block, least_samples<Entry>& storage, Entry least) {
  constexpr unsigned count = sample_groups::count, lanes = Threads / count;
  unsigned const thread = block.thread_rank(), lane = thread % lanes;
  auto const group = tessera::tiled_partition<lanes>(block);
  auto const lesser = [](Entry const& a, Entry const& b) { return b < a ? b : a; };
  least = tessera::reduce(group, least, lesser, tessera::converged);
  if (lane == 0) storage.of_group[thread / lanes] = least;
  if (thread < count) storage.sorted[thread] = Entry::greatest();
  block.sync();
  unsigned before = 0;
  TESSERA_UNROLL
  for (unsigned i = 0; i < count / lanes; ++i) before += storage.of_group[i * lanes + lane] < least ? 1u : 0u;
  before = tessera::reduce(group, before, plus{}, tessera::converged);
  if (lane == 0 && least < Entry::greatest()) storage.sorted[before] = least;
  block.sync();
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
