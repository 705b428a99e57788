// The reduction of a tile of up to 32 lanes by the GPU's own instructions: `redux.sync` (sm_80 and later) and votes.
//
// Each result has the bits that shuffles in rank order would give: the operators here don't round, and either commute
// or take the lowest lane's value.
#pragma once

#include <tessera/group/coalesced_warp_group.hpp>
#include <tessera/group/tuning.hpp>
#include <tessera/group/warp_group.hpp>
#include <tessera/operators/basic.hpp>
#include <tessera/warp/redux.hpp>
#include <tessera/warp/redux_indexed.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if this group has the instruction, in this pass of the compiler.
template <class Group>
TESSERA_FN constexpr bool has_instruction(warp_instruction instruction) {
  if (!is_warp<Group> || instruction == warp_instruction::none) return false;
  return TESSERA_ARCH >= (instruction == warp_instruction::vote ? 1 : 800);
}

template <class Op>
inline constexpr bool is_logical = stl::is_same_v<Op, logical_and> || stl::is_same_v<Op, logical_or>;

/// The instruction that combines values of T by Op. Op is an operator of this library: see `normalize`.
template <class Op, class T>
TESSERA_FN constexpr warp_instruction instruction_for() {
  constexpr bool extreme = is_minimum<Op> || is_maximum<Op>;
  if constexpr (is_logical<Op> && stl::is_arithmetic_v<T>) {
    return warp_instruction::vote;
  } else if constexpr (stl::is_same_v<T, bool>) {
    constexpr bool known = extreme || is_bitwise<Op> || stl::is_same_v<Op, plus> || stl::is_same_v<Op, multiplies>;
    return known ? warp_instruction::vote : warp_instruction::none;
  } else if constexpr (is_integer<T> && sizeof(T) <= 4) {
    constexpr bool known = extreme || is_bitwise<Op> || stl::is_same_v<Op, plus>;
    return known ? warp_instruction::redux : warp_instruction::none;
  } else if constexpr (is_integer<T> && sizeof(T) == 8) {
    return is_bitwise<Op> ? warp_instruction::redux_pair : warp_instruction::none;
  } else if constexpr (stl::is_same_v<T, float> || is_half<T>) {
    return extreme ? warp_instruction::redux_ordered : warp_instruction::none;
  } else if constexpr ((stl::is_same_v<Op, argmin> || stl::is_same_v<Op, argmax>)&&as_indexed<T>::known) {
    return warp_instruction::redux_indexed;
  } else {
    return warp_instruction::none;
  }
}

/// True if a single false makes the combination of truth values by Op false.
template <class Op>
inline constexpr bool is_conjunction =
    is_minimum<Op> || stl::is_same_v<Op, multiplies> || stl::is_same_v<Op, bit_and> || stl::is_same_v<Op, logical_and>;

/// Combines the given numbers of trues and falses. Their sum is the number of trues.
template <class Op>
TESSERA_FN result_t<Op, bool> combine_counts(unsigned trues, unsigned falses) {
  if constexpr (stl::is_same_v<Op, plus>) {
    return trues;
  } else if constexpr (stl::is_same_v<Op, bit_xor>) {
    return trues % 2 != 0;
  } else if constexpr (is_conjunction<Op>) {
    return falses == 0;
  } else {
    return trues != 0;
  }
}

/// Combines the truth values of the lanes `among`; `votes` are the lanes whose value is true.
template <class Op, unsigned N>
TESSERA_FN result_t<Op, bool> combine_votes(lane_mask<N> votes, lane_mask<N> among) {
  if constexpr (stl::is_same_v<Op, plus> || stl::is_same_v<Op, bit_xor>) {
    return detail::combine_counts<Op>((votes & among).count(), 0);
  } else if constexpr (is_conjunction<Op>) {
    return (~votes & among).none();
  } else {
    return (votes & among).any();
  }
}

/// Combines the lanes' values with the warp's instruction for Op; every lane gets the result.
template <class Op, class Group, class T>
TESSERA_FN result_t<Op, T> reduce_by_instruction(Group group, T x) {
  constexpr warp_instruction instruction = instruction_for<Op, T>();
  if constexpr (instruction == warp_instruction::vote) {
    auto const lanes = detail::by_lanes(group);
    return static_cast<result_t<Op, T>>(
        detail::combine_votes<Op>(lanes.ballot(detail::is_true(x)), lanes.valid_lanes()));
  } else if constexpr (instruction == warp_instruction::redux) {
    using word = stl::conditional_t<is_signed_integer<T>, int, unsigned>;
    return static_cast<T>(detail::redux<Op>(group.tile_mask(), static_cast<word>(x)));
  } else if constexpr (instruction == warp_instruction::redux_pair) {
    return detail::by_words(x, [&](unsigned w) { return detail::redux<Op>(group.tile_mask(), w); });
  } else if constexpr (instruction == warp_instruction::redux_indexed) {
    return detail::redux_indexed<stl::is_same_v<Op, argmax>>(group, x);
  } else {
    return detail::redux_ordered<Op>(group.tile_mask(), x);
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
