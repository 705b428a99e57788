// ballot, any_of, all_of, none_of and count_if, under every policy that they take.
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

}  // namespace
