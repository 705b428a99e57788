// A Team of the blocks of a cluster that sample a row (sample_team.hpp). Values and lists go to the memory of all
// blocks by asynchronous stores, as in cluster_exchange.cuh, any number of times.
//
// sm_90 and later architectures have clusters.
#pragma once

#include <cooperative_groups.h>

#include <tessera/block_tile.hpp>
#include <tessera/core/words.hpp>
#include <tessera/grid/rows/cluster_exchange.cuh>
#include <tessera/grid/rows/sample_team.hpp>
#include <tessera/group/gpu_cluster.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

#if TESSERA_ARCH >= 900
/// A Team of the blocks of a cluster: two or more.
template <class Shape>
class sample_cluster {
  /// Values of two turns, which take their places in turn: a fast block may send those of the next turn while this
  /// block still reads the last one's. It sends no later ones before this block has sent the next turn's.
  struct alignas(16) exchange_memory {
    std::uint64_t value[2][most_cluster_blocks][8];
    std::uint64_t barrier[2], places;
  };

 public:
  static constexpr bool is_alone = false;

  /// Called by all threads of the cluster.
  __device__ explicit sample_cluster(sample_storage<Shape>& storage) : storage_(storage), memory_(shared_memory()) {
    if (threadIdx.x == 0) {
      tessera::detail::begin_barrier(detail::address_of_shared(memory_.barrier[0]));
      tessera::detail::begin_barrier(detail::address_of_shared(memory_.barrier[1]));
      tessera::detail::begin_barrier(detail::address_of_shared(memory_.places));
      tessera::detail::publish_barriers();
    }
    tessera::detail::arrive_at_cluster_barrier();
  }

  __device__ auto tile() const {
    return tessera::this_block_tile<Shape::threads>(cooperative_groups::this_thread_block());
  }
  template <unsigned N>
  __device__ auto part() const {
    return tessera::tiled_partition<N>(cooperative_groups::this_thread_block());
  }
  __device__ sample_storage<Shape>& storage() const { return storage_; }
  __device__ unsigned blocks() const { return tessera::detail::blocks_of_cluster(); }
  __device__ unsigned rank() const { return tessera::detail::block_of_cluster(); }

  template <class X>
  __device__ void all_gather(X const& x) const {
    if (turn_ == 0) tessera::detail::wait_at_cluster_barrier();  // All blocks have their barriers.
    unsigned const barrier = detail::address_of_shared(memory_.barrier[turn_ % 2]), to = threadIdx.x;
    if (to == 0) tessera::detail::arrive_and_expect(barrier, blocks() * sizeof(tessera::detail::words<X>));
    if (to < blocks())
      tessera::detail::send_to_block(
          tessera::detail::address_in_block(detail::address_of_shared(memory_.value[turn_ % 2][rank()]), to),
          tessera::detail::to_words(x).word, tessera::detail::address_in_block(barrier, to));
    tessera::detail::wait_for_phase(barrier, turn_ / 2 % 2);
    ++turn_;
  }
  template <class X>
  __device__ X value_of(unsigned block) const {
    tessera::detail::words<X> given;
    tessera::detail::copy_bytes(given.word, memory_.value[(turn_ + 1) % 2][block], sizeof(given));
    return tessera::detail::from_words<X>(given);
  }

  __device__ void send(std::uint64_t place, unsigned i) const {
    unsigned const to = detail::address_of_shared(storage_.listed[i]),
                   barrier = detail::address_of_shared(memory_.places);
    for (unsigned b = 0; b < blocks(); ++b) {
      if (b == rank()) {
        storage_.listed[i] = place;
      } else {
        tessera::detail::send_to_block(tessera::detail::address_in_block(to, b), tessera::detail::to_words(place).word,
                                       tessera::detail::address_in_block(barrier, b));
      }
    }
  }
  __device__ void wait_for_places(unsigned count) const {
    unsigned const barrier = detail::address_of_shared(memory_.places);
    if (threadIdx.x == 0) tessera::detail::arrive_and_expect(barrier, count * 8);
    tessera::detail::wait_for_phase(barrier, lists_++ % 2);
  }

 private:
  __device__ static exchange_memory& shared_memory() {
    __shared__ exchange_memory memory;
    return memory;
  }

  sample_storage<Shape>& storage_;
  exchange_memory& memory_;
  mutable unsigned turn_ = 0, lists_ = 0;
};
#endif

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
