// The blocks for tiles of several warps, and the parts that their methods share.
#pragma once

#include "../methods.cuh"

#include <tessera/block_tile.hpp>
#include <tessera/core/scratch.hpp>
#include <tessera/reduce.hpp>

#include <string>
#include <vector>

namespace bench {

enum class blocks {
  filled,   // blocks of 512 threads are divided into tiles; a tile of 1024 is the block
  of_1024,  // blocks of 1024 threads are divided into tiles
  of_tile,  // the tile is the block
};
template <blocks Blocks, unsigned N>
inline constexpr unsigned threads_of = Blocks == blocks::of_tile              ? N
                                       : Blocks == blocks::of_1024 || N > 512 ? 1024
                                                                              : 512;

/// Adds the chains of one method, for every size from First to Last.
template <class Subject, class Method, blocks Blocks, unsigned First = 64, unsigned Last = 1024>
void add_sizes(std::vector<chain>& chains, char const* what, std::string const& method, bench::kind kind) {
  chains.push_back(make_chain<Subject, Method, First, threads_of<Blocks, First>>(what, method, kind));
  if constexpr (First < Last) {
    add_sizes<Subject, Method, Blocks, 2 * First, Last>(chains, what, method, kind);
  }
}

/// The same subject in kernels with at most 32 registers per thread, so that an SM can have all of its
/// threads.
template <class Subject>
struct dense : Subject {
  static constexpr unsigned least_threads = threads_per_sm;
};

/// The base of tessera's methods on a tile of cooperative_groups.
struct on_partition : for_all_lanes {
  static constexpr bool exact = true;
};
/// The base of tessera's methods on a tile that is the block, and whose type says so.
struct on_block : on_partition {
  template <unsigned N>
  __device__ static auto make_tile() {
    return tessera::this_block_tile<N>(cg::this_thread_block());
  }
};

/// The method exchanges through the library's own memory.
struct own_memory {
  template <class T, unsigned N>
  __device__ static auto policy() {
    return tessera::policy<>{};
  }
};
/// The method exchanges through a scratch of the kernel.
template <blocks Blocks>
struct callers_memory {
  template <class T, unsigned N>
  __device__ static auto policy() {
    __shared__ tessera::scratch<T, threads_of<Blocks, N>> scratch;
    return tessera::shared(scratch);
  }
};

}  // namespace bench
