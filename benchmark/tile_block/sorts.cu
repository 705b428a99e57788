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

/// Of 1024 lanes, two blocks fit on an SM where a thread has at most 32 registers; CUB also gets as many as it takes.
template <class T, unsigned K, unsigned N>
void add_block_sort(std::vector<chain>& chains, char const* what) {
  using subject = std::conditional_t<N == 1024, dense<sorting<T, K>>, sorting<T, K>>;
  auto const add = [&](auto of, auto method, char const* name, bench::kind kind) {
    chains.push_back(make_chain<decltype(of), decltype(method), N, N>(what, name, kind));
  };
  add(subject{}, our_block_sort{}, "tessera, block tile", kind::ours);
  add(subject{}, cub_radix_sort{}, "CUB radix", kind::peer);
  add(subject{}, cub_block_merge_sort{}, "CUB merge", kind::peer);
  if constexpr (N == 1024) {
    add(sorting<T, K>{}, cub_radix_sort{}, "CUB radix, registers", kind::peer);
    add(sorting<T, K>{}, cub_block_merge_sort{}, "CUB merge, registers", kind::peer);
    add(sorting<T, K>{}, our_block_sort{}, "tessera, registers", kind::ours);
  }
  add(subject{}, loop_only{}, "loop only", kind::loop);
}

void add_block_sorts(std::vector<chain>& chains) {
  add_block_sort<unsigned, 4, 64>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 4, 128>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 4, 256>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 4, 1024>(chains, "sort of 4 uint32 a lane");
  add_block_sort<unsigned, 16, 256>(chains, "sort of 16 uint32 a lane");
  add_block_sort<float, 4, 128>(chains, "sort of 4 floats a lane");
  add_block_sort<float, 4, 256>(chains, "sort of 4 floats a lane");
}

}  // namespace bench
