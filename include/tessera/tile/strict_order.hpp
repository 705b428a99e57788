// Reports of comparators that aren't strict orders, on host tiles only.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/tile/collective.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Host tiles report a comparator that isn't strict on two entries. It is called for values that take no part, too.
template <class Group, class Order, class Entry>
TESSERA_FN void require_strict([[maybe_unused]] Group group, [[maybe_unused]] Order const& order,
                               [[maybe_unused]] Entry const& a, [[maybe_unused]] Entry const& b) {
  if constexpr (!Order::may_be_wrong) {
    return;
  } else if constexpr (is_multi_warp<Group>) {
    if constexpr (!is_warp<decltype(group.in_warp())>) group.in_warp().require_strict_order(order.is_strict(a, b));
  } else if constexpr (!is_warp<Group>) {
    group.require_strict_order(order.is_strict(a, b));
  }
}
/// Likewise for values that the caller's comparator compares itself.
template <class Before>
struct given_before {
  static constexpr bool is_cheap = stl::is_same_v<Before, less> || stl::is_same_v<Before, greater>;
  Before const& before;

  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return static_cast<bool>(before(a, b));
  }
};
template <class Group, class Before, class T>
TESSERA_FN void require_strict_on(Group group, Before const& before, T const& a, T const& b) {
  detail::require_strict(group, comparator_order<given_before<Before>>{{before}}, a, b);
}

}  // namespace detail
TESSERA_NAMESPACE_END
