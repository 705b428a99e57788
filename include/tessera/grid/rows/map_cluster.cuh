// The agent for rows that a cluster of blocks shares: those that are too long for a block, and long ones if there are
// few. Each block holds a part of the row's lanes (row_cluster).
//
//   block          0          1          2          3          of a cluster of 4
//   vectors        0 … L−1    L … 2L−1   …                     of each step of 4L vectors
//   measure        Every warp reads the values of all warps of all blocks, and combines them in this order.
//
// sm_90 and later architectures have clusters.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/rows/map_rows.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

#if TESSERA_ARCH >= 900
/// The memory by which the blocks of this thread's cluster exchange values.
template <class X>
class gpu_cluster {
 public:
  __device__ explicit gpu_cluster(row_block_storage<X>& storage) : storage_(storage) {}

  __device__ unsigned block_rank() const { return cluster_.block_rank(); }
  __device__ unsigned num_blocks() const { return cluster_.num_blocks(); }
  __device__ row_block_storage<X>& storage() const { return storage_; }
  __device__ row_block_storage<X>& storage_of(unsigned block) const {
    return *cluster_.map_shared_rank(&storage_, block);
  }
  __device__ void sync() const { cluster_.sync(); }
  __device__ void leave() const { cluster_.barrier_arrive(); }

 private:
  row_block_storage<X>& storage_;
  cooperative_groups::cluster_group cluster_ = cooperative_groups::this_cluster();
};
#endif

/// Maps one row in each cluster of up to 8 blocks. Shape is a block_shape.
template <class Shape, class T, class Map>
__device__ void map_cluster_rows(row_task<T> const& task, Map const& map) {
#if TESSERA_ARCH >= 900
  namespace cg = cooperative_groups;
  using number = typename Map::number;
  __shared__ row_block_storage<number> storage;
  auto const cluster = cg::this_cluster();
  auto const block = cg::this_thread_block();
  gpu_cluster<number> const exchange(storage);
  unsigned const blocks = cluster.num_blocks();
  row_cluster<cg::thread_block, gpu_cluster<number>> const tile(block, exchange);
  detail::map_shared_row<Shape>(block, tile, blocks, task, blockIdx.x / blocks, true, map);
  cluster.barrier_wait();  // No block exits before all have read its values.
#endif
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
