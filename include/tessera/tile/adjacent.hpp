// Values with their predecessors: the item before in the same lane, or the last item of the lane before.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/requirements.hpp>
#include <tessera/tile/strict_order.hpp>
#include <tessera/warp/scan.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Tile, class Op, class T>
TESSERA_FN auto require_function_of_neighbors() {
  static_assert(!is_policy_v<Op>,
                "Arguments in the wrong order: the function comes before the policy: write "
                "adjacent_difference(tile, x, tessera::minus{}, policy).");
  static_assert(stl::is_invocable_v<Op const&, T const&, T const&>,
                "adjacent_difference(tile, x, op): op(own, predecessor) takes two values of x's type and "
                "gives another; it must be callable while const: write a const operator(), no mutable lambda.");
  require_assignable<T>();
  if constexpr (stl::is_invocable_v<Op const&, T const&, T const&>) require_call<Tile, Op const, T, T>();
}

template <class Tile, class Before, class T>
TESSERA_FN auto require_comparator() {
  static_assert(!is_policy_v<Before>,
                "Arguments in the wrong order: the order comes before the policy: write before it tessera::less{}, "
                "which has the least value first, or tessera::greater{}, which top_k takes by itself.");
  static_assert(stl::is_invocable_v<Before const&, T const&, T const&>,
                "before(a, b) takes two values of x's type and says whether a comes before b; it must be "
                "callable while const: write a const operator(), no mutable lambda.");
  if constexpr (stl::is_invocable_v<Before const&, T const&, T const&>) require_call<Tile, Before const, T, T>();
}

/// A lane's items; a single value is one item.
template <class T>
TESSERA_FN items<T, 1> as_row(T const& x) {
  return {{x}};
}
template <class T, unsigned K>
TESSERA_FN items<T, K> as_row(items<T, K> const& x) {
  return x;
}

/// The row as X was given: a single value, or items.
template <class X, class Row>
TESSERA_FN auto as_given(Row const& row) {
  if constexpr (is_items_v<X>) {
    return row;
  } else {
    return row[0];
  }
}

/// op(item, predecessor) for each item; an item without predecessor is left as it is.
template <bool Suffix, class Group, class X, class Op>
TESSERA_FN X combine_neighbors(Group group, X const& x, Op const& op) {
  using T = item_t<X>;
  auto const own = detail::as_row(x);
  constexpr unsigned K = decltype(own)::count;
  bool has_predecessor = false;
  T predecessor =
      detail::from_predecessor<Suffix>(group, own[detail::in_direction<Suffix, K>(K - 1)], 1, has_predecessor);
  auto out = own;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    T& item = out[detail::in_direction<Suffix, K>(i)];
    T const mine = item;
    if (i > 0 || has_predecessor) item = static_cast<T>(op(mine, predecessor));
    item = detail::canonicalize_nan<Op>(item);
    predecessor = mine;
  }
  return detail::as_given<X>(out);
}

/// The x of the last participant before this lane, if `exists`.
template <class Group, class T, class Policy>
TESSERA_FN T from_previous_participant(Group group, T const& x, Policy const& policy, bool& exists) {
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::where>) {
    auto const before = group.ballot(policy.pred) & lane_mask<Group::size>::prefix(group.rank());
    exists = before.any();
    return group.shuffle(x, exists ? before.last() : group.rank());
  } else {  // participants of first(n) are neighbors
    return group.shuffle_up(x, 1, exists);
  }
}

/// True if one of a participant's items comes before its predecessor.
template <class Group, class X, class Before, class Policy>
TESSERA_FN bool comes_before_predecessor(Group group, X const& x, Before const& before, Policy const& policy) {
  using T = item_t<X>;
  auto const own = detail::as_row(x);
  constexpr unsigned K = decltype(own)::count;
  bool has_predecessor = false;
  T const predecessor = detail::from_previous_participant(group, own[K - 1], policy, has_predecessor);
  if (!detail::participates(policy, group.rank())) return false;
  if (has_predecessor) detail::require_strict_on(group, before, own[0], predecessor);
  bool found = has_predecessor && static_cast<bool>(before(own[0], predecessor));
  TESSERA_UNROLL
  for (unsigned i = 1; i < K; ++i) {
    detail::require_strict_on(group, before, own[i], own[i - 1]);
    found |= static_cast<bool>(before(own[i], own[i - 1]));
  }
  return found;
}

}  // namespace detail
TESSERA_NAMESPACE_END
