// Sums and scans of the two coalesced groups into which a mask divides a warp, by tessera and by cooperative_groups.
#pragma once

#include "../methods.cuh"

#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <tessera/coalesced_group.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

#include <string>

namespace bench {

/// The sums, or the inclusive scans, of the lanes in the mask and of the others.
template <class T, unsigned Mask, bool Scans>
struct of_groups : plain_subject<T> {
  static T weight(unsigned /*rank*/, unsigned width) { return weight_value<T>(0.5f / static_cast<float>(width)); }
  template <std::size_t N>
  static std::array<T, N> expected(std::array<T, N> const& x) {
    std::array<T, N> result;
    T total[2] = {0, 0};
    for (unsigned lane = 0; lane < N; ++lane) {
      T& so_far = total[Mask >> lane & 1u];
      so_far = sum(so_far, x[lane]);
      result[lane] = so_far;
    }
    if constexpr (!Scans) {
      for (unsigned lane = 0; lane < N; ++lane) result[lane] = total[Mask >> lane & 1u];
    }
    return result;
  }

 private:
  static float sum(float a, float b) { return a + b; }
  static int sum(int a, int b) {  // wraps around
    return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  }
};

/// A method on the calling lane's group, which is made before the loop.
template <unsigned Mask>
struct on_groups : for_all_lanes {
  template <unsigned N>
  __device__ static cg::coalesced_group make_tile() {
    auto const warp = cg::tiled_partition<N>(cg::this_thread_block());
    return cg::binary_partition(warp, (Mask >> warp.thread_rank() & 1u) != 0);
  }
};

template <unsigned Mask, bool Scans>
struct our_groups : on_groups<Mask> {
  template <class T>
  __device__ T operator()(cg::coalesced_group const& group, T x) const {
    if constexpr (Scans) {
      return tessera::inclusive_scan(group, x);
    } else {
      return tessera::reduce(group, x);
    }
  }
};

template <unsigned Mask, bool Scans>
struct cooperative_groups_groups : on_groups<Mask> {
  template <class T>
  __device__ T operator()(cg::coalesced_group const& group, T x) const {
    if constexpr (Scans) {
      return cg::inclusive_scan(group, x, cg::plus<T>{});
    } else {
      return cg::reduce(group, x, cg::plus<T>{});
    }
  }
};

template <class T, unsigned Mask>
void add_groups(std::vector<chain>& chains, std::string const& type, std::string const& lanes) {
  std::string const sum = type + " sum, " + lanes, scan = type + " scan, " + lanes;
  chains.push_back(make_chain<of_groups<T, Mask, false>, our_groups<Mask, false>, 32>(sum, "tessera", kind::ours));
  chains.push_back(
      make_chain<of_groups<T, Mask, false>, cooperative_groups_groups<Mask, false>, 32>(sum, "cg", kind::peer));
  chains.push_back(make_chain<of_groups<T, Mask, true>, our_groups<Mask, true>, 32>(scan, "tessera", kind::ours));
  chains.push_back(
      make_chain<of_groups<T, Mask, true>, cooperative_groups_groups<Mask, true>, 32>(scan, "cg", kind::peer));
}

template <class T>
void add_all_groups(std::vector<chain>& chains, std::string const& type) {
  add_groups<T, 0xffffffffu>(chains, type, "all lanes");
  add_groups<T, 0x55555555u>(chains, type, "every other lane");
  add_groups<T, 0x0001ffffu>(chains, type, "the first 17 lanes");
  add_groups<T, 0x9e3779b9u>(chains, type, "20 scattered lanes");
  add_groups<T, 0x00010010u>(chains, type, "2 lanes");
}

}  // namespace bench
