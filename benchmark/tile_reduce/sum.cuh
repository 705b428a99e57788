// Sums of values of one type, by every method.
#pragma once

#include "reductions.cuh"

#include <cooperative_groups/reduce.h>
#include <cub/warp/warp_reduce.cuh>

namespace bench {

struct cooperative_groups_sum : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return cg::reduce(lanes, x, cg::plus<T>{});
  }
};

struct cub_sum : for_the_leader {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
    typename cub::WarpReduce<T, N>::TempStorage none;  // the algorithm shuffles, and doesn't use it
    return cub::WarpReduce<T, N>(none).Sum(x);
  }
};

/// Broadcasts the result in the fastest way, by one more shuffle with the full mask.
struct cub_sum_and_broadcast : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return __shfl_sync(0xffffffffu, cub_sum{}(lanes, x), 0, static_cast<int>(N));
  }
};

template <class T, unsigned InARow = 1>
void add_sums(std::vector<chain>& chains, char const* what) {
  using sum = reduction<T, add, true, InARow>;
  using tessera::plus;
  namespace choice = tessera::choice;
  add_widths<sum, ours<plus, choice::adaptive>>(chains, what, "tessera adaptive", kind::ours);
  add_widths<sum, ours<plus, choice::converged>>(chains, what, "tessera converged", kind::ours);
  add_widths<sum, ours<plus, choice::isolated>>(chains, what, "tessera isolated", kind::ours);
  add_widths<sum, cooperative_groups_sum>(chains, what, "cg::reduce", kind::peer);
  add_widths<sum, cub_sum>(chains, what, "CUB (lane 0 only)", kind::peer);
  add_widths<sum, cub_sum_and_broadcast>(chains, what, "CUB + broadcast", kind::peer);
  add_widths<sum, hand_written<add>>(chains, what, "hand-written", kind::peer);
  add_widths<sum, loop_only>(chains, what, "loop only", kind::loop);
}

}  // namespace bench
