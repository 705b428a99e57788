// top_k: the K values of a tile that come first, in order. nth_element: the value that has n before it.
//
//   rank                     0      1      2      3
//   items<int, 2>            7 2    5 1    8 3    6 4
//   top_k<3>                 8 7 6 in every lane
//   top_k<3>, scattered      8      7      6      unspecified
//   nth_element(…, 1)        2 in every lane       (by less{}, as in std::nth_element)
//
// All sizes of tiles, any type, any strict weak order; K up to all the values that the tile holds.
//
// Source: bitonic top-k, see detail/top_k.hpp.
#pragma once

#include <tessera/comparators.hpp>
#include <tessera/detail/multi_warp_top_k.hpp>
#include <tessera/detail/nth_element.hpp>
#include <tessera/detail/top_k.hpp>
#include <tessera/items.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// The K values that come first by `before`, in order: the greatest, unless told otherwise.
///
///   auto const best = tessera::top_k<2>(tile, tessera::with_index(score, expert));   // best[0].index, best[1].index
///   float const mine = tessera::top_k<8>(tile, items, tessera::less{}, tessera::scattered);   // the 8 least, lane i has the i-th
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// x          any trivially copyable T, or items<T, I> in blocked order. K ≤ N · I.
/// before     a strict weak order of T. With `less` and `greater`, NaNs come last. (The operator `largest` puts them first, so that none
///            is lost.) Indexed numbers (with_index(x, i)) are ordered by their values with these two, and those with equal values by
///            their indices, the lowest first. Host tiles report one that isn't strict.
/// Returns    items<T, K>, the same bits in every lane; with `to_leader` only in rank 0. `scattered`: the lane's own, striped:
///            K ≤ N: a T, value i in rank i, unspecified from rank K on; K > N: items<T, ⌈K/N⌉>, item s of rank r being value
///            s · N + r, unspecified from value K on. With `first(n)`, n counts values, of items too; where n < K, what follows
///            the first n is unspecified.
/// Order      of values neither of which comes before the other, the lower rank's first, in a lane the lower item. Of plain floats
///            nobody can tell, except −0 from +0 and a NaN from another, whose order is unspecified. Of indexed floats and
///            halves, −0 comes back as +0 and any NaN as one.
/// Policies   convergence, placement, participants: first(n). memory.
/// Cost       P = 2^⌈log2(K)⌉, M = min(I, P) rounded up to a power of two: a sorting network of I items in each lane; then the
///            exchanges of a sort until runs have P values, log2(P/M) · (log2(P/M) + 1) / 2 of M items; then one merge for each of
///            the other log2(N) − log2(P/M) bits of the rank, of log2(P) + 1 shuffles for P ≤ N lanes with one item each. To all K
///            shuffles more. Integers, floats and halves by less or greater take a minimum each, indexed ones of up to 32 bits a
///            comparison of 64 bits, other types a call of `before` with their positions. No memory up to 32 lanes. N > 32 and
///            K ≤ 32: three barriers and P slots of an entry a warp (scratch.hpp); for other K and where there are fewer, as many
///            exchanges of `butterfly` by 32 lanes and more as there are bits above 5, of M entries with a slot a lane for them,
///            and to all two barriers and K slots of a T, or where there are fewer two barriers for each of the K. Doubles and
///            indexed floats in a warp, 2 ≤ K ≤ N and 16 ≤ N · I ≤ 256: words of 32 bits are selected, the key's upper bits above a
///            position; I + ⌈I/4⌉ + 2 shuffles and a vote fetch the rest of the first K. Where equal upper bits leave the order
///            open, all is done again with whole entries.
template <unsigned K, class Tile, class X, class Before = greater, class Policy = policy<>>
TESSERA_FN auto top_k(Tile const& tile, X x, Before before = {}, Policy policy = {},
                      call_site site = call_site::here()) {
  return detail::one_or_items<K, Tile, Policy>(detail::select_values<K>(tile, x, before, policy, site));
}

/// The value that is at place n where the tile's values are in order.
///
///   float const median = tessera::nth_element(tile, x, tile.size() / 2);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one n, one `before` and one policy.
/// x, before  as for `sort`.
/// Returns    a T, the same bits in every lane. Of equal values it is any. Where no more than n values take part it is unspecified.
/// Policies   convergence, participants: first(m), where m counts values, of items too. memory.
/// Cost       of `sort`, and one `broadcast`. N > 32: the barriers of both, K slots a lane, and a slot a warp (scratch.hpp).
template <class Tile, class X, class Before = less, class Policy = policy<>>
TESSERA_FN auto nth_element(Tile const& tile, X x, unsigned n, Before before = {}, Policy policy = {},
                            call_site site = call_site::here()) {
  return detail::nth_value(tile, x, n, before, policy, site);
}

TESSERA_NAMESPACE_END
