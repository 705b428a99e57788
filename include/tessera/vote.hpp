// Votes: what the lanes of a tile say of one predicate each.
//
//   rank      0 1 2 3 4 5 6 7
//   pred      . 1 . . 1 1 . 1        ballot: the set {1, 4, 5, 7}; count_if: 4; any_of: true; all_of: false
//
// Source: the warp votes, __ballot_sync and its like, of the CUDA C++ Programming Guide.
#pragma once

#include <tessera/detail/collective.hpp>
#include <tessera/detail/requirements.hpp>
#include <tessera/lane_mask.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

namespace tessera {

namespace detail {

/// The participants whose lanes have `pred`.
template <class Tile, class Policy>
TESSERA_FN auto vote_of(Tile const& tile, bool pred, Policy const& policy, const char* name, call_site site) {
  require_tile<Tile>();
  require_policy<Policy, policy_kind::convergence, policy_kind::placement, policy_kind::participants>();
  return detail::collective(tile, policy, collective_name<bool>{name, site}, uniform_of(policy),
                            [&](auto lanes) {
                              bool const in = participates(policy, lanes.rank());
                              return lanes.ballot(in && pred);
                            });
}

}  // namespace detail

/// The set of lanes with `pred`; of `first(n)` or `where(p)` only those that participate.
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Returns    the same set in every lane.
/// Policies   convergence, placement, participants.
/// Cost       one vote, no barrier.
template <class Tile, class Policy = policy<>>
TESSERA_FN lane_mask<tile_size_v<Tile>> ballot(Tile const& tile, bool pred, Policy policy = {},
                                               call_site site = call_site::here()) {
  return detail::vote_of(tile, pred, policy, "ballot", site);
}

/// Whether a participating lane has `pred`; false where none participates. As `ballot` in all else.
template <class Tile, class Policy = policy<>>
TESSERA_FN bool any_of(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return detail::vote_of(tile, pred, policy, "any_of", site).any();
}

/// Whether every participating lane has `pred`; true where none participates. As `ballot` in all else.
template <class Tile, class Policy = policy<>>
TESSERA_FN bool all_of(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return detail::vote_of(tile, !pred, policy, "all_of", site).none();
}

/// Whether no participating lane has `pred`; true where none participates. As `ballot` in all else.
template <class Tile, class Policy = policy<>>
TESSERA_FN bool none_of(Tile const& tile, bool pred, Policy policy = {}, call_site site = call_site::here()) {
  return detail::vote_of(tile, pred, policy, "none_of", site).none();
}

/// How many participating lanes have `pred`. As `ballot` in all else.
template <class Tile, class Policy = policy<>>
TESSERA_FN unsigned count_if(Tile const& tile, bool pred, Policy policy = {},
                             call_site site = call_site::here()) {
  return detail::vote_of(tile, pred, policy, "count_if", site).count();
}

}  // namespace tessera
