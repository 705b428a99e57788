// Scans: for each lane, the values of the lanes before it combined in rank order, with or without its own.
//
//   rank                    0    1    2    3
//   x                       a    b    c    d
//   inclusive_scan          a    ab   abc  abcd
//   exclusive_scan          1    a    ab   abc      1: the identity
//   exclusive_scan, init z  z    za   zab  zabc
//   inclusive_scan, init z  za   zab  zabc zabcd
//   inclusive, suffix       abcd bcd  cd   d        with init z: abcdz bcdz cdz dz
//   exclusive, suffix       bcd  cd   d    1        with init z: bcdz cdz dz z
//
// Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986 (Kogge and Stone's adder), in the form of
// CUB's WarpScan, so that a float scan has CUB's bits. Truth values: one ballot and a population count.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/scanned.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/scan.hpp>

TESSERA_NAMESPACE_BEGIN

/// For each lane, the values of lanes 0 … rank combined by `op` in rank order; with `suffix`, those of rank … N − 1.
///
///   unsigned const end = tessera::inclusive_scan(tile, length);
///   auto const [place, all] = tessera::exclusive_scan(tile, keep, plus{}, with_total);   // keep: bool
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// x          any trivially copyable value, or items<T, K> in blocked order. bool with `plus` is counted.
/// Returns    the same type (unsigned for a count); with `with_total` scanned{value, total}. With `first(n)` or
///            `where(pred)` only participants contribute; the identity if there are none up to the lane.
/// Order      one value a lane: as CUB's WarpScan, so that a float scan has its bits; the last lane's value and the
///            total have the bits of `reduce`. K items: each lane's from left to right (with `suffix` from right to
///            left), then the lanes'. With a start: (start op the lanes before) op the lane's own items. N > 32: a lane
///            combines the scan within its warp with the aggregates of aligned blocks of 1, 2, 4, ... warps (one for
///            each bit set in the warp's number), the smallest first, each block in the order of `reduce`; from 256
///            lanes on the blocks are combined with each other first, except in a warp's last lane. An incomplete last
///            warp of a padded tile counts with the scan of its lanes.
/// Policies   convergence, participants, method, direction (prefix, suffix), extra (with_total).
/// Cost       for one value a lane; K items add 2 (K − 1) calls of `op` and one shuffle:
///
///   N        shuffles of each word of T, calls of `op`    barriers    memory (scratch.hpp)
///   ≤ 32     log2(N); exclusive one shuffle more (sums    0           -
///            of integers none), with_total one more
///   > 32     as 32 lanes, then the warps' totals          2           a slot a warp; from 256 lanes on, or with
///                                                                     the total, also a result a warp
///   any      bool: 1 vote
template <class Tile, class X, class Op = plus, class... Choices>
TESSERA_FN auto inclusive_scan(Tile const& tile, X x, Op op = {}, policy<Choices...> policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::inclusive_scan, detail::scan_kind::inclusive>(tile, x, op, policy,
                                                                                         detail::no_start{}, site);
}

/// As above, with a start: init op x0 op x1 … op x(rank); with `suffix`, x(rank) op … op x(N−1) op init. Any operator;
/// it is called once more for each item.
///
///   unsigned const end = tessera::inclusive_scan(tile, length, plus{}, offset);
///
/// With `first(n)` or `where(pred)` a lane with no participants up to it gets init. The bits are those of init op (the
/// result without a start); for K items, (init op the lanes before) op the lane's own up to this one. The total doesn't
/// contain init.
template <class Tile, class X, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto inclusive_scan(Tile const& tile, X x, Op op, Init init, Policy policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::inclusive_scan, detail::scan_kind::inclusive>(
      tile, x, op, policy, detail::start_of<Op, X>(init), site);
}

/// As inclusive_scan, without the lane's own value: rank 0 gets the identity (with `suffix`, rank N − 1). The operator
/// has one.
template <class Tile, class X, class Op = plus, class... Choices>
TESSERA_FN auto exclusive_scan(Tile const& tile, X x, Op op = {}, policy<Choices...> policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::exclusive_scan, detail::scan_kind::exclusive>(tile, x, op, policy,
                                                                                         detail::no_start{}, site);
}

/// As above, with a start: init op x0 op x1 …; with `suffix`, … op x(N−1) op init. Rank 0 (N − 1) gets init. Any
/// operator.
template <class Tile, class X, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto exclusive_scan(Tile const& tile, X x, Op op, Init init, Policy policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::exclusive_scan, detail::scan_kind::exclusive>(
      tile, x, op, policy, detail::start_of<Op, X>(init), site);
}

TESSERA_NAMESPACE_END
