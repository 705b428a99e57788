// Movement: values of other lanes of the tile, for any trivially copyable type.
//
//   rank                0 1 2 3 4 5 6 7
//   x                   a b c d e f g h
//   shuffle(x, 7-rank)  h g f e d c b a
//   broadcast(x, 2)     c c c c c c c c
//   shift_up(x, 2)      a b a b c d e f      lanes 0, 1: their own
//   shift_up(x, 2, z)   z z a b c d e f
//   shift_down(x, 2)    c d e f g h g h      lanes 6, 7: their own
//   rotate(x, 2)        c d e f g h a b
//   rotate(x, -2)       g h a b c d e f
//   reverse(x)          h g f e d c b a
//   butterfly(x, 1)     b a d c f e h g
//
//   items of a lane                    a b     c d     e f     g h
//   butterfly(x, 1)                    c d     a b     g h     e f
//   reverse(x)                         h g     f e     d c     b a
//   exchange_items(x, 1, 0, 1)         d b     c a     h f     g e
//
// All lanes of the tile (with `converged`: of the warp) make the call. It costs one shuffle of each 32-bit word of the
// type and no barrier. Items smaller than a word share words: four chars of a lane take one shuffle.
//
// N > 32: two barriers, with fresh(scratch) one; a butterfly by less than 32 takes none. Broadcasts and shifts by one
// lane need a slot a warp, the others a slot a lane (scratch.hpp); with less memory they take two barriers for each
// part of the lanes that has slots.
//
// Policies: convergence. Source: the warp shuffles of the CUDA C++ Programming Guide.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/lanes.hpp>

TESSERA_NAMESPACE_BEGIN

/// x of lane `source`, which may differ from lane to lane. Precondition: source < N.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T shuffle(Tile const& tile, T x, unsigned source, Policy policy = {}, call_site site = call_site::here()) {
  return detail::move<detail::collectives::shuffle, T>(tile, policy, site, 0,
                                                       [&](detail::group_of<Tile, Policy> group) {
                                                         detail::require_source<Tile>(group, source);
                                                         return group.shuffle(x, source);
                                                       });
}

/// x of lane `source`, the same lane for all. Precondition: source < N, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T broadcast(Tile const& tile, T x, unsigned source = 0, Policy policy = {},
                       call_site site = call_site::here()) {
  return detail::move<detail::collectives::broadcast, T>(tile, policy, site, source,
                                                         [&](detail::group_of<Tile, Policy> group) {
                                                           detail::require_source<Tile>(group, source);
                                                           return group.broadcast(x, source);
                                                         });
}

/// x of lane rank − delta; `fill` in lanes 0 … delta − 1. Any delta, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T shift_up(Tile const& tile, T x, unsigned delta, detail::same_t<T> fill, Policy policy = {},
                      call_site site = call_site::here()) {
  using group_t = detail::group_of<Tile, Policy>;
  return detail::move<detail::collectives::shift_up, T>(tile, policy, site, delta, [&](group_t group) {
    T const moved = group.shuffle_up(x, delta % group.size);
    return group.rank() < delta ? fill : moved;
  });
}

/// x of lane rank − delta; lanes 0 … delta − 1 keep their own. Any delta, uniform over the tile.
template <class Tile, class T, class... Choices>
TESSERA_FN T shift_up(Tile const& tile, T x, unsigned delta, policy<Choices...> policy = {},
                      call_site site = call_site::here()) {
  return tessera::shift_up(tile, x, delta, x, policy, site);
}

/// x of lane rank + delta; `fill` in lanes N − delta … N − 1. Any delta, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T shift_down(Tile const& tile, T x, unsigned delta, detail::same_t<T> fill, Policy policy = {},
                        call_site site = call_site::here()) {
  using group_t = detail::group_of<Tile, Policy>;
  return detail::move<detail::collectives::shift_down, T>(tile, policy, site, delta, [&](group_t group) {
    T const moved = group.shuffle_down(x, delta % group.size);
    return group.valid_count() - group.rank() <= delta ? fill : moved;
  });
}

/// x of lane rank + delta; lanes N − delta … N − 1 keep their own. Any delta, uniform over the tile.
template <class Tile, class T, class... Choices>
TESSERA_FN T shift_down(Tile const& tile, T x, unsigned delta, policy<Choices...> policy = {},
                        call_site site = call_site::here()) {
  return tessera::shift_down(tile, x, delta, x, policy, site);
}

/// x of lane (rank + offset) mod N. Any offset, negative too, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T rotate(Tile const& tile, T x, int offset, Policy policy = {}, call_site site = call_site::here()) {
  unsigned const forward = static_cast<unsigned>(offset);  // N divides 2^32
  using group_t = detail::group_of<Tile, Policy>;
  return detail::move<detail::collectives::rotate, T>(tile, policy, site, forward, [&](group_t group) {
    return group.shuffle(x, (group.rank() + forward) % group.size);
  });
}

/// x of lane N − 1 − rank. Items are reversed within the lane, too: the N·K items in blocked order are reversed.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T reverse(Tile const& tile, T x, Policy policy = {}, call_site site = call_site::here()) {
  using group_t = detail::group_of<Tile, Policy>;
  return detail::move<detail::collectives::reverse, T>(
      tile, policy, site, 0, [&](group_t group) { return group.shuffle_xor(detail::in_reverse(x), group.size - 1); });
}

/// x of lane rank ^ mask. Precondition: mask < N, uniform over the tile.
template <class Tile, class T, class Policy = policy<>>
TESSERA_FN T butterfly(Tile const& tile, T x, unsigned mask, Policy policy = {}, call_site site = call_site::here()) {
  return detail::move<detail::collectives::butterfly, T>(
      tile, policy, site, mask,
      [&](detail::group_of<Tile, Policy> group) { return detail::from_partner(group, x, mask); });
}

/// As above for a C array, which a function can't return: it is returned as items.
template <class Tile, class T, unsigned K, class Policy = policy<>>
TESSERA_FN items<T, K> butterfly(Tile const& tile, T const (&x)[K], unsigned mask, Policy policy = {},
                                 call_site site = call_site::here()) {
  return tessera::butterfly(tile, tessera::as_items(x), mask, policy, site);
}

/// Exchanges item i of the lower lane with item j of the upper one, for each pair of lanes rank and rank ^ mask; mask 0
/// leaves x as it is.
///
///   K = 4, mask 1, (i, j) = (0, 3)
///   x       0 1 2 3    4 5 6 7      8  9 10 11    12 13 14 15
///   gives   7 1 2 3    4 5 6 0     15  9 10 11    12 13 14  8
///
/// Items is items<T, K>. Preconditions: mask < N, i < K, j < K, all uniform over the tile. Cost: one shuffle of each
/// 32-bit word of T, and 2·K selections between registers, fewer if i and j are known at compile time.
template <class Tile, class Items, class Policy = policy<>>
TESSERA_FN Items exchange_items(Tile const& tile, Items x, unsigned mask, unsigned i, unsigned j, Policy policy = {},
                                call_site site = call_site::here()) {
  detail::require_items<Items>();
  stl::uint64_t const uniform = mask | stl::uint64_t{i} << 16 | stl::uint64_t{j} << 40;
  using group_t = detail::group_of<Tile, Policy>;
  return detail::move<detail::collectives::exchange_items, Items>(tile, policy, site, uniform, [&](group_t group) {
    unsigned const rank = group.rank();
    unsigned const mine = (rank ^ mask) < rank ? j : i;
    auto moved = x.item[0];
    TESSERA_UNROLL
    for (unsigned k = 1; k < Items::count; ++k) moved = detail::select(k == mine, x.item[k], moved);
    moved = detail::from_partner(group, moved, mask);
    TESSERA_UNROLL
    for (unsigned k = 0; k < Items::count; ++k) x.item[k] = detail::select(k == mine, moved, x.item[k]);
    return x;
  });
}

TESSERA_NAMESPACE_END
