// The blocks that tiles of several warps stand in, and what their methods share.
#pragma once

#include "../methods.cuh"

#include <tessera/block_tile.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scratch.hpp>

#include <string>
#include <vector>

namespace bench {

enum class blocks {
  filled,   // with tiles, 512 threads of them; a tile of 1024 is the block
  of_1024,  // filled with tiles, 1024 threads of them
  of_tile,  // the tile is the block
};
template <blocks Blocks, unsigned N>
inline constexpr unsigned threads_of = Blocks == blocks::of_tile              ? N
                                       : Blocks == blocks::of_1024 || N > 512 ? 1024
                                                                              : 512;

/// Adds the chains of one method, of every size from First on.
template <class Subject, class Method, blocks Blocks, unsigned First = 64, unsigned Last = 1024>
void add_sizes(std::vector<chain>& chains, char const* what, std::string const& method, bench::kind kind) {
  chains.push_back(make_chain<Subject, Method, First, threads_of<Blocks, First>>(what, method, kind));
  if constexpr (First < Last) {
    add_sizes<Subject, Method, Blocks, 2 * First, Last>(chains, what, method, kind);
  }
}

/// The same chains in kernels of which as many fit on an SM as it has threads for, whoever takes more than 32 registers.
template <class Subject>
struct dense : Subject {
  static constexpr unsigned least_threads = threads_per_sm;
};

/// tessera's methods: the tile is one of cooperative_groups.
struct on_partition : for_all_lanes {
  static constexpr bool exact = true;
};
/// The tile is the block, and its type says so.
struct on_block : on_partition {
  template <unsigned N>
  __device__ static auto make_tile() {
    return tessera::this_block_tile<N>(cg::this_thread_block());
  }
};

/// What a method exchanges through.
struct own_memory {
  template <class T, unsigned N>
  __device__ static auto policy() {
    return tessera::policy<>{};
  }
};
/// Memory of the kernel's.
template <blocks Blocks>
struct callers_memory {
  template <class T, unsigned N>
  __device__ static auto policy() {
    __shared__ tessera::scratch<T, threads_of<Blocks, N>> scratch;
    return tessera::shared(scratch);
  }
};

}  // namespace bench
