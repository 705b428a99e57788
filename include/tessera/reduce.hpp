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
#include <tessera/detail/requirements.hpp>
#include <tessera/detail/warp_reduce.hpp>
#include <tessera/items.hpp>
#include <tessera/operators.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

namespace tessera {

namespace detail {

/// This lane's value and its partner's, combined in rank order; `Ordered`: as they stand, whoever is the upper one.
template <bool Ordered, class T, class Op>
TESSERA_FN T combine_pair(T const& mine, T const& theirs, [[maybe_unused]] bool mine_is_upper, Op const& op) {
  if constexpr (Ordered) {
    return static_cast<T>(op(mine, theirs));
  } else {
    return static_cast<T>(
        op(detail::select(mine_is_upper, theirs, mine), detail::select(mine_is_upper, mine, theirs)));
  }
}

/// Items in the type of their results: truth values that are counted become numbers.
template <class Op, class T, unsigned K>
TESSERA_FN auto as_results(items<T, K> const& x) {
  if constexpr (stl::is_same_v<result_t<Op, T>, T>) {
    return x;
  } else {
    items<result_t<Op, T>, K> out;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) out[i] = static_cast<result_t<Op, T>>(x[i]);
    return out;
  }
}

/// What a lane brings, as one value.
template <class T, class Op>
TESSERA_FN T reduce_own(T const& x, Op const&) {
  return x;
}
template <class T, unsigned K, class Op>
TESSERA_FN result_t<Op, T> reduce_own(items<T, K> const& x, Op const& op) {
  using result = result_t<Op, T>;
  result total = static_cast<result>(x[0]);
  TESSERA_UNROLL
  for (unsigned i = 1; i < K; ++i) total = static_cast<result>(op(total, static_cast<result>(x[i])));
  if constexpr (K > 1) total = detail::settled<Op>(total);
  return total;
}

/// Invariant: before the step with `bit`, a lane holds the values of the `bit` lanes that share its rank /
/// bit, in rank order.
template <class Policy, class Lanes, class T, class Op>
TESSERA_FN T butterfly_reduce(Lanes lanes, T x, Op const& op) {
  using traits = operator_traits<Op, T>;
  // Rank 0 is the lower lane of every exchange: a result that only it needs never takes its operands the
  // other way.
  constexpr bool ordered =
      traits::commutative || stl::is_same_v<typename Policy::placement, choice::to_leader>;
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Lanes::size; bit *= 2) {
    x = detail::combine_pair<ordered>(x, lanes.shuffle_xor(x, bit), (lanes.rank() & bit) != 0, op);
  }
  if constexpr (Lanes::size > 1) x = detail::settled<Op>(x);
  return x;
}

/// Whether the policy's method is the warp's own instruction, in this pass of the compiler.
template <class Policy, class Lanes, class T, class Op>
TESSERA_FN constexpr bool by_instruction() {
  using method = typename Policy::method;
  constexpr warp_instruction instruction = instruction_for<Op, T>();
  if constexpr (!has_instruction<Lanes>(instruction) || Lanes::size == 1) {
    return false;
  } else if constexpr (stl::is_same_v<method, choice::automatic>) {
    return prefers_warp_instruction(instruction, Lanes::size);
  } else {
    return stl::is_same_v<method, choice::hardware>;
  }
}

/// That there is an instruction where the policy asks for one.
template <class Policy, class T, class Op>
TESSERA_FN constexpr void require_instruction() {
  static_assert(
      !stl::is_same_v<typename Policy::method, choice::hardware> ||
          instruction_for<Op, T>() != warp_instruction::none,
      "reduce(tile, x, op, hardware): no instruction combines this type by this operator: write automatic, "
      "or leave it out.");
}
/// That the architecture has it.
template <class Policy, class Lanes, class T, class Op>
TESSERA_FN constexpr void require_architecture() {
  static_assert(
      !is_warp<Lanes> || TESSERA_ARCH == 0 || !stl::is_same_v<typename Policy::method, choice::hardware> ||
          has_instruction<Lanes>(instruction_for<Op, T>()),
      "reduce(tile, x, op, hardware): this architecture has no such instruction (sm_80 is the first): write "
      "automatic, or leave it out.");
}

template <class Policy, class Lanes, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_lanes(Lanes lanes, T x, Op const& op) {
  require_architecture<Policy, Lanes, T, Op>();
  if constexpr (by_instruction<Policy, Lanes, T, Op>()) {
    return detail::warp_reduce<Op>(lanes, x);
  } else {
    return detail::butterfly_reduce<Policy>(lanes, static_cast<result_t<Op, T>>(x), op);
  }
}

/// The reduction of the lanes that take part: the others hold a value that changes nothing.
template <class Policy, class Lanes, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_participants(Lanes lanes, T x, Op const& op, Policy const& policy) {
  if constexpr (everyone_participates<Policy>) {
    return detail::reduce_lanes<Policy>(lanes, x, op);
  } else {
    using padding = padding_of<operator_traits<Op, T>, T, Op>;
    bool const in = participates(policy, lanes.rank());
    auto const result = detail::reduce_lanes<Policy>(lanes, detail::select(in, x, padding::get(op)), op);
    if constexpr (padding::is_identity) {
      return result;
    } else {
      return detail::select(nobody_participates(lanes, policy), operator_traits<Op, T>::identity(op), result);
    }
  }
}

}  // namespace detail

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
///            on); one truth value a lane: one vote; the method table is in tuning.hpp. `adaptive` adds one look at the
///            warp for N < 32.
template <class Tile, class X, class Op = plus, class Policy = policy<>>
TESSERA_FN auto reduce(Tile const& tile, X x, Op op = {}, Policy policy = {},
                       call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  detail::require_tile<Tile>();
  detail::require_exchangeable<T>();
  detail::require_policy<Policy, policy_kind::convergence, policy_kind::placement, policy_kind::participants,
                         policy_kind::method>();
  detail::require_not_scattered<Policy>();
  using canonical_op = detail::canonical_t<Op, T>;
  detail::require_operator<canonical_op, T, Policy>();
  detail::require_instruction<Policy, T, canonical_op>();
  canonical_op const combine = detail::canonical<T>(op);
  auto const own = detail::reduce_own(x, combine);
  return detail::collective(
      tile, policy, detail::collective_name<X, canonical_op>{"reduce", site}, detail::uniform_of(policy),
      [&](auto lanes) { return detail::reduce_participants(lanes, own, combine, policy); });
}

}  // namespace tessera
