// reduce_batch: K reductions at once, one for each of a lane's K items.
//
//   rank                     0              1              2              3
//   items                    a0 b0 c0 d0    a1 b1 c1 d1    a2 b2 c2 d2    a3 b3 c3 d3
//   halving, xor 1           a01  c01       b01  d01       a23  c23       b23  d23
//   xor 2, scattered         a0123          b0123          c0123          d0123
//   to_all, in every lane    a0123 b0123 c0123 d0123
//
// A lane keeps every other item, and sends the rest to the lane that keeps those: each exchange halves the number of
// items. Result i has the bits of `reduce` of item i.
//
// Source: R. Rabenseifner, "Optimization of collective reduction operations", 2004 (recursive halving).
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/operators.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/reduce_batch.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

/// K independent reductions of the tile: result i combines the lanes' items i, with the bits of `reduce(tile, x[i],
/// op)`.
///
///   float const column = tessera::reduce_batch(tile, tessera::as_items(row), plus{}, scattered);  // float row[32]
///   auto const [sum, squares] = tessera::reduce_batch(tile, tessera::items<float, 2>{x, x * x}).item;
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// x          items<T, K> of any trivially copyable T. The operator is associative; it need not commute.
/// Returns    items<T, K>, the same bits in every lane; with `to_leader` only in rank 0. With `scattered` the lane's
///            own results, striped: for K ≤ N a T, result i in rank i, unspecified from rank K on; for K > N items<T,
///            ⌈K/N⌉>, result s · N + r in item s of rank r, unspecified from result K on. bool with `plus` is counted:
///            unsigned instead of T. With `first(n)` or `where(pred)` only participants contribute; the identity if
///            there are none.
/// Order      as for `reduce`.
/// Policies   convergence, placement, participants, method.
/// Cost       the cheapest of these (tuning.hpp), for T of one word; four smaller T of a byte share a shuffle:
///
///   scattered     ⌈K/2⌉ + ⌈K/4⌉ + … shuffles, log2(N) terms; K − 1 for K = N
///   to all        K shuffles more, or K · log2(N)
///   truth values  K votes
///   32 lanes      K `redux.sync` for a few integers
///
/// No barrier and no memory up to 32 lanes. N > 32: as `scattered` in each warp, then two barriers for every 32 items,
/// with fresh(scratch) one less, and a slot a warp for each of up to 32 items (scratch.hpp); with fewer slots two
/// barriers for as many items.
template <class Tile, class X, class Op = plus, class Policy = policy<>>
TESSERA_FN auto reduce_batch(Tile const& tile, X x, Op op = {}, Policy policy = {},
                             call_site site = call_site::here()) {
  static_assert(is_items_v<X>,
                "reduce_batch(tile, x): x is the lane's items: write items<float, 2>{a, b}, or as_items(x) for a C "
                "array.");
  using T = detail::item_t<X>;
  detail::require_exchangeable<T>();
  using combine_t = detail::operator_for<Op, T>;
  detail::require_operator<Tile, combine_t, T, Policy>();
  detail::require_instruction<Policy, T, combine_t>();
  combine_t const combine = detail::to_operator<T>(op);
  auto const results = detail::collective<detail::collectives::reduce_batch, X, combine_t>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        return detail::reduce_batch_participants(group, x, combine, policy);
      });
  if constexpr (stl::is_same_v<detail::chosen_placement<Policy>, choice::scattered> && X::count <= tile_size_v<Tile>) {
    return results[0];
  } else {
    return results;
  }
}

TESSERA_NAMESPACE_END
