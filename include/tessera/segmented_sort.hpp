// segmented_sort: sorts each segment of a tile's lanes by itself.
//
//   rank                              0  1  2  3  4  5  6  7
//   x                                 7  2  5  1  8  3  6  4
//   head                              .  .  x  .  .  x  x  .      segments 0-1, 2-4, 5, 6-7
//   segmented_sort                    2  7  1  5  8  3  4  6
//   segmented_sort(…, greater{})      7  2  8  5  1  3  6  4
//   segmented_sort(…, first(4))       2  7  1  5  8  3  6  4      of the first four lanes; the others keep their values
//
// Segments are given as for segmented_reduce (segmented.hpp): by their first lanes, by their last lanes, or as runs of
// equal keys.
//
// Source: the network of `sort`, by the segment's first lane and then by `before`. CUB has DeviceSegmentedSort for
// arrays; here grid::sort_segments.
#pragma once

#include <tessera/core/comparators.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/segments.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/segmented_sort.hpp>

TESSERA_NAMESPACE_BEGIN

/// For each lane, the value of its place in the order of its segment's values. Equal values keep their order.
///
///   float const ranked = tessera::segmented_sort(tile, score, tessera::by_key(row), tessera::greater{});
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `before` and one policy.
/// x          any trivially copyable T; one value a lane.
/// segments   `bool head` or by_head(head), by_tail(tail), by_key(key).
/// before     a strict weak order of T, called with values of one segment only. With `less` and `greater`, NaNs come
///            last and −0 equals +0. Host tiles report one that isn't strict, such as a <= b.
/// Returns    the same type. Segments stay in their lanes.
/// Policies   convergence; participants: first(n); the other lanes keep their values; memory.
/// Cost       the exchanges of `stable_sort`, of x and a word, and one vote; by_key adds one shuffle of each 32-bit
///            word of the key. N > 32: two barriers each for the vote, by_key and each exchange by 32 lanes and more;
///            a slot a lane of x and a word (scratch.hpp).
template <class Tile, class X, class Segments, class Before = less, class Policy = policy<>>
TESSERA_FN X segmented_sort(Tile const& tile, X x, Segments segments, Before before = {}, Policy policy = {},
                            call_site site = call_site::here()) {
  using comparator = detail::canonical_comparator_t<Before, X>;
  detail::require_segments<Segments>();
  static_assert(!is_items_v<X>,
                "Segments are of lanes, one value each: to sort items, zip each with its segment's number, and "
                "write sort(tile, items, before) with a before that compares the segments first.");
  detail::require_exchangeable<X>();
  detail::require_comparator<Tile, comparator, X>();
  comparator const order = detail::canonical_comparator<X>(before);
  return detail::collective<detail::collectives::segmented_sort, X, Segments, comparator>(
      tile, policy, site, 0, [TESSERA_CAPTURES](detail::group_of<Tile, Policy> group) {
        return detail::sort_segments_of(group, x, detail::segment_of(group, segments), order, policy);
      });
}

TESSERA_NAMESPACE_END
