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
template <unsigned Bits, class Lanes, class Key>
TESSERA_FN auto votes_of_keys(Lanes lanes, Key key, bool in) {
  key_votes<Lanes::size, Bits> votes;
  votes.in = lanes.ballot(in);
  TESSERA_UNROLL
  for (unsigned b = 0; b < Bits; ++b)
    votes.bit[b] = lanes.ballot((static_cast<unsigned>(key) >> b & 1u) != 0);
  return votes;
}

/// The votes of one warp's lanes.
template <unsigned Bits, class Lanes>
using warp_votes = key_votes<(Lanes::size < 32 ? Lanes::size : 32), Bits>;

/// Calls body(votes) of the tile's lanes; several warps: of each warp's.
template <unsigned Bits, class Lanes, class Key, class Body>
TESSERA_FN void each_votes_of_keys(Lanes lanes, Key key, bool in, Body body) {
  if constexpr (is_multi_warp<Lanes>) {
    auto const mine = detail::votes_of_keys<Bits>(lanes.in_warp(), key, in);
    lanes.share(mine, lanes.lane() == 0, lanes.warp(), [&](slots_of<Lanes, warp_votes<Bits, Lanes>> slots) {
      TESSERA_LOOP
      for (unsigned w = 0; w < Lanes::warps; ++w) body(slots.read(w));
      return 0;
    });
  } else {
    body(detail::votes_of_keys<Bits>(lanes, key, in));
  }
}

TESSERA_FN constexpr unsigned bits_for(unsigned count) {
  unsigned bits = 1;
  while (bits < 32 && (1u << bits) < count) ++bits;
  return bits;
}

/// One atomic for each key that occurs, of its participants' values in rank order.
template <class Lanes, class Cell, class Key, class T, class Policy>
TESSERA_FN void add_by_groups(Lanes lanes, Cell cell, Key key, T x, Policy const& policy) {
  bool const in = participates(policy, lanes.rank());
  auto group = detail::match_lanes(lanes, key, policy);
  if (!in) group = lane_mask<Lanes::size>{};
  T const sum = detail::reduce_group(lanes, group, x, plus{});
  if (in && group.first() == lanes.rank()) detail::add_to(cell, sum);
}

/// The sum of the lanes in `group`, in every lane.
template <class Lanes, class T>
TESSERA_FN T sum_of_lanes(Lanes lanes, bool in_group, T x) {
  T const neutral =
      padding_of<operator_traits<plus, T>, T, plus>::get(plus{});  // 0 would make +0 of a sum of −0
  return detail::reduce_lanes<policy<>>(lanes, in_group ? x : neutral, plus{});
}

/// One atomic where all lanes have the same key, else one a lane.
template <class Policy, class Lanes, class Cell, class Key, class T>
TESSERA_FN void add_all_or_each(Lanes lanes, Cell cell, Key key, T x, bool in) {
  bool together = true;
  if constexpr (!everyone_participates<Policy>) together = lanes.all_agree(in);
  if (together && lanes.all_match(key)) {
    T const sum = detail::reduce_lanes<policy<>>(lanes, x, plus{});
    if (lanes.rank() == 0) detail::add_to(cell, sum);
  } else {
    if (in) detail::add_to(cell, x);
  }
}

/// Whether so many lanes seem to share their key with others that it pays to add first.
template <class Lanes, class Key>
TESSERA_FN bool keys_are_crowded(Lanes lanes, Key key) {
  constexpr unsigned N = Lanes::size;
#if TESSERA_ARCH >= 800
  if constexpr (is_warp<Lanes> && N == 32) {
    return bits_set(__reduce_or_sync(lanes.tile_mask(), 1u << (static_cast<unsigned>(key) % 32u))) <=
           crowded_keys;
  }
#endif
  return lanes.ballot(lanes.shuffle(key, 0) == key).count() * 8 > N;
}

/// The keys of up to `peeled_keys` lanes in turn: where others share one, they are added first. Then one atomic a lane, of
/// those whose value hasn't gone into another's.
template <class Lanes, class Cell, class Key, class T>
TESSERA_FN void add_peeled(Lanes lanes, Cell cell, Key key, T x, bool in) {
  constexpr unsigned N = Lanes::size;
  if (!lanes.all_agree(!keys_are_crowded(lanes, key))) {
    auto open = lanes.ballot(in);
    for (unsigned round = 0; round < peeled_keys; ++round) {
      unsigned const leader = open.first() % N;
      bool const same = lanes.shuffle(key, leader) == key && open.test(lanes.rank());
      auto const group = lanes.ballot(same);
      open = open & ~group;
      bool const worth = group.count() >= peeled_group;
      if (!lanes.all_agree(!worth)) {
        T const sum = detail::sum_of_lanes(lanes, same, x);
        if (worth && same) {
          x = sum;
          in = lanes.rank() == leader;
        }
      }
      if (lanes.all_agree(open.none())) break;
    }
  }
  if (in) detail::add_to(cell, x);
}

/// Each participant's x into its cell, by the policy's method.
template <class Lanes, class Cell, class Key, class T, class Policy>
TESSERA_FN void add_lanes(Lanes lanes, Cell cell, Key key, T x, Policy const& policy) {
  using method = typename Policy::method;
  bool const in = participates(policy, lanes.rank());
  constexpr bool by_groups = stl::is_same_v<method, choice::shuffles>;
  constexpr bool lane_by_lane =
      !by_groups && (stl::is_same_v<method, choice::hardware> || Lanes::size == 1 ||
                     (adds_by_one_instruction<T> && !looks_for_one_key(Lanes::size)));
  if constexpr (by_groups) {
    detail::add_by_groups(lanes, cell, key, x, policy);
  } else if constexpr (lane_by_lane) {
    if constexpr (meets_by_exchange<Lanes>) lanes.ballot(in);  // a rendezvous
    if (in) detail::add_to(cell, x);
  } else if constexpr (adds_by_one_instruction<T>) {
    detail::add_all_or_each<Policy>(lanes, cell, key, x, in);
  } else {
    detail::add_peeled(lanes, cell, key, x, in);
  }
  if constexpr (!lane_by_lane || !everyone_participates<Policy>) lanes.reconverge();
}

template <class Tile, class Counters, class Key, class T, class Policy>
TESSERA_FN void aggregated_add(Tile const& tile, Counters counters, Key key, T x, Policy const& policy,
                               call_site site) {
  using method = typename Policy::method;
  require_tile<Tile>();
  require_policy<Policy, policy_kind::convergence, policy_kind::participants, policy_kind::method>();
  static_assert(stl::is_integral_v<Key>,
                "aggregated_add(tile, counters, key, value): the key is an integer index.");
  static_assert(
      stl::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8) && !stl::is_const<T>::value,
      "aggregated_add(tile, counters, key, value): counters are integers or floats of 4 or 8 bytes.");
  detail::collective(tile, policy, collective_name<Key, T>{"aggregated_add", site}, uniform_of(policy),
                     [&](lanes_of<Tile, Policy> lanes) {
                       [[maybe_unused]] bool const in = participates(policy, lanes.rank());
                       auto const cell = detail::cell_of(counters, key);
                       if constexpr (is_multi_warp<decltype(lanes)>) {  // each warp by itself
                         if constexpr (everyone_participates<Policy>) {
                           detail::add_lanes(lanes.in_warp(), cell, key, x, tessera::policy<method>{});
                         } else {
                           detail::add_lanes(lanes.in_warp(), cell, key, x,
                                             tessera::policy<choice::where, method>{{in}, {}});
                         }
                       } else {
                         detail::add_lanes(lanes, cell, key, x, policy);
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
  detail::require_tile<Tile>();
  detail::require_policy<Policy, policy_kind::convergence, policy_kind::placement,
                         policy_kind::participants>();
  constexpr unsigned N = tile_size_v<Tile>;
  return detail::collective(
      tile, policy, detail::collective_name<Key>{"histogram", site}, detail::uniform_of(policy),
      [&](detail::lanes_of<Tile, Policy> lanes) {
        constexpr unsigned Bits = detail::bits_for(Bins);
        bool const has_bin = static_cast<unsigned long long>(key) < Bins;  // a negative key is beyond them
        bool const in = has_bin && detail::participates(policy, lanes.rank());
        constexpr bool scatter = stl::is_same_v<typename Policy::placement, choice::scattered>;
        items<unsigned, (scatter ? (Bins + N - 1) / N : Bins)> out{};
        using votes_t = detail::warp_votes<Bits, decltype(lanes)>;
        detail::each_votes_of_keys<Bits>(lanes, key, in, [&](votes_t const& votes) {
          TESSERA_UNROLL
          for (unsigned s = 0; s < out.size(); ++s) {
            unsigned const bin = scatter ? s * N + lanes.rank() : s;
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
