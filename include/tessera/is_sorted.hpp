// is_sorted: tests if the values of a tile are in order.
//
//   rank        0 1 2 3 4 5 6 7
//   x           1 2 2 5 4 7 8 9      is_sorted: false in every lane
//   where(p)    x x x x . x x x      is_sorted(…, where(p)): true: the participants are in order
//
// Source: std::is_sorted; a lane compares with its predecessor, and one vote combines the answers.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/sort_key.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/adjacent.hpp>

TESSERA_NAMESPACE_BEGIN

/// True if no value comes before its predecessor: !before(a lane's x, x of the participant before it) everywhere. Also
/// true if fewer than two values take part.
///
///   bool const done = tessera::is_sorted(tile, keys);                       // items<float, 4> keys, by less{}
///   bool const falling = tessera::is_sorted(tile, x, by_greater{}, tessera::first(n));
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// x          any trivially copyable T, or items<T, K> in blocked order.
/// before     a strict weak order of T. With `less`, the default, NaNs come last and −0 equals +0. Host tiles report
///            one that isn't strict.
/// Returns    the same in every lane.
/// Policies   convergence, placement, participants (of items, all of a lane's or none), memory.
/// Cost       K calls of `before`, one shuffle of each 32-bit word of T and one vote; with `where(pred)` another vote.
///            N > 32: three barriers, and a slot a warp (scratch.hpp); with `where(pred)` five, and a slot a lane as
///            for `shuffle`.
template <class Tile, class X, class Before = less, class Policy = policy<>>
TESSERA_FN bool is_sorted(Tile const& tile, X x, Before before = {}, Policy policy = {},
                          call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  detail::require_exchangeable<X>();
  using comparator = detail::canonical_comparator_t<Before, T>;
  detail::require_comparator<Tile, comparator, T>();
  comparator const order = detail::canonical_comparator<T>(before);
  return detail::collective<detail::collectives::is_sorted, X, comparator>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        bool const out_of_order = detail::comes_before_predecessor(group, x, order, policy);
        group.reconverge();  // not all lanes call before
        return !group.any(out_of_order);
      });
}

TESSERA_NAMESPACE_END
