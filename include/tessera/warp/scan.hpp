// The scan of a group of up to 32 lanes: log2(N) steps, each of which doubles the number of predecessors that a lane
// has combined.
//
//   rank             0    1    2    3        `suffix` is the mirror image: predecessors in the direction of the
//   x                a    b    c    d        scan are the lanes after a lane
//   delta 1          a    ab   bc   cd
//   delta 2          a    ab   abc  abcd
//
// Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986 (Kogge and Stone's adder), in the form of
// CUB's WarpScan, so that a float scan has CUB's bits.
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/operators/basic.hpp>
#include <tessera/warp/scan_by_ranks.hpp>
#include <tessera/warp/scan_instruction.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class Policy>
inline constexpr bool is_suffix = stl::is_same_v<chosen_direction<Policy>, choice::suffix>;

template <class Policy>
inline constexpr bool gives_total = stl::is_same_v<chosen_extra<Policy>, choice::with_total>;

/// The number of a lane's i-th item in the direction of the scan.
template <bool Suffix, unsigned K>
TESSERA_FN constexpr unsigned in_direction(unsigned i) {
  return Suffix ? K - 1 - i : i;
}

/// The x of the lane `delta` lanes before this one in the direction of the scan, and whether that lane exists.
template <bool Suffix, class Group, class T>
TESSERA_FN T from_predecessor(Group group, T const& x, unsigned delta, bool& has_predecessor) {
  if constexpr (Suffix) {
    return group.shuffle_down(x, delta, has_predecessor);
  } else {
    return group.shuffle_up(x, delta, has_predecessor);
  }
}

/// Combines x with its predecessors' value, in rank order.
template <bool Suffix, class T, class Op>
TESSERA_FN T join(T const& predecessor, T const& x, Op const& op) {
  if constexpr (Suffix) {
    return static_cast<T>(op(x, predecessor));
  } else {
    return static_cast<T>(op(predecessor, x));
  }
}

/// Combines each lane's x with those of all its predecessors. Invariant: before the step with `delta`, a lane holds the
/// combination of the `delta` lanes that end with itself, or of all there are. The caller canonicalizes NaN.
template <bool Suffix = false, class Group, class T, class Op>
TESSERA_FN T inclusive_scan_lanes(Group group, T x, Op const& op) {
  if constexpr (has_any_lanes<Group>) {
    if (group.is_whole_warp()) return detail::inclusive_scan_lanes<Suffix>(group.as_whole_warp(), x, op);
    return detail::scan_by_ranks<Suffix>(group, x, op);
  } else {
    TESSERA_UNROLL
    for (unsigned delta = 1; delta < Group::size; delta *= 2) {
      if constexpr (has_scan_step<Group, T, Op>) {
        x = detail::add_predecessor<Suffix>(group, x, delta);
      } else {
        bool has_predecessor = false;
        T next = detail::from_predecessor<Suffix>(group, x, delta, has_predecessor);  // its own if there is none
        if (has_predecessor) next = detail::join<Suffix>(next, x, op);
        x = next;
      }
    }
    return x;
  }
}

/// True if a lane's exclusive result can be computed by subtracting its own value.
template <class T, class Op>
inline constexpr bool subtracts_own = stl::is_same_v<Op, plus>&& is_integer<T>;

/// The predecessor's inclusive result, from this lane's; `has_predecessor` is false if there is none.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T exclusive_of([[maybe_unused]] Group group, T const& inclusive, [[maybe_unused]] T const& x,
                          [[maybe_unused]] Op const& op, bool& has_predecessor) {
  if constexpr (subtracts_own<T, Op>) {  // without an exchange
    has_predecessor = true;
    using wide = wrapping_t<T>;
    return static_cast<T>(static_cast<wide>(inclusive) - static_cast<wide>(x));
  } else {
    return detail::from_predecessor<Suffix>(group, inclusive, 1, has_predecessor);
  }
}

/// A lane's inclusive result, its predecessor's (valid if `has_predecessor`), and the total. The last two are computed
/// only if they are wanted.
template <class T>
struct lane_scan {
  T inclusive;
  T predecessor;
  bool has_predecessor;
  T total;
};

/// Scans one value a lane, in a warp or a part of one.
template <class Policy, bool WantsPredecessor, class Group, class T, class Op>
TESSERA_FN lane_scan<T> scan_lanes(Group group, T const& x, Op const& op) {
  constexpr bool Suffix = is_suffix<Policy>;
  T const value = detail::inclusive_scan_lanes<Suffix>(group, x, op);
  lane_scan<T> out{value, value, false, value};
  if constexpr (WantsPredecessor)
    out.predecessor = detail::exclusive_of<Suffix>(group, value, x, op, out.has_predecessor);
  if constexpr (gives_total<Policy>) out.total = group.shuffle(value, Suffix ? 0 : group.valid_count() - 1);
  return out;
}

}  // namespace detail
TESSERA_NAMESPACE_END
