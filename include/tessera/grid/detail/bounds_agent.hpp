// The agent that searches a sorted array for many needles: what a thread of the kernel of search.cuh does with a few of them.
//
// All searches take the same steps: a step looks at the middle of what is left, and leaves the same length on either side. So the
// loads of a thread's needles are all in flight at once.
//
//   sorted, 7 elements    length 7      look at element 2: half = 3
//                         length 4      from 0 or from 3 on
//                         length 2, 1   the last step looks at one element
#pragma once

#include <tessera/config.hpp>
#include <tessera/detail/gpu_call.hpp>
#include <tessera/detail/words.hpp>
#include <tessera/grid/detail/unaligned_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// out[i] is the index of the first of n sorted elements that doesn't come before needle i, or for an upper bound that comes
/// after it.
template <class T, class Key, class Index, class Before>
struct bounds_task {
  T const* sorted;
  std::int64_t n;
  Key const* needles;
  std::int64_t count;
  Index* out;
  Before before;
};

/// Whether the bound of a needle is behind x.
template <bool Upper, class T, class Key, class Before>
TESSERA_FN bool bound_is_behind(T const& x, Key const& needle, Before const& before) {
  if constexpr (Upper) {
    return !static_cast<bool>(before(needle, x));
  } else {
    return static_cast<bool>(before(x, needle));
  }
}

/// Searches for Each needles, Threads apart. Called by all threads of block `which` of Threads, which wait for
/// nobody; count > 0.
///
/// Count   an unsigned integer that n fits into.
template <unsigned Threads, unsigned Each, bool Upper, class Count, class Block, class T, class Key,
          class Index, class Before>
TESSERA_FN void run_bounds_agent(Block const& block, std::int64_t which,
                                 bounds_task<T, Key, Index, Before> const& task) {
  if constexpr (Upper) {
    tessera::detail::require_call<Block, Before const, Key, T>();
  } else {
    tessera::detail::require_call<Block, Before const, T, Key>();
  }
  std::int64_t const first = which * (Threads * Each) + block.thread_rank();
  tessera::detail::words<Key> needles[Each];
  Count at[Each];
  TESSERA_UNROLL
  for (unsigned j = 0; j < Each; ++j) {
    Key const needle = task.needles[detail::nearest_index(first + j * Threads, task.count)];
    needles[j] = tessera::detail::to_words(needle);
    at[j] = 0;
  }
  auto const is_behind = [&](unsigned j, Count i) {
    T const x = task.sorted[i];
    return detail::bound_is_behind<Upper>(x, tessera::detail::from_words<Key>(needles[j]), task.before);
  };
  // Invariant: the bound of needle j is from at[j] to at[j] + length.
  Count length = static_cast<Count>(task.n);
  TESSERA_LOOP
  while (length > 1) {
    Count const half = length / 2;
    TESSERA_UNROLL
    for (unsigned j = 0; j < Each; ++j) at[j] += is_behind(j, at[j] + (half - 1)) ? half : Count{0};
    length -= half;
  }
  TESSERA_UNROLL
  for (unsigned j = 0; j < Each; ++j) {
    if (length == 1 && is_behind(j, at[j])) ++at[j];
    if (first + j * Threads < task.count) task.out[first + j * Threads] = static_cast<Index>(at[j]);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
