// Histograms of a tile's keys: in registers, one counter a bin; and in memory, with few atomics where many keys are equal.
//
//   rank                      0 1 2 3 4 5 6 7
//   key                       2 0 2 2 1 0 2 9
//   histogram<4>, to_all      2 1 4 0 in every lane
//   histogram<4>, scattered   2 1 4 0 . . . .      key 9 has no bin
//   aggregated_add(c, key, x) c[2] += x0 + x2 + x3 + x6, c[0] += x1 + x5, c[1] += x4, c[9] += x7
//
// Sources: A. Adinetz, "Voting and shuffling to optimize atomic operations", 2014 (warp-aggregated atomics); one ballot per
// bit of the key, as in the multi-split of S. Ashkiani et al., "GPU Multisplit", 2016.
#pragma once

#include <tessera/atomic.hpp>
#include <tessera/detail/counters.hpp>
#include <tessera/items.hpp>
#include <tessera/match.hpp>
#include <tessera/tuning.hpp>

namespace tessera {

namespace detail {

/// What up to 32 lanes know of each other's keys: who has a bin, and each bit of its number.
template <unsigned N, unsigned Bits>
struct key_votes {
  lane_mask<N> in;
  lane_mask<N> bit[Bits];

  /// How many have this bin.
  TESSERA_FN unsigned count(unsigned bin) const {
    lane_mask<N> among = in;
    TESSERA_UNROLL
    for (unsigned b = 0; b < Bits; ++b) among = among & ((bin >> b & 1u) != 0 ? bit[b] : ~bit[b]);
    return among.count();
  }
};
template <unsigned Bits, class Group, class Key>
TESSERA_FN auto votes_of_keys(Group group, Key key, bool in) {
  key_votes<Group::size, Bits> votes;
  votes.in = group.ballot(in);
  TESSERA_UNROLL
  for (unsigned b = 0; b < Bits; ++b)
    votes.bit[b] = group.ballot((static_cast<unsigned>(key) >> b & 1u) != 0);
  return votes;
}

/// The votes of one warp's lanes.
template <unsigned Bits, class Group>
using warp_votes = key_votes<(Group::size < 32 ? Group::size : 32), Bits>;

/// Calls body(votes) of the tile's lanes; several warps: of each warp's.
template <unsigned Bits, class Group, class Key, class Body>
TESSERA_FN void each_votes_of_keys(Group group, Key key, bool in, Body body) {
  if constexpr (is_multi_warp<Group>) {
    auto const mine = detail::votes_of_keys<Bits>(group.in_warp(), key, in);
    group.all_gather(mine, group.lane() == 0, group.warp(),
                     [&](slots_of<Group, warp_votes<Bits, Group>> slots) {
                       TESSERA_LOOP
                       for (unsigned w = 0; w < Group::warps; ++w) body(slots.read(w));
                       return 0;
                     });
  } else {
    body(detail::votes_of_keys<Bits>(group, key, in));
  }
}

TESSERA_FN constexpr unsigned bits_for(unsigned count) {
  unsigned bits = 1;
  while (bits < 32 && (1u << bits) < count) ++bits;
  return bits;
}

/// One atomic for each key that occurs, of its participants' values in rank order.
template <class Group, class Cell, class Key, class T, class Policy>
TESSERA_FN void add_by_groups(Group group, Cell cell, Key key, T x, Policy const& policy) {
  bool const in = participates(policy, group.rank());
  auto peers = detail::match_lanes(group, key, policy);
  if (!in) peers = lane_mask<Group::size>{};
  T const sum = detail::reduce_group(group, peers, x, plus{});
  if (in && peers.first() == group.rank()) detail::add_to(cell, sum);
}

/// The sum of the lanes in `group`, in every lane.
template <class Group, class T>
TESSERA_FN T sum_of_lanes(Group group, bool in_group, T x) {
  T const neutral =
      neutral_element<operator_traits<plus, T>, T, plus>::get(plus{});  // 0 would make +0 of a sum of −0
  return detail::reduce_lanes<policy<>>(group, in_group ? x : neutral, plus{});
}

/// One atomic where all lanes have the same key, else one a lane.
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

/// Whether so many lanes seem to share their key with others that it pays to add first.
template <class Group, class Key>
TESSERA_FN bool keys_are_crowded(Group group, Key key) {
  constexpr unsigned N = Group::size;
#if TESSERA_ARCH >= 800
  if constexpr (is_warp<Group> && N == 32) {
    return bits_set(__reduce_or_sync(group.tile_mask(), 1u << (static_cast<unsigned>(key) % 32u))) <=
           crowded_keys;
  }
#endif
  return group.ballot(group.shuffle(key, 0) == key).count() * 8 > N;
}

/// The keys of up to `peeled_keys` lanes in turn: where others share one, they are added first. Then one atomic a lane, of
/// those whose value hasn't gone into another's.
template <class Group, class Cell, class Key, class T>
TESSERA_FN void add_peeled(Group group, Cell cell, Key key, T x, bool in) {
  constexpr unsigned N = Group::size;
  if (!group.all_agree(!keys_are_crowded(group, key))) {
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

/// Each participant's x into its cell, by the policy's method.
template <class Group, class Cell, class Key, class T, class Policy>
TESSERA_FN void add_lanes(Group group, Cell cell, Key key, T x, Policy const& policy) {
  using method = typename Policy::method;
  bool const in = participates(policy, group.rank());
  constexpr bool by_groups = stl::is_same_v<method, choice::shuffles>;
  constexpr bool lane_by_lane =
      !by_groups && (stl::is_same_v<method, choice::hardware> || Group::size == 1 ||
                     (adds_by_one_instruction<T> && !looks_for_one_key(Group::size)));
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
  using method = typename Policy::method;
  static_assert(stl::is_integral_v<Key>,
                "aggregated_add(tile, counters, key, value): the key is an integer index.");
  static_assert(
      stl::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && !stl::is_const<T>::value,
      "aggregated_add(tile, counters, key, value): counters are integers or floats of 4 or 8 bytes.");
  detail::collective<collectives::aggregated_add, Key,
                     T>(tile, policy, site, 0, [&](group_of<Tile, Policy> group) {
    [[maybe_unused]] bool const in = participates(policy, group.rank());
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

/// How many participants have each of the keys 0 … Bins − 1. Other keys aren't counted.
///
///   auto const counts = tessera::histogram<8>(tile, digit);    // counts[3]: how many lanes have digit 3
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Key        any integer type.  Bins: 1 … 1024.
/// Returns    items<unsigned, Bins> in every lane; with `scattered` the count of bin i in lane i, and 0 in lanes without a
///            bin: unsigned for Bins ≤ N, else items<unsigned, ⌈Bins / N⌉>, bin s · N + i in item s of lane i.
/// Policies   convergence, placement (to_all, scattered), participants.
/// Cost       ⌈log2(Bins)⌉ + 1 votes, and for each bin that the lane gets as many bit operations and a population count.
///            N > 32: two barriers, and the latter for each warp.
template <unsigned Bins, class Tile, class Key, class Policy = policy<>>
TESSERA_FN auto histogram(Tile const& tile, Key key, Policy policy = {}, call_site site = call_site::here()) {
  static_assert(stl::is_integral_v<Key> && sizeof(Key) <= 8,
                "histogram<Bins>(tile, key): the key is an integer, the number of its bin.");
  static_assert(
      Bins >= 1 && Bins <= 1024,
      "histogram<Bins>(tile, key): 1 to 1024 bins; for more, count in memory: aggregated_add(tile, counters, "
      "key).");
  static_assert(!stl::is_same_v<typename Policy::placement, choice::to_leader>,
                "histogram<Bins>(tile, key): every lane counts for itself: write to_all or scattered.");
  constexpr unsigned N = tile_size_v<Tile>;
  return detail::collective<detail::collectives::histogram, Key>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        constexpr unsigned Bits = detail::bits_for(Bins);
        bool const has_bin = static_cast<unsigned long long>(key) < Bins;  // a negative key is beyond them
        bool const in = has_bin && detail::participates(policy, group.rank());
        constexpr bool scatter = stl::is_same_v<typename Policy::placement, choice::scattered>;
        items<unsigned, (scatter ? (Bins + N - 1) / N : Bins)> out{};
        using votes_t = detail::warp_votes<Bits, decltype(group)>;
        detail::each_votes_of_keys<Bits>(group, key, in, [&](votes_t const& votes) {
          TESSERA_UNROLL
          for (unsigned s = 0; s < out.size(); ++s) {
            unsigned const bin = scatter ? s * N + group.rank() : s;
            unsigned const count = votes.count(bin);
            out[s] += bin < Bins ? count : 0u;
          }
        });
        if constexpr (scatter && Bins <= N) {
          return out[0];
        } else {
          return out;
        }
      });
}

/// Adds each participant's x to `counters[key]`, with fewer atomics where lanes of the tile have the same key.
///
///   tessera::aggregated_add(tile, sums, group, value);
///
/// Called by  all lanes of the tile (with `converged`: of the warp). No barrier: who reads the counters must wait as for any
///            atomic.
/// counters   a pointer to global or shared memory, or on host tiles a host::shared<T>.
/// x          of the counters' type, an integer or float of 4 or 8 bytes. Sums of floats come out in any order.
/// Policies   convergence, participants, method: `automatic`, the choice of tuning.hpp; `shuffles`, one atomic for each key
///            that occurs; `hardware`, one a lane.
/// Cost       integers of 4 bytes: one atomic a lane; 32 lanes look first, by one `match.all`, and where all keys are equal
///            take one `reduce` and one atomic. Others: one shuffle and vote, and where keys are crowded up to 4 times a shuffle, a vote and a `reduce`, which
///            leave one atomic of all lanes with a frequent key. `shuffles`: as reduce_by_label. N > 32: each warp by itself.
template <class Tile, class Counters, class Key, class T, class Policy = policy<>>
TESSERA_FN void aggregated_add(Tile const& tile, Counters counters, Key key, T x, Policy policy = {},
                               call_site site = call_site::here()) {
  static_assert(stl::is_convertible<T, detail::counter_t<Counters>>::value,
                "aggregated_add(tile, counters, key, x, policy): x is a value of the counters' type.");
  detail::aggregated_add(tile, counters, key, static_cast<detail::counter_t<Counters>>(x), policy, site);
}

/// Counts: adds one to `counters[key]` for each participant. The GPU's shared memory takes equal keys together by itself, so
/// that `automatic` is one atomic a lane.
template <class Tile, class Counters, class Key, class... Choices>
TESSERA_FN void aggregated_add(Tile const& tile, Counters counters, Key key, policy<Choices...> policy = {},
                               call_site site = call_site::here()) {
  using T = detail::counter_t<Counters>;
  using method = typename tessera::policy<Choices...>::method;
  if constexpr (stl::is_same_v<method, choice::automatic> && stl::is_integral_v<T>) {
    detail::aggregated_add(tile, counters, key, T{1}, policy | hardware, site);
  } else {
    detail::aggregated_add(tile, counters, key, T{1}, policy, site);
  }
}

}  // namespace tessera
