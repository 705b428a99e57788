// reduce: the values of all lanes of a tile, combined in rank order, result in every lane.
//
//   rank                0   1   2   3   4   5   6   7
//   before              a   b   c   d   e   f   g   h
//   xor 1               ab  ab  cd  cd  ef  ef  gh  gh
//   xor 2               abcd . . . . .  efgh  . . . .
//   xor 4, in all       ((ab)(cd))((ef)(gh))
//
// Of items<T, K> a lane combines its own first, from left to right.
//
// Source: the xor butterfly of the CUDA C++ Programming Guide ("Reduction across a warp"); the tree is the one of CUB's
// WarpReduce, so that a float sum has CUB's bits.
#pragma once

#include <tessera/detail/collective.hpp>
#include <tessera/detail/reduce.hpp>
#include <tessera/detail/requirements.hpp>
#include <tessera/items.hpp>
#include <tessera/operators.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

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
/// Returns    a T (`plus` over bool: an unsigned, how many are true), the same bits in every lane; with `to_leader` only
///            in rank 0. A sum of floats has the bits of CUB's WarpReduce. With `first(n)` or `where(pred)` the values
///            of the lanes that participate; the identity where there are none.
/// Order      ((x0 op x1) op (x2 op x3)) op …, a balanced tree over neighbors, under every policy. K items: each lane's
///            from left to right, then that tree.
/// Policies   convergence, placement, participants, method.
/// Cost       log2(N) shuffles of each 32-bit word of T and K − 1 + log2(N) calls of `op`, no barrier, no memory. 32 lanes
///            of integers of up to 32 bits with plus, minimum, maximum or a bitwise operator: one `redux.sync` (sm_80
///            on); of indexed numbers with argmin or argmax: one for each word of value and index, a vote, and one shuffle of
///            each word (for an index of two words only where lanes have the same value, with another vote); one truth value
///            a lane: one vote; the method table is in tuning.hpp. `adaptive` adds one look at the warp for N < 32.
///            N > 32: two barriers, with fresh(scratch) one. One or two warps combine all lanes: the others' part is a store and a
///            load, and memory a slot a lane (scratch.hpp). By `redux`, with `shuffles`, of very large types and where lanes are
///            missing each warp combines its own lanes, and then the results are combined: a slot a warp. So do 64 lanes
///            that are a part of their block. (Of 128 to 512 lanes, to the leader of 64, `redux` comes last.)
template <class Tile, class X, class Op = plus, class Policy = policy<>>
TESSERA_FN auto reduce(Tile const& tile, X x, Op op = {}, Policy policy = {},
                       call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  detail::require_exchangeable<T>();
  using combine_t = detail::operator_for<Op, T>;
  detail::require_operator<Tile, combine_t, T, Policy>();
  detail::require_instruction<Policy, T, combine_t>();
  combine_t const combine = detail::to_operator<T>(op);
  auto const own = detail::reduce_own(x, combine);
  return detail::collective<detail::collectives::reduce, X, combine_t>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        return detail::reduce_participants(group, own, combine, policy);
      });
}

TESSERA_NAMESPACE_END
