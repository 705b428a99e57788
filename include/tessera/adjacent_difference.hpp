// adjacent_difference: each value of a tile and its predecessor's, combined.
//
//   rank                          0    1    2    3
//   x                             a    b    c    d
//   adjacent_difference           a    b-a  c-b  d-c
//   adjacent_difference, suffix   a-b  b-c  c-d  d
//
//   items of a lane               a b      c d      e f
//   adjacent_difference           a b-a    c-b d-c  e-d f-e
//
// The inverse of inclusive_scan where `op` is the inverse of its operator.
//
// Source: std::adjacent_difference; CUB's BlockAdjacentDifference, SubtractLeft and (suffix) SubtractRight.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/adjacent.hpp>

TESSERA_NAMESPACE_BEGIN

/// a − b, which `adjacent_difference` computes where it is given no function. Integers wrap. It isn't associative: for
/// reductions and scans write `plus` of negated values instead.
struct minus {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    if constexpr (detail::is_integer<T>) {
      using wide = detail::wrapping_t<T>;
      return static_cast<T>(static_cast<wide>(a) - static_cast<wide>(b));
    } else if constexpr (detail::is_float<T>) {
      return detail::rounded_subtract(a, b);
    } else {
      return detail::difference_of(a, b);
    }
  }
};

/// op(own value, predecessor's value): the lane's own x where it has no predecessor. With `suffix` the predecessor in
/// the direction of the scan is the lane after it.
///
///   unsigned const length = tessera::adjacent_difference(tile, end);          // undoes inclusive_scan(tile, length)
///   bool const starts = tessera::adjacent_difference(tile, key, differ) != 0;
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// x          any trivially copyable T, or items<T, K> in blocked order: an item's predecessor is the item before it,
///            the first item's the last item of the lane before.
/// op         any function of two T that gives a T; it need not be associative.
/// Returns    the same type.
/// Policies   convergence, direction (prefix, suffix), memory.
/// Cost       K calls of `op` and one shuffle of each 32-bit word of T. N > 32: two barriers more, with fresh(scratch)
///            one; a slot a warp (scratch.hpp).
template <class Tile, class X, class Op = minus, class Policy = policy<>>
TESSERA_FN X adjacent_difference(Tile const& tile, X x, Op op = {}, Policy policy = {},
                                 call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  using combine_t = detail::normalized_t<Op, T>;
  detail::require_exchangeable<X>();
  detail::require_function_of_neighbors<Tile, combine_t, T>();
  combine_t const combine = detail::normalize<T>(op);
  return detail::collective<detail::collectives::adjacent_difference, X, combine_t>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        X const out = detail::combine_neighbors<detail::is_suffix<Policy>>(group, x, combine);
        group.reconverge();  // not all lanes call op
        return out;
      });
}

TESSERA_NAMESPACE_END
