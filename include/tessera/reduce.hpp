// reduce: the values of all lanes of a tile, combined in rank order, result in every lane.
//
//   rank                0   1   2   3   4   5   6   7
//   before              a   b   c   d   e   f   g   h
//   xor 1               ab  ab  cd  cd  ef  ef  gh  gh
//   xor 2               abcd . . . . .  efgh  . . . .
//   xor 4, in all       ((ab)(cd))((ef)(gh))
//
// Source: the xor butterfly of the CUDA C++ Programming Guide ("Reduction across a warp"); the tree is the one of CUB's
// WarpReduce, so that a float sum has CUB's bits.
#pragma once

#include <tessera/detail/collective.hpp>
#include <tessera/detail/requirements.hpp>
#include <tessera/detail/warp_reduce.hpp>
#include <tessera/operators.hpp>
#include <tessera/policy.hpp>
#include <tessera/tile.hpp>

namespace tessera {

namespace detail {

/// Invariant: before the step with `bit`, a lane holds the values of the `bit` lanes that share its rank /
/// bit, in rank order.
template <class Policy, class Lanes, class T, class Op>
TESSERA_FN T butterfly_reduce(Lanes lanes, T x, Op const& op) {
  using traits = operator_traits<Op, T>;
  // Rank 0 is the lower lane of every exchange: a result that only it needs never takes its operands the
  // other way.
  constexpr bool in_order =
      traits::commutative || stl::is_same_v<typename Policy::placement, choice::to_leader>;
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Lanes::size; bit *= 2) {
    T const other = lanes.shuffle_xor(x, bit);
    if constexpr (in_order) {
      x = static_cast<T>(op(x, other));
    } else {
      bool const upper = (lanes.rank() & bit) != 0;
      x = static_cast<T>(op(detail::select(upper, other, x), detail::select(upper, x, other)));
    }
  }
  // A sum or product of two NaNs of double has the one or the other, by their order.
  constexpr bool sums = stl::is_same_v<Op, plus> || stl::is_same_v<Op, multiplies>;
  if constexpr (sums && stl::is_same_v<T, double> && Lanes::size > 1) x = detail::with_one_nan(x);
  return x;
}

/// Whether the policy's method is the warp's own instruction, in this pass of the compiler.
template <class Policy, class Lanes, class T, class Op>
TESSERA_FN constexpr bool by_instruction() {
  using method = typename Policy::method;
  constexpr warp_instruction instruction = instruction_for<Op, T>();
  constexpr int needs = instruction == warp_instruction::vote ? 1 : 800;
  if constexpr (!is_warp<Lanes> || TESSERA_ARCH < needs) {
    return false;
  } else if constexpr (stl::is_same_v<method, choice::automatic>) {
    return prefers_warp_instruction(instruction, Lanes::size);
  } else {
    return stl::is_same_v<method, choice::hardware>;
  }
}

template <class Policy, class Lanes, class T, class Op>
TESSERA_FN T reduce_lanes(Lanes lanes, T x, Op const& op) {
  static_assert(
      !is_warp<Lanes> || TESSERA_ARCH == 0 || TESSERA_ARCH >= 800 ||
          !stl::is_same_v<typename Policy::method, choice::hardware> ||
          instruction_for<Op, T>() == warp_instruction::vote,
      "reduce(tile, x, op, hardware): this architecture has no such instruction (sm_80 is the first): write "
      "automatic, or leave it out.");
  if constexpr (by_instruction<Policy, Lanes, T, Op>()) {
    return detail::warp_reduce<Op>(lanes, x);
  } else {
    return detail::butterfly_reduce<Policy>(lanes, x, op);
  }
}

/// The reduction of the lanes that take part: the others hold a value that changes nothing.
template <class Policy, class Lanes, class T, class Op>
TESSERA_FN T reduce_participants(Lanes lanes, T x, Op const& op, Policy const& policy) {
  if constexpr (everyone_participates<Policy>) {
    return detail::reduce_lanes<Policy>(lanes, x, op);
  } else {
    using padding = padding_of<operator_traits<Op, T>, T, Op>;
    bool const in = participates(policy, lanes.rank());
    T const result = detail::reduce_lanes<Policy>(lanes, detail::select(in, x, padding::get(op)), op);
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
///
/// Called by  all lanes of the tile (with `converged`: of the warp), with one `op` and one policy.
/// T          any trivially copyable type. The operator is associative; it need not commute.
/// Returns    the same bits in every lane; with `to_leader` only in rank 0. A sum of floats has the bits of CUB's
///            WarpReduce. With `first(n)` or `where(pred)` the participants' values; the identity where there are none.
/// Order      ((x0 op x1) op (x2 op x3)) op …, a balanced tree over neighbors, under every policy.
/// Policies   convergence, placement, participants, method.
/// Cost       log2(N) shuffles of each 32-bit word of T and log2(N) calls of `op`, no barrier, no memory. 32 lanes of
///            integers of up to 32 bits with plus, minimum, maximum or a bitwise operator: one `redux.sync` (sm_80
///            on); the method table is in tuning.hpp. `adaptive` adds one look at the warp for N < 32.
template <class Tile, class T, class Op = plus, class Policy = policy<>>
TESSERA_FN T reduce(Tile const& tile, T x, Op op = {}, Policy policy = {},
                    call_site site = call_site::here()) {
  detail::require_tile<Tile>();
  detail::require_exchangeable<T>();
  detail::require_policy<Policy, policy_kind::convergence, policy_kind::placement, policy_kind::participants,
                         policy_kind::method>();
  static_assert(!stl::is_same_v<typename Policy::placement, choice::scattered>,
                "scattered is for batches: write reduce_batch(tile, items, op, scattered).");
  using canonical_op = detail::canonical_t<Op, T>;
  detail::require_operator<canonical_op, T, Policy>();
  static_assert(
      !stl::is_same_v<typename Policy::method, choice::hardware> ||
          detail::instruction_for<canonical_op, T>() != warp_instruction::none,
      "reduce(tile, x, op, hardware): no instruction combines this type by this operator: write automatic, "
      "or leave it out.");
  canonical_op const combine = detail::canonical<T>(op);
  return detail::collective(
      tile, policy, detail::collective_name<T, canonical_op>{"reduce", site}, detail::uniform_of(policy),
      [&](auto lanes) { return detail::reduce_participants(lanes, x, combine, policy); });
}

}  // namespace tessera
