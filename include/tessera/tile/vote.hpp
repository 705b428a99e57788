// Votes, elections, and functions that one lane calls for all.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The result of `ask(group, vote)`, where a lane that takes no part votes false.
template <collective_row const& Collective, class Tile, class Policy, class Ask>
TESSERA_FN auto vote_of(Tile const& tile, bool pred, Policy const& policy, call_site site, Ask ask) {
  return detail::collective<Collective, bool>(tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
    return ask(group, detail::participates(policy, group.rank()) && pred);
  });
}
/// True if a participant has `pred`.
template <collective_row const& Collective, class Tile, class Policy>
TESSERA_FN bool any_vote(Tile const& tile, bool pred, Policy const& policy, call_site site) {
  return detail::vote_of<Collective>(tile, pred, policy, site,
                                     [](group_of<Tile, Policy> group, bool mine) { return group.any(mine); });
}

/// True if this lane is the first participant. On host tiles a rendezvous; on the GPU an exchange for `where(pred)`
/// only.
template <class Group, class Policy>
TESSERA_FN bool is_elected(Group group, Policy const& policy) {
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::where>) {
    auto const lanes = detail::by_lanes(group);
    return lanes.ballot(policy.pred).first() == lanes.rank();
  } else {
    if constexpr (meets_by_exchange<Group>) group.ballot(true);
    return group.rank() == 0 && detail::participates(policy, 0);
  }
}

/// Calls f() in the elected lane, and returns its result in every lane or in that one only.
///
/// The result's type is a template argument and not deduced, since nvcc would then compile the body for the host, too,
/// which can't call a kernel's lambda.
template <class Result, class Group, class F, class Policy>
TESSERA_FN Result invoke_elected(Group group, F& f, Policy const& policy) {
  bool const elected = detail::is_elected(group, policy);
  auto const tile = detail::apart_from_others(group);
  if constexpr (stl::is_void_v<Result>) {
    if (elected) f();
    tile.reconverge();
  } else {
    require_exchangeable<Result>();
    words<Result> w{};
    if (elected) w = detail::to_words(f());
    Result const mine = detail::from_words<Result>(w);
    if constexpr (stl::is_same_v<chosen_placement<Policy>, choice::to_leader>) {
      tile.reconverge();
      return mine;
    } else {
      return tile.broadcast(mine, 0);
    }
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
