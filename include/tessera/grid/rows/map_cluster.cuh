// The agent for rows that are too long for a block: each block of a cluster holds a part of one row, and the blocks
// exchange the statistics of their parts.
//
//   block          0          1          2          3          of a cluster of 4
//   a row      |  . . .   |  . . .   |  . . .   |  . .     |   parts of whole vectors
//   measure       s0         s1         s2         s3          in each block's shared memory
//   join          Every warp reads s0 s1 s2 s3 and combines them in this order.
//
// sm_90 and later architectures have clusters.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// Maps one row in each cluster of up to 32 blocks. The row has at most blocks · Shape::row_vectors vectors, and
/// Shape::block_threads is Shape::threads_per_row.
template <class Shape, class T, class Map>
__device__ void map_cluster_rows(row_task<T> const& task, Map const& map) {
#if TESSERA_ARCH >= 900
  namespace cg = cooperative_groups;
  using statistic = typename Map::statistic;
  alignas(16) __shared__ unsigned char room[sizeof(statistic)];
  auto* const shared = reinterpret_cast<statistic*>(room);
  auto const cluster = cg::this_cluster();
  auto const block = cg::this_thread_block();
  auto const tile = tessera::this_block_tile<Shape::threads_per_row>(block);
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const blocks = cluster.num_blocks();
  auto const join = [&](statistic const& own) {
    if (tile.thread_rank() == 0) *shared = own;
    cluster.sync();
    statistic part = operator_traits<typename Map::combine, statistic>::identity(map.combining());
    if (warp.thread_rank() < blocks) part = *cluster.map_shared_rank(shared, warp.thread_rank());
    cluster.barrier_arrive();
    return tessera::reduce(warp, part, map.combining(), converged);
  };
  detail::map_part<Shape>(tile, task, map, blockIdx.x / blocks, cluster.block_rank(), blocks, join);
  cluster.barrier_wait();  // No block exits before all have read its statistic.
#endif
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
