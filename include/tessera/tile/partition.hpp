// Stable partitions by votes, and values moved to given positions.
#pragma once

#include <tessera/block/movement.hpp>
#include <tessera/core/items.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/tile/adjacent.hpp>
#include <tessera/tile/checked_arguments.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/key_votes.hpp>
#include <tessera/tile/reduce.hpp>
#include <tessera/tile/requirements.hpp>

TESSERA_NAMESPACE_BEGIN

/// The result of partition: the positions of a lane's values, and the number of chosen ones.
template <class Positions>
struct partitioned {
  Positions position;
  unsigned count;
};

namespace detail {

/// One T for each of a lane's values X.
template <class X, class T>
struct of_each_value {
  using type = T;
};
template <class X, unsigned K, class T>
struct of_each_value<items<X, K>, T> {
  using type = items<T, K>;
};
template <class X, class T>
using of_each_value_t = typename of_each_value<X, T>::type;

/// Values with `chosen` go to the positions from 0 on, the others after them. A value that takes no part stays.
template <class Group, unsigned K, class Policy>
TESSERA_FN partitioned<items<unsigned, K>> partition_items(Group group, items<bool, K> const& chosen,
                                                           Policy const& policy) {
  unsigned const first = group.rank() * K;
  unsigned own = 0;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) own += chosen[i] && detail::position_participates(policy, first + i) ? 1u : 0u;
  counts_before const counts = detail::sum_counts<K>(group, own);
  partitioned<items<unsigned, K>> out{{}, counts.total};
  unsigned before = counts.before;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const position = first + i;
    bool const in = detail::position_participates(policy, position), goes_first = chosen[i] && in;
    unsigned const after = in ? counts.total + (position - before) : position;
    out.position[i] = goes_first ? before : after;
    before += goes_first ? 1u : 0u;
  }
  return out;
}

/// Up to 32 lanes: item k of every lane in turn. Votes on the bits of its target tell each lane which lanes send it an
/// item, and to which of its own.
template <class Group, class T, unsigned K>
TESSERA_FN items<T, K> scatter_items(Group group, items<T, K> const& x, items<unsigned, K> const& position) {
  auto out = x;
  TESSERA_UNROLL
  for (unsigned k = 0; k < K; ++k) {
    auto senders = group.valid_lanes();
    if constexpr (Group::size > 1) {
      auto const lanes = detail::votes_of_keys<detail::bits_for(Group::size)>(group, position[k] / K);
      senders = lanes.same(group.rank());
    }
    [[maybe_unused]] auto const votes = detail::votes_of_keys<detail::bits_for(K)>(group, position[k] % K);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto from = senders;
      if constexpr (K > 1) from = from & votes.same(i);
      T const moved = group.shuffle(x[k], from.any() ? from.first() : group.rank());
      T const kept = detail::select(k == 0 || from.any(), moved, out[i]);
      detail::copy_bytes(TESSERA_ADDRESS_OF(out[i]), TESSERA_ADDRESS_OF(kept), sizeof(T));
    }
  }
  return out;
}

/// Host tiles report positions that aren't a permutation: each must be in the tile, and together they must cover it.
template <class Group, unsigned K>
TESSERA_FN void require_permutation([[maybe_unused]] Group group, [[maybe_unused]] items<unsigned, K> const& position) {
  if constexpr (checks_arguments<Group>) {
    for (unsigned k = 0; k < K; ++k)
      detail::require_argument(group, position[k] < group.valid_count() * K, "a position that the tile doesn't have");
    for (unsigned i = 0; i < K; ++i) {
      lane_mask<Group::size> lanes{};
      for (unsigned k = 0; k < K; ++k)
        if (position[k] % K == i) lanes.set(position[k] / K);
      auto const reached = detail::reduce_lanes<policy<>>(detail::group_of_checks(group), lanes, bit_or{});
      detail::require_argument(group, reached == group.valid_lanes(), "positions of which two are equal");
    }
  }
}

template <class X>
TESSERA_FN constexpr void require_predicates() {
  static_assert(stl::is_same_v<item_t<X>, bool>,
                "partition(tile, pred): write a bool, or items<bool, K> for K values of a lane.");
}
template <class X, class Positions>
TESSERA_FN constexpr void require_positions() {
  static_assert(stl::is_same_v<Positions, of_each_value_t<X, unsigned>>,
                "scatter(tile, x, position): write an unsigned for a value, and items<unsigned, K> for items<T, K>.");
}

}  // namespace detail
TESSERA_NAMESPACE_END
