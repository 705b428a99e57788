// partition: the positions of values if those with a predicate come first. scatter: moves values to given positions.
//
//   rank                 0      1      2      3
//   x                    a b    c d    e f    g h       blocked order: a is at position 0, h at position 7
//   pred                 . x    . .    x x    . x
//   partition            4 0    5 6    1 2    7 3       count: 4
//   scatter(x, those)    b e    f h    a c    d g
//
// With `first(n)` the values from position n on stay where they are.
//
// Source: a stable split, G. Blelloch, "Prefix sums and their applications", 1990; by a vote on each bit of the lanes'
// counts.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/partition.hpp>

TESSERA_NAMESPACE_BEGIN

/// The position of each value if those with `pred` come first and the others after them, both in their present order.
///
///   auto const [position, count] = tessera::partition(tile, x < pivot);
///   if (x < pivot) left[position] = x; else right[position - count] = x;
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// pred       bool, or items<bool, K> for K values of a lane in blocked order.
/// Returns    partitioned{position, count}: an unsigned or items<unsigned, K>, and the number of values with `pred`, in
///            every lane. The tile's positions are a permutation, as `scatter` takes it.
/// Order      stable.
/// Policies   convergence; participants: first(n), where n counts values; the others keep their places; memory.
/// Cost       ⌈log2(K + 1)⌉ votes. N > 32: also two barriers and a slot a warp (scratch.hpp).
template <class Tile, class Pred, class Policy = policy<>>
TESSERA_FN auto partition(Tile const& tile, Pred pred, Policy policy = {}, call_site site = call_site::here()) {
  detail::require_predicates<Pred>();
  using positions = detail::of_each_value_t<Pred, unsigned>;
  return detail::collective<detail::collectives::partition, Pred>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        auto const out = detail::partition_items(group, detail::as_row(pred), policy);
        return partitioned<positions>{detail::as_given<Pred>(out.position), out.count};
      });
}

/// Moves each value to the position that is given for it.
///
///   x = tessera::scatter(tile, x, tessera::partition(tile, keep).position);
///   x = tessera::scatter(tile, x, tessera::radix_rank<4>(tile, digits).rank);
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// x          any trivially copyable T, or items<T, K> in blocked order: position p is item p mod K of lane p / K.
/// position   unsigned, or items<unsigned, K>. Precondition: the tile's positions are a permutation of 0 … N·K − 1;
///            otherwise the result is unspecified.
/// Returns    the same type, in blocked order.
/// Policies   convergence, memory.
/// Cost       K votes on each bit of lane and item, and K² shuffles of each 32-bit word of T; with one value a lane
///            log2(N) votes and one shuffle. N > 32: two barriers and K slots a lane (scratch.hpp); with less memory
///            two barriers for each part of the positions that has slots. With shared(scratch) its type needs 2·K
///            values.
template <class Tile, class X, class Positions, class Policy = policy<>>
TESSERA_FN X scatter(Tile const& tile, X x, Positions position, Policy policy = {},
                     call_site site = call_site::here()) {
  detail::require_exchangeable<X>();
  detail::require_positions<X, Positions>();
  return detail::collective<detail::collectives::scatter, X>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        detail::require_permutation(group, detail::as_row(position));
        return detail::as_given<X>(detail::scatter_items(group, detail::as_row(x), detail::as_row(position)));
      });
}

TESSERA_NAMESPACE_END
