// ballot, any_of, all_of, none_of, count_if, elect and invoke_one, under every policy that they take.
#include <tessera/vote.hpp>

#include "reduce_cases.hpp"

namespace {

using namespace test;

struct votes {
  unsigned ballot, count;
  bool any, all, none;
};

template <class Policy>
struct vote_kernel {
  Policy policy;
  who participants;

  template <class Tile>
  TESSERA_FN votes operator()(Tile const& tile, lane_input<bool> in) const {
    if (participants == who::first) return all(tile, in.x, policy | tessera::first(in.n));
    if (participants == who::where) return all(tile, in.x, policy | tessera::where(in.pred));
    return all(tile, in.x, policy);
  }

  template <class Tile, class P>
  TESSERA_FN static votes all(Tile const& tile, bool x, P p) {
    return {tessera::ballot(tile, x, p).word(), tessera::count_if(tile, x, p), tessera::any_of(tile, x, p),
            tessera::all_of(tile, x, p), tessera::none_of(tile, x, p)};
  }
};

template <unsigned N, class Policy>
void check_votes(Policy policy) {
  for (who participants : {who::everyone, who::first, who::where}) {
    random_engine random(N);
    auto const lanes = make_lanes<bool>(N, random, sample<bool>);
    auto const out = backend::run<N, votes>(lanes, vote_kernel<Policy>{policy, participants});
    for (unsigned base = 0; base < lanes.size(); base += N) {
      unsigned ballot = 0, against = 0, count = 0;
      for (unsigned rank = 0; rank < N; ++rank) {
        auto const& lane = lanes[base + rank];
        if (!takes_part(lane, rank, participants)) continue;
        if (lane.x) ballot |= 1u << rank;
        count += lane.x ? 1 : 0;
        against += lane.x ? 0 : 1;
      }
      for (unsigned rank = 0; rank < N; ++rank) {
        votes const& got = out[base + rank];
        ASSERT_EQ(got.ballot, ballot) << "N " << N << ", tile " << base / N << ", rank " << rank;
        ASSERT_EQ(got.count, count);
        ASSERT_EQ(got.any, count > 0);
        ASSERT_EQ(got.none, count == 0);
        ASSERT_EQ(got.all, against == 0);
      }
    }
  }
}

template <class Policy>
void check_votes_of_all_sizes(Policy policy) {
  SKIP_WITHOUT_BACKEND();
  check_votes<1>(policy);
  check_votes<2>(policy);
  check_votes<4>(policy);
  check_votes<8>(policy);
  check_votes<16>(policy);
  check_votes<32>(policy);
}

TEST(Vote, Adaptive) {
  check_votes_of_all_sizes(tessera::policy<>{});
}
TEST(Vote, Converged) {
  check_votes_of_all_sizes(tessera::converged | tessera::to_leader);
}
TEST(Vote, Isolated) {
  check_votes_of_all_sizes(tessera::to_all | tessera::isolated);
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

TEST(Vote, OneLaneIsElected) {
  SKIP_WITHOUT_BACKEND();
  check_elections<1>(tessera::policy<>{});
  check_elections<4>(tessera::policy<>{});
  check_elections<8>(tessera::converged);
  check_elections<16>(tessera::isolated);
  check_elections<32>(tessera::policy<>{});
}

}  // namespace
