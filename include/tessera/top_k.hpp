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
// Source: bitonic top-k, see tile/top_k.hpp.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/nth_element.hpp>
#include <tessera/tile/top_k.hpp>
#include <tessera/tile/top_k_by_warps.hpp>

TESSERA_NAMESPACE_BEGIN

/// The first K values by `before`, in order: by default the greatest.
///
///   auto const best = tessera::top_k<2>(tile, tessera::with_index(score, expert));   // best[0].index, best[1].index
///   float const mine = tessera::top_k<8>(tile, items, tessera::less{}, tessera::scattered);   // lane i has the i-th
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// x          any trivially copyable T, or items<T, I> in blocked order. K ≤ N · I.
/// before     a strict weak order of T. With `less` and `greater`, NaNs come last (with the operator `largest` they
///            come first, so that none is lost), and indexed numbers (with_index(x, i)) are ordered by their values,
///            equal ones by their indices, the lowest first. Host tiles report an order that isn't strict.
/// Returns    items<T, K>, the same bits in every lane; with `to_leader` only in rank 0. With `scattered` the lane's
///            own values, striped: for K ≤ N a T, value i in rank i, unspecified from rank K on; for K > N items<T,
///            ⌈K/N⌉>, value s · N + r in item s of rank r, unspecified from value K on. With `first(n)`, n counts
///            values; if n < K, values after the first n are unspecified.
/// Order      of values neither of which comes before the other, the lower rank's comes first, in a lane the lower
///            item. Equal plain floats may come in any order: −0 and +0, and NaNs. Indexed floats and halves are
///            returned with +0 for −0, and one NaN for all.
/// Policies   convergence; placement; participants: first(n); memory.
/// Cost       with P = 2^⌈log2(K)⌉ and M = min(I, P) rounded up to a power of two:
///
///   in each lane               a sorting network of I items
///   up to runs of P values     q · (q + 1) / 2 exchanges of M items, q = log2(P/M)
///   runs to one                log2(N) − q merges; for P ≤ N of log2(P) + 1 shuffles each
///   to all                     K shuffles
///   N > 32, K ≤ 32             3 barriers, P slots of an entry a warp (scratch.hpp)
///   N > 32, else               a `butterfly` of M entries for each of log2(N) − 5 bits, with a slot a lane,
///                              to all 2 barriers and K slots of a T, with fewer slots 2 barriers for each of the K
///
/// A comparison is a minimum for integers, floats and halves by less or greater, one of 64 bits for indexed ones of up
/// to 32 bits, and otherwise a call of `before` with positions. In a warp with 2 ≤ K ≤ N and 16 ≤ N · I ≤ 256, doubles
/// and indexed floats are selected by their upper bits, and I + ⌈I/4⌉ + 2 shuffles and a vote fetch the rest; if equal
/// upper bits leave the order open, whole entries are selected again (tile/top_k_by_digits.hpp).
template <unsigned K, class Tile, class X, class Before = greater, class Policy = policy<>>
TESSERA_FN auto top_k(Tile const& tile, X x, Before before = {}, Policy policy = {},
                      call_site site = call_site::here()) {
  return detail::one_or_items<K, Tile, Policy>(detail::select_values<K>(tile, x, before, policy, site));
}

/// The value at position n of the tile's sorted values.
///
///   float const median = tessera::nth_element(tile, x, tile.size() / 2);
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one n, one `before` and one policy.
/// x, before  as for `sort`.
/// Returns    a T, the same bits in every lane: any of equal values; unspecified if no more than n values take part.
/// Policies   convergence; participants: first(m), where m counts values; memory.
/// Cost       a `sort` and one `broadcast`. N > 32: the barriers of both, K slots a lane, and a slot a warp
///            (scratch.hpp).
template <class Tile, class X, class Before = less, class Policy = policy<>>
TESSERA_FN auto nth_element(Tile const& tile, X x, unsigned n, Before before = {}, Policy policy = {},
                            call_site site = call_site::here()) {
  return detail::nth_value(tile, x, n, before, policy, site);
}

TESSERA_NAMESPACE_END
