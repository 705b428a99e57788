// Samples of a block in their order: one of each of 64 or 128 groups of neighboring threads, that of a given rank in
// its group.
//
// If it is the least of each group, the sample at rank r among these has at least r of all samples up to it, and few
// more: rank 16 is on average rank 18 among all samples, and rank 32 is 44.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/top_k/top_k_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The lesser of two entries.
struct lesser_entry {
  template <class Entry>
  TESSERA_FN Entry operator()(Entry const& a, Entry const& b) const {
    return b < a ? b : a;
  }
};

/// A block's shared memory. `sorted` has the samples of the groups, and after them a greatest entry for each group
/// without a sample.
template <class Entry>
struct least_samples {
  Entry of_group[sample_groups::most], sorted[sample_groups::most];
};

/// Sorts the samples that have this rank in their groups. `own` is that of the lane, or the greatest entry if it has
/// none. With a rank above 0 all lanes have one.
///
/// Called by  all threads of a block. Two barriers.
template <unsigned Threads, unsigned Groups, class Entry, class Block>
TESSERA_FN void sort_samples(Block const& block, least_samples<Entry>& storage, Entry own, unsigned rank) {
  constexpr unsigned lanes = Threads / Groups;
  unsigned const thread = block.thread_rank(), lane = thread % lanes;
  auto const group = tessera::tiled_partition<lanes>(block);
  if (rank > 0) {
    unsigned less = 0;
    TESSERA_UNROLL
    for (unsigned i = 1; i < lanes; ++i) less += tessera::rotate(group, own, i, tessera::converged) < own ? 1u : 0u;
    if (less != rank) own = Entry::greatest();
  }
  Entry const sample = tessera::reduce(group, own, lesser_entry{}, tessera::converged);
  if (lane == 0) storage.of_group[thread / lanes] = sample;
  if (thread < sample_groups::most) storage.sorted[thread] = Entry::greatest();
  detail::barrier_of_block(block);
  unsigned before = 0;
  TESSERA_LOOP
  for (unsigned i = 0; i < Groups / lanes; ++i) before += storage.of_group[i * lanes + lane] < sample ? 1u : 0u;
  before = tessera::reduce(group, before, plus{}, tessera::converged);
  if (lane == 0 && sample < Entry::greatest()) storage.sorted[before] = sample;
  detail::barrier_of_block(block);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
