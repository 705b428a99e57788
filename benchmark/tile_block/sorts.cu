// Sorts of a tile of several warps.
#include "../sorting.cuh"
#include "blocks.cuh"
#include "chains.hpp"

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>

namespace bench {

struct our_block_sort : on_block {
  template <class Tile, class X>
  __device__ X operator()(Tile const& tile, X const& x) const {
    return tessera::sort(tile, x);
  }
};
struct cub_radix_sort : for_all_lanes {
  template <unsigned N, class T, unsigned K>
  __device__ tessera::items<T, K> operator()(tile<N> const&, tessera::items<T, K> x) const {
    using sort = cub::BlockRadixSort<T, N, K>;
    __shared__ typename sort::TempStorage storage;
    __syncthreads();  // after the reads of the previous call
    sort(storage).Sort(x.item);
    return x;
  }
};
struct cub_block_merge_sort : for_all_lanes {
  template <unsigned N, class T, unsigned K>
  __device__ tessera::items<T, K> operator()(tile<N> const&, tessera::items<T, K> x) const {
    using sort = cub::BlockMergeSort<T, N, K>;
    __shared__ typename sort::TempStorage storage;
    __syncthreads();  // after the reads of the previous call
    sort(storage).Sort(x.item, plain_less{});
    return x;
  }
};

struct our_block_sort_by_key : on_block {
  template <class Tile, unsigned K>
  __device__ key_value_row<K> operator()(Tile const& tile, key_value_row<K> const& x) const {
    auto const sorted = tessera::sort_by_key(tile, x.keys, x.values);
    return {sorted.keys, sorted.values};
  }
};
struct cub_radix_sort_by_key : for_all_lanes {
  template <unsigned N, unsigned K>
  __device__ key_value_row<K> operator()(tile<N> const&, key_value_row<K> x) const {
    using sort = cub::BlockRadixSort<unsigned, N, K, unsigned>;
    __shared__ typename sort::TempStorage storage;
    __syncthreads();  // after the reads of the previous call
    sort(storage).Sort(x.keys.item, x.values.item);
    return x;
  }
};
struct cub_block_merge_sort_by_key : for_all_lanes {
  template <unsigned N, unsigned K>
  __device__ key_value_row<K> operator()(tile<N> const&, key_value_row<K> x) const {
    using sort = cub::BlockMergeSort<unsigned, N, K, unsigned>;
    __shared__ typename sort::TempStorage storage;
    __syncthreads();  // after the reads of the previous call
    sort(storage).Sort(x.keys.item, x.values.item, plain_less{});
    return x;
  }
};

/// Of 1024 lanes, two blocks fit on an SM where a thread has at most 32 registers; all also get as many as they take.
template <class Sorting, unsigned N, class Ours, class Radix, class Merge>
void add_chains(std::vector<chain>& chains, char const* what) {
  using subject = std::conditional_t<N == 1024, dense<Sorting>, Sorting>;
  auto const add = [&](auto of, auto method, char const* name, bench::kind kind) {
    chains.push_back(make_chain<decltype(of), decltype(method), N, N>(what, name, kind));
  };
  add(subject{}, Ours{}, "tessera, block tile", kind::ours);
  add(subject{}, Radix{}, "CUB radix", kind::peer);
  add(subject{}, Merge{}, "CUB merge", kind::peer);
  if constexpr (N == 1024) {
    add(Sorting{}, Radix{}, "CUB radix, registers", kind::peer);
    add(Sorting{}, Merge{}, "CUB merge, registers", kind::peer);
    add(Sorting{}, Ours{}, "tessera, registers", kind::ours);
  }
  add(subject{}, loop_only{}, "loop only", kind::loop);
}
template <class T, unsigned K, unsigned N>
void add_block_sort(std::vector<chain>& chains, char const* what) {
  add_chains<sorting<T, K>, N, our_block_sort, cub_radix_sort, cub_block_merge_sort>(chains, what);
}
template <unsigned K, unsigned N>
void add_block_sort_by_key(std::vector<chain>& chains, char const* what) {
  add_chains<sorting_pairs<K>, N, our_block_sort_by_key, cub_radix_sort_by_key, cub_block_merge_sort_by_key>(chains,
                                                                                                             what);
}

void add_block_sorts(std::vector<chain>& chains) {
  add_block_sort<unsigned, 4, 64>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 4, 128>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 4, 256>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 4, 1024>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 16, 256>(chains, "sort of 16 uint32 a lane");
  add_block_sort<float, 4, 128>(chains, "sort of 4 floats a lane");
  add_block_sort<float, 4, 256>(chains, "sort of 4 floats a lane");
  add_block_sort_by_key<4, 64>(chains, "sort of 4 uint32 a lane, with values");
  add_block_sort_by_key<4, 128>(chains, "sort of 4 uint32 a lane, with values");
  add_block_sort_by_key<4, 256>(chains, "sort of 4 uint32 a lane, with values");
  add_block_sort_by_key<4, 1024>(chains, "sort of 4 uint32 a lane, with values");
  add_block_sort_by_key<16, 256>(chains, "sort of 16 uint32 a lane, with values");
}

}  // namespace bench
