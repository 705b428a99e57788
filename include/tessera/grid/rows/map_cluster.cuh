// The agent for rows that a cluster of blocks shares: those that are too long for a block, and long ones if there are
// few. Each block holds a part of the row's lanes (row_cluster).
//
//   block          0          1          2          3          of a cluster of 4
//   vectors        0 … L−1    L … 2L−1   …                     of each step of 4L vectors
//   measure        Each block stores its value into the memory of all blocks. Every warp waits until its own block has
//                  the values of all, and combines them in this order.
//
// sm_90 and later architectures have clusters.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/rows/cluster_exchange.cuh>
#include <tessera/grid/rows/map_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// Maps one row in each cluster of up to most_cluster_blocks blocks. Shape is a block_shape.
template <class Shape, class T, class Map>
__device__ void map_cluster_rows(row_task<T> const& task, Map const& map) {
#if TESSERA_ARCH >= 900
  namespace cg = cooperative_groups;
  using number = typename Map::number;
  __shared__ row_cluster_storage<number> storage;
  auto const block = cg::this_thread_block();
  cluster_exchange<number> const cluster(storage);
  unsigned const blocks = cluster.num_blocks();
  row_cluster<cg::thread_block, cluster_exchange<number>> const tile(block, cluster);
  std::int64_t const row = blockIdx.x >> tessera::detail::lowest_bit(blocks);
  detail::map_shared_row<Shape>(block, tile, blocks, task, row, true, map);
#endif
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
