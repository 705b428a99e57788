// The agent that searches a sorted array for many needles: what a block of the kernel of search.cuh does with some of
// them.
//
//   sample     If the array is long, a block first loads the elements that the first steps read into shared memory.
//   descend    The block takes these steps for each needle.
//   search     It takes the other steps in the array. All searches take the same steps: a step reads the middle of what
//              is left, and leaves the same length on either side. So the loads of a thread's needles are all in
//              flight at once.
//
//   sorted, 7 elements    length 7      read element 2: half = 3
//                         length 4      from 0 or from 3 on
//                         length 2, 1   the last step reads one element
//
//   samples of 2 levels   part 0 | part 1 | part 2 | part 3        parts of ⌊n / 4⌋ or ⌈n / 4⌉ elements
//     node 1                              the last of part 1       node v is followed by 2 v or 2 v + 1
//     nodes 2, 3          the last of part 0      the last of part 2
//
// If needles are in no order, each lane of a load reads a line of its own, which takes 32 passes through the
// first-level cache. In shared memory, where a level's nodes are neighbors, it takes four or so.
//
// Source: P. Khuong, P. Morin, "Array layouts for comparison-based searching", 2017, for both.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/core/words.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/tile/gpu_call.hpp>
#include <tessera/tile/load_store.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// out[i] is the index of the first of n sorted elements that doesn't come before needle i, or for an upper bound
/// that comes after it.
template <class Sorted, class Needles, class Out, class Before>
struct bounds_task {
  Sorted sorted;
  std::int64_t n;
  Needles needles;
  std::int64_t count;
  Out out;
  Before before;

  TESSERA_FN void set_numbers(std::int64_t of_sorted, std::int64_t of_needles) {
    n = of_sorted;
    count = of_needles;
  }
};

/// True if the bound of a needle comes after x.
template <bool Upper, class T, class Key, class Before>
TESSERA_FN bool bound_is_after(T const& x, Key const& needle, Before const& before) {
  if constexpr (Upper) {
    return !static_cast<bool>(before(needle, x));
  } else {
    return static_cast<bool>(before(x, needle));
  }
}

/// The samples of an array: a tree of some levels, whose parts are about equally long. A tree without levels has one
/// part, the array.
struct sample_tree {
  unsigned levels;
  std::int64_t n;

  /// The most levels that fit into `bytes` of elements.
  template <class T>
  static constexpr unsigned most_levels(unsigned bytes) {
    unsigned levels = 0;
    while ((std::size_t{2} << levels) * sizeof(T) <= bytes) ++levels;
    return levels;
  }
  /// The begin of a part.
  TESSERA_FN std::int64_t begin(std::int64_t part) const { return (part * n) >> levels; }
  /// The most elements of a part.
  TESSERA_FN std::int64_t most() const { return n - begin((std::int64_t{1} << levels) - 1); }
  /// The index of a node's element. `node` is from 1 to 2^levels − 1; n has at least 2^levels elements.
  TESSERA_FN std::int64_t element(unsigned node) const {
    unsigned const level = tessera::detail::highest_bit(node);
    std::int64_t const part = (std::int64_t{2} * (node - (1u << level)) + 1) << (levels - 1 - level);
    return begin(part) - 1;
  }
};

/// A block's shared memory, for samples of so many bytes.
template <class T, unsigned Bytes>
struct bounds_storage {
  static constexpr unsigned most_levels = sample_tree::most_levels<T>(Bytes);
  alignas(16) alignas(T) unsigned char bytes[(std::size_t{1} << most_levels) * sizeof(T)];

  TESSERA_FN T* samples() { return reinterpret_cast<T*>(bytes); }
};

/// Searches for needles, Each at a time for a thread. Called by all threads of block `which` of `blocks` blocks of
/// Threads, which wait for no other block; count > 0.
///
/// Count   an unsigned integer that n fits into.
/// levels  of samples: n has at least 2^levels elements.
template <unsigned Threads, unsigned Each, bool Upper, class Count, class Block, class Sorted, class Needles, class Out,
          class Before, class Storage>
TESSERA_FN void run_bounds_agent(Block const& block, std::int64_t which, std::int64_t blocks,
                                 bounds_task<Sorted, Needles, Out, Before> const& task, unsigned levels,
                                 Storage& storage) {
  using T = value_of<Sorted>;
  using Key = value_of<Needles>;
  using Index = tessera::detail::written_t<Out, std::int64_t>;
  if constexpr (Upper) {
    tessera::detail::require_call<Block, Before const, Key, T>();
  } else {
    tessera::detail::require_call<Block, Before const, T, Key>();
  }
  sample_tree const tree{levels, task.n};
  T* const samples = storage.samples();
  if (levels > 0) {
    TESSERA_LOOP
    for (unsigned node = 1 + block.thread_rank(); node < 1u << levels; node += Threads) {
      T const x = tessera::detail::read_element(task.sorted, tree.element(node));
      tessera::detail::store_element(samples + node, x);
    }
    detail::barrier_of_block(block);
  }
  auto const most = static_cast<Count>(tree.most());
  TESSERA_LOOP
  for (std::int64_t begin = which * (Threads * Each); begin < task.count; begin += blocks * (Threads * Each)) {
    std::int64_t const first = begin + block.thread_rank();
    tessera::detail::words<Key> needles[Each];
    Count at[Each];
    unsigned node[Each];
    TESSERA_UNROLL
    for (unsigned j = 0; j < Each; ++j) {
      Key const needle =
          tessera::detail::read_element(task.needles, detail::nearest_index(first + j * Threads, task.count));
      needles[j] = tessera::detail::to_words(needle);
      node[j] = 1;
    }
    auto const is_after = [&](unsigned j, T const& x) {
      return detail::bound_is_after<Upper>(x, tessera::detail::from_words<Key>(needles[j]), task.before);
    };
    TESSERA_LOOP
    for (unsigned level = 0; level < levels; ++level) {
      TESSERA_UNROLL
      for (unsigned j = 0; j < Each; ++j) {
        T const x = samples[node[j]];
        node[j] = 2 * node[j] + (is_after(j, x) ? 1 : 0);
      }
    }
    TESSERA_UNROLL
    for (unsigned j = 0; j < Each; ++j) at[j] = static_cast<Count>(tree.begin(node[j] - (1u << levels)));
    auto const is_after_element = [&](unsigned j, Count i) {
      T const x = tessera::detail::read_element(task.sorted, i);
      return is_after(j, x);
    };
    // Invariant: the bound of needle j is from at[j] to at[j] + length.
    Count length = most;
    TESSERA_LOOP
    while (length > 1) {
      Count const half = length / 2;
      TESSERA_UNROLL
      for (unsigned j = 0; j < Each; ++j) at[j] += is_after_element(j, at[j] + (half - 1)) ? half : Count{0};
      length -= half;
    }
    TESSERA_UNROLL
    for (unsigned j = 0; j < Each; ++j) {
      if (length == 1 && is_after_element(j, at[j])) ++at[j];
      if (first + j * Threads < task.count)
        tessera::detail::write_element(task.out, first + j * Threads, static_cast<Index>(at[j]));
    }
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
