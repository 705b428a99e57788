// Sums of a tile of several warps by every method.
//
// CUB's result is in thread 0. To reach all lanes it goes through shared memory, with one more barrier,
// after which CUB's TempStorage may be used again, too. Without the broadcast a barrier between two uses of
// TempStorage is still needed.
#pragma once

#include "../tile_reduce/reductions.cuh"
#include "blocks.cuh"

#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>

namespace bench {

template <class Op, class Tiles = on_partition, class Memory = own_memory>
struct our_sum : Tiles {
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, T x) const {
    return tessera::reduce(tile, x, Op{}, Memory::template policy<T, Tile::size()>());
  }
};

struct cooperative_groups_sum : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const& lanes, T x) const {
    return cg::reduce(lanes, x, cg::plus<T>{});
  }
};

template <class Op, cub::BlockReduceAlgorithm Algorithm, unsigned N, class T>
__device__ T cub_to_thread_0(T x) {
  using reduce = cub::BlockReduce<T, N, Algorithm>;
  __shared__ typename reduce::TempStorage storage;
  if constexpr (std::is_same_v<Op, tessera::plus>) {
    return reduce(storage).Sum(x);
  } else {
    return reduce(storage).Reduce(x, Op{});
  }
}

template <class Op, cub::BlockReduceAlgorithm Algorithm>
struct cub_sum_and_broadcast : for_all_lanes {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
    __shared__ T result;
    T const sum = cub_to_thread_0<Op, Algorithm, N>(x);
    if (threadIdx.x == 0) result = sum;
    __syncthreads();
    return result;  // the next call writes `result` after a barrier of its own
  }
};

// ---- Sums to the leader: the other lanes continue with their own value

template <class Op, class Tiles = on_partition, class Memory = own_memory>
struct our_leader_sum : Tiles {
  static constexpr bool leader_only = true;
  template <class Tile, class T>
  __device__ T operator()(Tile const& tile, T x) const {
    auto const policy = Memory::template policy<T, Tile::size()>() | tessera::to_leader;
    T const sum = tessera::reduce(tile, x, Op{}, policy);
    return threadIdx.x % Tile::size() == 0 ? sum : x;
  }
};

template <class Op, cub::BlockReduceAlgorithm Algorithm>
struct cub_leader_sum : for_the_leader {
  template <unsigned N, class T>
  __device__ T operator()(tile<N> const&, T x) const {
    T const sum = cub_to_thread_0<Op, Algorithm, N>(x);
    __syncthreads();  // before the next call writes to the storage
    return threadIdx.x == 0 ? sum : x;
  }
};

// ---- The chains of each table

template <class T, bool AllBlocks = false>
void add_sums(std::vector<chain>& chains, char const* what) {
  using tessera::plus;
  using sum = dense<reduction<T, add, true>>;
  using theirs = cooperative_groups_sum;
  add_sizes<sum, our_sum<plus>, blocks::filled>(chains, what, "tessera", kind::ours);
  add_sizes<sum, our_sum<plus>, blocks::of_tile>(chains, what, "tessera, block = tile", kind::ours);
  add_sizes<sum, our_sum<plus, on_block>, blocks::of_tile>(chains, what, "tessera, block tile", kind::ours);
  add_sizes<sum, our_sum<plus, on_partition, callers_memory<blocks::filled>>, blocks::filled>(
      chains, what, "tessera, shared", kind::ours);
  add_sizes<sum, our_sum<plus, on_block, callers_memory<blocks::of_tile>>, blocks::of_tile>(
      chains, what, "tessera, block, shared", kind::ours);
  add_sizes<sum, theirs, blocks::filled>(chains, what, "cg", kind::peer);
  add_sizes<sum, theirs, blocks::of_tile>(chains, what, "cg, block = tile", kind::peer);
  if constexpr (AllBlocks) {
    add_sizes<sum, our_sum<plus>, blocks::of_1024, 64, 64>(chains, what, "tessera, 1024 threads", kind::ours);
    add_sizes<sum, theirs, blocks::of_1024, 64, 64>(chains, what, "cg, 1024 threads", kind::peer);
    add_sizes<sum, loop_only, blocks::filled>(chains, what, "loop only", kind::loop);
  }
}

/// Adds CUB's three algorithms, in blocks of First threads and more.
template <class Subject, class Op, template <class, cub::BlockReduceAlgorithm> class Method, unsigned First = 64>
void add_cub(std::vector<chain>& chains, char const* what, std::string const& more = "") {
  using by_warps = Method<Op, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  using raking = Method<Op, cub::BLOCK_REDUCE_RAKING>;
  using commutative = Method<Op, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>;
  add_sizes<Subject, by_warps, blocks::of_tile, First>(chains, what, "CUB warps" + more, kind::peer);
  add_sizes<Subject, raking, blocks::of_tile, First>(chains, what, "CUB raking" + more, kind::peer);
  add_sizes<Subject, commutative, blocks::of_tile, First>(chains, what, "CUB commutative" + more, kind::peer);
}

/// Adds them for plain types. Blocks of 1024 threads are also measured without a bound on the registers, so
/// that one block fits on an SM.
template <class Subject, template <class, cub::BlockReduceAlgorithm> class Method>
void add_cub_sums(std::vector<chain>& chains, char const* what) {
  add_cub<dense<Subject>, tessera::plus, Method>(chains, what);
  add_cub<Subject, tessera::plus, Method, 1024>(chains, what, ", registers");
}

}  // namespace bench
