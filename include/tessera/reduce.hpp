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
  if constexpr (K > 1) total = detail::canonicalize_nan<Op>(total);
  return total;
}

/// The same where lanes are missing at the end: whoever would hear of one listens to the last that is there, which holds the
/// values of the same group; where no lane of the other group is there, nothing is combined.
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
  using traits = operator_traits<Op, T>;
  // Rank 0 is the lower lane of every exchange: a result that only it needs never takes its operands the
  // other way.
  constexpr bool ordered =
      traits::commutative || stl::is_same_v<typename Policy::placement, choice::to_leader>;
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

/// Whether the policy's method is the warp's own instruction, in this pass of the compiler.
template <class Policy, class Group, class T, class Op>
TESSERA_FN constexpr bool by_instruction() {
  using method = typename Policy::method;
  constexpr warp_instruction instruction = instruction_for<Op, T>();
  if constexpr (!has_instruction<Group>(instruction) || Group::size == 1) {
    return false;
  } else if constexpr (stl::is_same_v<method, choice::automatic>) {
    return prefers_warp_instruction(instruction, Group::size);
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
template <class Policy, class Group, class T, class Op>
TESSERA_FN constexpr void require_architecture() {
  static_assert(
      !is_warp<Group> || TESSERA_ARCH == 0 || !stl::is_same_v<typename Policy::method, choice::hardware> ||
          has_instruction<Group>(instruction_for<Op, T>()),
      "reduce(tile, x, op, hardware): this architecture has no such instruction (sm_80 is the first): write "
      "automatic, or leave it out.");
}

template <class Policy, class Group, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_warps(Group group, T const& x, Op const& op);

template <class Policy, class Group, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_lanes(Group group, T x, Op const& op) {
  require_architecture<Policy, Group, T, Op>();
  if constexpr (is_multi_warp<Group>) {
    return detail::reduce_warps<Policy>(group, x, op);
  } else if constexpr (by_instruction<Policy, Group, T, Op>()) {
    return detail::warp_reduce<Op>(group, x);
  } else {
    return detail::butterfly_reduce<Policy>(group, static_cast<result_t<Op, T>>(x), op);
  }
}

/// Neighbors combined, the left half with the right half.
template <class T, unsigned K, class Op>
TESSERA_FN T combine_tree(items<T, K> x, Op const& op) {
  TESSERA_UNROLL
  for (unsigned width = 1; width < K; width *= 2) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; i += 2 * width) x[i] = static_cast<T>(op(x[i], x[i + width]));
  }
  return x[0];
}

/// Slots from, from + stride, … combined, the left half with the right half; of the first `present` only.
template <unsigned Count, class T, class Slots, class Op>
TESSERA_FN T combine_slots(Slots const& slots, unsigned from, unsigned stride, unsigned present,
                           Op const& op) {
  if constexpr (Count == 1) {
    return slots.read(from);
  } else {
    constexpr unsigned half = Count / 2;
    T const left = detail::combine_slots<half, T>(slots, from, stride, present, op);
    if (present <= half) return left;
    return static_cast<T>(
        op(left, detail::combine_slots<half, T>(slots, from + half * stride, stride, present - half, op)));
  }
}

/// The values of a tile's warps, combined by one warp.
template <class Policy, class Group, class T, class Slots, class Op>
TESSERA_FN T combine_in_warp(Group group, Slots const& slots, Op const& op) {
  constexpr unsigned warps = Group::warps, near = partials_a_lane(warps, word_count<T>);
  if constexpr (near < warps && by_instruction<Policy, decltype(group.in_warp()), T, Op>()) {
    T const one = slots.read(group.lane() % warps);
    if constexpr (instruction_for<Op, T>() == warp_instruction::redux_indexed) {
      return detail::warp_reduce<Op>(group.in_warp(), one);  // it may come twice: its lowest lane has it
    } else {
      T const neutral = operator_traits<Op, T>::identity(op);
      return detail::warp_reduce<Op>(group.in_warp(), detail::select(group.lane() < warps, one, neutral));
    }
  } else {
    T const some = detail::combine_tree(slots.template read_row<near>(group.lane() * near % warps), op);
    if constexpr (near == warps) {
      return detail::canonicalize_nan<Op>(some);
    } else {
      return detail::butterfly_reduce<Policy>(group.template part<warps / near>(), some, op);
    }
  }
}

/// The warps' values combined: few of them by every warp for itself, many by the first for all.
template <class Policy, class Group, class T, class Op>
TESSERA_FN T combine_warps(Group group, T const& own, Op const& op) {
  constexpr bool leader_only = stl::is_same_v<typename Policy::placement, choice::to_leader>;
  bool const is_writer = group.lane() == 0;
  if (group.is_partial()) {
    return detail::canonicalize_nan<Op>(
        group.all_gather(own, is_writer, group.warp(), [&](slots_of<Group, T> slots) {
          return detail::combine_slots<Group::warps, T>(slots, 0, 1, group.valid_warps(), op);
        }));
  }
  if constexpr (Group::has_trailing_barrier && (leader_only || combines_by_first_warp(Group::warps))) {
    T total = own;
    auto const results = group.combine_in_first_warp(
        own, is_writer, group.warp(), [&](slots_of<Group, T> slots, slots_of<Group, T> out) {
          total = detail::combine_in_warp<Policy, Group, T>(group, slots, op);
          if (!leader_only && is_writer) out.write(0, total);
        });
    return leader_only ? total : results.read(0);
  } else {
    return group.all_gather(own, is_writer, group.warp(), [&](slots_of<Group, T> slots) {
      return detail::combine_in_warp<Policy, Group, T>(group, slots, op);
    });
  }
}

/// Where a value of a tile lies in a scratch that one warp reads, each lane so many neighbors: four by four, in an order that
/// lets neighboring lanes' fours lie in different banks. Of 32 or fewer from a multiple on, number i lies at that of the first
/// ^ i.
TESSERA_FN unsigned raking_slot(unsigned rank) {
  unsigned const four = rank / 4;
  return (four ^ (four / 8 % 8)) * 4 + rank % 4;
}
/// Count values by halves: those `from` the one on that lies at `first`.
template <unsigned Count, class T, class Slots, class Op>
TESSERA_FN T combine_raking(Slots const& slots, unsigned first, unsigned from, Op const& op) {
  if constexpr (Count <= 4) {
    return detail::combine_tree(slots.template read_row<Count>(first ^ from), op);
  } else if constexpr (Count * word_count<T> <= 16) {  // loads first
    auto all = detail::from_words<items<T, Count>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Count; i += 4) {
      auto const four = slots.template read_row<4>(first ^ (from + i));
      detail::copy_bytes(&all.item[i], &four, sizeof(four));
    }
    return detail::combine_tree(all, op);
  } else {
    T const left = detail::combine_raking<Count / 2, T>(slots, first, from, op);
    return static_cast<T>(op(left, detail::combine_raking<Count / 2, T>(slots, first, from + Count / 2, op)));
  }
}

/// With a slot for each lane: all write, the first warp combines, each of its lanes neighbors of one warp's number, and
/// writes the result. By the same tree; two barriers, and shuffles of one warp only.
template <class Policy, class Group, class T, class Op>
TESSERA_FN T reduce_by_raking(Group group, T const& x, Op const& op) {
  constexpr bool leader_only = stl::is_same_v<typename Policy::placement, choice::to_leader>;
  T total = x;
  auto const results = group.template combine_in_first_warp<32>(
      x, true, raking_slot(group.rank()), [&](slots_of<Group, T> slots, slots_of<Group, T> out) {
        T const own =
            detail::combine_raking<Group::warps, T>(slots, raking_slot(group.lane() * Group::warps), 0, op);
        total = detail::butterfly_reduce<Policy>(group.in_warp(), own, op);
        if (!leader_only && group.lane() == 0) out.write(0, total);
      });
  return leader_only ? total : results.read(0);
}

/// Several warps: each reduces its own lanes to one value, and those are combined, by the same tree. Truth values the barrier
/// itself counts; and where there is a scratch, one warp combines all lanes.
template <class Policy, class Group, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_warps(Group group, T const& x, Op const& op) {
  using result = result_t<Op, T>;
  constexpr bool by_shuffles = stl::is_same_v<typename Policy::method, choice::shuffles>;
  constexpr bool by_counting = instruction_for<Op, T>() == warp_instruction::vote && !by_shuffles;
  constexpr bool by_warps = by_shuffles || by_instruction<Policy, decltype(group.in_warp()), T, Op>();
  if constexpr (by_counting) {
    unsigned const trues = group.count(static_cast<bool>(x));
    return static_cast<result>(detail::combine_counts<Op>(trues, group.valid_count() - trues));
  } else {
    if constexpr (Group::template has_slot_a_lane<result> && !by_warps) {
      if (!group.is_partial()) return detail::reduce_by_raking<Policy>(group, static_cast<result>(x), op);
    }
    return detail::combine_warps<Policy>(group, detail::reduce_lanes<Policy>(group.in_warp(), x, op), op);
  }
}

/// The reduction of the lanes that take part: the others hold a value that changes nothing.
template <class Policy, class Group, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_participants(Group group, T x, Op const& op, Policy const& policy) {
  if constexpr (everyone_participates<Policy>) {
    return detail::reduce_lanes<Policy>(group, x, op);
  } else {
    using neutral = neutral_element<operator_traits<Op, T>, T, Op>;
    bool const in = participates(policy, group.rank());
    bool nobody = false;
    if constexpr (!neutral::is_identity) nobody = detail::nobody_participates(group, policy);
    auto const result = detail::reduce_lanes<Policy>(group, detail::select(in, x, neutral::get(op)), op);
    if constexpr (neutral::is_identity) {
      return result;
    } else {
      return detail::select(nobody, operator_traits<Op, T>::identity(op), result);
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
///            on); of indexed numbers with argmin or argmax: one for each word of value and index, a vote, and one shuffle of
///            each word (for an index of two words only where lanes have the same value, with another vote); one truth value
///            a lane: one vote; the method table is in tuning.hpp. `adaptive` adds one look at the warp for N < 32.
///            N > 32: as 32 lanes, then two barriers, with fresh(scratch) one, and the warps' results combined, by one warp or
///            by all. 32 · sizeof(T) bytes of shared memory a block, 64 for 16 warps and more. With shared(scratch) two
///            barriers, and one warp combines all lanes: the others' part is a store and a load.
template <class Tile, class X, class Op = plus, class Policy = policy<>>
TESSERA_FN auto reduce(Tile const& tile, X x, Op op = {}, Policy policy = {},
                       call_site site = call_site::here()) {
  using T = detail::item_t<X>;
  detail::require_exchangeable<T>();
  using combine_t = detail::normalized_t<Op, T>;
  detail::require_operator<Tile, combine_t, T, Policy>();
  detail::require_instruction<Policy, T, combine_t>();
  combine_t const combine = detail::normalize<T>(op);
  auto const own = detail::reduce_own(x, combine);
  return detail::collective<detail::collectives::reduce, X, combine_t>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        return detail::reduce_participants(group, own, combine, policy);
      });
}

}  // namespace tessera
