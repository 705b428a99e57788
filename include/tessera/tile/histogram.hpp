// Counting by keys: in memory by lanes that share a key, and in registers by votes on the bits of keys.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/group/participants.hpp>
#include <tessera/group/tuning.hpp>
#include <tessera/tile/atomic.hpp>
#include <tessera/tile/collective.hpp>
#include <tessera/tile/counters.hpp>
#include <tessera/tile/key_votes.hpp>
#include <tessera/tile/match.hpp>
#include <tessera/tile/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The votes of one warp's lanes.
template <unsigned Bits, class Group>
using warp_votes = key_votes<warp_size_of<Group>, Bits>;

/// Calls body(votes) with the votes of the group, or of each of its warps.
template <unsigned Bits, class Group, class Key, class Body>
TESSERA_FN void each_votes_of_keys(Group group, Key key, bool in, Body body) {
  if constexpr (is_multi_warp<Group>) {
    auto const mine = detail::votes_of_keys<Bits>(group.in_warp(), key, in);
    group.all_gather(mine, group.lane() == 0, group.warp(), [&](slots_of<Group, warp_votes<Bits, Group>> storage) {
      TESSERA_LOOP
      for (unsigned w = 0; w < Group::warps; ++w) body(storage.read(w));
      return 0;
    });
  } else {
    body(detail::votes_of_keys<Bits>(group, key, in));
  }
}

/// One atomic for each key that occurs, with its participants' values summed in rank order.
template <class Group, class Cell, class Key, class T, class Policy>
TESSERA_FN void add_by_groups(Group group, Cell cell, Key key, T x, Policy const& policy) {
  bool const in = detail::participates(policy, group.rank());
  auto peers = detail::match_lanes(group, key, policy);
  if (!in) peers = lane_mask<Group::size>{};
  T const sum = detail::reduce_group(group, peers, x, plus{});
  if (in && peers.first() == group.rank()) detail::add_to(cell, sum);
}

/// The sum of the lanes in `group`, in every lane.
template <class Group, class T>
TESSERA_FN T sum_of_lanes(Group group, bool in_group, T x) {
  T const neutral = neutral_of<plus, T>::get(plus{});  // 0 would make +0 of a sum of −0
  return detail::reduce_lanes<policy<>>(group, in_group ? x : neutral, plus{});
}

/// One atomic if all lanes have the same key, else one a lane.
template <class Policy, class Group, class Cell, class Key, class T>
TESSERA_FN void add_all_or_each(Group group, Cell cell, Key key, T x, bool in) {
  bool together = true;
  if constexpr (!everyone_participates<Policy>) together = group.all_agree(in);
  if (together && group.all_match(key)) {
    T const sum = detail::reduce_lanes<policy<>>(group, x, plus{});
    if (group.rank() == 0) detail::add_to(cell, sum);
  } else {
    if (in) detail::add_to(cell, x);
  }
}

/// True if enough lanes seem to share keys that adding in registers first pays off.
template <class Group, class Key>
TESSERA_FN bool keys_are_crowded(Group group, Key key) {
  constexpr unsigned N = Group::size;
#if TESSERA_ARCH >= 800
  if constexpr (is_warp<Group> && N == 32) {
    return detail::bits_set(__reduce_or_sync(group.tile_mask(), 1u << (static_cast<unsigned>(key) % 32u))) <=
           crowded_keys;
  }
#endif
  return group.ballot(group.shuffle(key, 0) == key).count() * 8 > N;
}

/// Takes the keys of up to `peeled_keys` lanes in turn, and adds the values of the lanes that share one. Then every
/// lane whose value wasn't added to another's does one atomic.
template <class Group, class Cell, class Key, class T>
TESSERA_FN void add_peeled(Group group, Cell cell, Key key, T x, bool in) {
  constexpr unsigned N = Group::size;
  if (!group.all_agree(!detail::keys_are_crowded(group, key))) {
    auto open = group.ballot(in);
    for (unsigned round = 0; round < peeled_keys; ++round) {
      unsigned const leader = open.first() % N;
      bool const same = group.shuffle(key, leader) == key && open.test(group.rank());
      auto const peers = group.ballot(same);
      open = open & ~peers;
      bool const worth = peers.count() >= peeled_group;
      if (!group.all_agree(!worth)) {
        T const sum = detail::sum_of_lanes(group, same, x);
        if (worth && same) {
          x = sum;
          in = group.rank() == leader;
        }
      }
      if (group.all_agree(open.none())) break;
    }
  }
  if (in) detail::add_to(cell, x);
}

/// Adds each participant's x to its cell, by the policy's method.
template <class Group, class Cell, class Key, class T, class Policy>
TESSERA_FN void add_lanes(Group group, Cell cell, Key key, T x, Policy const& policy) {
  using method = chosen_method<Policy>;
  bool const in = detail::participates(policy, group.rank());
  constexpr bool by_groups = stl::is_same_v<method, choice::shuffles>;
  constexpr bool lane_by_lane = !by_groups && (stl::is_same_v<method, choice::hardware> || Group::size == 1 ||
                                               (adds_by_one_instruction<T> && !detail::looks_for_one_key(Group::size)));
  if constexpr (by_groups) {
    detail::add_by_groups(group, cell, key, x, policy);
  } else if constexpr (lane_by_lane) {
    if constexpr (meets_by_exchange<Group>) group.ballot(in);  // a rendezvous
    if (in) detail::add_to(cell, x);
  } else if constexpr (adds_by_one_instruction<T>) {
    detail::add_all_or_each<Policy>(group, cell, key, x, in);
  } else {
    detail::add_peeled(group, cell, key, x, in);
  }
  if constexpr (!lane_by_lane || !everyone_participates<Policy>) group.reconverge();
}

template <class Tile, class Counters, class Key, class T, class Policy>
TESSERA_FN void aggregated_add(Tile const& tile, Counters counters, Key key, T x, Policy const& policy,
                               call_site site) {
  using method = chosen_method<Policy>;
  static_assert(stl::is_integral_v<Key>, "aggregated_add(tile, counters, key, value): the key is an integer index.");
  static_assert(stl::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && !stl::is_const<T>::value,
                "aggregated_add(tile, counters, key, value): counters are integers or floats of 4 or 8 bytes.");
  detail::collective<collectives::aggregated_add, Key, T>(tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
    [[maybe_unused]] bool const in = detail::participates(policy, group.rank());
    auto const cell = detail::cell_of(counters, key);
    if constexpr (is_multi_warp<decltype(group)>) {  // each warp by itself
      if constexpr (everyone_participates<Policy>) {
        detail::add_lanes(group.in_warp(), cell, key, x, tessera::policy<method>{});
      } else {
        detail::add_lanes(group.in_warp(), cell, key, x, tessera::policy<choice::where, method>{{in}, {}});
      }
    } else {
      detail::add_lanes(group, cell, key, x, policy);
    }
  });
}

}  // namespace detail

// The call without the number of bins.
template <class Tile, class Key, class... Rest>
TESSERA_FN detail::anything histogram(Tile const&, Key const&, Rest const&...) {
  static_assert(detail::never<Tile>,
                "histogram<Bins>(tile, key): Bins is a constant: write tessera::histogram<256>(tile, key).");
  return {};
}
TESSERA_NAMESPACE_END
