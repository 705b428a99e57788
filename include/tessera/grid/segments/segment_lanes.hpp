// The neighboring lanes of a warp that share a short segment. Other lanes of the warp have other segments.
//
//   lengths    5 | 20 | 3      segment    0 | 1 1 1 | 2 | –      a lane for every 8 elements, one for none
//   lane       0   1 2 3   4   rank       0 | 0 1 2 | 0 | 0
//
// Their results depend on how many they are, and not on which lanes.
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/group/segment.hpp>
#include <tessera/lanes.hpp>
#include <tessera/segmented.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class Warp>
struct segment_lanes {
  Warp const& warp;
  unsigned rank, count;  // of this lane, and of the lanes that share its segment
  tessera::detail::segment among;

  TESSERA_FN segment_lanes(Warp const& w, unsigned lane, unsigned its_rank, unsigned of_segment)
      : warp(w), rank(its_rank), count(of_segment), among{lane - its_rank, lane - its_rank + of_segment - 1} {}

  /// The values of all lanes of a segment, combined in their order, in each of them. Called by all lanes of the warp.
  template <class X, class Op>
  TESSERA_FN X reduce(X const& x, Op const& op) const {
    return tessera::segmented_reduce(warp, x, among, op, tessera::converged);
  }
  /// Likewise those of the lanes before this one; unspecified in a segment's first lane.
  template <class X, class Op>
  TESSERA_FN X before(X const& x, Op const& op) const {
    X const up_to_here = tessera::segmented_inclusive_scan(warp, x, among, op, tessera::converged);
    return tessera::shift_up(warp, up_to_here, 1, tessera::converged);
  }

  /// The neighbors of a lane among `length` elements: these are divided into equal parts, but for the last one.
  struct part {
    unsigned first, end;
  };
  TESSERA_FN part part_of(unsigned length) const {
    unsigned const each = (length + count - 1) / count, first = rank * each;
    return {first, first + each < length ? first + each : length};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
