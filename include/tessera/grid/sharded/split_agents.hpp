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
// Source: exact splitting by counting, as in D. R. Cheng et al., "A Novel Parallel Sorting Algorithm for Contemporary
// Architectures", 2007; here by digits of keys instead of weighted medians.
#pragma once

#include <tessera/core/sort_key.hpp>
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

/// What a rank knows of a boundary: the key so far, and the places in its shard between which that of the key lies.
struct split_state {
  std::uint64_t key;
  std::int64_t low, high;
};

/// What a rank tells the others of its shard.
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
  TESSERA_FN std::int64_t* counts_of(int rank) const {
    return counts + static_cast<std::int64_t>(rank) * boundaries() * split_tuning::digits;
  }
  /// The elements with a lower key than this one, of those between two places.
  TESSERA_FN std::int64_t lower_bound(std::uint64_t key, std::int64_t low, std::int64_t high) const {
    return low + tessera::detail::partition_point(
                     high - low, [&](std::int64_t i) { return detail::equal_key_of<Falling>(sorted[low + i]) < key; });
  }
  /// Counts the elements below the keys that a round tries.
  TESSERA_FN void count(int rank, int lane, int round) const {
    int const shift = (split_tuning::rounds<T> - 1 - round) * split_tuning::digit_bits;
    for (int at = lane; at < boundaries() * split_tuning::digits; at += 32) {
      split_state const& state = states[at / split_tuning::digits];
      auto const digit = static_cast<std::uint64_t>(at % split_tuning::digits + 1);
      counts_of(rank)[at] = lower_bound(state.key | digit << shift, state.low, state.high);
    }
  }
  /// Takes the greatest digit of each boundary that has no more elements before it than the boundary.
  TESSERA_FN void narrow(int rank, int lane, int round) const {
    int const shift = (split_tuning::rounds<T> - 1 - round) * split_tuning::digit_bits;
    for (int b = lane; b < boundaries(); b += 32) {
      int digit = split_tuning::digits;
      for (; digit > 0; --digit) {
        std::int64_t before = 0;
        for (int r = 0; r < ranks; ++r) before += counts_of(r)[b * split_tuning::digits + digit - 1];
        if (before <= places[b + 1].begin) break;
      }
      std::int64_t const* const own = counts_of(rank) + b * split_tuning::digits;
      split_state& state = states[b];
      state.key |= static_cast<std::uint64_t>(digit) << shift;
      std::int64_t const low = digit > 0 ? own[digit - 1] : state.low;
      std::int64_t const high = digit < split_tuning::digits ? own[digit] : state.high;
      state.low = low;
      state.high = high;
    }
  }
};

/// Begins with all places of all ranks: counts for the first round.
template <bool Falling, class T>
struct begin_split_agent {
  split_task<Falling, T> task;
  int rank;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    int const lane = static_cast<int>(block.thread_rank());
    for (int b = lane; b < task.boundaries(); b += 32) task.states[b] = {0, 0, task.n};
    block.sync();
    task.count(rank, lane, 0);
  }
};

/// Ends a round with the counts of all ranks, and counts for the next one; after the last, where the elements with a
/// boundary's key begin and end.
template <bool Falling, class T>
struct split_round_agent {
  split_task<Falling, T> task;
  int rank;
  int round;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    int const lane = static_cast<int>(block.thread_rank());
    task.narrow(rank, lane, round);
    block.sync();
    if (round + 1 < split_tuning::rounds<T>) {
      task.count(rank, lane, round + 1);
    } else {
      for (int b = lane; b < task.boundaries(); b += 32) {
        std::uint64_t const key = task.states[b].key;
        std::int64_t const low = task.lower_bound(key, 0, task.n);
        task.counts_of(rank)[2 * b] = low;
        task.counts_of(rank)[2 * b + 1] = key == ~std::uint64_t{0} ? task.n : task.lower_bound(key + 1, low, task.n);
      }
    }
  }
};

/// Stores the cuts of all shards: cuts[r · (ranks + 1) + b] elements of rank r's shard come before boundary b.
template <bool Falling, class T>
struct cut_agent {
  split_task<Falling, T> task;
  std::int64_t* cuts;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    int const ranks = task.ranks;
    for (int b = static_cast<int>(block.thread_rank()); b <= ranks; b += 32) {
      std::int64_t missing = 0;
      if (b > 0 && b < ranks) {
        missing = task.places[b].begin;
        for (int r = 0; r < ranks; ++r) missing -= task.counts_of(r)[2 * (b - 1)];
      }
      for (int r = 0; r < ranks; ++r) {
        std::int64_t cut = b == 0 ? 0 : task.places[r].count;
        if (b > 0 && b < ranks) {
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
