// All lanes of a cluster of blocks as one tile, of up to 16384 lanes.
//
//   auto tile = tessera::this_cluster_tile<1024, 128>(cluster);  // 8 blocks of 128
//   float sum = tessera::reduce(tile, x);            // of all 8 blocks, in every lane
//   unsigned end = tessera::inclusive_scan(tile, length);
//   float part = tessera::reduce(tile.block(), x);   // of this block's lanes
//
// `cluster` is cooperative_groups::this_cluster(), or a host::cluster. The default of Threads is 1024:
// this_cluster_tile<8192>(cluster) has 8 blocks of 1024 threads.
//
// The kernel is launched in clusters of N / Threads blocks: with __cluster_dims__, or by cudaLaunchKernelEx with
// cudaLaunchAttributeClusterDimension. More than 8 blocks need cudaFuncAttributeNonPortableClusterSizeAllowed, too. A
// launch of another shape traps. Architectures from sm_90 on have clusters.
//
// Lanes are numbered block by block, as cooperative_groups::cluster_group does. To the collectives that take it, it is
// a tile like any other: results are in rank order, and have the bits that a tile of N lanes would have.
// docs/reference/policies.md lists these collectives; any other is an error at compile time.
//
// Cost, of a collective: that of the same one on a tile that is the block, and one exchange between the blocks. For
// this, lanes of one warp store a value into the shared memory of every block, all lanes wait until their block has
// the values of all blocks, and each lane loads them. No barrier of the cluster: after a collective a lane knows that
// all blocks have begun it, and not that they have ended it. tile.sync() is such a barrier.
// Shared memory: 32 bytes, and 32 bytes a block for exchanged values of up to 16 bytes (128 a block for up to 64
// bytes, 512 for up to 256), beside what the block's collectives use.
//
// Host lanes: host::launch_cluster (host/launch.hpp) runs clusters of up to 1024 lanes in all.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/core/bits.hpp>
#include <tessera/core/thread.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/group/gpu_cluster.hpp>

TESSERA_NAMESPACE_BEGIN

#if TESSERA_CUDA

/// The lanes of N / Threads blocks. Made by this_cluster_tile.
template <unsigned N, unsigned Threads>
class cluster_tile {
 public:
  /// Prepares the exchanges: a barrier of the cluster.
  TESSERA_FN cluster_tile() : block_(detail::block_of_cluster()) {
#if TESSERA_ARCH
    if (detail::blocks_of_cluster() != N / Threads || detail::threads_of_block() != Threads) __trap();
#endif
    detail::begin_exchanges();
  }

  TESSERA_FN static constexpr unsigned size() {
    return N;
  }
  TESSERA_FN static constexpr unsigned num_threads() {
    return N;
  }
  TESSERA_FN static constexpr unsigned num_blocks() {
    return N / Threads;
  }
  TESSERA_FN unsigned thread_rank() const {
    return block_rank() * Threads + detail::thread_of_block();
  }
  TESSERA_FN unsigned block_rank() const {
    return block_;
  }
  /// This block's lanes as a tile.
  TESSERA_FN block_tile<Threads> block() const {
    return {};
  }
  /// Collective. A barrier of the cluster, which orders memory.
  TESSERA_FN void sync() const {
    detail::sync_cluster();
  }

  /// The group that algorithms are written against.
  TESSERA_FN auto group() const {
    using backend = detail::cluster_backend<N / Threads, Threads>;
    return detail::multi_block_group<backend>(backend(block_));
  }

 private:
  unsigned block_;
};

#endif

/// The cluster of N / Threads blocks, of Threads threads each, as a tile of N lanes.
///
/// Called by  all threads of the cluster together; as a rule once, at the kernel's beginning.
/// cluster    a cooperative_groups::cluster_group, or a host::cluster.
/// N, Threads powers of two: 2 to 16 blocks of 64 to 1024 threads.
/// Cost       a barrier of the block and one of the cluster. Copies of the tile cost nothing.
TESSERA_ONE_SIDED
template <unsigned N, unsigned Threads = 1024, class Cluster>
TESSERA_FN auto this_cluster_tile([[maybe_unused]] Cluster const& cluster,
                                  [[maybe_unused]] call_site site = call_site::here()) {
  constexpr bool has_threads = Threads >= 64 && Threads <= 1024 && (Threads & (Threads - 1)) == 0;
  constexpr bool has_blocks = N >= 2 * Threads && N <= 16 * Threads && (N & (N - 1)) == 0;
  static_assert(has_threads,
                "this_cluster_tile<N, Threads>: a block of the cluster has 64, 128, 256, 512 or 1024 threads: write "
                "this_cluster_tile<2048, 256>(cluster) for 8 blocks of 256.");
  static_assert(has_blocks || !has_threads,
                "this_cluster_tile<N, Threads>: N lanes are 2, 4, 8 or 16 blocks of Threads threads each (1024 if not "
                "given): write this_cluster_tile<8192>(cluster) for 8 blocks of 1024, this_cluster_tile<2048, "
                "256>(cluster) for 8 blocks of 256, and for one block this_block_tile<1024>(block).");
  if constexpr (!has_threads || !has_blocks) {
    return;  // the message above suffices
  } else if constexpr (detail::on_host<Cluster>) {
    return host::detail::cluster_tile_of<N, Threads>(cluster, site);
  } else {
#if TESSERA_CUDA
    static_assert(TESSERA_ARCH == 0 || TESSERA_ARCH >= 900 || detail::never<Cluster>,
                  "Only GPUs from sm_90 on have clusters of blocks: compile for sm_90 or later, or write "
                  "this_block_tile<1024>(block) and combine the blocks' results by tessera::grid::reduce.");
    return tessera::cluster_tile<N, Threads>{};
#else
    static_assert(detail::on_host<Cluster>, "this_cluster_tile<N>(cluster): the cluster is a host::cluster.");
#endif
  }
}

TESSERA_NAMESPACE_END
