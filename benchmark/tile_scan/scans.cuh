// Scans of a tile, with one value per lane, by every method. The operator is plus.
#pragma once

#include "../methods.cuh"

#include <cooperative_groups/scan.h>
#include <cub/warp/warp_scan.cuh>
#include <tessera/scan.hpp>

namespace bench {

template <class T, bool Exclusive>
struct scan : plain_subject<T> {
  static T weight(unsigned /*rank*/, unsigned width) { return weight_value<T>(0.5f / static_cast<float>(width)); }
  template <std::size_t N>
  static std::array<T, N> expected(std::array<T, N> const& x) {
    std::array<T, N> result;
    T before = 0;
    for (std::size_t lane = 0; lane < N; ++lane) {
      T const with_own = sum(before, x[lane]);
      result[lane] = Exclusive ? before : with_own;
      before = with_own;
    }
    return result;
  }

 private:
  static float sum(float a, float b) { return a + b; }
  static int sum(int a, int b) {  // wraps around
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  }
};

template <bool Exclusive, class... Choices>
struct our_scan : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    constexpr tessera::policy<Choices...> policy{};
    if constexpr (Exclusive) {
      return tessera::exclusive_scan(lanes, x, tessera::plus{}, policy);
    } else {
      return tessera::inclusive_scan(lanes, x, tessera::plus{}, policy);
    }
  }
};

template <bool Exclusive>
struct cooperative_groups_scan : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    if constexpr (Exclusive) {
      return cg::exclusive_scan(lanes, x, cg::plus<T>{});
    } else {
      return cg::inclusive_scan(lanes, x, cg::plus<T>{});
    }
  }
};

template <bool Exclusive>
struct cub_scan : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
    typename cub::WarpScan<T, N>::TempStorage none;  // the algorithm shuffles, and doesn't use it
    T result;
    if constexpr (Exclusive) {
      cub::WarpScan<T, N>(none).ExclusiveSum(x, result);
    } else {
      cub::WarpScan<T, N>(none).InclusiveSum(x, result);
    }
    return result;
  }
};

/// The usual hand-written scan: Kogge and Stone's steps with the full mask.
template <bool Exclusive>
struct hand_written_scan : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
    unsigned const rank = threadIdx.x % N;
#pragma unroll
    for (unsigned delta = 1; delta < N; delta *= 2) {
      T const before = __shfl_up_sync(0xffffffffu, x, delta, static_cast<int>(N));
      if (rank >= delta) x += before;
    }
    if constexpr (Exclusive) {
      x = __shfl_up_sync(0xffffffffu, x, 1, static_cast<int>(N));
      return rank == 0 ? T{0} : x;
    } else {
      return x;
    }
  }
};

/// The same, with the shuffle's own predicate, which tells whether the source lane exists.
template <bool Exclusive>
struct hand_written_predicate : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
#pragma unroll
    for (unsigned delta = 1; delta < N; delta *= 2) add_from<N>(x, delta);
    if constexpr (Exclusive) {
      T const before = __shfl_up_sync(0xffffffffu, x, 1, static_cast<int>(N));
      return threadIdx.x % N == 0 ? T{0} : before;
    } else {
      return x;
    }
  }

 private:
  template <unsigned N>
  __device__ static void add_from(float& x, unsigned delta) {
    asm volatile("{ .reg .f32 y; .reg .pred p; shfl.sync.up.b32 y|p, %0, %1, %2, 0xffffffff; @p add.f32 %0, y, %0; }"
                 : "+f"(x)
                 : "r"(delta), "n"((32 - N) << 8));
  }
  template <unsigned N>
  __device__ static void add_from(int& x, unsigned delta) {
    asm volatile("{ .reg .s32 y; .reg .pred p; shfl.sync.up.b32 y|p, %0, %1, %2, 0xffffffff; @p add.s32 %0, y, %0; }"
                 : "+r"(x)
                 : "r"(delta), "n"((32 - N) << 8));
  }
};

template <class T, bool Exclusive>
void add_scans(std::vector<chain>& chains, char const* what) {
  using subject = scan<T, Exclusive>;
  namespace choice = tessera::choice;
  add_widths<subject, our_scan<Exclusive, choice::adaptive>>(chains, what, "tessera adaptive", kind::ours);
  add_widths<subject, our_scan<Exclusive, choice::converged>>(chains, what, "tessera converged", kind::ours);
  add_widths<subject, our_scan<Exclusive, choice::isolated>>(chains, what, "tessera isolated", kind::ours);
  add_widths<subject, cooperative_groups_scan<Exclusive>>(chains, what, "cg", kind::peer);
  add_widths<subject, cub_scan<Exclusive>>(chains, what, "CUB WarpScan", kind::peer);
  add_widths<subject, hand_written_scan<Exclusive>>(chains, what, "hand-written", kind::peer);
  add_widths<subject, hand_written_predicate<Exclusive>>(chains, what, "hand-written, predicate", kind::peer);
  add_widths<subject, loop_only>(chains, what, "loop only", kind::loop);
}

}  // namespace bench
