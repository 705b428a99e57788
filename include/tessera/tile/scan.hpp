// The scan of a group of any size: of truth values by one vote, of items, of participants, with and without a start.
#pragma once

#include <tessera/block/scan.hpp>
#include <tessera/cluster/scan.hpp>
#include <tessera/core/scanned.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/requirements.hpp>
#include <tessera/tile/scan_start.hpp>
#include <tessera/warp/reduce_instruction.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The lanes before `rank` in the direction of the scan, and `rank` itself if `with_own`.
template <bool Suffix, unsigned N>
TESSERA_FN lane_mask<N> predecessors(unsigned rank, bool with_own) {
  if constexpr (Suffix) {
    return ~lane_mask<N>::prefix(with_own ? rank : rank + 1);
  } else {
    return lane_mask<N>::prefix(with_own ? rank + 1 : rank);
  }
}

/// No start was given: the scan begins with the identity.
struct no_start {};

enum class scan_kind { inclusive, exclusive };

/// The start of a scan of X by Op, with a message if init isn't one.
template <class Op, class X, class Init>
TESSERA_FN constexpr auto start_of([[maybe_unused]] Init const& init) {
  using T = item_t<X>;
  using result = result_t<normalized_t<Op, T>, T>;
  constexpr bool is_start = stl::is_convertible_v<Init, result>;
  constexpr bool are_swapped = !takes_two_of<normalized_t<Op, T>, T> && takes_two_of<normalized_t<Init, T>, T>;
  static_assert(!is_scratch<Init>,
                "A scratch in the place of init, or of the policy: write shared(s), as in inclusive_scan(tile, x, "
                "tessera::plus{}, tessera::shared(s)).");
  static_assert(!are_swapped,
                "Arguments in the wrong order: op comes before init: write exclusive_scan(tile, x, op, init).");
  static_assert(is_start || are_swapped || is_scratch<Init>,
                "init, the start of a scan, is a value of x's type, of a range's of out's type: write "
                "exclusive_scan(tile, x, op, init, policy).");
  if constexpr (is_start) {
    require_start<Init, result>();
    return static_cast<result>(init);
  } else {
    return no_start{};
  }
}

/// The scan of truth values: every lane receives all votes, and combines those that it needs; of several blocks it
/// receives numbers of votes.
template <scan_kind Kind, class Policy, class Op, class Group, class Start>
TESSERA_FN auto scan_votes(Group group, bool x, Policy const& policy, [[maybe_unused]] Start start) {
  using result = result_t<Op, bool>;
  scanned<result> out{};
  if constexpr (is_multi_block<Group>) {
    out = detail::scan_counts<Kind == scan_kind::inclusive, Policy, Op>(group, x, policy);
  } else {
    constexpr unsigned N = Group::size;
    bool const in = detail::participates(policy, group.rank());
    auto const lanes = detail::by_lanes(group);
    // A lane that takes no part votes the neutral element; the vote of a lane that doesn't exist isn't counted.
    lane_mask<N> const votes = lanes.ballot(in ? x : operator_traits<Op, bool>::identity(Op{}));
    lane_mask<N> const valid = lanes.valid_lanes();
    out.value = detail::combine_votes<Op>(
        votes, valid & detail::predecessors<is_suffix<Policy>, N>(lanes.rank(), Kind == scan_kind::inclusive));
    out.total = detail::combine_votes<Op>(votes, valid);
  }
  if constexpr (!stl::is_same_v<Start, no_start>) out.value = detail::join<is_suffix<Policy>>(start, out.value, Op{});
  return out;
}

/// Combines each of a lane's items with the lane's items before it.
template <bool Suffix, class T, unsigned K, class Op>
TESSERA_FN items<T, K> scan_own(items<T, K> x, Op const& op) {
  TESSERA_UNROLL
  for (unsigned i = 1; i < K; ++i) {
    T& item = x[detail::in_direction<Suffix, K>(i)];
    item = detail::join<Suffix>(x[detail::in_direction<Suffix, K>(i - 1)], item, op);
  }
  return x;
}

/// The results of a lane's items, from `own`, the scan within the lane, and `of_lanes`, the scan of the lanes' totals.
template <scan_kind Kind, bool Suffix, class Group, class T, unsigned K, class Op, class Start>
TESSERA_FN items<T, K> combine_with_predecessors(items<T, K> const& own, lane_scan<T> const& of_lanes, Op const& op,
                                                 [[maybe_unused]] Start const& start) {
  constexpr bool inclusive = Kind == scan_kind::inclusive;
  constexpr bool has_start = !stl::is_same_v<Start, no_start>;
  T up_to_here = of_lanes.inclusive;
  if constexpr (has_start && inclusive)
    up_to_here = detail::canonicalize_nan<Op>(detail::join<Suffix>(start, up_to_here, op));
  bool has_predecessor = of_lanes.has_predecessor;
  T predecessor = of_lanes.predecessor;
  if constexpr (has_start && (!inclusive || K > 1)) {
    predecessor = detail::select(has_predecessor, detail::join<Suffix>(start, predecessor, op), start);
    has_predecessor = true;
  }
  auto out = detail::from_words<items<T, K>>({});  // T need not have a default constructor
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    T& result = out[detail::in_direction<Suffix, K>(i)];
    if (inclusive && i == K - 1) {
      result = up_to_here;
    } else if (inclusive || i > 0) {
      T const mine = own[detail::in_direction<Suffix, K>(inclusive ? i : i - 1)];
      result = detail::select(has_predecessor, detail::join<Suffix>(predecessor, mine, op), mine);
    } else if constexpr (has_start || inclusive) {  // false for all inclusive scans, which need no identity
      result = predecessor;
    } else {
      result = detail::select(has_predecessor, predecessor, operator_traits<Op, T>::identity(op));
    }
    if constexpr (Group::size > 1 || K > 1) result = detail::canonicalize_nan<Op>(result);
  }
  return out;
}

/// Replaces results without participants by the operator's identity.
template <scan_kind Kind, bool HasStart, class Group, class T, unsigned K, class Op, class Policy>
TESSERA_FN void replace_results_of_nobody(Group group, scanned<items<T, K>>& out, Op const& op, Policy const& policy) {
  using of_part = participation<Policy, T, Op>;
  constexpr bool suffix = is_suffix<Policy>;
  nobody_there nobody{};
  if constexpr (is_multi_block<Group>) {
    nobody = detail::nobody_before<suffix>(group, policy);
  } else {
    auto const taking_part = detail::participants_of(group, policy);
    nobody = {(taking_part & detail::predecessors<suffix, Group::size>(group.rank(), false)).none(),
              taking_part.none()};
  }
  if constexpr (!HasStart) {
    bool const none_here = nobody.before && !detail::participates(policy, group.rank());
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const none = Kind == scan_kind::exclusive && i == 0 ? nobody.before : none_here;
      T& result = out.value[detail::in_direction<suffix, K>(i)];
      result = of_part::or_identity(none, result, op);
    }
  }
  out.total = of_part::or_identity(nobody.anywhere, out.total, op);
}

/// The scan of K items a lane: a lane scans its own, the group scans the lanes' totals, and each item is combined with
/// its lane's exclusive prefix.
template <scan_kind Kind, class Policy, class Group, class T, unsigned K, class Op, class Start>
TESSERA_FN scanned<items<T, K>> scan_items(Group group, items<T, K> x, Op const& op, Policy const& policy,
                                           Start const& start) {
  constexpr bool suffix = is_suffix<Policy>;
  using of_part = participation<Policy, T, Op>;
  if constexpr (of_part::is_partial) x = of_part::contribution(detail::participates(policy, group.rank()), x, op);
  items<T, K> const own = detail::scan_own<suffix>(x, op);
  constexpr bool wants_predecessor = Kind == scan_kind::exclusive || K > 1;
  auto const of_lanes =
      detail::scan_lanes<Policy, wants_predecessor>(group, own[detail::in_direction<suffix, K>(K - 1)], op);
  scanned<items<T, K>> out{detail::combine_with_predecessors<Kind, suffix, Group>(own, of_lanes, op, start),
                           of_lanes.total};
  if constexpr (gives_total<Policy> && Group::size > 1) out.total = detail::canonicalize_nan<Op>(out.total);
  if constexpr (of_part::replaces_result)
    detail::replace_results_of_nobody<Kind, !stl::is_same_v<Start, no_start>>(group, out, op, policy);
  return out;
}

/// True if votes scan values of X.
template <class Policy, class X, class Op>
inline constexpr bool scans_by_votes =
    stl::is_same_v<X, bool> && !stl::is_same_v<chosen_method<Policy>, choice::shuffles> &&
    instruction_for<Op, bool>() == warp_instruction::vote;

template <collective_row const& Collective, scan_kind Kind, class Tile, class X, class Op, class Policy, class Start>
TESSERA_FN auto scan(Tile const& tile, X const& x, Op const& op, Policy const& policy, Start const& start,
                     call_site site) {
  using T = item_t<X>;
  using combine_t = operator_for<Op, T>;
  require_exchangeable<X>();
  require_operator<Tile, combine_t, T, Policy>();
  static_assert(
      Kind == scan_kind::inclusive || !stl::is_same_v<Start, no_start> || operator_traits<combine_t, T>::has_identity,
      "exclusive_scan(tile, x, op) gives the operator's identity to its first lane, and this operator has "
      "none: write exclusive_scan(tile, x, op, init), or make_operator(f, identity).");
  static_assert(!stl::is_same_v<chosen_method<Policy>, choice::hardware> || scans_by_votes<Policy, X, combine_t>,
                "A scan has an instruction for truth values only: write automatic, or leave hardware out.");
  combine_t const combine = detail::to_operator<T>(op);
  auto const out =
      detail::collective<Collective, X, combine_t>(tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
        if constexpr (scans_by_votes<Policy, X, combine_t>) {
          return detail::scan_votes<Kind, Policy, combine_t>(group, x, policy, start);
        } else {
          using result = result_t<combine_t, T>;
          auto const results = [&] {
            if constexpr (is_items_v<X>) {
              return detail::scan_items<Kind>(group, detail::as_results<combine_t>(x), combine, policy, start);
            } else {
              auto const scan =
                  detail::scan_items<Kind>(group, items<result, 1>{{static_cast<result>(x)}}, combine, policy, start);
              return scanned<result>{scan.value[0], scan.total};
            }
          }();
          if constexpr (call_may_branch<combine_t, result>) group.reconverge();  // not all lanes call op
          return results;
        }
      });
  if constexpr (gives_total<Policy>) {
    return out;
  } else {
    return out.value;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
