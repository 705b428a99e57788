// Scans within segments of a group of up to 32 lanes: a step combines a predecessor's value if the segment reaches back
// that far. One vote gives the distance, so no flags are exchanged.
#pragma once

#include <tessera/group/segment.hpp>
#include <tessera/warp/scan.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Each lane's x combined with its predecessors' values, as far back as `reach`. See inclusive_scan_lanes.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T inclusive_scan_within(Group group, T x, Op const& op, unsigned reach) {
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Group::size; delta *= 2) {
    T const predecessor = Suffix ? group.shuffle_down(x, delta) : group.shuffle_up(x, delta);
    if (delta <= reach) x = detail::join<Suffix>(predecessor, x, op);
  }
  return detail::canonicalize_nan<Op>(x);
}

/// The x of the segment's first lane, or with `Last` of its last.
template <bool Last, class Group, class T>
TESSERA_FN T from_end_of_segment(Group group, T const& x, segment of) {
  unsigned const source = Last ? of.last : of.first;
  return group.shuffle(x, source);
}

}  // namespace detail
TESSERA_NAMESPACE_END
