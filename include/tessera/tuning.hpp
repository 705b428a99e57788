// The numbers of collectives on tiles that were chosen by measuring, each with its measurement. Those of whole arrays stand in
// grid/detail/*_tuning.hpp, with their measurements in benchmark/tuning.md.
#pragma once

#include <tessera/config.hpp>

TESSERA_NAMESPACE_BEGIN

/// The warp's instructions that combine values of all lanes, by what they take.
enum class warp_instruction {
  none,           // this operator on this type has none
  redux,          // redux.sync: integers of up to 32 bits
  redux_pair,     // two of them: bitwise operators on 64 bits
  redux_ordered,  // redux.sync on an order-preserving integer image: minimum and maximum of float and halves
  redux_indexed,  // redux.sync of values, then of the indices of the best ones: argmin and argmax
  vote,           // ballot: operators on truth values
};

/// Whether `reduce` with method `automatic` combines `N` lanes by the warp's instruction rather than by
/// shuffles.
///
/// On an H200 (benchmark/tile_reduce), in SM cycles per warp: 32 lanes by redux 3.0, by shuffles 5.2; argmin of a float and
/// an int by redux 11.0, by shuffles 24.7. Below
/// 32 lanes the instruction combines over its mask, so that the tiles of a warp would run one after another:
/// shuffles win there. A vote takes all tiles of a warp at once, at every size.
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

/// How many of a tile's warps' results a lane of the warp that combines them loads; shuffles do the rest.
///
/// On an H200, a float sum to all lanes, in SM cycles per warp with 1 / 2 / 4 / all results a lane: 4 warps 13.5 / 12.4 / 12.2;
/// 8 warps 14.0 / 13.8 / 12.7 / 13.6; 16 warps 14.6 / 14.5 / 15.4 / 17.6; 32 warps 15.4 / 15.4 / 16.3 / 26.
TESSERA_FN constexpr unsigned partials_a_lane(unsigned warps, unsigned words) {
  unsigned const best = warps <= 8 ? (warps < 4 ? warps : 4) : 2;
  return words > 2 ? 1 : words > 1 && best > 2 ? 2 : best;
}

/// Whether a tile's warps leave it to the first to combine their results, rather than each doing so for itself. On an H200, a
/// float sum, in ns per tile (latency), each / the first: 16 warps 96 (191) / 81 (212), 32 warps 205 (265) / 179 (271).
TESSERA_FN constexpr bool combines_by_first_warp(unsigned warps) {
  return warps >= 16;
}

/// Whether few warps combine the values of all lanes of a tile, through a slot a lane, rather than each warp those of its own. On
/// an H200, a float sum, in ns per tile (latency), few / each: 64 lanes 12.9 (219) / 12.2 (132), where the tile is the block 11.0
/// (136) / 11.5 (110); 128 lanes 15.2 (161) / 21.5 (132).
TESSERA_FN constexpr bool combines_by_few_warps(unsigned warps, bool is_block) {
  return is_block || warps > 2;
}

/// How many warps combine the values of a tile whose lanes have a slot each. On an H200, in ns per tile (latency), 1 / 2 / 4 warps:
/// float, 512 lanes 53 (171) / 54 (166) / 61 (169), 1024 lanes 136 (243) / 123 (196) / 126 (203); double, 1024 lanes 231 (429) /
/// 213 (353) / 228 (369); 32 bytes, 512 lanes 573 / 528 / 459 (590). To the leader, double, 512 lanes 79 (247) / 99 (263) / not
/// measured, 1024 lanes 223 (406) / 223 (359) / 200 (322).
TESSERA_FN constexpr unsigned raking_warps(unsigned warps, unsigned words, bool to_leader) {
  if (to_leader) return warps >= 32 && words == 2 ? 4 : 1;
  return warps >= 16 && words > 2 ? 4 : warps >= 32 || (warps == 16 && words > 1) ? 2 : 1;
}

/// How many of such a warp's lanes load slots; the others shuffle only. On an H200, in ns per tile (latency), 32 / 16 / 8 lanes: 64 floats
/// to the leader 9.7 (121) / 8.9 (107) / 9.3, to all 11.0 (135) / 10.3 (121) / 10.5; 64 doubles to the leader 15.5 (147) / 14.4 (136) /
/// 18.8 (162), to all 17.4 (159) / 16.1 / 16.8; 128 doubles to the leader 18.2 (153) / 25 (181, for want of registers) / 101.
TESSERA_FN constexpr unsigned raking_lanes(unsigned slot_count, unsigned words) {
  return slot_count == 64 && words <= 2 ? 16 : 32;
}
/// Whether warps vote before that which of them they are. On an H200, in ns per tile (latency), without / with: to the leader, floats,
/// 64 lanes 9.7 (121) / 9.3 (107), 256 lanes 22.4 (139) / 21.8 (134), 512 lanes 49.0 (162) / 47.3 (154), 1024 lanes 133 (243) / 141
/// (245), doubles, 512 lanes 82.7 (259) / 78.7 (255), 1024 lanes 197 (313) / 188 (297); to all, 32 bytes, 256 lanes 178 (284) / 173
/// (276), 1024 lanes 774 / 752.
TESSERA_FN constexpr bool votes_before_raking(unsigned warps, unsigned words, bool to_leader) {
  return !(to_leader && warps == 32 && words == 1);
}

/// How many warps combine the values of all warps before they use the instruction; 0: each warp uses it at once. On an H100, a sum
/// of ints, in ns per tile (latency), each warp / columns: to all, by 2 warps, 128 lanes 12.3 (68) / 10.7 (82), 256 lanes 29.0 (93)
/// / 20.4 (92), 512 lanes 47.2 (116) / 42.8 (113); to the leader, by 1, 64 lanes 6.7 (62) / 6.2 (64), 512 lanes 46.7 (115) / 42.9
/// (115). On an H200, 1024 lanes to all 106 (151) / 119 (191).
TESSERA_FN constexpr unsigned column_warps(warp_instruction instruction, unsigned warps, bool to_leader) {
  if (instruction != warp_instruction::redux || warps > 16) return 0;
  return to_leader ? 1 : warps > 2 ? 2 : 0;
}

/// Whether the lanes of the warp that combines columns for the leader meet before they do. Of few warps the compiler would otherwise issue
/// its instructions in all warps, under a predicate. On an H200, in ns per tile (latency), without / with: 64 lanes 5.8 (57) / 5.7 (54),
/// 128 lanes 13.0 (65) / 9.5 (69), 256 lanes 18.3 (81) / 18.7 (82).
TESSERA_FN constexpr bool meets_before_columns(unsigned warps, bool to_leader) {
  return to_leader && warps <= 4;
}

/// Whether a tile's first warp scans the warps' totals, rather than each lane combining those before its own warp. On an H200, in
/// ns per tile (latency), the lanes / the first warp: float, 256 lanes 47 (157) / 39 (169), 512 lanes 126 (240) / 79 (188), 1024
/// lanes 332 (432) / 183 (282); double, 256 lanes 78 (229) / 69 (238); 32 bytes, 256 lanes 302 (367) / 284 (402).
TESSERA_FN constexpr bool scans_totals_in_first_warp(unsigned warps) {
  return warps >= 8;
}
/// Whether that warp's lanes load the totals that come before each warp, rather than exchange them by shuffles. On an H200, by
/// shuffles / by loads: float, 256 lanes 40 (205) / 39 (169), 512 lanes 83 (229) / 79 (188); more warps weren't measured.
TESSERA_FN constexpr bool scans_totals_by_loads(unsigned warps, unsigned words) {
  return warps <= 16 && words <= 2;
}

/// Whether each warp combines the totals of all warps to a scan's total, rather than the last warp storing it: up to what one load
/// takes. Other numbers weren't measured.
TESSERA_FN constexpr bool reads_all_totals(unsigned warps, unsigned words) {
  return warps * words <= 4;
}

/// How `reduce_batch` combines the K items of N lanes.
enum class batch_method {
  butterflies,  // each lane combines all: log2(N) exchanges of K items
  halving,  // each lane keeps half of its items at each exchange; to all, a shuffle of each result follows
  instructions,  // one warp_instruction for each item
};

/// Shuffles of 32-bit words that `count` items of `bytes` each take, moved together.
TESSERA_FN constexpr unsigned shuffles_of(unsigned count, unsigned bytes) {
  return (count * bytes + 3) / 4;
}
/// K for each of log2(N) exchanges, for items of a word.
TESSERA_FN constexpr unsigned butterfly_shuffles(unsigned N, unsigned K, unsigned bytes) {
  unsigned total = 0;
  for (unsigned bit = 1; bit < N; bit *= 2) total += tessera::shuffles_of(K, bytes);
  return total;
}
/// ⌈K/2⌉ + ⌈K/4⌉ + … for items of a word, log2(N) terms.
TESSERA_FN constexpr unsigned halving_shuffles(unsigned N, unsigned K, unsigned bytes) {
  unsigned total = 0;
  for (unsigned bit = 1; bit < N; bit *= 2) {
    K = (K + 1) / 2;
    total += tessera::shuffles_of(K, bytes);
  }
  return total;
}
/// What an instruction takes for one item, counted in shuffles of a word. Measured for redux: see above. Of a value and its
/// index: one for each word, a vote, and the shuffle.
TESSERA_FN constexpr unsigned cost_in_shuffles(warp_instruction instruction, unsigned bytes) {
  switch (instruction) {
    case warp_instruction::redux_indexed:
      return 3 * tessera::shuffles_of(1, bytes) + 1;
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

/// The method of `reduce_batch` for items of `bytes` each; `scattered` or to all lanes.
///
/// Chosen by the number of shuffles, which take one cycle a warp each on an H200 and are the bottleneck. Of floats on 32
/// lanes to all: butterflies 5 K; halving 7, 10, 17, 63 for K = 2, 4, 8, 32. Scattered: halving always. Measured for ints on 32
/// lanes (benchmark/tile_batch), halving / redux: to all 7.1 / 4.1, 10.8 / 8.2, 17.9 / 16.1, 33.6 / 32.1, 70.0 / 64.7 for
/// K = 2, 4, 8, 16, 32; scattered 7.1 / 4.3, 9.6 / 12.2, 15.2 / 20.2, 27.4 / 36.1, 54.8 / 68.7.
TESSERA_FN constexpr batch_method fastest_batch_method(warp_instruction instruction, unsigned N, unsigned K,
                                                       unsigned bytes, bool deals_out) {
  unsigned const spreading = deals_out ? 0 : K * tessera::shuffles_of(1, bytes);
  unsigned const halving = tessera::halving_shuffles(N, K, bytes) + spreading;
  unsigned const butterflies = tessera::butterfly_shuffles(N, K, bytes);
  unsigned const least = halving < butterflies ? halving : butterflies;
  unsigned const selections = deals_out ? 0 : 1;  // of the halving, as far as they show
  if (tessera::prefers_warp_instruction(instruction, N) &&
      K * tessera::cost_in_shuffles(instruction, bytes) <= least + selections)
    return batch_method::instructions;
  return halving < butterflies || (deals_out && K > 1) ? batch_method::halving : batch_method::butterflies;
}

/// Whether N lanes find those with the same word by N shuffles rather than by one `match.any`, whose time grows with the
/// number of different words in the warp, on an H200 by two cycles each (benchmark/tile_match): 8 lanes by shuffles 11, by
/// match.any 8 to 58; 16 lanes 22, and 4 to 62; 32 lanes 42, and 2 to 64.
TESSERA_FN constexpr bool matches_by_shuffles(unsigned N) {
  return N <= 8;
}

/// Bytes that a lane of a joint algorithm has on their way from memory at a time: 4 loads of 16 bytes.
///
/// 48 warps, as many as a multiprocessor holds of a sum of floats, have 96 KiB on their way then; to keep the memory of an
/// H200 busy takes about 36 KiB for each of its 132: 4.8 TB/s for 1 µs.
inline constexpr unsigned bytes_in_flight = 64;

/// Whether shared memory adds values of T by one instruction. Floats and 8-byte integers go by compare-and-swap there, over
/// and over where lanes meet. On an H200, cycles of a warp's 32 additions into 256 counters, keys equal / Zipf 1.2 / uniform
/// (benchmark/tile_aggregate): int 32 / 8.8 / 3.8; float 431 / 114 / 18.
template <class T>
inline constexpr bool adds_by_one_instruction = stl::is_integral_v<T> && sizeof(T) == 4;

/// Whether `aggregated_add` with method `automatic` looks for a key that all lanes share before it adds integers of 4 bytes
/// lane by lane: one `match.all` finds it at a cost that 32 lanes hardly notice; fewer lanes have no such instruction.
TESSERA_FN constexpr bool looks_for_one_key(unsigned N) {
  return N == 32;
}

/// Keys are crowded where 32 lanes have no more than this many different remainders by 32; uniform ones have 20.
inline constexpr unsigned crowded_keys = 17;
/// How many lanes' keys are tried in turn then.
inline constexpr unsigned peeled_keys = 4;
/// How many lanes must share such a key.
inline constexpr unsigned peeled_group = 3;

/// Whether N words a lane of N lanes are transposed by log2(N) exchanges of half of them rather than in N − 1 steps, which
/// take fewer shuffles and more selections. On an H200 (benchmark/tile_move), in cycles: in steps 9, 25, 65, 166 for N = 4, 8,
/// 16, 32; by exchanges 52 and 133 for N = 16 and 32.
TESSERA_FN constexpr bool transposes_by_exchanges(unsigned N) {
  return N >= 16;
}

/// Whether keys of several warps with what belongs to them are sorted by digits rather than sent through the network. On an H200, 4-byte
/// keys with 4-byte values, in ns per tile (latency), digits / network: 64 lanes 73 (655) / 58 (404), 128 lanes 175 (852) / 186
/// (580), 64 with two items 105 (870) / 127 (548), 256 lanes 446 (1199) / 516 (900), 1024 lanes 3238 (3790) / 4167 (4433).
TESSERA_FN constexpr bool prefers_digits(unsigned N, unsigned K) {
  return N * K >= 128;
}

/// Whether the first P of I entries of 64 bits a lane are selected by digits rather than sent whole through the network. In cycles of
/// a multiprocessor a warp, whole / digits, I = 1, 2, 4, 8, on an H200: 32 lanes, P = 1 19 / 17, 21 / 25, 32 / 35, 45 / 55; P = 2
/// 27 / 23, 56 / 53, 73 / 61, 109 / 89; P = 8 38 / 30, 95 / 74, 104 / 65, 180 / 103; P = 32 41 / 33, 86 / 56, 184 / 93, 360 / 162;
/// on an H100: 8 lanes, P = 2 18.5 / 19.8, 38 / 40, 56 / 48, 91 / 75; P = 8 20.8 / 22.1, 43 / 33, 83 / 53, 154 / 90.
TESSERA_FN constexpr bool prefers_selection_by_digits(unsigned N, unsigned Items, unsigned P) {
  return P >= 2 && N * Items >= 16;
}

/// How many neighbors with the same digit a sort by digits looks at to either side of a key, before it sorts by all digits. A distance
/// fits a byte; other numbers weren't measured.
inline constexpr unsigned most_tied_keys = 16;
/// Whether each warp exchanges neighbors with the same digit before that. On an H200, 4-byte keys with 4-byte values, in ns per tile
/// without / with: 64 lanes with 4 items 183 / 197, 128 lanes 461 / 477, 256 lanes 1163 / 1262, 1024 lanes 8675 / 6939; 256 lanes
/// with 16 items 7514 / 8359. Of 256 keys hardly any share a digit, of 4096 nearly always some.
TESSERA_FN constexpr bool settles_ties_in_warps(unsigned N, unsigned K) {
  return N * K >= 2048 && K <= 4;
}
/// How often it does so at most. Other numbers weren't measured.
inline constexpr unsigned most_tied_passes = 4;

TESSERA_NAMESPACE_END
