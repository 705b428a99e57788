// Match: the lanes of the tile with the same key, and reductions over each such group.
//
//   rank                 0 1 2 3 4 5 6 7
//   key                  a b a a c b c a
//   match_any            lanes {0,2,3,7} in 0, 2, 3, 7; {1,5} in 1, 5; {4,6} in 4, 6
//   peers: leader, rank  0,0 1,0 0,1 0,2 4,0 1,1 4,1 0,3
//   reduce_by_label      x0x2x3x7 in 0, 2, 3, 7; x1x5 in 1, 5; x4x6 in 4, 6
//
// Keys are compared bit for bit.
//
// Sources: `match.any` of the PTX ISA; the tree over a group's members is A. Adinetz's ("Voting and shuffling to
// optimize atomic operations", 2014): members with an odd rank pass their value to the one before them and leave.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/match.hpp>

TESSERA_NAMESPACE_BEGIN

/// The lanes that hold the same key, as seen by one of them. An ordinary value: no member is a collective.
template <unsigned N>
struct peer_group {
  lane_mask<N> mask;  // the peers, including this lane
  unsigned rank;      // the number of peers before this lane
  unsigned leader;    // the first peer

  TESSERA_FN unsigned count() const { return mask.count(); }
  TESSERA_FN bool is_leader() const { return rank == 0; }
};

/// The lanes of the tile whose key has the same bits as this lane's. With `first(n)` or `where(pred)` only participants
/// are returned; a lane that takes no part still gets the participants with its key.
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Key        any number, or a struct of integers without padding.
/// Policies   convergence, participants.
/// Cost       up to 8 lanes: N shuffles of each 32-bit word of the key (8 lanes: one shuffle and one vote if all keys
///            are equal). More lanes: one `match.any` of each word, whose time grows with the number of different keys.
///            No barrier. N > 32: two barriers, N comparisons, and a slot a lane (scratch.hpp).
template <class Tile, class Key, class Policy = policy<>>
TESSERA_FN auto match_any(Tile const& tile, Key key, Policy policy = {}, call_site site = call_site::here()) {
  detail::require_match<Tile, Key>();
  return detail::collective<detail::collectives::match_any, Key>(
      tile, policy, site, 0,
      [&](detail::group_of<Tile, Policy> group) { return detail::match_lanes(group, key, policy); });
}

/// As above, as a peer_group: with the lane's rank among its peers and their leader: `peers(tile, key).rank`. All lanes
/// take part: the only policy is convergence. The barriers and memory are those of `match_any`.
template <class Tile, class Key, class Policy = policy<>>
TESSERA_FN auto peers(Tile const& tile, Key key, Policy policy = {}, call_site site = call_site::here()) {
  detail::require_match<Tile, Key>();
  return detail::collective<detail::collectives::peers, Key>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        auto const mask = group.match(key);
        return peer_group<tile_size_v<Tile>>{mask, mask.rank_of(group.rank()), mask.first()};
      });
}

/// True if all participants hold keys with the same bits, and if there are fewer than two.
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Policies   convergence, participants.
/// Cost       one shuffle of each 32-bit word of the key and one vote (with `where(pred)` two). N > 32: three barriers
///            (with `where(pred)` five), and a slot a warp (scratch.hpp).
template <class Tile, class Key, class Policy = policy<>>
TESSERA_FN bool match_all(Tile const& tile, Key key, Policy policy = {}, call_site site = call_site::here()) {
  detail::require_match<Tile, Key>();
  return detail::collective<detail::collectives::match_all, Key>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        bool const in = detail::participates(policy, group.rank());
        unsigned asked = 0;
        if constexpr (stl::is_same_v<detail::chosen_participants<Policy>, choice::where>)
          asked = group.ballot(in).first() % group.size;
        bool const same = detail::same_bits(key, group.broadcast(key, asked));
        return !group.any(in && !same);
      });
}

/// Combines the values of each group of lanes with the same label by `op` in rank order.
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// Label      any number, or a struct of integers without padding.
/// T          any exchangeable type; bool with `plus` is counted.
/// Returns    the group's result in each of its lanes; with `to_leader` in its first lane, and unspecified in the
///            others. With `first(n)` or `where(pred)` a group's participants give the result (`to_leader`: in the
///            first of them), and lanes that take no part get the identity.
/// Policies   convergence, placement, participants.
/// Order      a balanced tree over a group's members. N > 32: such a tree in each warp, then the warps from left to
///            right.
/// Cost       one match; then, log2 of the largest group's size times, two votes and one shuffle of each 32-bit word of
///            T; one more shuffle to all. N > 32: the same in each warp, four barriers, and a slot of label and T a
///            lane (scratch.hpp); two more barriers for each further set of results if there are fewer slots.
template <class Tile, class Label, class T, class Op = plus, class Policy = policy<>>
TESSERA_FN auto reduce_by_label(Tile const& tile, Label label, T x, Op op = {}, Policy policy = {},
                                call_site site = call_site::here()) {
  detail::require_match<Tile, Label>();
  detail::require_exchangeable<T>();
  using combine_t = detail::operator_for<Op, T>;
  detail::require_operator<Tile, combine_t, T, Policy>();
  combine_t const combine = detail::to_operator<T>(op);
  return detail::collective<detail::collectives::reduce_by_label, Label, T, combine_t>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        using result_t = detail::result_t<combine_t, T>;
        bool const in = detail::participates(policy, group.rank());
        result_t result = detail::reduce_peers<Policy>(group, label, in, static_cast<result_t>(x), combine);
        if constexpr (!detail::everyone_participates<Policy>)
          result = detail::select(in, result, operator_traits<combine_t, result_t>::identity(combine));
        return result;
      });
}

TESSERA_NAMESPACE_END
