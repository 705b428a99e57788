// What every collective requires of its arguments, and what the compiler says where it isn't so.
#pragma once

#include <tessera/detail/exchangeable.hpp>
#include <tessera/detail/gpu_call.hpp>
#include <tessera/items.hpp>
#include <tessera/operators.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

namespace tessera::detail {

/// T, but not deduced from this argument.
template <class T>
struct same {
  using type = T;
};
template <class T>
using same_t = typename same<T>::type;

template <class Tile>
TESSERA_FN constexpr void require_tile() {
  static_assert(is_tile_v<Tile>,
                "A collective's first argument is its tile, a cooperative_groups::thread_block_tile<N> or a "
                "host::tile<N>: "
                "write auto tile = tessera::tiled_partition<32>(block).");
}

template <class T>
TESSERA_FN constexpr void require_exchangeable() {
  static_assert(
      is_exchangeable_v<T>,
      "Lanes exchange trivially copyable values only: reduce or move a plain struct of its numbers, or "
      "specialize tessera::is_exchangeable.");
}

template <class Items>
TESSERA_FN constexpr void require_items() {
  static_assert(is_items_v<Items>,
                "A lane brings its items here, an items<T, K>: write as_items(x) for a C array.");
}

/// That a policy is one, and names choices of these kinds only.
template <class Policy, policy_kind... Kinds>
TESSERA_FN constexpr void require_policy() {
  static_assert(
      is_policy_v<Policy>,
      "A collective's last argument is its policy: a policy is made of choices joined with |, as in "
      "converged | first(n).");
  constexpr auto has = [](policy_kind kind) { return ((kind == Kinds) || ...); };
  static_assert(!Policy::template names<policy_kind::placement> || has(policy_kind::placement),
                "Every lane gets its own result here: leave to_all/to_leader/scattered out of the policy.");
  static_assert(
      !Policy::template names<policy_kind::participants> || has(policy_kind::participants),
      "Every lane takes part here: leave first(n) and where(pred) out of the policy; only adaptive, "
      "converged or isolated make sense.");
  static_assert(!Policy::template names<policy_kind::method> || has(policy_kind::method),
                "There is one method for this: leave automatic/shuffles/hardware out of the policy.");
  static_assert(!Policy::template names<policy_kind::direction> || has(policy_kind::direction),
                "prefix and suffix are for scans: leave them out of the policy.");
  static_assert(!Policy::template names<policy_kind::extra> || has(policy_kind::extra),
                "with_total is for scans: leave it out of the policy.");
}

/// That results go to all lanes or to a leader: only a batch can be dealt out.
template <class Policy>
TESSERA_FN constexpr void require_not_scattered() {
  static_assert(!stl::is_same_v<typename Policy::placement, choice::scattered>,
                "scattered is for batches: write reduce_batch(tile, items, op, scattered), or here to_all or "
                "to_leader.");
}

/// That Op combines values of T where Tile's lanes are, and has an identity where Policy leaves lanes out.
template <class Tile, class Op, class T, class Policy>
TESSERA_FN void require_operator() {
  static_assert(!is_policy_v<Op>,
                "Arguments in the wrong order: the operator comes before the policy: write reduce(tile, x, "
                "tessera::plus{}, policy).");
  static_assert(!stl::is_pointer<T>::value ||
                    !(stl::is_same_v<Op, plus> || stl::is_same_v<Op, minimum> || stl::is_same_v<Op, maximum>),
                "x is a pointer here, perhaps to a C array's first element: write as_items(x).");
  static_assert(
      stl::is_invocable_v<Op const&, T const&, T const&>,
      "op(a, b) must take two values of x's type, and op be callable while const: a const operator(), no "
      "mutable lambda; for argmin and argmax write with_index(x, i), for minmax as_min_max(x), for zip "
      "as_zipped(x, y, ...), for welford as_moments(x), for log_sum_exp as_exp_sum(x), for smallest "
      "as_smallest<K>(x), for a C array as_items(x).");
  static_assert(everyone_participates<Policy> || operator_traits<Op, T>::has_identity,
                "first(n) and where(pred) give the operator's identity where no lane takes part, and this "
                "operator has none: "
                "write make_operator(f, identity).");
  if constexpr (stl::is_invocable_v<Op const&, T const&, T const&>) require_call<Tile, Op const, T, T>();
}

}  // namespace tessera::detail
