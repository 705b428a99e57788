// Votes: each lane of a tile gives a predicate, and all get the result.
//
//   rank      0 1 2 3 4 5 6 7
//   pred      . 1 . . 1 1 . 1        ballot: the set {1, 4, 5, 7}; count_if: 4; any_of: true; all_of: false
//
// Source: the warp votes, such as __ballot_sync, of the CUDA C++ Programming Guide.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/vote.hpp>

TESSERA_NAMESPACE_BEGIN

/// The set of lanes with `pred`; with `first(n)` or `where(p)` only participants.
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Returns    a lane_mask<N>, the same in every lane, also with `to_leader`.
/// Policies   convergence, placement, participants.
/// Cost       one vote, no barrier. N > 32: ballot two barriers, with fresh(scratch) one, and a slot of a word a warp
///            (scratch.hpp); the others one barrier, which counts, and no memory. Tiles of 64 that are a part of their
///            block use ballot's memory, and its barriers if the block has no hardware barrier left for each of them.
template <class Tile, class Policy = policy<>>
TESSERA_FN auto ballot(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return detail::vote_of<detail::collectives::ballot>(
      tile, pred, policy, site, [](detail::group_of<Tile, Policy> group, bool mine) { return group.ballot(mine); });
}

/// True if a participating lane has `pred`; false if none participates. Otherwise as `ballot`.
template <class Tile, class Policy = policy<>>
TESSERA_FN bool any_of(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return detail::any_vote<detail::collectives::any_of>(tile, pred, policy, site);
}

/// True if every participating lane has `pred`; true if none participates. Otherwise as `ballot`.
template <class Tile, class Policy = policy<>>
TESSERA_FN bool all_of(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return !detail::any_vote<detail::collectives::all_of>(tile, !pred, policy, site);
}

/// True if no participating lane has `pred`; true if none participates. Otherwise as `ballot`.
template <class Tile, class Policy = policy<>>
TESSERA_FN bool none_of(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return !detail::any_vote<detail::collectives::none_of>(tile, pred, policy, site);
}

/// The number of participating lanes that have `pred`. Otherwise as `ballot`.
template <class Tile, class Policy = policy<>>
TESSERA_FN unsigned count_if(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return detail::vote_of<detail::collectives::count_if>(
      tile, pred, policy, site, [](detail::group_of<Tile, Policy> group, bool mine) { return group.count(mine); });
}

/// True in one lane of the tile, the first participant; in none if nobody participates.
///
/// Called by  all lanes of the tile (with `converged`: of the warp). Not a barrier.
/// Policies   convergence, participants.
/// Cost       nothing; with `where(pred)` one vote, as `ballot`.
template <class Tile, class Policy = policy<>>
TESSERA_FN bool elect(Tile const& tile, Policy policy = {}, call_site site = call_site::here()) {
  return detail::collective<detail::collectives::elect>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) { return detail::is_elected(group, policy); });
}

/// Runs `f()` in one lane of the tile, rank 0, and gives its result to every lane; with `to_leader` to rank 0 only.
///
///   unsigned const start = tessera::invoke_one(tile, [&] { return atomicAdd(next, tile.size()); });
///
/// Called by  all lanes of the tile (with `converged`: of the warp). Not a barrier.
/// f          returns void, or any trivially copyable type. It may wait for another tile's f, as for a lock that its
///            tile releases after the call, even in the same warp; not with `converged`.
/// Policies   convergence, placement.
/// Cost       f, and one shuffle of each 32-bit word of its result (`to_leader`: none). N > 32: two barriers for the
///            result, with fresh(scratch) one, and a slot a warp (scratch.hpp).
template <class Tile, class F, class Policy = policy<>>
TESSERA_FN auto invoke_one(Tile const& tile, F f, Policy policy = {}, call_site site = call_site::here()) {
  detail::require_call<Tile, F>();
  using result = decltype(f());
  return detail::collective<detail::collectives::invoke_one, result>(
      tile, policy, site, 0,
      [&](detail::group_of<Tile, Policy> group) { return detail::invoke_elected<result>(group, f, policy); });
}

TESSERA_NAMESPACE_END
