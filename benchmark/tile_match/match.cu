// match_any by every method, with few or many different keys.
#include "../methods.cuh"
#include "chains.hpp"

#include <tessera/match.hpp>

namespace bench {

namespace {

/// A tile has `Different` different keys, or as many as lanes, and other tiles have other keys. The next
/// key is computed from the lanes of a group and a value that they have in common, so that these properties
/// stay.
template <unsigned Different>
struct match : plain_subject<unsigned> {
  static unsigned own(unsigned thread, unsigned width) { return thread % width % Different + 64 * (thread / width); }
  static unsigned weight(unsigned /*rank*/, unsigned /*width*/) { return 1; }
  template <std::size_t N>
  static std::array<unsigned, N> expected(std::array<unsigned, N> const& key) {
    std::array<unsigned, N> result{};
    for (unsigned lane = 0; lane < N; ++lane) {
      for (unsigned other = 0; other < N; ++other) result[lane] |= unsigned{key[other] == key[lane]} << other;
    }
    return result;
  }
};

template <class Convergence>
struct our_match : for_all_lanes {
  template <unsigned N>
  __device__ unsigned operator()(tile<N> const& lanes, unsigned key) const {
    return tessera::match_any(lanes, key, tessera::policy<Convergence>{}).word();
  }
};

struct cooperative_groups_match : for_all_lanes {
  template <unsigned N>
  __device__ unsigned operator()(tile<N> const& lanes, unsigned key) const {
    return lanes.match_any(key);
  }
};

struct match_by_shuffles : for_all_lanes {
  template <unsigned N>
  __device__ unsigned operator()(tile<N> const&, unsigned key) const {
    unsigned const rank = threadIdx.x % N;
    unsigned same = 1u << rank;
#pragma unroll
    for (unsigned bits = 1; bits < N; ++bits) {
      unsigned const other = __shfl_xor_sync(0xffffffffu, key, static_cast<int>(bits), static_cast<int>(N));
      if (other == key) same |= 1u << (rank ^ bits);
    }
    return same;
  }
};

struct match_by_instruction : for_all_lanes {
  template <unsigned N>
  __device__ unsigned operator()(tile<N> const&, unsigned key) const {
    unsigned const first = threadIdx.x % warp_lanes / N * N;
    return (__match_any_sync(0xffffffffu, key) >> first) & (0xffffffffu >> (warp_lanes - N));
  }
};

template <unsigned Different>
void add_keys(std::vector<chain>& chains, char const* what) {
  using subject = match<Different>;
  namespace choice = tessera::choice;
  add_widths<subject, our_match<choice::adaptive>>(chains, what, "tessera adaptive", kind::ours);
  add_widths<subject, our_match<choice::converged>>(chains, what, "tessera converged", kind::ours);
  add_widths<subject, our_match<choice::isolated>>(chains, what, "tessera isolated", kind::ours);
  add_widths<subject, cooperative_groups_match>(chains, what, "cg", kind::peer);
  add_widths<subject, match_by_shuffles>(chains, what, "shuffles by hand", kind::peer);
  add_widths<subject, match_by_instruction>(chains, what, "match.any by hand", kind::peer);
  add_widths<subject, loop_only>(chains, what, "loop only", kind::loop);
}

}  // namespace

void add_matches(std::vector<chain>& chains) {
  add_keys<1>(chains, "match_any, all equal");
  add_keys<4>(chains, "match_any, 4 keys");
  add_keys<warp_lanes>(chains, "match_any, all different");
}

}  // namespace bench
