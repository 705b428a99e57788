// Histograms of a tile's keys: in registers, one counter a bin; and in memory, with fewer atomics if many keys are
// equal.
//
//   rank                      0 1 2 3 4 5 6 7
//   key                       2 0 2 2 1 0 2 9
//   histogram<4>, to_all      2 1 4 0 in every lane
//   histogram<4>, scattered   2 1 4 0 . . . .      key 9 has no bin
//   aggregated_add(c, key, x) c[2] += x0 + x2 + x3 + x6, c[0] += x1 + x5, c[1] += x4, c[9] += x7
//
// Sources: A. Adinetz, "Voting and shuffling to optimize atomic operations", 2014 (warp-aggregated atomics); one ballot
// per bit of the key, as in the multi-split of S. Ashkiani et al., "GPU Multisplit", 2016.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/policy.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/tile/histogram.hpp>

TESSERA_NAMESPACE_BEGIN

/// The number of participants with each of the keys 0 … Bins − 1. Other keys aren't counted.
///
///   auto const counts = tessera::histogram<8>(tile, digit);    // counts[3]: how many lanes have digit 3
///
/// Called by  all lanes of the tile (with `converged`: of the warp).
/// Key        any integer type.
/// Bins       1 … 1024.
/// Returns    items<unsigned, Bins> in every lane. With `scattered`, lane i gets the count of bin i as an unsigned, 0
///            if there is no such bin; for Bins > N an items<unsigned, ⌈Bins / N⌉> with bin s · N + i in item s of lane
///            i.
/// Policies   convergence, placement (to_all, scattered), participants.
/// Cost       ⌈log2(Bins)⌉ + 1 votes, and for each bin that the lane gets as many bit operations and a population
///            count. N > 32: two barriers, these bit operations for each warp, and a slot a warp of a word for each
///            vote (scratch.hpp).
template <unsigned Bins, class Tile, class Key, class Policy = policy<>>
TESSERA_FN auto histogram(Tile const& tile, Key key, Policy policy = {}, call_site site = call_site::here()) {
  static_assert(stl::is_integral_v<Key> && sizeof(Key) <= 8,
                "histogram<Bins>(tile, key): the key is an integer, the number of its bin.");
  static_assert(Bins >= 1 && Bins <= 1024,
                "histogram<Bins>(tile, key): 1 to 1024 bins; for more, count in memory: aggregated_add(tile, counters, "
                "key).");
  static_assert(!stl::is_same_v<detail::chosen_placement<Policy>, choice::to_leader>,
                "histogram<Bins>(tile, key): every lane counts for itself: write to_all or scattered.");
  constexpr unsigned N = tile_size_v<Tile>;
  return detail::collective<detail::collectives::histogram, Key>(
      tile, policy, site, 0, [&](detail::group_of<Tile, Policy> group) {
        constexpr unsigned Bits = detail::bits_for(Bins);
        bool const has_bin = static_cast<unsigned long long>(key) < Bins;  // a negative key is beyond them
        bool const in = has_bin && detail::participates(policy, group.rank());
        constexpr bool scatter = stl::is_same_v<detail::chosen_placement<Policy>, choice::scattered>;
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

/// Adds each participant's x to `counters[key]`, with fewer atomics if lanes of the tile have the same key.
///
///   tessera::aggregated_add(tile, sums, group, value);
///
/// Called by  all lanes of the tile (with `converged`: of the warp). No barrier: a reader of the counters must wait as
///            for any atomic.
/// counters   a pointer to global or shared memory, or on host tiles a host::shared<T>.
/// key        any integer type. Precondition: `counters[key]` exists for each participant.
/// x          of the counters' type, an integer or float of 4 or 8 bytes. Floats are added in an unspecified order.
/// Policies   convergence, participants, method: `automatic`, by the rules of tuning.hpp; `shuffles`, one atomic for
///            each key that occurs; `hardware`, one atomic a lane.
/// Cost       4-byte integers: one atomic a lane; 32 lanes first do one `match.all`, and if all keys are equal, one
///            `reduce` and one atomic. Other types: one shuffle and vote; if few keys are frequent, up to 4 times a
///            shuffle, a vote and a `reduce`, after which all lanes with a frequent key share one atomic. `shuffles`:
///            as reduce_by_label. N > 32: each warp by itself.
template <class Tile, class Counters, class Key, class T, class Policy = policy<>>
TESSERA_FN void aggregated_add(Tile const& tile, Counters counters, Key key, T x, Policy policy = {},
                               call_site site = call_site::here()) {
  static_assert(stl::is_convertible<T, detail::counter_t<Counters>>::value,
                "aggregated_add(tile, counters, key, x, policy): x is a value of the counters' type.");
  detail::aggregated_add(tile, counters, key, static_cast<detail::counter_t<Counters>>(x), policy, site);
}

/// Counts: adds one to `counters[key]` for each participant. The GPU's shared memory takes equal keys together by
/// itself, so that `automatic` is one atomic a lane.
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

TESSERA_NAMESPACE_END
