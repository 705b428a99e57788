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

#include <tessera/core/words.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/group/gpu_cluster.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

#if TESSERA_ARCH >= 900
/// The shared memory of a block: what its own threads share, and for each of the reductions of a row a value of each
/// block, and the barrier at which the bytes of these values arrive.
template <class X>
struct row_cluster_storage {
  row_block_storage<X> of_block;
  X of_blocks[row_block_storage<X>::reductions][most_cluster_blocks];
  std::uint64_t barrier[row_block_storage<X>::reductions];
};

/// The exchange of values between the blocks of this thread's cluster.
template <class X>
class gpu_cluster {
 public:
  /// Called by all threads of the cluster.
  __device__ explicit gpu_cluster(row_cluster_storage<X>& storage) : storage_(storage) {
    if (threadIdx.x == 0) {
      TESSERA_UNROLL
      for (std::uint64_t& barrier : storage.barrier)
        tessera::detail::expect_bytes_once(address(barrier), num_blocks() * sizeof(X));
    }
    tessera::detail::arrive_at_cluster_barrier();
  }

  __device__ unsigned block_rank() const { return tessera::detail::block_of_cluster(); }
  __device__ unsigned num_blocks() const { return tessera::detail::blocks_of_cluster(); }
  __device__ row_block_storage<X>& storage() const { return storage_.of_block; }
  __device__ void begin() const { tessera::detail::wait_at_cluster_barrier(); }
  __device__ void all_gather(X const& x, unsigned number) const {
    unsigned const barrier = address(storage_.barrier[number]), to = threadIdx.x;
    if (to < num_blocks())
      tessera::detail::send_to_block(
          tessera::detail::address_in_block(address(storage_.of_blocks[number][block_rank()]), to),
          tessera::detail::to_words(x).word, tessera::detail::address_in_block(barrier, to));
    tessera::detail::wait_for_phase(barrier, 0);
  }
  __device__ X value_of(unsigned block, unsigned number) const { return storage_.of_blocks[number][block]; }

 private:
  template <class Word>
  __device__ static unsigned address(Word& word) {
    return tessera::detail::shared_address(TESSERA_ADDRESS_OF(word));
  }

  row_cluster_storage<X>& storage_;
};
#endif

/// Maps one row in each cluster of up to most_cluster_blocks blocks. Shape is a block_shape.
template <class Shape, class T, class Map>
__device__ void map_cluster_rows(row_task<T> const& task, Map const& map) {
#if TESSERA_ARCH >= 900
  namespace cg = cooperative_groups;
  using number = typename Map::number;
  __shared__ row_cluster_storage<number> storage;
  auto const block = cg::this_thread_block();
  gpu_cluster<number> const cluster(storage);
  unsigned const blocks = cluster.num_blocks();
  row_cluster<cg::thread_block, gpu_cluster<number>> const tile(block, cluster);
  std::int64_t const row = blockIdx.x >> tessera::detail::lowest_bit(blocks);
  detail::map_shared_row<Shape>(block, tile, blocks, task, row, true, map);
#endif
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
