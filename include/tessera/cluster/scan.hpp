// The scan of several blocks of a cluster: each block scans its lanes, the blocks exchange their totals, and every lane
// combines its result with the totals of the blocks before its own, as aligned groups of blocks that double in size.
//
//   block 6 of 8, binary 110   (t0 t1)(t2 t3) | t4 t5 | x     x: the scan within the lane's own block
//   its result                 ((t0 t1)(t2 t3)) ((t4 t5) x)
//
// So the last lane has the bits of the tree of `reduce`, and a lane's result doesn't depend on the number of blocks
// after it. Truth values are counted.
#pragma once

#include <tessera/block/scan.hpp>
#include <tessera/cluster/reduce.hpp>
#include <tessera/core/scanned.hpp>
#include <tessera/group/participants.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The policy of the scan within a block, whose total its last lane has anyway.
template <class Policy>
struct without_total : Policy {
  using extra = choice::value_only;
};

/// Calls take(aggregate) for each aligned group of blocks before block `number` in the direction of the scan, the
/// smallest first: one of Width blocks for each bit that is set (with `Suffix`, clear) in the number.
template <bool Suffix, unsigned Blocks, class T, unsigned Width = 1, class Slots, class Op, class Take>
TESSERA_FN void each_group_before(Slots const& storage, unsigned number, Op const& op, Take take) {
  if constexpr (Width < Blocks) {
    if (((number & Width) == 0) == Suffix)
      take(detail::combine_blocks<Width, T>(storage, (number & ~(2 * Width - 1)) + (Suffix ? Width : 0), op));
    detail::each_group_before<Suffix, Blocks, T, 2 * Width>(storage, number, op, take);
  }
}

/// Scans one value a lane, of several blocks.
template <class Policy, bool WantsPredecessor, class Backend, class T, class Op>
TESSERA_FN lane_scan<T> scan_lanes(multi_block_group<Backend> group, T const& x, Op const& op) {
  using Group = multi_block_group<Backend>;
  constexpr bool Suffix = is_suffix<Policy>, subtracts = subtracts_own<T, Op>;
  constexpr bool joins_predecessor = WantsPredecessor && !subtracts;
  unsigned const turn = group.begin();
  auto const in_block = group.in_block();
  auto out = detail::scan_lanes<without_total<Policy>, joins_predecessor>(in_block, x, op);
  out = group.all_gather(
      turn, out.inclusive, Suffix ? 0 : Group::threads - 1, [&](typename Group::template slots_of<T> storage) {
        lane_scan<T> joined = out;
        detail::each_group_before<Suffix, Group::blocks, T>(storage, group.block(), op, [&](T const& before) {
          joined.inclusive = detail::join<Suffix>(before, joined.inclusive, op);
          if constexpr (joins_predecessor) {
            joined.predecessor =
                detail::select(joined.has_predecessor, detail::join<Suffix>(before, joined.predecessor, op), before);
            joined.has_predecessor = true;
          }
        });
        if constexpr (gives_total<Policy>) joined.total = detail::combine_blocks<Group::blocks, T>(storage, 0, op);
        return joined;
      });
  if constexpr (WantsPredecessor && subtracts)
    out.predecessor = detail::exclusive_of<Suffix>(in_block.in_warp(), out.inclusive, x, op, out.has_predecessor);
  return out;
}

/// The numbers of lanes with a vote: of those before this one in the direction of the scan, and of all.
struct lanes_counted {
  unsigned before, all;
};
template <bool Suffix, class Group>
TESSERA_FN lanes_counted count_lanes(Group group, bool mine) {
  unsigned const turn = group.begin();
  auto const in_block = group.in_block();
  auto const here = in_block.ballot(mine);
  unsigned const before_lane = (here & lane_mask<Group::threads>::prefix(in_block.rank())).count();
  unsigned const of_block = here.count();
  lanes_counted counted = group.all_gather(turn, of_block, 0, [&](typename Group::template slots_of<unsigned> storage) {
    auto const counts = storage.template read_row<Group::blocks>(0);
    lanes_counted sums{before_lane, 0};
    TESSERA_UNROLL
    for (unsigned b = 0; b < Group::blocks; ++b) {
      sums.all += counts[b];
      if (b < group.block()) sums.before += counts[b];
    }
    return sums;
  });
  if (Suffix) counted.before = counted.all - counted.before - (mine ? 1u : 0u);
  return counted;
}

/// The scan of truth values of several blocks. A lane that takes no part counts with the neutral element.
template <bool Inclusive, class Policy, class Op, class Group>
TESSERA_FN scanned<result_t<Op, bool>> scan_counts(Group group, bool x, Policy const& policy) {
  constexpr bool Suffix = is_suffix<Policy>;
  bool const mine = detail::participates(policy, group.rank()) ? x : operator_traits<Op, bool>::identity(Op{});
  auto const trues = detail::count_lanes<Suffix>(group, mine);
  unsigned const own = Inclusive ? 1 : 0, lanes = (Suffix ? Group::size - 1 - group.rank() : group.rank()) + own;
  unsigned const counted = trues.before + (mine ? own : 0);
  return {detail::combine_counts<Op>(counted, lanes - counted),
          detail::combine_counts<Op>(trues.all, Group::size - trues.all)};
}

/// True if no lane takes part, among those before this one in the direction of a scan, and among all. A vote if the
/// policy is `where(pred)`.
struct nobody_there {
  bool before, anywhere;
};
template <bool Suffix, class Group, class Policy>
TESSERA_FN nobody_there nobody_before(Group group, Policy const& policy) {
  if constexpr (stl::is_same_v<chosen_participants<Policy>, choice::first>) {
    return {policy.n == 0 || (Suffix ? group.rank() + 1 >= policy.n : group.rank() == 0), policy.n == 0};
  } else {
    auto const counted = detail::count_lanes<Suffix>(group, policy.pred);
    return {counted.before == 0, counted.all == 0};
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
