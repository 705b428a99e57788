// The lanes that take part in a collective by its policy, and the values that replace those of the others.
//
// A lane that takes no part contributes the operator's neutral element. For sums of floats that is −0, which changes no
// bits; their identity, which a collective returns if no lane takes part, is +0. So results without participants are
// replaced (`or_identity`).
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/group/multi_warp_group.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The part of a policy that must be the same in all lanes: n of `first(n)`.
template <class Policy>
TESSERA_FN stl::uint64_t uniform_of([[maybe_unused]] Policy const& policy) {
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::first>) {
    return policy.n;
  } else {
    return 0;
  }
}

/// True if no lane contributes. A vote if the policy is `where(pred)`, before the collective's own exchange.
template <class Group, class Policy>
TESSERA_FN bool nobody_participates([[maybe_unused]] Group group, Policy const& policy) {
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::first>) {
    return policy.n == 0;
  } else if constexpr (is_multi_warp<Group>) {
    return !group.any(policy.pred, true);
  } else {
    return !group.any(policy.pred);
  }
}

/// The lanes that take part. A vote if the policy is `where(pred)`.
template <class Group, class Policy>
TESSERA_FN lane_mask<Group::size> participants_of([[maybe_unused]] Group group, [[maybe_unused]] Policy const& policy) {
  using mask = lane_mask<Group::size>;
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::first>) {
    return mask::prefix(policy.n) & group.valid_lanes();
  } else if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::where>) {
    return group.ballot(policy.pred);
  } else {
    return group.valid_lanes();
  }
}

/// The number of the group's positions that take part: all, or those of first(n).
template <unsigned K, class Group, class Policy>
TESSERA_FN unsigned positions_of(Group group, [[maybe_unused]] Policy const& policy) {
  unsigned const all = group.valid_count() * K;
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::first>) {
    return policy.n < all ? policy.n : all;
  } else {
    return all;
  }
}

/// True if the value at this position takes part.
template <class Policy>
TESSERA_FN bool position_participates([[maybe_unused]] Policy const& policy, [[maybe_unused]] unsigned position) {
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::first>) {
    return position < policy.n;
  } else {
    return true;
  }
}

/// Replaces the values of lanes that take no part, and results without participants, for values of T and Op.
template <class Policy, class T, class Op>
struct participation {
  using neutral = neutral_of<Op, T>;
  /// True if lanes may take no part; true if a result without participants must be replaced.
  static constexpr bool is_partial = !everyone_participates<Policy>;
  static constexpr bool replaces_result = is_partial && !neutral::is_identity;

  /// The x of a lane that takes part, else the neutral element.
  TESSERA_FN static T contribution(bool in, T const& x, Op const& op) {
    return detail::select(in, x, neutral::get(op));
  }
  template <unsigned K>
  TESSERA_FN static items<T, K> contribution(bool in, items<T, K> x, Op const& op) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) x[i] = contribution(in, x[i], op);
    return x;
  }
  /// The result, or the operator's identity if no lane took part.
  template <class Result>
  TESSERA_FN static Result or_identity(bool of_nobody, Result const& result, Op const& op) {
    return detail::select(of_nobody, operator_traits<Op, T>::identity(op), result);
  }
};

}  // namespace detail
TESSERA_NAMESPACE_END
