// The reduction of several warps: each warp reduces its own lanes, and the warps' values are combined by the same tree.
//
// With few warps, every warp reads all partials and combines them for itself. With many, the first warp combines them
// for all. If the scratch has a slot for each lane, the first warp combines all lanes' values by raking, and the others
// only store and load.
//
// Source: the raking of CUB's BlockReduce.
#pragma once

#include <tessera/group/multi_warp_group.hpp>
#include <tessera/warp/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Combines slots from, from + stride, … as a balanced tree; only the first `valid` of them have values.
template <unsigned Count, class T, class Slots, class Op>
TESSERA_FN T combine_slots(Slots const& storage, unsigned from, unsigned stride, unsigned present, Op const& op) {
  if constexpr (Count == 1) {
    return storage.read(from);
  } else {
    constexpr unsigned half = Count / 2;
    T const left = detail::combine_slots<half, T>(storage, from, stride, present, op);
    if (present <= half) return left;
    return static_cast<T>(
        op(left, detail::combine_slots<half, T>(storage, from + half * stride, stride, present - half, op)));
  }
}

/// The policy if only a warp's lane 0 needs the result: a noncommutative operator then needs no selections.
template <class Policy>
struct to_lane_0 : Policy {
  using placement = choice::to_leader;
};

/// One warp combines the partial results of all warps.
template <class Policy, class Group, class T, class Slots, class Op>
TESSERA_FN T combine_in_warp(Group group, Slots const& storage, Op const& op) {
  constexpr unsigned warps = Group::warps, per_lane = detail::partials_a_lane(warps, word_count<T>);
  if constexpr (per_lane < warps && by_instruction<Policy, decltype(group.in_warp()), T, Op>()) {
    T const partial = storage.read(group.lane() % warps);
    if constexpr (instruction_for<Op, T>() == warp_instruction::redux_indexed) {
      return detail::reduce_by_instruction<Op>(group.in_warp(),
                                               partial);  // a partial may occur twice: the lowest lane's counts
    } else {
      T const neutral = operator_traits<Op, T>::identity(op);
      return detail::reduce_by_instruction<Op>(group.in_warp(), detail::select(group.lane() < warps, partial, neutral));
    }
  } else {
    T const partial = detail::combine_tree(storage.template read_row<per_lane>(group.lane() * per_lane % warps), op);
    if constexpr (per_lane == warps) {
      return detail::canonicalize_nan<Op>(partial);
    } else {
      return detail::butterfly_reduce<Policy>(group.template part<warps / per_lane>(), partial, op);
    }
  }
}

/// Combines the warps' partial results: every warp for itself if there are few, else the first warp for all.
template <class Policy, class Group, class T, class Op>
TESSERA_FN T combine_warps(Group group, T const& own, Op const& op) {
  constexpr bool leader_only = stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
  bool const is_writer = group.lane() == 0;
  if (group.is_partial()) {
    return detail::canonicalize_nan<Op>(group.all_gather(own, is_writer, group.warp(), [&](slots_of<Group, T> storage) {
      return detail::combine_slots<Group::warps, T>(storage, 0, 1, group.valid_warps(), op);
    }));
  }
  if constexpr (Group::has_trailing_barrier && (leader_only || detail::combines_by_first_warp(Group::warps))) {
    T total = own;
    auto const results = group.combine_in_first_warps(
        own, is_writer, group.warp(), [&](slots_of<Group, T> storage, slots_of<Group, T> out) {
          total = detail::combine_in_warp<to_lane_0<Policy>, Group, T>(group, storage, op);
          if (!leader_only && is_writer) out.write(0, total);
        });
    return leader_only ? total : results.read(0);
  } else {
    return group.all_gather(own, is_writer, group.warp(), [&](slots_of<Group, T> storage) {
      return detail::combine_in_warp<Policy, Group, T>(group, storage, op);
    });
  }
}

/// The number of slots that a lane loads at a time: 16 bytes of them, as group/gpu_backend.hpp lays them out.
template <class T>
inline constexpr unsigned raked_together = sizeof(T) % 8 == 0 ? 2 : 4;

/// The index of rank r's slot for raking. Slots that are loaded together are XOR-swizzled so that no two lanes of the
/// raking warp access one bank at a time. If a and b have no bit in common, the slot of a | b is the slot of a ^ the
/// slot of b.
template <class T>
TESSERA_FN constexpr unsigned raking_slot(unsigned rank) {
  if constexpr (raked_together<T> == 4) {
    return rank ^ rank / 32 % 8 * 4;
  } else {
    return rank ^ (rank / 16 ^ rank / 128) % 8 * 2;
  }
}

/// The slots that one lane combines: those of neighboring ranks, the first of which is slot `first`. With `Conditional`
/// only lanes that rake read them.
template <bool Conditional, class T, class Slots, class Op>
struct raked_slots {
  Slots storage;
  unsigned first;
  bool rakes;
  Op const& op;

  template <unsigned Count>
  TESSERA_FN items<T, Count> read(unsigned from) const {
    return storage.template read_row<Count, Conditional>(first ^ detail::raking_slot<T>(from), rakes);
  }
  /// Combines Count values as a balanced tree, beginning at number `from`.
  template <unsigned Count>
  TESSERA_FN T combine(unsigned from = 0) const {
    constexpr unsigned together = raked_together<T>;
    if constexpr (Count <= together) {
      return detail::combine_tree(read<Count>(from), op);
    } else if constexpr (Count * word_count<T> <= 16) {  // loads first
      auto all = detail::from_words<items<T, Count>>({});
      TESSERA_UNROLL
      for (unsigned i = 0; i < Count; i += together) {
        auto const loaded = read<together>(from + i);
        detail::copy_bytes(TESSERA_ADDRESS_OF(all.item[i]), TESSERA_ADDRESS_OF(loaded), sizeof(loaded));
      }
      return detail::combine_tree(all, op);
    } else {
      T const left = combine<Count / 2>(from);
      return static_cast<T>(op(left, combine<Count / 2>(from + Count / 2)));
    }
  }
};

/// The reduction with a slot for each lane, or for every two lanes, which first combine their values. All lanes store;
/// each lane of the first warps combines neighboring slots; these warps combine their lanes and store the results. The
/// tree is the same. Two barriers, and only the first warps shuffle.
template <class Policy, class Group, class T, class Op>
TESSERA_FN T reduce_by_raking(Group group, T const& x, Op const& op) {
  constexpr bool leader_only = stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
  constexpr unsigned rakers = detail::raking_warps(Group::warps, word_count<T>, leader_only);
  constexpr unsigned row = Group::template row<T>, shared = 32 / row, all = Group::warps * row,
                     lanes = detail::raking_lanes(all / rakers, word_count<T>), per_lane = all / rakers / lanes;
  T total = detail::butterfly_reduce<to_lane_0<Policy>>(group.template part<shared>(), x, op);
  bool const is_writer = group.rank() % shared == 0;
  static_assert(lanes == 32 || rakers == 1);
  constexpr bool votes = detail::votes_before_raking(Group::warps, word_count<T>, leader_only);
  auto const results = group.template combine_in_first_warps<row, rakers, votes, lanes * rakers>(
      total, is_writer, detail::raking_slot<T>(group.rank() / shared),
      [&](raking_slots_of<Group, T, row> storage, slots_of<Group, T> out) {
        unsigned const raker = rakers == 1 ? group.lane() : group.rank();
        using mine = raked_slots<lanes != 32, T, raking_slots_of<Group, T, row>, Op>;
        T const own = mine{storage, detail::raking_slot<T>(raker % (lanes * rakers) * per_lane),
                           group.rank() < lanes * rakers, op}
                          .template combine<per_lane>();
        total = detail::butterfly_reduce<to_lane_0<Policy>>(group.template part<lanes>(), own, op);
        if ((!leader_only || rakers > 1) && group.lane() == 0) out.write(raker / 32, total);
      });
  if constexpr (rakers == 1) {
    return leader_only ? total : results.read(0);
  } else {
    if (!leader_only || group.warp() == 0)
      total = detail::canonicalize_nan<Op>(detail::combine_tree(results.template read_row<rakers>(0), op));
    return total;
  }
}

/// The reduction by columns, for an instruction that combines a warp in any order. The first `Warps` warps keep their
/// values in registers; each of their lanes combines the values of its column, one from every group of that many warps,
/// and the instruction combines the lanes. For a result to the leader, the leader's warp does so alone, and stores no
/// result. (These are the steps of `combine_in_first_warps`, which would compute the slots' address twice: three more
/// instructions in a kernel's loop.)
template <unsigned Warps, class Policy, class Group, class T, class Op>
TESSERA_FN T reduce_by_columns(Group group, T const& x, Op const& op) {
  constexpr bool leader_only = stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
  bool const is_first = group.warp() < Warps;
  auto const own = group.backend().template inputs<T, 32, true>().from(group.rank());
  auto const results = group.backend().template outputs<T, 32>();
  T total = x;
  if (!leader_only || !is_first) own.write(0, x);
  group.sync();
  if (Group::of_warp(is_first)) {
    if constexpr (detail::meets_before_columns(Group::warps, leader_only)) group.in_warp().sync();
    TESSERA_UNROLL
    for (unsigned w = Warps; w < Group::warps; w += Warps) total = static_cast<T>(op(total, own.read(32 * w)));
    total = detail::reduce_lanes<Policy>(group.in_warp(), total, op);
    if (!leader_only && group.lane() == 0) results.write(group.warp(), total);
  }
  group.sync();
  if constexpr (leader_only) {
    return total;
  } else {
    return detail::combine_tree(results.template read_row<Warps>(0), op);
  }
}

/// Reduces the lanes of several warps: each warp reduces its own, and the partial results are combined by the same
/// tree. Truth values are counted by the barrier itself. If memory has a slot a lane, the first warps combine all
/// lanes.
template <class Policy, class Backend, class T, class Op>
TESSERA_FN result_t<Op, T> reduce_lanes(multi_warp_group<Backend> group, T x, Op const& op) {
  using Group = multi_warp_group<Backend>;
  using result = result_t<Op, T>;
  constexpr bool by_shuffles = stl::is_same_v<chosen_method<Policy>, choice::shuffles>;
  constexpr bool by_counting = instruction_for<Op, T>() == warp_instruction::vote && !by_shuffles;
  constexpr bool by_warps = by_shuffles || by_instruction<Policy, decltype(group.in_warp()), T, Op>();
  constexpr bool has_columns =
      !by_shuffles && (by_warps || !is_warp<decltype(group.in_warp())>);  // host tiles do as the GPU does
  constexpr bool leader_only = stl::is_same_v<chosen_placement<Policy>, choice::to_leader>;
  constexpr unsigned column_count =
      has_columns ? detail::column_warps(instruction_for<Op, T>(), Group::warps, leader_only) : 0;
  if constexpr (by_counting) {
    unsigned const trues = group.count(detail::is_true(x));
    return static_cast<result>(detail::combine_counts<Op>(trues, group.valid_count() - trues));
  } else {
    if constexpr (Group::template has_slot_a_pair<result> &&
                  detail::combines_by_few_warps(Group::warps, Group::is_block)) {
      if constexpr (column_count > 0) {
        if (!group.is_partial())
          return detail::reduce_by_columns<column_count, Policy>(group, static_cast<result>(x), op);
      } else if constexpr (!by_warps) {
        if (!group.is_partial()) return detail::reduce_by_raking<Policy>(group, static_cast<result>(x), op);
      }
    }
    return detail::combine_warps<Policy>(group, detail::reduce_lanes<to_lane_0<Policy>>(group.in_warp(), x, op), op);
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
