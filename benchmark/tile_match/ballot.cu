// Ballots by every method.
#include "../methods.cuh"
#include "chains.hpp"

#include <tessera/vote.hpp>

namespace bench {

namespace {

BENCH_FN bool votes(unsigned x) {
  return static_cast<int>(x) < 0;
}

/// A lane's vote is the highest bit of its value.
struct ballot : plain_subject<unsigned> {
  static unsigned weight(unsigned /*rank*/, unsigned /*width*/) { return 2654435761u; }
  template <std::size_t N>
  static std::array<unsigned, N> expected(std::array<unsigned, N> const& x) {
    unsigned all = 0;
    for (unsigned lane = 0; lane < N; ++lane) all |= unsigned{votes(x[lane])} << lane;
    std::array<unsigned, N> result;
    result.fill(all);
    return result;
  }
};

template <class Convergence>
struct our_ballot : for_all_lanes {
  template <unsigned N>
  __device__ unsigned operator()(tile<N> const& lanes, unsigned x) const {
    return tessera::ballot(lanes, votes(x), tessera::policy<Convergence>{}).word();
  }
};

struct cooperative_groups_ballot : for_all_lanes {
  template <unsigned N>
  __device__ unsigned operator()(tile<N> const& lanes, unsigned x) const {
    return lanes.ballot(votes(x));
  }
};

struct hand_written_ballot : for_all_lanes {
  template <unsigned N>
  __device__ unsigned operator()(tile<N> const&, unsigned x) const {
    unsigned const first = threadIdx.x % warp_lanes / N * N;
    return (__ballot_sync(0xffffffffu, votes(x)) >> first) & (0xffffffffu >> (warp_lanes - N));
  }
};

}  // namespace

void add_ballots(std::vector<chain>& chains) {
  namespace choice = tessera::choice;
  char const* const what = "ballot";
  add_widths<ballot, our_ballot<choice::adaptive>>(chains, what, "tessera adaptive", kind::ours);
  add_widths<ballot, our_ballot<choice::converged>>(chains, what, "tessera converged", kind::ours);
  add_widths<ballot, our_ballot<choice::isolated>>(chains, what, "tessera isolated", kind::ours);
  add_widths<ballot, cooperative_groups_ballot>(chains, what, "cg", kind::peer);
  add_widths<ballot, hand_written_ballot>(chains, what, "hand-written", kind::peer);
  add_widths<ballot, loop_only>(chains, what, "loop only", kind::loop);
}

}  // namespace bench
