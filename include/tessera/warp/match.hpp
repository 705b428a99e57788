// Lanes of a group of up to 32 with the same key, and the reduction of each such set of peers.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/words.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The participants with this lane's key.
template <class Group, class Key, class Policy>
TESSERA_FN lane_mask<Group::size> match_lanes(Group group, Key const& key, Policy const& policy) {
  lane_mask<Group::size> const same = group.match(key);
  if constexpr (everyone_participates<Policy>) {
    return same;
  } else {
    return same & group.ballot(detail::participates(policy, group.rank()));
  }
}

/// Combines each group's values in rank order, in its first lane. `group` is the lane's group, or empty.
///
/// Invariant: before a step, `left` are the lanes of the group whose rank in it is a multiple of `width`, and each of
/// them holds the values of the next `width` members, itself the first; `rank` is the rank in the group over `width`.
template <class Group, class T, class Op>
TESSERA_FN T reduce_group(Group group, lane_mask<Group::size> peers, T x, Op const& op) {
  constexpr unsigned N = Group::size;
  unsigned const own = group.rank();
  unsigned rank = peers.rank_of(own);
  lane_mask<N> left = peers;
  TESSERA_UNROLL
  for (unsigned width = 1; width < N; width *= 2) {
    unsigned const above = (left & ~lane_mask<N>::prefix(own + 1)).first();
    unsigned const next = left.test(own) ? above : N;
    if (group.all_agree(next == N)) break;
    T const other = group.shuffle(x, next % N);
    if (next < N) x = static_cast<T>(op(x, other));
    left = left & group.ballot(rank % 2 == 0);
    rank /= 2;
  }
  return detail::canonicalize_nan<Op>(x);
}

/// Combines the values of the participants with this lane's label; the result of a lane that takes no part is
/// unspecified.
template <class Policy, class Group, class Label, class T, class Op>
TESSERA_FN T reduce_peers(Group group, Label const& label, bool in, T const& x, Op const& op) {
  lane_mask<Group::size> peers = group.match(label) & group.ballot(in);
  if (!in) peers = lane_mask<Group::size>{};
  T const result = detail::reduce_group(group, peers, x, op);
  if constexpr (stl::is_same_v<chosen_placement<Policy>, choice::to_leader>) {
    return result;
  } else {
    return group.shuffle(result, in ? peers.first() : group.rank());
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
