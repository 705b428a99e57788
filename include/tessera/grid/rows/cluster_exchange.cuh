// The exchange of values between the blocks of a cluster that share a row: each block stores its value into the memory
// of all blocks, and waits until the bytes of all have come. After begin(), no exchange waits at a barrier of the
// cluster. That would take longer: sm_90 first makes all earlier stores visible.
//
// sm_90 and later architectures have clusters.
#pragma once

#include <tessera/core/words.hpp>
#include <tessera/grid/rows/row_block.hpp>
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

/// The address of a word of shared memory.
template <class Word>
__device__ unsigned address_of_shared(Word& word) {
  return tessera::detail::shared_address(TESSERA_ADDRESS_OF(word));
}

/// A Cluster of row_cluster (row_block.hpp): two blocks or more.
template <class X>
class cluster_exchange {
 public:
  /// Called by all threads of the cluster.
  __device__ explicit cluster_exchange(row_cluster_storage<X>& storage) : storage_(storage) {
    if (threadIdx.x == 0) {
      TESSERA_UNROLL
      for (std::uint64_t& barrier : storage.barrier)
        tessera::detail::expect_bytes_once(detail::address_of_shared(barrier), num_blocks() * sizeof(X));
    }
    tessera::detail::arrive_at_cluster_barrier();
  }

  __device__ unsigned block_rank() const { return tessera::detail::block_of_cluster(); }
  __device__ unsigned num_blocks() const { return tessera::detail::blocks_of_cluster(); }
  __device__ row_block_storage<X>& storage() const { return storage_.of_block; }
  __device__ void begin() const { tessera::detail::wait_at_cluster_barrier(); }
  __device__ void all_gather(X const& x, unsigned number) const {
    unsigned const barrier = detail::address_of_shared(storage_.barrier[number]), to = threadIdx.x;
    if (to < num_blocks())
      tessera::detail::send_to_block(
          tessera::detail::address_in_block(detail::address_of_shared(storage_.of_blocks[number][block_rank()]), to),
          tessera::detail::to_words(x).word, tessera::detail::address_in_block(barrier, to));
    tessera::detail::wait_for_phase(barrier, 0);
  }
  __device__ X value_of(unsigned block, unsigned number) const { return storage_.of_blocks[number][block]; }

 private:
  row_cluster_storage<X>& storage_;
};
#endif

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
