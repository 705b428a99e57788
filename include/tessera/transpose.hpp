// Items of a tile from blocked to striped order and back, and the transpose of a matrix with a row a lane.
//
//   rank                 0      1      2      3
//   x, striped           a e    b f    c g    d h       item i of lane r is number i · N + r
//   striped_to_blocked   a b    c d    e f    g h       item i of lane r is number r · K + i
//   blocked_to_striped   a e    b f    c g    d h       back again
//
//   transpose of         a b    c d    e f    g h       a 4×2 matrix, row by row
//   is                   a c    e g    b d    f h       the 2×4 matrix, row by row
//
// A lane's coalesced loads are striped; code that works on neighboring elements needs them blocked. All in registers.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/transpose.hpp>

TESSERA_NAMESPACE_BEGIN

/// The tile's N·K items from striped to blocked order, for any K.
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Items      items<T, K>, T any trivially copyable type.
/// Returns    lane r: the items with numbers r·K … r·K + K − 1, where item i of lane l had number i·N + l.
/// Policies   convergence.
/// Cost       K shuffles of each 32-bit word of T, K − K/N if N divides K, and selections between registers; no
///            barrier, no memory. K = N = 16 or 32 items of 4 bytes or more: N/2 · log2(N) shuffles of each word, and
///            fewer selections, which is faster (tuning.hpp). Items of one or two bytes are packed: K/2 shuffles for K
///            bytes, 3K/4 for K halves, if K is a multiple of 8 (of 4), and fewer if K > N. `adaptive` adds one test of
///            the warp for N < 32. N > 32: two barriers and K slots a lane (scratch.hpp); with less memory two barriers
///            for each part of the items.
/// Source     see tile/item_exchange.hpp and tile/pair_neighbors.hpp.
template <class Tile, class Items, class Policy = policy<>>
TESSERA_FN Items striped_to_blocked(Tile const& tile, Items x, Policy policy = {}, call_site site = call_site::here()) {
  return detail::reorder<detail::collectives::striped_to_blocked, Items>(
      tile, policy, site, [&](detail::group_of<Tile, Policy> group) { return detail::to_blocked(group, x); });
}

/// The tile's N·K items from blocked to striped order, for any K: the inverse of `striped_to_blocked`, at the same
/// cost.
///
/// Returns    lane l: the items with numbers l, N + l, 2·N + l, …, where item k of lane r had number r·K + k.
template <class Tile, class Items, class Policy = policy<>>
TESSERA_FN Items blocked_to_striped(Tile const& tile, Items x, Policy policy = {}, call_site site = call_site::here()) {
  return detail::reorder<detail::collectives::blocked_to_striped, Items>(
      tile, policy, site, [&](detail::group_of<Tile, Policy> group) { return detail::to_striped(group, x); });
}

/// The transpose of an N×K matrix with one row a lane: the K×N matrix, row by row in blocked order.
///
///   K = N    lane r gets column r: its item i is item r of lane i. Its own inverse.
///   any K    item i of lane r is number r·K + i of the K×N matrix. `blocked_to_striped` is the inverse.
///
/// This is another name for `striped_to_blocked`, at the same cost.
template <class Tile, class Items, class Policy = policy<>>
TESSERA_FN Items transpose(Tile const& tile, Items x, Policy policy = {}, call_site site = call_site::here()) {
  return detail::reorder<detail::collectives::transpose, Items>(
      tile, policy, site, [&](detail::group_of<Tile, Policy> group) { return detail::to_blocked(group, x); });
}

TESSERA_NAMESPACE_END
