// reduce: the values of all lanes of a tile, combined in rank order, result in every lane.
//
//   rank                0   1   2   3   4   5   6   7
//   before              a   b   c   d   e   f   g   h
//   xor 1               ab  ab  cd  cd  ef  ef  gh  gh
//   xor 2               abcd . . . . .  efgh  . . . .
//   xor 4, in all       ((ab)(cd))((ef)(gh))
//
// A lane first combines its own items<T, K>, from left to right.
//
// Source: the xor butterfly of the CUDA C++ Programming Guide ("Reduction across a warp"); the tree is the one of CUB's
// WarpReduce, so that a float sum has CUB's bits.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/reduce.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

/// The values of the tile's lanes combined by `op` in rank order.
///
///   float mean = tessera::reduce(tile, x) / tile.size();
///   int   best = tessera::reduce(tile, x, tessera::maximum{}, tessera::first(n));
///   float all  = tessera::reduce(tile, tessera::items<float, 4>{a, b, c, d});
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// x          any trivially copyable T, or items<T, K> in blocked order: rank 0's K items come first. The operator is
///            associative; it need not commute.
/// Returns    a T (`plus` over bool: an unsigned, the number of trues), the same bits in every lane; with `to_leader`
///            only in rank 0. A sum of floats has the bits of CUB's WarpReduce. With `first(n)` or `where(pred)` only
///            participants contribute; the identity if there are none.
/// Order      ((x0 op x1) op (x2 op x3)) op …, a balanced tree over neighbors, under every policy. K items: each lane's
///            from left to right, then that tree.
/// Policies   convergence, placement, participants, method.
/// Cost       K − 1 + log2(N) calls of `op`, and per lane:
///
///   N         exchange                                                      barriers            memory (scratch.hpp)
///   ≤ 32      log2(N) shuffles of each word of T                            0                   -
///   32        integers of up to 32 bits with plus, minimum, maximum or      0                   -
///             a bitwise operator: 1 `redux.sync` (from sm_80 on)
///   32        argmin, argmax of indexed numbers: 1 `redux.sync` and         0                   -
///             1 shuffle for each word of value and index, 1 vote
///   any       bool: 1 vote                                                  0; N > 32: 1        -
///   > 32      a store and a load; one or two warps combine all lanes        2; fresh(s): 1      a slot a lane
///   > 32      by `redux.sync`, `shuffles`, values too large for slots,      2; fresh(s): 1      a slot a warp
///             missing lanes: each warp combines its own first
///
/// A tile of 64 that is a part of its block combines in each warp first, too. `adaptive` adds one test of the warp for
/// N < 32. tuning.hpp has the choice of methods.
template <class Tile, class X, class Op = plus, class Policy = policy<>>
TESSERA_FN auto reduce(Tile const& tile, X x, Op op = {}, Policy policy = {}, call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  detail::require_exchangeable<T>();
  using combine_t = detail::operator_for<Op, T>;
  detail::require_operator<Tile, combine_t, T, Policy>();
  detail::require_instruction<Policy, T, combine_t>();
  combine_t const combine = detail::to_operator<T>(op);
  auto const own = detail::reduce_own(x, combine);
  return detail::collective<detail::collectives::reduce, X, combine_t>(
      tile, policy, site, 0,
      [&](detail::group_of<Tile, Policy> group) { return detail::reduce_participants(group, own, combine, policy); });
}

TESSERA_NAMESPACE_END
