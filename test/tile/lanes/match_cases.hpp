// The table of match_any, match_all, peers and reduce_by_label, for one type of key: sizes × participants,
// with few, many or no equal keys.
#pragma once

#include <tessera/match.hpp>

#include <map>

#include "reduce_cases.hpp"

namespace test {

/// A key of sixteen bytes without padding. Keys may differ in any byte.
struct wide_key {
  unsigned long long low, high;
};

template <class Key>
Key make_key(unsigned k) {
  if constexpr (std::is_same_v<Key, wide_key>) {
    return {7, static_cast<unsigned long long>(k) << 40};
  } else if constexpr (std::is_floating_point_v<Key>) {
    return k == 0 ? -Key(0) : k == 1 ? Key(0) : k == 2 ? std::numeric_limits<Key>::quiet_NaN() : Key(k);
  } else {
    return static_cast<Key>(static_cast<Key>(k) << (8 * sizeof(Key) - 8));
  }
}

template <class Key>
struct match_input {
  Key key;
  digits x;
  unsigned number;  // the number of the key
  unsigned n;
  bool pred;
};

template <unsigned N>
struct match_output {
  tessera::lane_mask<N> any;
  unsigned rank, leader, count;
  bool all, is_leader;
  digits reduced, led;
  unsigned trues;
};

template <class Policy>
struct match_kernel {
  Policy policy;
  who participants;

  template <class Tile, class Key>
  TESSERA_FN auto operator()(Tile const& tile, match_input<Key> in) const {
    if (participants == who::first) return call(tile, in, policy | tessera::first(in.n));
    if (participants == who::where) return call(tile, in, policy | tessera::where(in.pred));
    return call(tile, in, policy);
  }
  template <class Tile, class Key, class P>
  TESSERA_FN auto call(Tile const& tile, match_input<Key> in, P p) const {
    auto const op = tessera::make_operator(digit_concatenation{}, digits{0, 1});
    auto const peers = tessera::peers(tile, in.key, policy);
    return match_output<tessera::tile_size_v<Tile>>{
        tessera::match_any(tile, in.key, p),
        peers.rank,
        peers.leader,
        peers.count(),
        tessera::match_all(tile, in.key, p),
        peers.is_leader(),
        tessera::reduce_by_label(tile, in.key, in.x, op, p),
        tessera::reduce_by_label(tile, in.key, in.x, op, p | tessera::to_leader),
        tessera::reduce_by_label(tile, in.key, in.pred, tessera::plus{}, p)};
  }
};

template <unsigned N, class Key, class Policy>
void check_match(Policy policy) {
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(N + 100 * static_cast<unsigned>(participants));
    std::vector<match_input<Key>> lanes;
    unsigned kinds = 0;
    for (auto const& lane : make_lanes<digits>(N, random, sample<digits>)) {
      if (lanes.size() % N == 0) {
        unsigned const choices[] = {1, 2, 3, 5, 40, 200};
        kinds = choices[random() % (N > 32 ? 6 : 5)];
      }
      unsigned const k = static_cast<unsigned>(random() % kinds);
      lanes.push_back({make_key<Key>(k), lane.x, k, lane.n, lane.pred});
    }
    auto const out = backend::run<N, match_output<N>>(lanes, match_kernel<Policy>{policy, participants});
    for (unsigned base = 0; base < lanes.size(); base += N) {
      std::map<unsigned, std::vector<unsigned>> groups, everyones;  // ranks by key
      auto const in = [&](unsigned rank) {
        return takes_part<char>({0, lanes[base + rank].n, lanes[base + rank].pred}, rank, participants);
      };
      for (unsigned rank = 0; rank < N; ++rank) {
        everyones[lanes[base + rank].number].push_back(rank);
        if (in(rank)) groups[lanes[base + rank].number].push_back(rank);
      }
      for (unsigned rank = 0; rank < N; ++rank) {
        match_output<N> const& got = out[base + rank];
        auto const& group = groups[lanes[base + rank].number];
        auto const& peers = everyones[lanes[base + rank].number];
        tessera::lane_mask<N> mask{};
        unsigned trues = 0;
        for (unsigned r : group) {
          mask.set(r);
          trues += lanes[base + r].pred ? 1 : 0;
        }
        // The order is that of a tile that consists of the group's members.
        std::vector<lane_input<digits>> members;
        for (unsigned r : group) members.push_back({lanes[base + r].x, 0, true});
        auto const expected = members.empty() || !in(rank)
                                  ? digits{0, 1}
                                  : *sequence_of(members.data(), static_cast<unsigned>(members.size()), who::everyone,
                                                 digit_concatenation{});
        auto const where = ::testing::Message() << "N " << N << ", participants " << static_cast<int>(participants)
                                                << ", tile " << base / N << ", rank " << rank;
        ASSERT_TRUE(got.any == mask) << where;
        ASSERT_EQ(got.rank, std::find(peers.begin(), peers.end(), rank) - peers.begin()) << where;
        ASSERT_EQ(got.leader, peers[0]) << where;
        ASSERT_EQ(got.count, peers.size()) << where;
        ASSERT_EQ(got.is_leader, peers[0] == rank) << where;
        ASSERT_EQ(got.all, std::count_if(groups.begin(), groups.end(), [](auto& g) { return !g.second.empty(); }) <= 1)
            << where;
        ASSERT_TRUE(same(got.reduced, expected)) << where << ": got " << show(got.reduced);
        ASSERT_EQ(got.trues, in(rank) ? trues : 0) << where;
        if (in(rank) && group[0] == rank) {
          ASSERT_TRUE(same(got.led, expected)) << where << ": got " << show(got.led);
        }
      }
    }
  }
}

template <class Key, class Policy = tessera::policy<>, class Sizes = mask_sizes>
void check_matches(Policy policy = {}, Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_match<decltype(n)::value, Key>(policy); });
}

}  // namespace test
