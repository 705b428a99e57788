// The scan of a coalesced group, any lanes of a warp, in the order of its ranks: the steps of warp/scan.hpp, with the
// lane to read from carried along.
//
//   lane          1     4    5    7          source   the lane `delta` ranks before; any lane of the group if there
//   rank          0     1    2    3                   is none
//   x             a     b    c    d
//   delta 1       a     ab   bc   cd         source   1 1 4 5, then from those lanes 1 1 1 4
//   delta 2       a     ab   abc  abcd
//
// A reduction is the scan from the end: rank 0 then holds ((ab)(cd)), the balanced tree of warp/reduce.hpp.
//
// Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986, whose list of successors the sources are.
#pragma once

#include <tessera/core/words.hpp>
#include <tessera/group/coalesced_warp_group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Combines each lane's x with those of all lanes before it, with `Suffix` after it. Invariant: before the step with
/// `delta`, a lane holds the combination of the `delta` lanes that end with itself, or of all there are.
///
/// A group of n lanes takes log2(n), rounded up, shuffles of each word of T, and one less of the sources.
template <bool Suffix, class Group, class T, class Op>
TESSERA_FN T scan_by_ranks(Group group, T x, Op const& op) {
  unsigned const count = group.valid_count(), rank = Suffix ? count - 1 - group.rank() : group.rank();
  unsigned source = group.template neighbor<Suffix>();
  TESSERA_UNROLL
  for (unsigned delta = 1; delta < Group::size; delta *= 2) {
    T const other = group.from_lane(x, source);
    if (rank >= delta) x = static_cast<T>(Suffix ? op(x, other) : op(other, x));
    if (2 * delta >= count) break;
    source = group.from_lane(source, source);
  }
  return x;
}

}  // namespace detail
TESSERA_NAMESPACE_END
