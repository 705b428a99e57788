// Scans: for each lane, the values of the lanes before it combined in rank order, with its own or without.
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
// Source: W. D. Hillis and G. L. Steele, "Data parallel algorithms", 1986 (Kogge and Stone's adder), in the form of CUB's
// WarpScan, so that a float scan has CUB's bits. Truth values: one ballot and a population count.
#pragma once

#include <tessera/detail/scan.hpp>
#include <tessera/items.hpp>
#include <tessera/operators.hpp>
#include <tessera/policy.hpp>
#include <tessera/scanned.hpp>
#include <tessera/tile.hpp>

TESSERA_NAMESPACE_BEGIN

/// For each lane, the values of lanes 0 … rank combined by `op` in rank order; with `suffix`, those of rank … N − 1.
///
///   unsigned const end = tessera::inclusive_scan(tile, length);
///   auto const [place, all] = tessera::exclusive_scan(tile, keep, plus{}, with_total);   // keep: bool
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// x          any trivially copyable value, or items<T, K> in blocked order. bool with `plus` is counted.
/// Returns    the same type (unsigned for a count); with `with_total` scanned{value, total}. With `first(n)` or
///            `where(pred)` a lane gets what the participants up to it give; the identity where there are none.
/// Order      of one value a lane as CUB's WarpScan, whose bits a float scan has; the last lane's value and the total
///            have the bits of `reduce`. K items: each lane's from left to right (with `suffix` from right to left), then the
///            lanes'. A start stands before all of it: (start op the lanes before) op the lane's own items.
///            N > 32: before the warp's own lanes up to this one stand the aligned blocks of 1, 2, 4, ... warps that the
///            bits of the warp's number name, the smallest next to them, each block as `reduce` combines it; from 256 lanes on
///            the blocks are combined with each other first, but in a warp's last lane. In a padded tile whose last warp isn't
///            whole, that warp counts as its lanes' scan combines it.
/// Policies   convergence, participants, method, direction (prefix, suffix), extra (with_total).
/// Cost       log2(N) shuffles of each 32-bit word of T and as many calls of `op`, no barrier, no memory; an exclusive
///            scan one more (none for sums of integers), `with_total` one more. K items: 2 (K − 1) calls of `op` and one
///            shuffle more. bool: one vote.
///            N > 32: as 32 lanes, and two barriers; between them each lane combines the totals of the warps before its own, from
///            256 lanes on the first warp for all. A slot a warp, and from 256 lanes on, or with the total, a result a warp
///            (scratch.hpp).
template <class Tile, class X, class Op = plus, class... Choices>
TESSERA_FN auto inclusive_scan(Tile const& tile, X x, Op op = {}, policy<Choices...> policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::inclusive_scan, detail::scan_kind::inclusive>(
      tile, x, op, policy, detail::no_start{}, site);
}

/// The same with a start: init op x0 op x1 … op x(rank); with `suffix`, x(rank) op … op x(N−1) op init. Any operator; one
/// call of it more for each item.
///
///   unsigned const end = tessera::inclusive_scan(tile, length, plus{}, offset);
///
/// With `first(n)` or `where(pred)` a lane with no participants up to it gets init. The bits are those of init op what the
/// lane gets without a start; of K items, (init op the lanes before) op the lane's own up to this one. The total doesn't
/// contain init.
template <class Tile, class X, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto inclusive_scan(Tile const& tile, X x, Op op, Init init, Policy policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::inclusive_scan, detail::scan_kind::inclusive>(
      tile, x, op, policy, detail::start_of<Op, X>(init), site);
}

/// The same without the lane's own value: rank 0 gets the identity (with `suffix`, rank N − 1). The operator has one.
template <class Tile, class X, class Op = plus, class... Choices>
TESSERA_FN auto exclusive_scan(Tile const& tile, X x, Op op = {}, policy<Choices...> policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::exclusive_scan, detail::scan_kind::exclusive>(
      tile, x, op, policy, detail::no_start{}, site);
}

/// The same with a start: init op x0 op x1 …; with `suffix`, … op x(N−1) op init. Rank 0 (N − 1) gets init. Any operator.
template <class Tile, class X, class Op, class Init, class Policy = policy<>>
TESSERA_FN auto exclusive_scan(Tile const& tile, X x, Op op, Init init, Policy policy = {},
                               call_site site = call_site::here()) {
  return detail::scan<detail::collectives::exclusive_scan, detail::scan_kind::exclusive>(
      tile, x, op, policy, detail::start_of<Op, X>(init), site);
}

TESSERA_NAMESPACE_END
