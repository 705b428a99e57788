// Segmented scans and reductions of a group of any size, over its participants.
#pragma once

#include <tessera/block/segmented.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/requirements.hpp>
#include <tessera/tile/scan.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Each lane's x, or the neutral element if it takes no part, and the participants of its segment.
template <class Group, class T, class Op, class Policy>
struct segment_values {
  using of_part = participation<Policy, T, Op>;

  T x;
  lane_mask<Group::size> taking_part;

  TESSERA_FN segment_values(Group group, T const& value, Op const& op, Policy const& policy, segment of)
      : x(value), taking_part(lane_mask<Group::size>::full()) {
    if constexpr (of_part::is_partial) x = of_part::contribution(detail::participates(policy, group.rank()), value, op);
    if constexpr (of_part::replaces_result) {
      using mask = lane_mask<Group::size>;
      taking_part = detail::participants_of(group, policy) & mask::prefix(of.last + 1) & ~mask::prefix(of.first);
    }
  }
  /// `result`, or the identity if none of the lanes `among` takes part.
  TESSERA_FN T or_identity(T const& result, [[maybe_unused]] lane_mask<Group::size> among,
                           [[maybe_unused]] Op const& op) const {
    if constexpr (of_part::replaces_result) return of_part::or_identity((taking_part & among).none(), result, op);
    return result;
  }
};

template <scan_kind Kind, class Group, class T, class Op, class Policy>
TESSERA_FN scanned<T> scan_segment(Group group, T const& value, Op const& op, Policy const& policy, segment of) {
  constexpr bool suffix = is_suffix<Policy>;
  constexpr unsigned N = Group::size;
  unsigned const rank = group.rank();
  unsigned const reach = suffix ? of.last - rank : rank - of.first;
  segment_values<Group, T, Op, Policy> const values(group, value, op, policy, of);
  T const up_to_here = detail::inclusive_scan_within<suffix>(group, values.x, op, reach);
  scanned<T> out{up_to_here, up_to_here};
  if constexpr (Kind == scan_kind::exclusive) {
    bool has_predecessor = false;
    T const predecessor = detail::exclusive_of<suffix>(group, up_to_here, values.x, op, has_predecessor);
    out.value = detail::select(reach > 0, predecessor, operator_traits<Op, T>::identity(op));
  }
  out.value = values.or_identity(out.value, detail::predecessors<suffix, N>(rank, Kind == scan_kind::inclusive), op);
  if constexpr (gives_total<Policy>) {
    out.total =
        values.or_identity(detail::from_end_of_segment<!suffix>(group, up_to_here, of), lane_mask<N>::full(), op);
  }
  return out;
}

template <class Group, class T, class Op, class Policy>
TESSERA_FN T reduce_segment(Group group, T const& value, Op const& op, Policy const& policy, segment of) {
  segment_values<Group, T, Op, Policy> const values(group, value, op, policy, of);
  T const from_here = detail::inclusive_scan_within<true>(group, values.x, op, of.last - group.rank());
  if constexpr (stl::is_same_v<chosen_placement<Policy>, choice::to_leader>) {
    return values.or_identity(from_here, lane_mask<Group::size>::full(), op);
  } else {
    return values.or_identity(detail::from_end_of_segment<false>(group, from_here, of), lane_mask<Group::size>::full(),
                              op);
  }
}

/// The entry of all segmented collectives: calls body(group, x, op, segment).
template <collective_row const& Collective, class Tile, class X, class Segments, class Op, class Policy, class Body>
TESSERA_FN auto by_segments(Tile const& tile, X const& x, Segments const& segments, Op const& op, Policy const& policy,
                            call_site site, Body body) {
  using combine_t = operator_for<Op, X>;
  require_segments<Segments>();
  static_assert(!is_items_v<X>, "Segments are of lanes, one value each: scan a lane's items by themselves first.");
  require_exchangeable<X>();
  require_operator<Tile, combine_t, X, Policy>();
  static_assert(&Collective != &collectives::segmented_exclusive_scan || operator_traits<combine_t, X>::has_identity,
                "segmented_exclusive_scan gives the operator's identity to each segment's first lane, and this "
                "operator has none: write make_operator(f, identity).");
  combine_t const combine = detail::to_operator<X>(op);
  return detail::collective<Collective, X, combine_t, Segments>(
      tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
        using result = result_t<combine_t, X>;
        auto const out = body(group, static_cast<result>(x), combine, detail::segment_of(group, segments));
        // Not all lanes call op, and with several warps the last lane of each takes a branch of its own.
        if constexpr (call_may_branch<combine_t, result> || is_multi_warp<decltype(group)>) group.reconverge();
        return out;
      });
}

template <collective_row const& Collective, scan_kind Kind, class Tile, class X, class Segments, class Op, class Policy>
TESSERA_FN auto segmented_scan(Tile const& tile, X const& x, Segments const& segments, Op const& op,
                               Policy const& policy, call_site site) {
  using combine_t = operator_for<Op, X>;
  using result = result_t<combine_t, X>;
  auto const out = detail::by_segments<Collective>(
      tile, x, segments, op, policy, site,
      [&](group_of<Tile, Policy> group, result const& value, combine_t const& combine, segment of) {
        return detail::scan_segment<Kind>(group, value, combine, policy, of);
      });
  if constexpr (gives_total<Policy>) {
    return out;
  } else {
    return out.value;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
