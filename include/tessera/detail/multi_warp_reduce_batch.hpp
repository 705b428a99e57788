// Independent reductions of a group of several warps: each warp reduces its lanes, and lanes combine the warps' results.
#pragma once

#include <tessera/detail/multi_warp_reduce.hpp>
#include <tessera/detail/warp_reduce_batch.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Several warps: each deals its results out to its lanes; then each lane combines those of one item, 32 items at a time.
template <class Policy, class Backend, class T, unsigned K, class Op>
TESSERA_FN auto reduce_batch_lanes(multi_warp_group<Backend> group, items<T, K> const& x, Op const& op) {
  using Group = multi_warp_group<Backend>;
  using result = result_t<Op, T>;
  constexpr bool scatter = stl::is_same_v<typename Policy::placement, choice::scattered>;
  constexpr unsigned warps = Group::warps, rounds = (K + 31) / 32;
  auto const in_warp = group.in_warp();
  unsigned const lane = group.lane();
  auto const of_warp =
      detail::reduce_batch_in_warp<policy<choice::scattered, typename Policy::method>>(in_warp, x, op);
  auto all = detail::as_results<Op>(x);
  auto own = detail::first_items<(K + Group::size - 1) / Group::size>(all);
  TESSERA_UNROLL
  for (unsigned round = 0; round < rounds; ++round) {
    constexpr unsigned row = K > 16 ? 32 : K > 8 ? 16 : K > 4 ? 8 : K > 2 ? 4 : K;
    result const total = detail::canonicalize_nan<Op>(group.template all_gather<row>(
        of_warp[round], lane < row, group.warp() * row + lane,
        [&](slots_of<Group, result, row> storage) {
          return detail::combine_slots<warps, result>(storage, lane % row, row, warps, op);
        },
        round + 1 < rounds));
    if constexpr (scatter) {
      if (group.warp() == round % warps) own[round / warps] = total;
    } else {
      TESSERA_UNROLL
      for (unsigned i = 32 * round; i < K && i < 32 * round + 32; ++i)
        all[i] = in_warp.shuffle(total, i % 32);
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
