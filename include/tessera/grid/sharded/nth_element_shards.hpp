// The element of one place in the order of an array over ranks, which stays where it is.
//
//   keys          of 8 bits a digit, in the order of the numbers; equal numbers have one
//   a round       each rank counts, by the next digit, those of its elements whose keys begin with the digits found so
//                 far; each adds up the counts of all, and takes the digit that the place falls in
//   a pick        the last counts say how many elements with the key come before the place's, and so on which rank it
//                 is, and which of the rank's it is. That rank looks for it, and all get its value and index.
//
//   place 2 of    rank 0: 31 12 35    rank 1: 38 12      by decimal digits: 1 and 3 begin 2 and 3 elements; 1, 5 and 8
//                                                        follow the 3: 31 is the one
//
// Elements are read once a digit, and once more. Nothing is sorted or moved, and nobody waits on the CPU.
//
// Source: T. Alabi et al., "Fast k-selection algorithms for graphics processing units", 2012: selection by digits.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/sort_key.hpp>
#include <tessera/grid/shard.hpp>
#include <tessera/grid/sharded/split_agents.hpp>
#include <tessera/grid/top_k/quantile.hpp>
#include <tessera/operators.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile/load_store.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct nth_tuning {
  static constexpr int digit_bits = 8;
  static constexpr int digits = 1 << digit_bits;  // 2 KiB of counts, as many as ranks exchange by themselves
};

/// equal_key_of in as many bits as T has.
template <bool Falling, class T>
TESSERA_FN std::uint64_t digits_of_number(T const& x) {
  std::uint64_t const key = detail::equal_key_of<Falling>(x);
  if constexpr (sizeof(T) < 4 && !is_half<T>) {
    constexpr unsigned bits = 8 * sizeof(T);
    constexpr std::uint64_t sign = tessera::detail::is_signed_integer<T> ? std::uint64_t{1} << (bits - 1) : 0;
    return (key ^ sign) & ((std::uint64_t{1} << bits) - 1);
  } else {
    return key;
  }
}

/// The knowledge of all ranks about the place after some rounds, and of this one about its own elements.
struct nth_state {
  std::uint64_t key;     // the digits so far
  std::int64_t missing;  // how many elements whose keys begin with them come before the place
  int owner;             // the rank of the element; after the last round, as what follows
  std::int64_t picked;   // which of this rank's elements with the key it is; −1 on other ranks
  std::int64_t equal;    // room for the number of those, which a selection counts
};

/// The bin of an element in a round: its next digit, or −1 if its key begins with others.
template <bool Falling, class T>
struct next_digit {
  nth_state const* state;
  int round;

  TESSERA_FN int operator()(T const& x) const {
    std::uint64_t const key = detail::digits_of_number<Falling>(x);
    int const shift = (static_cast<int>(sizeof(T)) - 1 - round) * nth_tuning::digit_bits;
    bool const begins = round == 0 || ((key ^ state->key) >> shift >> nth_tuning::digit_bits) == 0;
    return begins ? static_cast<int>(key >> shift & (nth_tuning::digits - 1)) : -1;
  }
};

/// True of elements with the key that was found.
template <bool Falling, class T>
struct has_found_key {
  nth_state const* state;

  TESSERA_FN bool operator()(T const& x) const { return detail::digits_of_number<Falling>(x) == state->key; }
};

/// An iterator over the elements with the key: it stores the one that is picked, with its index in the whole array, and
/// drops others. It is given their indices in the shard.
template <class T>
struct pick_writer {
  nth_state const* state;
  T const* in;
  std::int64_t begin;
  indexed<T, std::int64_t>* found;
  std::int64_t which;

  struct reference {
    pick_writer to;

    TESSERA_FN void operator=(std::int64_t index) const {
      if (to.which != to.state->picked) return;
      tessera::detail::store_element(&to.found->value, to.in[index]);
      to.found->index = to.begin + index;
    }
  };
  TESSERA_FN pick_writer operator+(std::int64_t i) const { return {state, in, begin, found, which + i}; }
  TESSERA_FN reference operator*() const { return {*this}; }
};

/// Ends a round with the counts of all ranks.
template <class T>
struct nth_round_agent {
  std::uint64_t const* counts;  // of all ranks, for each digit
  nth_state* state;
  int rank, ranks, round;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    constexpr int of_lane = nth_tuning::digits / 32;
    auto const warp = tessera::tiled_partition<32>(block);
    int const first = static_cast<int>(warp.thread_rank()) * of_lane;
    std::int64_t missing = state->missing, own = 0;
    for (int i = 0; i < of_lane; ++i) own += sum_of(first + i);
    std::int64_t const before = tessera::inclusive_scan(warp, own) - own;
    if (missing < before || missing - before >= own) return;
    missing -= before;
    int digit = first;
    for (; missing >= sum_of(digit); ++digit) missing -= sum_of(digit);
    int const shift = (static_cast<int>(sizeof(T)) - 1 - round) * nth_tuning::digit_bits;
    int owner = 0;
    std::int64_t place = missing;
    for (; place >= count_of(owner, digit); ++owner) place -= count_of(owner, digit);
    *state = {state->key | static_cast<std::uint64_t>(digit) << shift, missing, owner, owner == rank ? place : -1, 0};
  }

 private:
  TESSERA_FN std::int64_t count_of(int of, int digit) const {
    return static_cast<std::int64_t>(counts[of * nth_tuning::digits + digit]);
  }
  TESSERA_FN std::int64_t sum_of(int digit) const {
    std::int64_t sum = 0;
    for (int of = 0; of < ranks; ++of) sum += count_of(of, digit);
    return sum;
  }
};

/// Calls store(value, index) of the element that its rank has found.
template <class T, class Store>
struct store_found_agent {
  indexed<T, std::int64_t> const* found;  // of all ranks
  nth_state const* state;
  Store store;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    if (block.thread_rank() == 0) store(found[state->owner].value, found[state->owner].index);
  }
};

template <class T>
struct store_element_and_index {
  T* value;             // may be null
  std::int64_t* index;  // may be null

  TESSERA_FN void operator()(T const& x, std::int64_t at) const {
    if (value != nullptr) tessera::detail::store_element(value, x);
    if (index != nullptr) *index = at;
  }
};
/// Stores a number at a fraction of the way from another one to this one.
template <class T>
struct store_interpolated {
  T const* lower;
  double fraction;
  T* out;

  TESSERA_FN void operator()(T const& upper, std::int64_t) const {
    *out = detail::interpolated(*lower, upper, fraction);
  }
};

/// Calls store(value, index) of the element that has `place` others before it, 0 … total − 1. `count(bin, counts)`
/// counts the rank's own elements x by bin(x), in nth_tuning::digits bins. `pick(is_one, state, found)` writes the
/// indices of those that is_one holds for to a pick_writer; it isn't called without elements.
template <bool Falling, class T, class Rank, class Count, class Pick, class Store>
cudaError_t nth_of_shards(Rank const& rank, shard const& part, std::int64_t place, Count const& count, Pick const& pick,
                          Store const& store) noexcept {
  using found_t = indexed<T, std::int64_t>;
  auto const ranks = static_cast<std::size_t>(rank.count());
  constexpr std::size_t own_counts = nth_tuning::digits * sizeof(std::uint64_t);
  auto const memory = rank.exchange(ranks * (own_counts + sizeof(found_t)) + sizeof(nth_state));
  if (memory.error() != cudaSuccess) return memory.error();
  auto* const counts = static_cast<std::uint64_t*>(memory.data());
  auto* const state = reinterpret_cast<nth_state*>(counts + ranks * nth_tuning::digits);
  auto* const found = reinterpret_cast<found_t*>(state + 1);
  cudaError_t error = rank.write(state, nth_state{0, place, 0, -1, 0});
  for (int round = 0; error == cudaSuccess && round < static_cast<int>(sizeof(T)); ++round) {
    error = count(next_digit<Falling, T>{state, round}, counts + rank.index() * nth_tuning::digits);
    if (error == cudaSuccess)
      error =
          rank.gather_and_run(counts, own_counts, nth_round_agent<T>{counts, state, rank.index(), rank.count(), round});
  }
  if (error == cudaSuccess && part.count > 0)
    error = pick(has_found_key<Falling, T>{state}, state, found + rank.index());
  if (error != cudaSuccess) return error;
  return rank.gather_and_run(found, sizeof(found_t), store_found_agent<T, Store>{found, state, store});
}

/// *out = a quantile by less{}, at a place as quantile_by gives it for all elements.
template <class T, class Rank, class Count, class Pick>
cudaError_t quantile_of_shards(Rank const& rank, shard const& part, quantile_place const& place, T* out,
                               Count const& count, Pick const& pick) noexcept {
  if constexpr (tessera::detail::is_float<T> || is_half<T>) {
    if (place.fraction > 0) {
      auto const memory = rank.exchange(sizeof(T));
      if (memory.error() != cudaSuccess) return memory.error();
      T* const lower = static_cast<T*>(memory.data());
      cudaError_t const error = detail::nth_of_shards<false, T>(rank, part, place.rank, count, pick,
                                                                store_element_and_index<T>{lower, nullptr});
      if (error != cudaSuccess) return error;
      return detail::nth_of_shards<false, T>(rank, part, place.rank + 1, count, pick,
                                             store_interpolated<T>{lower, place.fraction, out});
    }
  }
  return detail::nth_of_shards<false, T>(rank, part, place.rank, count, pick, store_element_and_index<T>{out, nullptr});
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
