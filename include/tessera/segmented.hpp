// Segmented scans and reductions: a tile's lanes in runs of neighbors, each run by itself.
//
//   rank                     0  1  2  3  4  5  6  7
//   x                        a  b  c  d  e  f  g  h
//   head                     .  .  x  .  .  x  x  .      segments 0-1, 2-4, 5, 6-7
//   segmented_inclusive_scan a  ab c  cd cde f  g  gh
//   segmented_exclusive_scan 1  a  1  c  cd  1  1  g     1: the identity
//   segmented_reduce         ab ab cde cde cde f gh gh
//   … to_leader              ab .  cde .  .  f  gh .
//
// Lanes before the first head form a segment. Segments may also be given by their last lanes, `by_tail(tail)`, or as runs
// of equal keys, `by_key(key)`.
//
// Source: G. Blelloch, "Prefix sums and their applications", 1990; a step reaches as far back as the segment does, which
// one vote tells, so that no flags travel. The reduction is that of CUB's HeadSegmentedReduce, bit for bit.
#pragma once

#include <tessera/scan.hpp>

namespace tessera {

/// Segments that begin in the lanes with `flag`; a plain bool means the same.
struct by_head {
  bool flag;
  TESSERA_FN constexpr explicit by_head(bool head) : flag(head) {}
};

/// Segments that end in the lanes with `flag`.
struct by_tail {
  bool flag;
  TESSERA_FN constexpr explicit by_tail(bool tail) : flag(tail) {}
};

/// Segments of neighbors whose keys have the same bits. Key: any exchangeable type without padding.
template <class Key>
struct by_key {
  Key key;
  TESSERA_FN constexpr explicit by_key(Key k) : key(k) {}
};

namespace detail {

template <class T>
inline constexpr bool gives_segments =
    stl::is_same_v<T, bool> || stl::is_same_v<T, by_head> || stl::is_same_v<T, by_tail>;
template <class Key>
inline constexpr bool gives_segments<by_key<Key>> = true;

/// First and last lane of a segment.
struct segment {
  unsigned first;
  unsigned last;
};

template <unsigned N>
TESSERA_FN segment segment_of_heads(lane_mask<N> heads, unsigned rank) {
  heads.set(0);
  lane_mask<N> const up_to_here = lane_mask<N>::prefix(rank + 1);
  return {(heads & up_to_here).last(),
          (heads & ~up_to_here).first() - 1};  // first() is N where there is none
}

template <class Group>
TESSERA_FN segment segment_of(Group group, bool head) {
  return segment_of_heads(group.ballot(head), group.rank());
}
template <class Group>
TESSERA_FN segment segment_of(Group group, by_head head) {
  return segment_of(group, head.flag);
}
template <class Group>
TESSERA_FN segment segment_of(Group group, by_tail tail) {
  constexpr unsigned N = Group::size;
  lane_mask<N> const tails = group.ballot(tail.flag);
  lane_mask<N> const before = lane_mask<N>::prefix(group.rank());
  unsigned const last = (tails & ~before).first();
  return {(tails & before).none() ? 0 : (tails & before).last() + 1, last < N ? last : N - 1};
}
template <class Group, class Key>
TESSERA_FN segment segment_of(Group group, by_key<Key> const& by) {
  static_assert(
      has_comparable_bits<Key>,
      "by_key(key): keys are compared bit for bit: take a number, or a struct of integers without padding.");
  bool has_predecessor = false;
  Key const predecessor = group.shuffle_up(by.key, 1, has_predecessor);
  return segment_of(group, !has_predecessor || !detail::same_bits(predecessor, by.key));
}

/// What the segment that leaves a warp comes to there, and how many warps back it begins.
template <class T>
struct spanning_segment {
  T value;
  unsigned reach;
};

/// Each lane's x combined with those behind it, as far back as `reach`. See inclusive_scan_lanes.
///
/// Several warps: each does so for its own lanes; then the values of the segments that leave a warp are scanned alike, one a
/// warp, and a warp's first segment takes what came to it.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T inclusive_scan_within(Group group, T x, Op const& op, unsigned reach) {
  if constexpr (is_multi_warp<Group>) {
    constexpr unsigned warps = Group::warps;
    unsigned const warp = group.warp(), lane = group.lane();
    unsigned const predecessor = Suffix ? 31 - lane : lane;  // lanes of this warp
    bool const last = predecessor == 31;
    bool const enters = reach > predecessor;  // the segment does, from another warp
    x = detail::inclusive_scan_within<Suffix>(group.in_warp(), x, op, enters ? predecessor : reach);
    auto const mine = group.all_gather(
        spanning_segment<T>{x, enters ? (reach - predecessor + 31) / 32 : 0}, last, warp,
        [&](slots_of<Group, spanning_segment<T>> slots) { return slots.read(lane % warps); });
    auto const part = group.template part<warps>();
    T const scanned = detail::inclusive_scan_within<Suffix>(part, mine.value, op, mine.reach);
    unsigned const wanted = last ? warp : Suffix ? warp + 1 : warp + warps - 1;
    T const came = part.shuffle(scanned, wanted % warps);
    if (last) {
      x = came;
    } else if (enters) {
      x = detail::canonicalize_nan<Op>(detail::join<Suffix>(came, x, op));
    }
    return x;
  } else {
    TESSERA_UNROLL
    for (unsigned delta = 1; delta < Group::size; delta *= 2) {
      T const predecessor = Suffix ? group.shuffle_down(x, delta) : group.shuffle_up(x, delta);
      if (delta <= reach) x = detail::join<Suffix>(predecessor, x, op);
    }
    return detail::canonicalize_nan<Op>(x);
  }
}

/// x of the segment's first lane, or with `Last` of its last.
///
/// Several warps: of the segments that reach into one from another, all lie in one piece between it and that lane, so that
/// each warp hands over one value: of the segment at its edge.
template <bool Last, class Group, class T>
TESSERA_FN T from_end_of_segment(Group group, T const& x, segment of) {
  unsigned const source = Last ? of.last : of.first;
  if constexpr (is_multi_warp<Group>) {
    auto const in_warp = group.in_warp();
    unsigned const at_edge = in_warp.shuffle(source, Last ? 0 : 31);
    T const near = in_warp.shuffle(x, source % 32);
    bool const elsewhere = source / 32 != group.warp();
    return group.all_gather(x, group.rank() == at_edge, group.warp(), [&](slots_of<Group, T> slots) {
      return elsewhere ? slots.read(source / 32) : near;
    });
  } else {
    return group.shuffle(x, source);
  }
}

/// A segment's x with stand-ins where a lane takes no part, and which lanes of the segment do.
template <class Group, class T, class Op, class Policy>
struct segment_values {
  using neutral = neutral_element<operator_traits<Op, T>, T, Op>;
  static constexpr bool partial = !everyone_participates<Policy>;

  T x;
  lane_mask<Group::size> taking_part;

  TESSERA_FN segment_values(Group group, T const& value, Op const& op, Policy const& policy, segment of)
      : x(value), taking_part(lane_mask<Group::size>::full()) {
    if constexpr (partial) {
      x = detail::select(participates(policy, group.rank()), value, neutral::get(op));
      if constexpr (!neutral::is_identity) {
        using mask = lane_mask<Group::size>;
        taking_part = participants_of(group, policy) & mask::prefix(of.last + 1) & ~mask::prefix(of.first);
      }
    }
  }
  /// `result`, but the identity where it is of no participant: −0, which stands in for floats, is none.
  TESSERA_FN T or_identity(T const& result, [[maybe_unused]] lane_mask<Group::size> among,
                           [[maybe_unused]] Op const& op) const {
    if constexpr (partial) {
      if constexpr (!neutral::is_identity)
        return detail::select((taking_part & among).none(), operator_traits<Op, T>::identity(op), result);
    }
    return result;
  }
};

template <scan_kind Kind, class Group, class T, class Op, class Policy>
TESSERA_FN scanned<T> scan_segment(Group group, T const& value, Op const& op, Policy const& policy,
                                   segment of) {
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
  out.value = values.or_identity(out.value, predecessors<suffix, N>(rank, Kind == scan_kind::inclusive), op);
  if constexpr (gives_total<Policy>) {
    out.total = values.or_identity(detail::from_end_of_segment<!suffix>(group, up_to_here, of),
                                   lane_mask<N>::full(), op);
  }
  return out;
}

template <class Group, class T, class Op, class Policy>
TESSERA_FN T reduce_segment(Group group, T const& value, Op const& op, Policy const& policy, segment of) {
  segment_values<Group, T, Op, Policy> const values(group, value, op, policy, of);
  T const from_here = detail::inclusive_scan_within<true>(group, values.x, op, of.last - group.rank());
  if constexpr (stl::is_same_v<typename Policy::placement, choice::to_leader>) {
    return values.or_identity(from_here, lane_mask<Group::size>::full(), op);
  } else {
    return values.or_identity(detail::from_end_of_segment<false>(group, from_here, of),
                              lane_mask<Group::size>::full(), op);
  }
}

/// What all segmented collectives have in common: body(lanes, x, op, segment) in the lanes of the tile.
template <class Collective, class Tile, class X, class Segments, class Op, class Policy, class Body>
TESSERA_FN auto by_segments(Tile const& tile, X const& x, Segments const& segments, Op const& op,
                            Policy const& policy, call_site site, Body body) {
  using combine_t = normalized_t<Op, X>;
  static_assert(gives_segments<Segments>,
                "Segments are given as a bool that says whether this lane begins one, or as by_head(flag), "
                "by_tail(flag) or by_key(key): for runs of equal keys write by_key(key).");
  static_assert(!is_items_v<X>,
                "Segments are of lanes, one value each: scan a lane's items by themselves first.");
  require_exchangeable<X>();
  require_operator<Tile, combine_t, X, Policy>();
  static_assert(
      !stl::is_same_v<Collective, collectives::segmented_exclusive_scan> ||
          operator_traits<combine_t, X>::has_identity,
      "segmented_exclusive_scan gives the operator's identity to each segment's first lane, and this "
      "operator has none: write make_operator(f, identity).");
  combine_t const combine = detail::normalize<X>(op);
  return detail::collective<Collective, X, combine_t, Segments>(
      tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
        using result = result_t<combine_t, X>;
        auto const out = body(group, static_cast<result>(x), combine, detail::segment_of(group, segments));
        // Not all lanes call op; the last lane of each warp of several leaves on its own.
        if constexpr (call_may_branch<combine_t, result> || is_multi_warp<decltype(group)>)
          group.reconverge();
        return out;
      });
}

template <class Collective, scan_kind Kind, class Tile, class X, class Segments, class Op, class Policy>
TESSERA_FN auto segmented_scan(Tile const& tile, X const& x, Segments const& segments, Op const& op,
                               Policy const& policy, call_site site) {
  using combine_t = normalized_t<Op, X>;
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

/// For each lane, its segment's values up to its own, combined by `op` in rank order.
///
///   float const sum = tessera::segmented_inclusive_scan(tile, x, tessera::by_key(row));
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// segments   `bool head` or by_head(head), by_tail(tail), by_key(key).
/// x, op      as for inclusive_scan; one value a lane. bool with `plus` is counted.
/// Returns    with `with_total` scanned{value, total}, the total being the segment's. With `first(n)` or `where(pred)`
///            what the segment's participants give, the identity where there are none.
/// Order      of up to 32 lanes as CUB's HeadSegmentedReduce; N > 32: (the segment's lanes in the warps before) op (those in this
///            warp up to this lane).
/// Policies   convergence, participants, direction (prefix, suffix), extra (with_total).
/// Cost       one vote and log2(N) shuffles of each 32-bit word of T; by_key one shuffle of each word of the key more,
///            exclusive and with_total one of T each. No barrier, no memory.
template <class Tile, class X, class Segments, class Op = plus, class Policy = policy<>>
TESSERA_FN auto segmented_inclusive_scan(Tile const& tile, X x, Segments segments, Op op = {},
                                         Policy policy = {}, call_site site = call_site::here()) {
  return detail::segmented_scan<detail::collectives::segmented_inclusive_scan, detail::scan_kind::inclusive>(
      tile, x, segments, op, policy, site);
}

/// The same without the lane's own value: a segment's first lane gets the identity (with `suffix`, its last).
template <class Tile, class X, class Segments, class Op = plus, class Policy = policy<>>
TESSERA_FN auto segmented_exclusive_scan(Tile const& tile, X x, Segments segments, Op op = {},
                                         Policy policy = {}, call_site site = call_site::here()) {
  return detail::segmented_scan<detail::collectives::segmented_exclusive_scan, detail::scan_kind::exclusive>(
      tile, x, segments, op, policy, site);
}

/// Each segment's values combined by `op` in rank order: every lane gets its segment's; with `to_leader` each
/// segment's first lane, and what the others get is unspecified.
///
/// Called by, segments, x, op   as for segmented_inclusive_scan.
/// Policies   convergence, placement, participants.
/// Cost       one vote and log2(N) shuffles of each 32-bit word of T; one more to all; by_key one of each word of the key
///            more.
template <class Tile, class X, class Segments, class Op = plus, class Policy = policy<>>
TESSERA_FN auto segmented_reduce(Tile const& tile, X x, Segments segments, Op op = {}, Policy policy = {},
                                 call_site site = call_site::here()) {
  using group_t = detail::group_of<Tile, Policy>;
  using combine_t = detail::normalized_t<Op, X>;
  using result = detail::result_t<combine_t, X>;
  return detail::by_segments<detail::collectives::segmented_reduce>(
      tile, x, segments, op, policy, site,
      [&](group_t group, result const& value, combine_t const& combine, detail::segment of) {
        return detail::reduce_segment(group, value, combine, policy, of);
      });
}

}  // namespace tessera
