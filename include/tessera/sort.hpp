// sort: sorts the values of a tile. sort_by_key: sorts keys, with the values that belong to them.
//
//   rank                     0      1      2      3
//   items<int, 2>            7 2    5 1    8 3    6 4
//   sort                     1 2    3 4    5 6    7 8      blocked order, like the input
//   sort, first(5)           1 2    5 7    8 3    6 4      the first five values; the rest stay after them
//   sort(…, greater{})       8 7    6 5    4 3    2 1
//   sort(…, striped)         1 5    2 6    3 7    4 8      striped order, for coalesced stores
//
// All sizes of tiles, any type, any strict weak order, in registers: no temporary storage up to 32 lanes.
//
// Source: a bitonic network, see tile/sort.hpp. CUB has WarpMergeSort, BlockMergeSort and BlockRadixSort.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/sort.hpp>

TESSERA_NAMESPACE_BEGIN

/// The x of all lanes in order, beginning in lane 0.
///
///   float const ranked = tessera::sort(tile, score);
///   auto const row = tessera::sort(tile, items, tessera::greater{}, tessera::first(n));   // the first n values
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// x          any trivially copyable T, or items<T, K> in blocked order, with `striped` in striped order.
/// before     a strict weak order of T. With `less` and `greater`, NaNs come last and −0 equals +0. Host tiles report
///            one that isn't strict, such as a <= b.
/// Returns    the same type, in the same order of items. The order of equal values is unspecified, and may differ
///            between tiled_partition, this_block_tile and host tiles; `stable_sort` keeps it.
/// Policies   convergence; participants: first(n), where n counts values; the others keep their places; order (a padded
///            tile takes `blocked` only); memory.
/// Cost       a network of log2(N) · (log2(N) + 1) / 2 exchanges of K items. A comparison of integers, floats and
///            halves by less or greater takes a minimum and a maximum, others a call of `before`.
///
///   N > 32                                        barriers                                       memory (scratch.hpp)
///   K = 2, 4, 8, …, all lanes exist               ⌈m / log2(K)⌉ + 1 for each merge of 32·2^m     K slots a lane
///                                                 lanes, and 1 at the end
///   other K, less memory, or missing lanes        2 for each exchange by 32 lanes and more       fewer slots a lane
///   numbers of 8 bytes, less or greater,          as sort_by_key                                 as sort_by_key
///   N · K ≥ 128
///
/// `striped` adds `blocked_to_striped`, with first(n) also `striped_to_blocked`.
///
/// A cluster tile of B blocks: a sort in each block, and log2(B) merges of their results, with 2 barriers of the
/// cluster each, and 1 before. In a merge every item searches a sorted run of 1, 2, 4, … blocks by log2 of its length
/// dependent loads, which take some 200 cycles each from another block, and is stored once. Shared memory of a block:
/// the words of all its keys and values, the bytes of each lane rounded up to a power of two, up to 40960.
template <class Tile, class X, class Before = less, class Policy = policy<>>
TESSERA_FN X sort(Tile const& tile, X x, Before before = {}, Policy policy = {}, call_site site = call_site::here()) {
  return detail::sort_values<detail::collectives::sort, false>(tile, x, before, policy, site);
}

/// As above; equal values keep the order of their positions. For N > 32 and N · K ≥ 128, floats are sorted by digits:
/// see sort_by_key.
template <class Tile, class X, class Before = less, class Policy = policy<>>
TESSERA_FN X stable_sort(Tile const& tile, X x, Before before = {}, Policy policy = {},
                         call_site site = call_site::here()) {
  return detail::sort_values<detail::collectives::stable_sort, true>(tile, x, before, policy, site);
}

/// The keys in order, with the values that belong to them.
///
///   auto const [key, index] = tessera::sort_by_key(tile, score, tile.thread_rank(), tessera::greater{});
///
/// To sort the segments of a tile, zip the segment with the key, `as_zipped(segment, key)` (operators/zip.hpp), and
/// compare the segments first, by a function that calls `get<0>` and `get<1>`: see
/// docs/tutorial/sorting-and-selecting.md.
///
/// keys, values  one of each, or items<Key, K> and items<Value, K>. Otherwise as `sort`.
/// Returns       {keys, values}: tessera::keys_and_values.
/// Cost          as for `sort`, with exchanges of key and value. If the keys are numbers, by less or greater, N > 32
///               and N · K ≥ 128, it sorts words of 32 bits, a digit of the key above a position, and then moves keys
///               and values once. That takes 6 barriers besides the sort's, and K slots of a word a lane. Keys that
///               share a digit take 5 barriers more, and two for each word of key and value; if more than 16 neighbors
///               share one, it sorts words by every digit (tile/sort_by_digits.hpp).
template <class Tile, class Keys, class Values, class Before = less, class Policy = policy<>>
TESSERA_FN auto sort_by_key(Tile const& tile, Keys keys, Values values, Before before = {}, Policy policy = {},
                            call_site site = call_site::here()) {
  return detail::sort_pairs<detail::collectives::sort_by_key, false>(tile, keys, values, before, policy, site);
}

/// As above; values with equal keys keep the order of their positions.
template <class Tile, class Keys, class Values, class Before = less, class Policy = policy<>>
TESSERA_FN auto stable_sort_by_key(Tile const& tile, Keys keys, Values values, Before before = {}, Policy policy = {},
                                   call_site site = call_site::here()) {
  return detail::sort_pairs<detail::collectives::stable_sort_by_key, true>(tile, keys, values, before, policy, site);
}

TESSERA_NAMESPACE_END
