// Where the sorted shards of all ranks are cut, so that each rank gets the elements of its places in the sorted array.
//
//   a boundary   the first place of a rank: as many elements come before it in the sorted array
//   its key      the greatest key with no more elements of lower keys than that. It is found from its highest bits on:
//                in each round ranks count, in their sorted shards, the elements below the 15 keys that go on with
//                another digit, and add up what all have counted
//   its cut      in each shard the elements of lower keys come before it, and of those with the key as many as are
//                missing, from the first rank on
//
// Equal elements thus stay in the order of the ranks: the whole sort is stable. Every element is in its place, whatever
// the values are, and no rank gets more than it had.
//
// A search in a shard is a chain of loads: each of a round's searches has a thread, and few steps.
//
// Source: exact splitting by counting, as in D. R. Cheng et al., "A Novel Parallel Sorting Algorithm for Contemporary
// Architectures", 2007; here by digits of keys instead of weighted medians.
#pragma once

#include <tessera/core/sort_key.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/sharded/fold_agents.hpp>
#include <tessera/tile/search.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A key of each number in the order of `less` (Falling: `greater`), one for equal numbers.
template <bool Falling, class T>
TESSERA_FN std::uint64_t equal_key_of(T const& x) {
  auto const key = tessera::detail::sort_key_of<Falling>(x);
  if constexpr (is_float<T> || is_half<T>) {
    using image = tessera::detail::float_image<T>;
    return image::key_of_equal(static_cast<typename image::bits>(key));
  } else {
    return key;
  }
}

struct split_tuning {
  static constexpr int digit_bits = 4;
  static constexpr int digits = (1 << digit_bits) - 1;  // other than 0
  template <class T>
  static constexpr int rounds = (sizeof(T) < 4 && !is_half<T> ? 32 : 8 * static_cast<int>(sizeof(T))) / digit_bits;
};

/// A rank's knowledge of a boundary: the key so far, and how many elements of its shard come before all that go on from
/// it, and before all that are greater.
struct split_state {
  std::uint64_t key;
  std::int64_t low, high;
};

/// The place of a rank's shard, which it tells the others.
struct shard_place {
  std::int64_t begin, count;
};

/// The sorted shard of a rank, and the boundaries 1 … ranks − 1: boundary b is the first place of rank b.
template <bool Falling, class T>
struct split_task {
  T const* sorted;
  std::int64_t n;
  int ranks;
  split_state* states;        // of each boundary
  std::int64_t* counts;       // of all ranks: for each boundary and digit
  shard_place const* places;  // of all ranks

  TESSERA_FN int boundaries() const { return ranks - 1; }
  TESSERA_FN int searches() const { return boundaries() * split_tuning::digits; }
  TESSERA_FN std::int64_t* counts_of(int rank) const { return counts + static_cast<std::int64_t>(rank) * searches(); }
  /// How many elements of the whole array come before a boundary, which counts from 0 here.
  TESSERA_FN std::int64_t place_of(int b) const { return places[b + 1].begin; }
  TESSERA_FN static int shift_of(int round) { return (split_tuning::rounds<T> - 1 - round) * split_tuning::digit_bits; }
};

/// Begins with all places of all ranks.
template <bool Falling, class T>
struct begin_split_agent {
  split_task<Falling, T> task;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    for (int b = static_cast<int>(block.thread_rank()); b < task.boundaries(); b += 32) task.states[b] = {0, 0, task.n};
  }
};

/// partition_point of search.hpp in a third of its steps: in each of them 7 loads don't wait for each other. Invariant:
/// the answer is in [begin, end].
template <class IsLeft>
TESSERA_FN std::int64_t partition_point_by_parts(std::int64_t n, IsLeft is_left) {
  constexpr int parts = 8;
  std::int64_t begin = 0, end = n;
  while (end - begin >= parts) {
    std::int64_t const first = begin, part = (end - begin) / parts;
    int left = 0;
    TESSERA_UNROLL
    for (int i = 1; i < parts; ++i) left += is_left(first + i * part) ? 1 : 0;
    if (left > 0) begin = first + left * part + 1;
    if (left + 1 < parts) end = first + (left + 1) * part;
  }
  return begin + tessera::detail::partition_point(end - begin, [&](std::int64_t i) { return is_left(begin + i); });
}

/// Counts the elements below the keys that a round tries, each by a thread.
template <bool Falling, class T>
struct split_count_agent {
  split_task<Falling, T> task;
  int rank;
  int round;

  TESSERA_FN void operator()(std::int64_t thread, std::int64_t threads) const {
    for (std::int64_t at = thread; at < task.searches(); at += threads) {
      split_state const& state = task.states[at / split_tuning::digits];
      auto const digit = static_cast<std::uint64_t>(at % split_tuning::digits + 1);
      std::uint64_t const key = state.key | digit << task.shift_of(round);
      T const* const from = task.sorted + state.low;
      task.counts_of(rank)[at] = state.low + detail::partition_point_by_parts(state.high - state.low, [&](auto i) {
                                   return detail::equal_key_of<Falling>(from[i]) < key;
                                 });
    }
  }
};

/// Ends a round with the counts of all ranks: takes the greatest digit of each boundary that has no more elements
/// before it than the boundary. After the last round, the rank's counts are where its elements with a boundary's key
/// begin and end.
template <bool Falling, class T>
struct split_narrow_agent {
  split_task<Falling, T> task;
  int rank;
  int round;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    int const lane = static_cast<int>(block.thread_rank());
    for (int b = lane; b < task.boundaries(); b += 32) narrow(b);
    if (round + 1 < split_tuning::rounds<T>) return;
    detail::barrier_of_block(block);
    for (int b = lane; b < task.boundaries(); b += 32) {
      task.counts_of(rank)[2 * b] = task.states[b].low;
      task.counts_of(rank)[2 * b + 1] = task.states[b].high;
    }
  }

 private:
  TESSERA_FN void narrow(int b) const {
    int const first = b * split_tuning::digits;
    std::int64_t const place = task.place_of(b);
    int const digit = tessera::detail::partition_point(split_tuning::digits, [&](int i) {
      std::int64_t before = 0;
      for (int r = 0; r < task.ranks; ++r) before += task.counts_of(r)[first + i];
      return before <= place;
    });
    std::int64_t const* const own = task.counts_of(rank) + first;
    split_state& state = task.states[b];
    state.key |= static_cast<std::uint64_t>(digit) << task.shift_of(round);
    if (digit > 0) state.low = own[digit - 1];
    if (digit < split_tuning::digits) state.high = own[digit];
  }
};

/// Stores the cuts of all shards: cuts[r · (ranks + 1) + b] elements of rank r's shard come before boundary b; none
/// before boundary 0, and all before boundary `ranks`.
template <bool Falling, class T>
struct cut_agent {
  split_task<Falling, T> task;
  std::int64_t* cuts;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    int const ranks = task.ranks;
    for (int b = static_cast<int>(block.thread_rank()); b <= ranks; b += 32) {
      bool const is_end = b == 0 || b == ranks;
      std::int64_t missing = is_end ? 0 : task.place_of(b - 1);
      for (int r = 0; r < ranks && !is_end; ++r) missing -= task.counts_of(r)[2 * (b - 1)];
      for (int r = 0; r < ranks; ++r) {
        std::int64_t cut = b == 0 ? 0 : task.places[r].count;
        if (!is_end) {
          std::int64_t const low = task.counts_of(r)[2 * (b - 1)], equal = task.counts_of(r)[2 * (b - 1) + 1] - low;
          std::int64_t const taken = missing < equal ? missing : equal;
          cut = low + taken;
          missing -= taken;
        }
        cuts[r * (ranks + 1) + b] = cut;
      }
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
