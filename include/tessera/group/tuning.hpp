// Choices of the collectives on tiles that were made by measuring, each with one figure. The other figures are in
// benchmark/tuning.md, as are those of whole arrays (grid/*/*_tuning.hpp). Times are in ns per tile on an H200
// with all multiprocessors busy, unless a line says otherwise.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The warp's instructions that combine the values of all lanes.
enum class warp_instruction {
  none,           // none for this operator on this type
  redux,          // redux.sync: integers of up to 32 bits
  redux_pair,     // two redux.sync: bitwise operators on 64 bits
  redux_ordered,  // redux.sync on an order-preserving integer image: minimum and maximum of float and halves
  redux_indexed,  // redux.sync of values, then of the indices of the best ones: argmin and argmax
  vote,           // ballot: operators on truth values
};

/// True if `reduce` with method `automatic` combines `N` lanes by the warp's instruction rather than by shuffles: 32
/// lanes by redux take 3.0 cycles a warp, by shuffles 5.2. Below 32 lanes the instruction combines over its mask, so
/// the tiles of a warp would run one after another. A vote serves all tiles of a warp at once.
TESSERA_FN constexpr bool prefers_warp_instruction(warp_instruction instruction, unsigned N) {
  switch (instruction) {
    case warp_instruction::none:
      return false;
    case warp_instruction::vote:
      return N > 1;
    default:
      return N == 32;
  }
}

/// The number of warps' results that a lane of the combining warp loads; shuffles combine the rest. 16 warps with 2
/// results a lane take 14.5 cycles a warp, with 4 15.4, with all 17.6.
TESSERA_FN constexpr unsigned partials_a_lane(unsigned warps, unsigned words) {
  unsigned const best = warps <= 8 ? (warps < 4 ? warps : 4) : 2;
  return words > 2 ? 1 : words > 1 && best > 2 ? 2 : best;
}

/// True if a tile's first warp combines the warps' results for all, rather than each warp for itself: 16 warps take 81
/// instead of 96.
TESSERA_FN constexpr bool combines_by_first_warp(unsigned warps) {
  return warps >= 16;
}

/// True if the first warps combine the values of all lanes, through a slot a lane, rather than each warp its own: 128
/// lanes take 15.2 instead of 21.5.
TESSERA_FN constexpr bool combines_by_few_warps(unsigned warps, bool is_block) {
  return is_block || warps > 2;
}

/// The number of warps that combine the values of a tile with a slot a lane: 1024 lanes of float take 136 with one
/// warp, 123 with two, 126 with four.
TESSERA_FN constexpr unsigned raking_warps(unsigned warps, unsigned words, bool to_leader) {
  if (to_leader) return warps >= 32 && words == 2 ? 4 : 1;
  return warps >= 16 && words > 2 ? 4 : warps >= 32 || (warps == 16 && words > 1) ? 2 : 1;
}

/// The number of such a warp's lanes that load slots; the others only shuffle. 64 floats to the leader take 9.7 with 32
/// lanes, 8.9 with 16, 9.3 with 8.
TESSERA_FN constexpr unsigned raking_lanes(unsigned slot_count, unsigned words) {
  return slot_count == 64 && words <= 2 ? 16 : 32;
}

/// True if a warp votes whether it combines (multi_warp_group.hpp): 1024 floats to all take 272 cycles with the vote,
/// 298 without (on an H100).
TESSERA_FN constexpr bool votes_before_raking(unsigned warps, unsigned words, bool to_leader) {
  return !(to_leader && warps == 32 && words == 1);
}

/// The number of warps that combine the values of all warps before they use the instruction; 0 if each warp uses it at
/// once. A sum of 256 ints takes 20.4 with two warps, 29.0 with each (on an H100).
TESSERA_FN constexpr unsigned column_warps(warp_instruction instruction, unsigned warps, bool to_leader) {
  if (instruction != warp_instruction::redux || warps > 16) return 0;
  return to_leader ? 1 : warps > 2 ? 2 : 0;
}

/// True if the lanes of the warp that combines columns for the leader synchronize before. With few warps the compiler
/// would otherwise issue its instructions in all warps, under a predicate: 128 lanes take 9.5 instead of 13.0.
TESSERA_FN constexpr bool meets_before_columns(unsigned warps, bool to_leader) {
  return to_leader && warps <= 4;
}

/// True if a tile's first warp scans the warps' totals, rather than each lane the totals before its own warp: 512
/// floats take 79 instead of 126.
TESSERA_FN constexpr bool scans_totals_in_first_warp(unsigned warps) {
  return warps >= 8;
}

/// True if that warp's lanes load the totals before each warp, rather than exchange them by shuffles: 256 floats take
/// 114 cycles instead of 130 (on an H100).
TESSERA_FN constexpr bool scans_totals_by_loads(unsigned warps, unsigned words) {
  return warps <= 16 && words <= 2;
}

/// True if each warp combines all warps' totals to a scan's total, rather than the last warp storing it: up to the size
/// of one load. Other sizes weren't measured.
TESSERA_FN constexpr bool reads_all_totals(unsigned warps, unsigned words) {
  return warps * words <= 4;
}

/// The methods by which `reduce_batch` combines the K items of N lanes.
enum class batch_method {
  butterflies,   // each lane combines all: log2(N) exchanges of K items
  halving,       // each lane keeps half of its items at each exchange; to all, a shuffle of each result follows
  instructions,  // one warp_instruction for each item
};

/// The number of 32-bit shuffles that move `count` items of `bytes` each together.
TESSERA_FN constexpr unsigned shuffles_of(unsigned count, unsigned bytes) {
  return (count * bytes + 3) / 4;
}
/// K for each of log2(N) exchanges, if items have one word.
TESSERA_FN constexpr unsigned butterfly_shuffles(unsigned N, unsigned K, unsigned bytes) {
  unsigned total = 0;
  for (unsigned bit = 1; bit < N; bit *= 2) total += detail::shuffles_of(K, bytes);
  return total;
}
/// ⌈K/2⌉ + ⌈K/4⌉ + …, log2(N) terms, if items have one word.
TESSERA_FN constexpr unsigned halving_shuffles(unsigned N, unsigned K, unsigned bytes) {
  unsigned total = 0;
  for (unsigned bit = 1; bit < N; bit *= 2) {
    K = (K + 1) / 2;
    total += detail::shuffles_of(K, bytes);
  }
  return total;
}
/// The cost of an instruction for one item, in shuffles of a word. A value with its index takes one for each word, a
/// vote, and the shuffle.
TESSERA_FN constexpr unsigned cost_in_shuffles(warp_instruction instruction, unsigned bytes) {
  switch (instruction) {
    case warp_instruction::redux_indexed:
      return 3 * detail::shuffles_of(1, bytes) + 1;
    case warp_instruction::vote:
      return 1;
    case warp_instruction::redux_pair:
      return 4;
    case warp_instruction::redux_ordered:
      return 3;
    default:
      return 2;
  }
}

/// The method of `reduce_batch` for items of `bytes` each, `scattered` or to all lanes. It is chosen by the number of
/// shuffles, which are the bottleneck at one cycle a warp each: 8 floats on 32 lanes to all take 40 by butterflies, 17
/// by halving. Scattered results are always computed by halving, unless an instruction is cheaper.
TESSERA_FN constexpr batch_method fastest_batch_method(warp_instruction instruction, unsigned N, unsigned K,
                                                       unsigned bytes, bool scatters) {
  unsigned const spreading = scatters ? 0 : K * detail::shuffles_of(1, bytes);
  unsigned const halving = detail::halving_shuffles(N, K, bytes) + spreading;
  unsigned const butterflies = detail::butterfly_shuffles(N, K, bytes);
  unsigned const least = halving < butterflies ? halving : butterflies;
  unsigned const selections = scatters ? 0 : 1;  // of the halving: the part that isn't hidden
  if (detail::prefers_warp_instruction(instruction, N) &&
      K * detail::cost_in_shuffles(instruction, bytes) <= least + selections)
    return batch_method::instructions;
  return halving < butterflies || (scatters && K > 1) ? batch_method::halving : batch_method::butterflies;
}

/// True if N lanes find equal words by N shuffles rather than by one `match.any`, whose time grows by two cycles with
/// each different word in the warp: 8 lanes take 11 cycles by shuffles, 8 to 58 by match.any.
TESSERA_FN constexpr bool matches_by_shuffles(unsigned N) {
  return N <= 8;
}

/// The bytes that a lane of a joint algorithm has in flight: 4 loads of 16 bytes. The 48 warps of a multiprocessor then
/// have 96 KiB in flight; about 36 KiB for each of its 132 multiprocessors (4.8 TB/s for 1 µs) keep the memory of an
/// H200 busy.
inline constexpr unsigned bytes_in_flight = 64;

/// True if shared memory adds values of T by one instruction. Floats and 8-byte integers are added by a loop of
/// compare-and-swap: 32 additions into 256 counters take 3.8 cycles for int, 18 for float (431 if all keys are equal).
template <class T>
inline constexpr bool adds_by_one_instruction = stl::is_integral_v<T> && sizeof(T) == 4;

/// True if `aggregated_add` with method `automatic` tests if all lanes have one key, before it adds 4-byte integers
/// lane by lane: `match.all` costs 32 lanes next to nothing; fewer lanes have no such instruction.
TESSERA_FN constexpr bool looks_for_one_key(unsigned N) {
  return N == 32;
}

/// Few keys are frequent if 32 lanes have no more than this many different remainders by 32; uniform keys have 20.
inline constexpr unsigned crowded_keys = 17;
/// The number of lanes whose keys are tried in turn then.
inline constexpr unsigned peeled_keys = 4;
/// The least number of lanes that must share such a key.
inline constexpr unsigned peeled_group = 3;

/// True if N words a lane of N lanes are transposed by log2(N) exchanges of half of them, rather than in N − 1 steps,
/// which take fewer shuffles and more selections: 52 instead of 65 cycles for N = 16.
TESSERA_FN constexpr bool transposes_by_exchanges(unsigned N) {
  return N >= 16;
}

/// True if keys of several warps with their values are sorted by digits, rather than whole through the network: 256
/// lanes take 446 instead of 516.
TESSERA_FN constexpr bool prefers_digits(unsigned N, unsigned K) {
  return N * K >= 128;
}

/// True if the first P of I 64-bit entries a lane are selected by digits, rather than whole through the network: P = 8
/// of 4 entries on 32 lanes take 65 instead of 104 cycles a warp.
TESSERA_FN constexpr bool prefers_selection_by_digits(unsigned N, unsigned Items, unsigned P) {
  return P >= 2 && N * Items >= 16;
}

/// The number of neighbors with the same digit that a sort by digits compares on either side of a key, before it sorts
/// by all digits. A distance fits into a byte; other numbers weren't measured.
inline constexpr unsigned most_tied_keys = 16;
/// True if each warp exchanges neighbors with the same digit before that: 1024 lanes with 4 items take 6939 instead of
/// 8675. Of 256 keys hardly any share a digit; of 4096 nearly always a few do.
TESSERA_FN constexpr bool sorts_ties_in_warps(unsigned N, unsigned K) {
  return N * K >= 2048 && K <= 4;
}
/// The greatest number of such exchanges. Other numbers weren't measured.
inline constexpr unsigned most_tied_passes = 4;

}  // namespace detail
TESSERA_NAMESPACE_END
