// Independent reductions of a group of any size, over its participants.
#pragma once

#include <tessera/block/reduce_batch.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/warp/reduce_batch.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The reductions over the participants: other lanes contribute neutral elements.
template <class Policy, class Group, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_participants(Group group, items<T, K> x, Op const& op, Policy const& policy) {
  if constexpr (everyone_participates<Policy>) {
    return detail::reduce_batch_lanes<Policy>(group, x, op);
  } else {
    using of_part = participation<Policy, T, Op>;
    x = of_part::contribution(detail::participates(policy, group.rank()), x, op);
    bool nobody = false;
    if constexpr (of_part::replaces_result) nobody = detail::nobody_participates(group, policy);
    auto results = detail::reduce_batch_lanes<Policy>(group, x, op);
    if constexpr (of_part::replaces_result) {
      TESSERA_UNROLL
      for (unsigned i = 0; i < results.size(); ++i) results[i] = of_part::or_identity(nobody, results[i], op);
    }
    return results;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
