// The tiles of the kernels whose PTX is checked.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/cluster_tile.hpp>

namespace {

namespace cg = cooperative_groups;
using namespace tessera;

template <unsigned N>
__device__ auto tile() {
  return tessera::tiled_partition<N>(cg::this_thread_block());
}
template <unsigned N>
__device__ auto block() {
  return tessera::this_block_tile<N>(cg::this_thread_block());
}
template <unsigned N>
__device__ auto padded() {
  return tessera::padded_block_tile<N>(cg::this_thread_block());
}
/// 8 blocks of 256 threads.
__device__ inline auto cluster() {
  return tessera::this_cluster_tile<2048, 256>(cg::this_cluster());
}

}  // namespace
