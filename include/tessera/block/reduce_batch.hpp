// Independent reductions in a group of several warps: each warp reduces its lanes, and lanes combine the warps'
// results.
#pragma once

#include <tessera/block/reduce.hpp>
#include <tessera/warp/reduce_batch.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The number of a warp's lanes, of `Needed`, that exchange a T at a time.
template <class Group, class T, unsigned Needed>
inline constexpr unsigned columns_at_a_time =
    Group::template row<T> == 0 || Needed < Group::template row<T> ? Needed : Group::template row<T>;

/// Combines, for each number below `Needed`, the x of all warps' lanes with that number modulo `Needed`: as many at a
/// time as there are slots.
template <unsigned Needed, class Backend, class T, class Op>
TESSERA_FN T combine_columns(multi_warp_group<Backend> group, T const& x, bool again, Op const& op) {
  using Group = multi_warp_group<Backend>;
  constexpr unsigned row = columns_at_a_time<Group, T, Needed>;
  unsigned const lane = group.lane(), column = lane % row;
  T total = x;
  TESSERA_UNROLL
  for (unsigned from = 0; from < Needed; from += row) {
    bool const takes = row == Needed || lane % Needed - from < row, is_writer = lane - from < row;
    T const got = group.template all_gather<row>(
        x, is_writer, group.warp() * row + column,
        [&](slots_of<Group, T, row> storage) {
          return detail::combine_slots<Group::warps, T>(storage, column, row, Group::warps, op);
        },
        again || from + row < Needed);
    total = detail::select(takes, got, total);
  }
  return total;
}

/// Each warp scatters its results over its lanes; then each lane combines the results of one item, 32 items at a time.
template <class Policy, class Backend, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_lanes(multi_warp_group<Backend> group, items<T, K> const& x, Op const& op) {
  using Group = multi_warp_group<Backend>;
  using result = result_t<Op, T>;
  constexpr bool scatter = stl::is_same_v<chosen_placement<Policy>, choice::scattered>;
  constexpr unsigned rounds = (K + 31) / 32, needed = K > 16 ? 32 : K > 8 ? 16 : K > 4 ? 8 : K > 2 ? 4 : K;
  auto const in_warp = group.in_warp();
  auto const of_warp = detail::reduce_batch_in_warp<policy<choice::scattered, chosen_method<Policy>>>(in_warp, x, op);
  auto all = detail::as_results<Op>(x);
  auto own = detail::first_items<(K + Group::size - 1) / Group::size>(all);
  TESSERA_UNROLL
  for (unsigned round = 0; round < rounds; ++round) {
    result const total =
        detail::canonicalize_nan<Op>(detail::combine_columns<needed>(group, of_warp[round], round + 1 < rounds, op));
    if constexpr (scatter) {
      if (group.warp() == round % Group::warps) own[round / Group::warps] = total;
    } else {
      TESSERA_UNROLL
      for (unsigned i = 32 * round; i < K && i < 32 * round + 32; ++i) all[i] = in_warp.shuffle(total, i % 32);
    }
  }
  if constexpr (scatter) {
    return own;
  } else {
    return all;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
