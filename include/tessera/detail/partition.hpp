// Stable partitions by votes, and values moved to given positions.
#pragma once

#include <tessera/detail/adjacent.hpp>
#include <tessera/detail/collective.hpp>
#include <tessera/detail/key_votes.hpp>
#include <tessera/detail/participants.hpp>
#include <tessera/detail/requirements.hpp>
#include <tessera/items.hpp>

TESSERA_NAMESPACE_BEGIN

/// Where a partition puts a lane's values, and how many come first.
template <class Positions>
struct partitioned {
  Positions position;
  unsigned count;
};

namespace detail {

/// A T for each of a lane's values X.
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

/// Those with `chosen` go to the positions from 0 on, the others behind them. A value that takes no part stays.
template <class Group, unsigned K, class Policy>
TESSERA_FN partitioned<items<unsigned, K>> partition_items(Group group, items<bool, K> const& chosen,
                                                           Policy const& policy) {
  unsigned const first = group.rank() * K;
  unsigned own = 0;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) own += chosen[i] && position_participates(policy, first + i) ? 1u : 0u;
  counts_before const counts = detail::sum_counts<K>(group, own);
  partitioned<items<unsigned, K>> out{{}, counts.total};
  unsigned before = counts.before;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    unsigned const position = first + i;
    bool const in = position_participates(policy, position), goes_first = chosen[i] && in;
    unsigned const behind = in ? counts.total + (position - before) : position;
    out.position[i] = goes_first ? before : behind;
    before += goes_first ? 1u : 0u;
  }
  return out;
}

/// Up to 32 lanes: item k of every lane in turn. Votes on the bits of its target tell each lane which lanes send it one, and
/// to which of its items.
template <class Group, class T, unsigned K>
TESSERA_FN items<T, K> scatter_items(Group group, items<T, K> const& x, items<unsigned, K> const& position) {
  auto out = x;
  TESSERA_UNROLL
  for (unsigned k = 0; k < K; ++k) {
    auto senders = group.valid_lanes();
    if constexpr (Group::size > 1) {
      auto const lanes = detail::votes_of_keys<bits_for(Group::size)>(group, position[k] / K);
      senders = lanes.same(group.rank());
    }
    [[maybe_unused]] auto const slots = detail::votes_of_keys<bits_for(K)>(group, position[k] % K);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto from = senders;
      if constexpr (K > 1) from = from & slots.same(i);
      T const moved = group.shuffle(x[k], from.any() ? from.first() : group.rank());
      T const kept = detail::select(k == 0 || from.any(), moved, out[i]);
      detail::copy_bytes(&out[i], &kept, sizeof(T));
    }
  }
  return out;
}

/// Several warps: windows of positions are written one after the other, and lanes read those of their items.
template <class Backend, class T, unsigned K>
TESSERA_FN items<T, K> scatter_items(multi_warp_group<Backend> group, items<T, K> const& x,
                                     items<unsigned, K> const& position) {
  using Group = multi_warp_group<Backend>;
  constexpr unsigned row = Group::template row<T>, window = Group::warps * row, buffers = Group::buffers;
  constexpr unsigned rounds = Group::size * K / window;
  static_assert(buffers == 1 || rounds % 2 == 0,
                "the next movement begins with the array that this one left first");
  auto out = x;
  unsigned const first = group.rank() * K;
  TESSERA_LOOP
  for (unsigned round = 0; round < rounds; ++round) {
    auto const slots = group.backend().template slots<T, row, slot_purpose::windows>(round % buffers);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      if (position[i] / window == round) slots.write(position[i] % window, x[i]);
    group.sync();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      if ((first + i) / window != round) continue;
      T const moved = slots.read((first + i) % window);
      detail::copy_bytes(&out[i], &moved, sizeof(T));
    }
    if (buffers == 1 && round + 1 < rounds) group.sync();
  }
  if constexpr (buffers == 1) group.trailing_barrier();
  return out;
}

template <class X>
TESSERA_FN constexpr void require_predicates() {
  static_assert(stl::is_same_v<item_t<X>, bool>,
                "partition(tile, pred): write a bool, or items<bool, K> for K values of a lane.");
}
template <class X, class Positions>
TESSERA_FN constexpr void require_positions() {
  static_assert(
      stl::is_same_v<Positions, of_each_value_t<X, unsigned>>,
      "scatter(tile, x, position): write an unsigned for a value, and items<unsigned, K> for items<T, K>.");
}

}  // namespace detail
TESSERA_NAMESPACE_END
