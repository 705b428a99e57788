// The value at one position of a tile's sorted values: they are sorted, and the lane at that position broadcasts its
// value.
#pragma once

#include <tessera/tile/sort.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Returns value n of a group's items in blocked order.
template <class Group, class T, unsigned K>
TESSERA_FN T value_at(Group group, items<T, K> const& x, unsigned n) {
  T own = x[0];
  TESSERA_UNROLL
  for (unsigned i = 1; i < K; ++i) detail::assign(own, detail::select(n % K == i, x[i], own));
  unsigned const lane = n / K, last = group.valid_count() - 1;
  return group.broadcast(own, lane < last ? lane : last);
}

template <class Tile, class X, class Before, class Policy>
TESSERA_FN auto nth_value(Tile const& tile, X const& x, unsigned n, Before const& before, Policy const& policy,
                          call_site site) {
  using T = item_t<X>;
  using comparator = canonical_comparator_t<Before, T>;
  require_exchangeable<X>();
  require_comparator<Tile, comparator, T>();
  value_form<false, T, comparator> const form(detail::canonical_comparator<T>(before));
  return detail::collective<collectives::nth_element, X, comparator>(
      tile, policy, site, stl::uint64_t{n} << 32, [TESSERA_CAPTURES](group_of<Tile, Policy> group) {
        return detail::value_at(group, detail::sort_in_form(group, form, detail::as_row(x), policy), n);
      });
}

}  // namespace detail
TESSERA_NAMESPACE_END
