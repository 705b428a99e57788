// The tables of votes and elections, for one policy: sizes × participants.
#pragma once

#include <tessera/vote.hpp>

#include "reduce_cases.hpp"

namespace test {

template <unsigned N>
struct votes {
  tessera::lane_mask<N> ballot;
  unsigned count;
  bool any, all, none;
};

template <class Policy>
struct vote_kernel {
  Policy policy;
  who participants;

  template <class Tile>
  TESSERA_FN auto operator()(Tile const& tile, lane_input<bool> in) const {
    if (participants == who::first) return all(tile, in.x, policy | tessera::first(in.n));
    if (participants == who::where) return all(tile, in.x, policy | tessera::where(in.pred));
    return all(tile, in.x, policy);
  }

  template <class Tile, class P>
  TESSERA_FN static auto all(Tile const& tile, bool x, P p) {
    return votes<tessera::tile_size_v<Tile>>{tessera::ballot(tile, x, p), tessera::count_if(tile, x, p),
                                             tessera::any_of(tile, x, p), tessera::all_of(tile, x, p),
                                             tessera::none_of(tile, x, p)};
  }
};

template <unsigned N, class Policy>
void check_votes(Policy policy) {
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(N);
    auto const lanes = make_lanes<bool>(N, random, sample<bool>);
    auto const out = backend::run<N, votes<N>>(lanes, vote_kernel<Policy>{policy, participants});
    for (unsigned base = 0; base < lanes.size(); base += N) {
      tessera::lane_mask<N> ballot{};
      unsigned against = 0, count = 0;
      for (unsigned rank = 0; rank < N; ++rank) {
        auto const& lane = lanes[base + rank];
        if (!takes_part(lane, rank, participants)) continue;
        ballot.set(rank, lane.x);
        count += lane.x ? 1 : 0;
        against += lane.x ? 0 : 1;
      }
      for (unsigned rank = 0; rank < N; ++rank) {
        votes<N> const& got = out[base + rank];
        ASSERT_TRUE(got.ballot == ballot) << "N " << N << ", tile " << base / N << ", rank " << rank;
        ASSERT_EQ(got.count, count);
        ASSERT_EQ(got.any, count > 0);
        ASSERT_EQ(got.none, count == 0);
        ASSERT_EQ(got.all, against == 0);
      }
    }
  }
}

template <class Policy, class Sizes = mask_sizes>
void check_votes_of_sizes(Policy policy, Sizes of = {}) {
  SKIP_WITHOUT_BACKEND();
  for_each_size(of, [&](auto n) { check_votes<decltype(n)::value>(policy); });
}

struct chosen {
  bool everyone, first, where;
  int result, leaders_result;
  unsigned calls;
};

template <class Policy>
struct elect_kernel {
  Policy policy;

  template <class Tile>
  TESSERA_FN chosen operator()(Tile const& tile, lane_input<bool> in) const {
    chosen out{};
    out.everyone = tessera::elect(tile, policy);
    out.first = tessera::elect(tile, policy | tessera::first(in.n));
    out.where = tessera::elect(tile, policy | tessera::where(in.pred));
    int const rank = static_cast<int>(tile.thread_rank());
    out.result = tessera::invoke_one(
        tile, [&] { return ++out.calls, 100 + rank; }, policy);
    out.leaders_result = tessera::invoke_one(
        tile, [&] { return ++out.calls, 200 + rank; }, policy | tessera::to_leader);
    tessera::invoke_one(
        tile, [&] { ++out.calls; }, policy);
    return out;
  }
};

template <unsigned N, class Policy>
void check_elections(Policy policy) {
  random_engine random(N);
  auto const lanes = make_lanes<bool>(N, random, sample<bool>);
  auto const out = backend::run<N, chosen>(lanes, elect_kernel<Policy>{policy});
  for (unsigned base = 0; base < lanes.size(); base += N) {
    unsigned voter = N;
    for (unsigned rank = N; rank-- > 0;) voter = lanes[base + rank].pred ? rank : voter;
    for (unsigned rank = 0; rank < N; ++rank) {
      chosen const& got = out[base + rank];
      ASSERT_EQ(got.everyone, rank == 0) << "N " << N << ", rank " << rank;
      ASSERT_EQ(got.first, rank == 0 && lanes[base].n > 0) << "N " << N << ", rank " << rank;
      ASSERT_EQ(got.where, rank == voter) << "N " << N << ", rank " << rank;
      ASSERT_EQ(got.result, 100);
      ASSERT_EQ(got.calls, rank == 0 ? 3u : 0u);
      if (rank == 0) {
        ASSERT_EQ(got.leaders_result, 200);
      }
    }
  }
}

}  // namespace test
