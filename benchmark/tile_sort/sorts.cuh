// Sorts of a tile of one warp: the methods of a chain.
#pragma once

#include "../sorting.cuh"

#include <cub/warp/warp_merge_sort.cuh>

namespace bench {

template <class Convergence>
struct our_sort : for_all_lanes {
  template <unsigned N, class X>
  __device__ X operator()(tile<N> const& lanes, X const& x) const {
    return tessera::sort(lanes, x, tessera::less{}, tessera::policy<Convergence>{});
  }
};

struct cub_merge_sort : for_all_lanes {
  template <unsigned N, class T, unsigned K>
  __device__ tessera::items<T, K> operator()(tile<N> const&, tessera::items<T, K> x) const {
    using sort = cub::WarpMergeSort<T, K, N>;
    __shared__ typename sort::TempStorage storage[threads_per_block / N];
    __syncwarp();  // after the reads of the previous call
    sort(storage[threadIdx.x / N]).Sort(x.item, plain_less{});
    return x;
  }
};

template <class Convergence>
struct our_sort_by_key : for_all_lanes {
  template <unsigned N, unsigned K>
  __device__ key_value_row<K> operator()(tile<N> const& lanes, key_value_row<K> const& x) const {
    auto const sorted = tessera::sort_by_key(lanes, x.keys, x.values, tessera::less{}, tessera::policy<Convergence>{});
    return {sorted.keys, sorted.values};
  }
};
struct cub_merge_sort_by_key : for_all_lanes {
  template <unsigned N, unsigned K>
  __device__ key_value_row<K> operator()(tile<N> const&, key_value_row<K> x) const {
    using sort = cub::WarpMergeSort<unsigned, K, N, unsigned>;
    __shared__ typename sort::TempStorage storage[threads_per_block / N];
    __syncwarp();  // after the reads of the previous call
    sort(storage[threadIdx.x / N]).Sort(x.keys.item, x.values.item, plain_less{});
    return x;
  }
};

/// A bitonic network as one writes it by hand for a full warp: no promises, unsigned keys only.
struct plain_network : for_all_lanes {
  template <unsigned N, unsigned K>
  __device__ tessera::items<unsigned, K> operator()(tile<N> const&, tessera::items<unsigned, K> x) const {
    unsigned const first = threadIdx.x % N * K;
#pragma unroll
    for (unsigned size = 2; size <= N * K; size *= 2) {
#pragma unroll
      for (unsigned apart = size / 2; apart > 0; apart /= 2) {
        if (apart >= K) {
#pragma unroll
          for (unsigned i = 0; i < K; ++i) {
            unsigned const other = __shfl_xor_sync(~0u, x[i], apart / K);
            bool const rising = ((first + i) & size) == 0, lower = ((first + i) & apart) == 0;
            x[i] = rising == lower ? min(x[i], other) : max(x[i], other);
          }
        } else {
#pragma unroll
          for (unsigned i = 0; i < K; ++i) {
            if ((i & apart) == 0) {
              bool const rising = ((first + i) & size) == 0;
              unsigned const a = x[i], b = x[i + apart];
              x[i] = rising ? min(a, b) : max(a, b);
              x[i + apart] = rising ? max(a, b) : min(a, b);
            }
          }
        }
      }
    }
    return x;
  }
};

template <class T, unsigned K, unsigned N>
void add_sort(std::vector<chain>& chains, std::string const& what) {
  namespace choice = tessera::choice;
  auto const add = [&](auto method, char const* name, bench::kind kind) {
    chains.push_back(make_chain<sorting<T, K>, decltype(method), N>(what, name, kind));
  };
  add(our_sort<choice::adaptive>{}, "tessera adaptive", kind::ours);
  add(our_sort<choice::converged>{}, "tessera converged", kind::ours);
  add(cub_merge_sort{}, "CUB WarpMergeSort", kind::peer);
  if constexpr (std::is_same_v<T, unsigned>) add(plain_network{}, "plain network", kind::peer);
  add(loop_only{}, "loop only", kind::loop);
}
template <class T, unsigned K>
void add_sorts(std::vector<chain>& chains, std::string const& type) {
  std::string const what = std::to_string(K) + " " + type + " a lane";
  add_sort<T, K, 8>(chains, what);
  add_sort<T, K, 16>(chains, what);
  add_sort<T, K, 32>(chains, what);
}

template <unsigned K, unsigned N>
void add_pair_sort(std::vector<chain>& chains, std::string const& what) {
  namespace choice = tessera::choice;
  auto const add = [&](auto method, char const* name, bench::kind kind) {
    chains.push_back(make_chain<sorting_pairs<K>, decltype(method), N>(what, name, kind));
  };
  add(our_sort_by_key<choice::adaptive>{}, "tessera adaptive", kind::ours);
  add(our_sort_by_key<choice::converged>{}, "tessera converged", kind::ours);
  add(cub_merge_sort_by_key{}, "CUB WarpMergeSort", kind::peer);
  add(loop_only{}, "loop only", kind::loop);
}
template <unsigned K>
void add_pair_sorts(std::vector<chain>& chains) {
  std::string const what = std::to_string(K) + " uint32 a lane, with values";
  add_pair_sort<K, 8>(chains, what);
  add_pair_sort<K, 16>(chains, what);
  add_pair_sort<K, 32>(chains, what);
}

}  // namespace bench
