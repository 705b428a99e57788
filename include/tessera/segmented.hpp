// Segmented scans and reductions: a tile's lanes in segments of neighbors, each reduced or scanned by itself.
//
//   rank                     0  1  2  3  4  5  6  7
//   x                        a  b  c  d  e  f  g  h
//   head                     .  .  x  .  .  x  x  .      segments 0-1, 2-4, 5, 6-7
//   segmented_inclusive_scan a  ab c  cd cde f  g  gh
//   segmented_exclusive_scan 1  a  1  c  cd  1  1  g     1: the identity
//   segmented_reduce         ab ab cde cde cde f gh gh
//   … to_leader              ab .  cde .  .  f  gh .
//
// Lanes before the first head form a segment. Segments may also be given by their last lanes, `by_tail(tail)`, or as
// runs of equal keys, `by_key(key)`.
//
// Source: G. Blelloch, "Prefix sums and their applications", 1990. One vote gives each lane the distance to its
// segment's begin, so no flags are exchanged. The reduction is that of CUB's HeadSegmentedReduce, bit for bit.
#pragma once

#include <tessera/core/policy.hpp>
#include <tessera/core/scanned.hpp>
#include <tessera/core/segments.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/segmented.hpp>

TESSERA_NAMESPACE_BEGIN

/// For each lane, its segment's values up to its own, combined by `op` in rank order.
///
///   float const sum = tessera::segmented_inclusive_scan(tile, x, tessera::by_key(row));
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// segments   `bool head` or by_head(head), by_tail(tail), by_key(key).
/// x, op      as for inclusive_scan; one value a lane. bool with `plus` is counted.
/// Returns    the same type (unsigned for a count); with `with_total` scanned{value, total}, where total is the
///            segment's. With `first(n)` or `where(pred)` only participants contribute; the identity if there are none.
/// Order      up to 32 lanes as CUB's HeadSegmentedReduce; N > 32: (the segment's lanes in the warps before) op (those
///            in this warp up to this lane).
/// Policies   convergence, participants, direction (prefix, suffix), extra (with_total).
/// Cost       one vote and log2(N) shuffles of each 32-bit word of T. by_key adds one shuffle of each word of the key,
///            exclusive and with_total one of T each. N > 32: two barriers each for the vote, the scan, by_key,
///            exclusive and with_total; a slot a warp of a T and a word, or of a key (scratch.hpp).
template <class Tile, class X, class Segments, class Op = plus, class Policy = policy<>>
TESSERA_FN auto segmented_inclusive_scan(Tile const& tile, X x, Segments segments, Op op = {}, Policy policy = {},
                                         call_site site = call_site::here()) {
  return detail::segmented_scan<detail::collectives::segmented_inclusive_scan, detail::scan_kind::inclusive>(
      tile, x, segments, op, policy, site);
}

/// As above, without the lane's own value: a segment's first lane (with `suffix`, its last) gets the identity.
template <class Tile, class X, class Segments, class Op = plus, class Policy = policy<>>
TESSERA_FN auto segmented_exclusive_scan(Tile const& tile, X x, Segments segments, Op op = {}, Policy policy = {},
                                         call_site site = call_site::here()) {
  return detail::segmented_scan<detail::collectives::segmented_exclusive_scan, detail::scan_kind::exclusive>(
      tile, x, segments, op, policy, site);
}

/// Combines each segment's values by `op` in rank order. Every lane gets its segment's result; with `to_leader` only
/// each segment's first lane, and other lanes get an unspecified value.
///
/// Called by, segments, x, op   as for segmented_inclusive_scan.
/// Policies   convergence, placement, participants.
/// Cost       one vote and log2(N) shuffles of each 32-bit word of T; one more to all; by_key one of each word of the
///            key. N > 32: two barriers for each of these, and a slot a warp of a T and a word, or of a key
///            (scratch.hpp).
template <class Tile, class X, class Segments, class Op = plus, class Policy = policy<>>
TESSERA_FN auto segmented_reduce(Tile const& tile, X x, Segments segments, Op op = {}, Policy policy = {},
                                 call_site site = call_site::here()) {
  using group_t = detail::group_of<Tile, Policy>;
  using combine_t = detail::operator_for<Op, X>;
  using result = detail::result_t<combine_t, X>;
  return detail::by_segments<detail::collectives::segmented_reduce>(
      tile, x, segments, op, policy, site,
      [&](group_t group, result const& value, combine_t const& combine, detail::segment of) {
        return detail::reduce_segment(group, value, combine, policy, of);
      });
}

TESSERA_NAMESPACE_END
