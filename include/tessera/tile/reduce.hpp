// The reduction of a group of any size, over its participants.
#pragma once

#include <tessera/block/reduce.hpp>
#include <tessera/cluster/reduce.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/warp/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The reduction over the participants: other lanes contribute the neutral element.
template <class Policy, class Group, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_participants(Group group, T x, Op const& op, Policy const& policy) {
  if constexpr (everyone_participates<Policy>) {
    return detail::reduce_lanes<Policy>(group, x, op);
  } else {
    using of_part = participation<Policy, T, Op>;
    bool const in = detail::participates(policy, group.rank());
    bool nobody = false;
    if constexpr (of_part::replaces_result) nobody = detail::nobody_participates(group, policy);
    auto const result = detail::reduce_lanes<Policy>(group, of_part::contribution(in, x, op), op);
    if constexpr (of_part::replaces_result) {
      return of_part::or_identity(nobody, result, op);
    } else {
      return result;
    }
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
