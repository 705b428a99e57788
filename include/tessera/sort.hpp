// sort: the values of a tile in order. sort_by_key: keys in order, and the values that belong to them.
//
//   rank                     0      1      2      3
//   items<int, 2>            7 2    5 1    8 3    6 4
//   sort                     1 2    3 4    5 6    7 8      blocked order, as it came
//   sort, first(5)           1 2    5 7    8 3    6 4      the first five values; the rest stay behind them
//   sort(…, greater{})       8 7    6 5    4 3    2 1
//   sort(…, striped)         1 5    2 6    3 7    4 8      striped order: as `load` leaves it for coalesced stores
//
// All sizes of tiles, any type, any strict weak order, in registers: no temporary storage up to 32 lanes.
//
// Source: a bitonic network, see detail/sort.hpp. CUB has WarpMergeSort, BlockMergeSort and BlockRadixSort.
#pragma once

#include <tessera/comparators.hpp>
#include <tessera/detail/sort.hpp>
#include <tessera/items.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// x of all lanes in order: lane 0 gets what comes first.
///
///   float const ranked = tessera::sort(tile, score);
///   auto const row = tessera::sort(tile, items, tessera::greater{}, tessera::first(n));   // the first n values
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// x          any trivially copyable T, or items<T, K> in blocked order, with `striped` in striped order.
/// before     a strict weak order of T. With `less` and `greater`, NaNs come last and −0 is equal to +0. Host tiles report one
///            that isn't strict, such as a <= b.
/// Returns    the same type, in the same order of items. The order of equal values is unspecified: `stable_sort` keeps it.
/// Policies   convergence, participants: first(n), where n counts values, of items too; the others keep their places. order, but
///            `striped` not of padded tiles. memory.
/// Cost       for K items: a network of log2(N) · (log2(N) + 1) / 2 exchanges of K items, and comparators in between. Integers,
///            floats and halves by less or greater take a minimum and a maximum each, other types a call of `before`. N > 32:
///            a merge of 32·2^m lanes takes ⌈m / log2(K)⌉ + 1 barriers, and the sort one at its end, for K = 2, 4, 8, … and K slots a
///            lane (scratch.hpp); with other K or less memory, and where lanes are missing, two barriers for each exchange by 32
///            lanes and more. Numbers of 8 bytes by less or greater are sorted by digits where N · K ≥ 128, see sort_by_key.
///            `striped`: and what `blocked_to_striped` costs, with first(n) also `striped_to_blocked`.
template <class Tile, class X, class Before = less, class Policy = policy<>>
TESSERA_FN X sort(Tile const& tile, X x, Before before = {}, Policy policy = {},
                  call_site site = call_site::here()) {
  return detail::sort_values<detail::collectives::sort, false>(tile, x, before, policy, site);
}

/// The same; equal values stay in the order of their positions. Floats are sorted by digits where N > 32 and N · K ≥ 128, see sort_by_key.
template <class Tile, class X, class Before = less, class Policy = policy<>>
TESSERA_FN X stable_sort(Tile const& tile, X x, Before before = {}, Policy policy = {},
                         call_site site = call_site::here()) {
  return detail::sort_values<detail::collectives::stable_sort, true>(tile, x, before, policy, site);
}

/// The keys in order, and the values that belong to them.
///
///   auto const [key, index] = tessera::sort_by_key(tile, score, tile.thread_rank(), tessera::greater{});
///
/// To sort the segments of a tile each by itself, zip the segment with the key, `as_zipped(segment, key)` (operators/zip.hpp), and
/// compare the segments first, by a function that calls `get<0>` and `get<1>`: docs/tutorial/sorting-and-selecting.md has one.
///
/// keys, values  one of each, or items<Key, K> and items<Value, K>. Everything else as for `sort`.
/// Returns       {keys, values}: tessera::keys_and_values.
/// Cost          as of `sort`, with exchanges of key and value. N · K ≥ 128 on N > 32, keys that are numbers, by less or greater, and K
///               slots of a word a lane: words of 32 bits are sorted, whose upper bits are the highest digit in which keys differ and
///               whose log2(N · K) lower ones are a position; then keys and values move once. 6 barriers besides the sort's. Where
///               keys share digits and aren't in order yet, 5 more and two for each word of key and value; where 17 before or behind
///               one share its digit, all digits are sorted by, the lowest first: a sort of words for each.
template <class Tile, class Keys, class Values, class Before = less, class Policy = policy<>>
TESSERA_FN auto sort_by_key(Tile const& tile, Keys keys, Values values, Before before = {},
                            Policy policy = {}, call_site site = call_site::here()) {
  return detail::sort_pairs<detail::collectives::sort_by_key, false>(tile, keys, values, before, policy,
                                                                     site);
}

/// The same; values with equal keys stay in the order of their positions.
template <class Tile, class Keys, class Values, class Before = less, class Policy = policy<>>
TESSERA_FN auto stable_sort_by_key(Tile const& tile, Keys keys, Values values, Before before = {},
                                   Policy policy = {}, call_site site = call_site::here()) {
  return detail::sort_pairs<detail::collectives::stable_sort_by_key, true>(tile, keys, values, before, policy,
                                                                           site);
}

TESSERA_NAMESPACE_END
