// The reduction of several blocks of a cluster: each block reduces its lanes, and every lane combines the blocks'
// values by the same tree.
//
//   block       0               1               2               3
//   partial     t0              t1              t2              t3              in one lane of each
//   slots       t0 t1 t2 t3     t0 t1 t2 t3     t0 t1 t2 t3     t0 t1 t2 t3     in every block's shared memory
//   result      (t0 t1)(t2 t3), in every lane
#pragma once

#include <tessera/block/reduce.hpp>
#include <tessera/group/multi_block_group.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Combines the values of Count neighboring blocks as a balanced tree. Large ones are loaded as they are needed.
template <unsigned Count, class T, class Slots, class Op>
TESSERA_FN T combine_blocks(Slots const& storage, unsigned first, Op const& op) {
  if constexpr (Count * word_count<T> <= 32) {
    return detail::combine_tree(storage.template read_row<Count>(first), op);
  } else if constexpr (Count == 1) {
    return storage.read(first);
  } else {
    T const left = detail::combine_blocks<Count / 2, T>(storage, first, op);
    return static_cast<T>(op(left, detail::combine_blocks<Count / 2, T>(storage, first + Count / 2, op)));
  }
}

/// Reduces the lanes of several blocks. Truth values are counted.
template <class Policy, class Backend, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_lanes(multi_block_group<Backend> group, T x, Op const& op) {
  using Group = multi_block_group<Backend>;
  using result = result_t<Op, T>;
  if constexpr (instruction_for<Op, T>() == warp_instruction::vote) {
    unsigned const trues = group.count(detail::is_true(x));
    return static_cast<result>(detail::combine_counts<Op>(trues, Group::size - trues));
  } else {
    unsigned const turn = group.begin();
    result const of_block = detail::reduce_lanes<to_lane_0<Policy>>(group.in_block(), x, op);
    return detail::canonicalize_nan<Op>(
        group.all_gather(turn, of_block, 0, [&](typename Group::template slots_of<result> storage) {
          return detail::combine_blocks<Group::blocks, result>(storage, 0, op);
        }));
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
