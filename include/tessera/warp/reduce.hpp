// The reduction of a group of up to 32 lanes: each lane's items, then the butterfly, or the warp's own instruction.
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

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/operators/basic.hpp>
#include <tessera/warp/reduce_instruction.hpp>
#include <tessera/warp/scan_by_ranks.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// This lane's value and its partner's, combined in rank order. With `Ordered` the lane's own is the first operand.
template <bool Ordered, class T, class Op>
TESSERA_FN T combine_pair(T const& mine, T const& theirs, [[maybe_unused]] bool mine_is_upper, Op const& op) {
  if constexpr (Ordered) {
    return static_cast<T>(op(mine, theirs));
  } else {
    return static_cast<T>(op(detail::select(mine_is_upper, theirs, mine), detail::select(mine_is_upper, mine, theirs)));
  }
}

/// Converts items to the type of their results: truth values that are counted become numbers.
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

/// Combines a lane's items.
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
  if constexpr (K > 1) total = detail::canonicalize_nan<Op>(total);
  return total;
}

/// The butterfly if lanes are missing at the end. A lane whose partner doesn't exist reads the last valid lane instead,
/// which holds the values of the same subtree; if no lane of that subtree exists, the lane keeps its value.
template <class Group, class T, class Op>
TESSERA_FN T reduce_partial(Group group, T x, Op const& op) {
  unsigned const rank = group.rank(), last = group.valid_count() - 1;
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Group::size; bit *= 2) {
    unsigned const partner = rank ^ bit;
    T const theirs = group.shuffle(x, partner < last ? partner : last);
    if ((partner & ~(bit - 1)) <= last) x = detail::combine_pair<false>(x, theirs, (rank & bit) != 0, op);
  }
  return detail::canonicalize_nan<Op>(x);
}

/// Invariant: before the step with `bit`, a lane holds the values of the `bit` lanes that share its rank /
/// bit, in rank order.
template <class Policy, class Group, class T, class Op>
TESSERA_FN T butterfly_reduce(Group group, T x, Op const& op) {
  // Rank 0 is the lower lane of every exchange, so a result that only rank 0 needs never swaps its operands.
  constexpr bool ordered = lanes_agree_swapped<Op, T> || stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
  if constexpr (Group::may_be_partial) {
    if (group.valid_count() < Group::size) return detail::reduce_partial(group, x, op);
  }
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Group::size; bit *= 2) {
    x = detail::combine_pair<ordered>(x, group.shuffle_xor(x, bit), (group.rank() & bit) != 0, op);
  }
  if constexpr (Group::size > 1) x = detail::canonicalize_nan<Op>(x);
  return x;
}

/// The reduction of a coalesced group: rank 0 gets the scan from the end, and then all lanes do.
template <class Policy, class Group, class T, class Op>
TESSERA_FN T reduce_by_ranks(Group group, T x, Op const& op) {
  if (group.is_whole_warp()) return detail::butterfly_reduce<Policy>(group.as_whole_warp(), x, op);
  x = detail::canonicalize_nan<Op>(detail::scan_by_ranks<true>(group, x, op));
  if constexpr (stl::is_same_v<chosen_placement<Policy>, choice::to_leader>) {
    return x;
  } else {
    return group.broadcast(x, 0);
  }
}

/// True if the policy's method is the warp's own instruction, in this pass of the compiler.
template <class Policy, class Group, class T, class Op>
TESSERA_FN constexpr bool by_instruction() {
  using method = chosen_method<Policy>;
  constexpr warp_instruction instruction = instruction_for<Op, T>();
  if constexpr (!detail::has_instruction<Group>(instruction) || Group::size == 1) {
    return false;
  } else if constexpr (stl::is_same_v<method, choice::automatic>) {
    return detail::prefers_warp_instruction(instruction, Group::size);
  } else {
    return stl::is_same_v<method, choice::hardware>;
  }
}

/// Rejects `hardware` if no instruction combines T by Op.
template <class Policy, class T, class Op>
TESSERA_FN constexpr void require_instruction() {
  static_assert(
      !stl::is_same_v<chosen_method<Policy>, choice::hardware> || instruction_for<Op, T>() != warp_instruction::none,
      "reduce(tile, x, op, hardware): no instruction combines this type by this operator: write automatic, "
      "or leave it out.");
}

/// Rejects `hardware` if the architecture lacks the instruction. If there is none at all, require_instruction reports
/// that.
template <class Policy, class Group, class T, class Op>
TESSERA_FN constexpr void require_architecture() {
  static_assert(!is_warp<Group> || TESSERA_ARCH == 0 || !stl::is_same_v<chosen_method<Policy>, choice::hardware> ||
                    instruction_for<Op, T>() == warp_instruction::none ||
                    detail::has_instruction<Group>(instruction_for<Op, T>()),
                "reduce(tile, x, op, hardware): this architecture has no such instruction (sm_80 is the first): write "
                "automatic, or leave it out.");
}

/// Combines K values as a balanced tree over neighbors.
template <class T, unsigned K, class Op>
TESSERA_FN T combine_tree(items<T, K> x, Op const& op) {
  TESSERA_UNROLL
  for (unsigned width = 1; width < K; width *= 2) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; i += 2 * width) x[i] = static_cast<T>(op(x[i], x[i + width]));
  }
  return x[0];
}

/// Reduces the lanes of a warp, or of a part of it, by the policy's method.
template <class Policy, class Group, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_lanes(Group group, T x, Op const& op) {
  require_architecture<Policy, Group, T, Op>();
  if constexpr (by_instruction<Policy, Group, T, Op>()) {
    return detail::reduce_by_instruction<Op>(group, x);
  } else if constexpr (has_any_lanes<Group>) {
    return detail::reduce_by_ranks<Policy>(group, static_cast<result_t<Op, T>>(x), op);
  } else {
    return detail::butterfly_reduce<Policy>(group, static_cast<result_t<Op, T>>(x), op);
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
