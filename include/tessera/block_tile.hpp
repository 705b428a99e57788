// The whole block as one tile.
//
//   auto tile  = tessera::this_block_tile<256>(block);          // a block of 256 threads
//   auto tile  = tessera::padded_block_tile<1024>(block);       // a block of any size up to 1024, say 1000:
//   float sum  = tessera::reduce(tile, x);                      //   lanes 0 … 999 are there
//   float part = tessera::reduce(tile, x, tessera::plus{}, tessera::first(n));
//   float all  = tessera::reduce(block, x);                     // the same as of padded_block_tile<1024>(block)
//
// Where the size is known, write this_block_tile: then no lanes can be missing, and the collective is compiled for as
// many warps as there are.
//
// `block` is a cooperative_groups::thread_block or a host::block. Such a tile waits at barrier 0, as __syncthreads
// does, and uses no other. A tile of cooperative_groups makes the kernel reserve all 16 hardware barriers, which limits
// how many small blocks (up to 128 threads) fit on a multiprocessor.
//
// A padded tile has sync() and the collectives marked so in docs/reference/policies.md; any other is an error at
// compile time. Lanes that don't exist take part in none of them.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/thread.hpp>
#include <tessera/core/tile.hpp>

TESSERA_NAMESPACE_BEGIN

#if TESSERA_CUDA

/// All threads of the block as a tile of N lanes; with `Padded`, of up to N. Made by the functions below.
template <unsigned N, bool Padded = false>
class block_tile {
 public:
  TESSERA_FN static constexpr unsigned size() { return N; }
  TESSERA_FN static constexpr unsigned num_threads() { return N; }
  TESSERA_FN unsigned thread_rank() const { return rank_; }
  TESSERA_FN static constexpr unsigned meta_group_rank() { return 0; }
  TESSERA_FN static constexpr unsigned meta_group_size() { return 1; }
  /// Collective. A barrier of the block, which orders memory.
  TESSERA_FN void sync() const {
#if TESSERA_ARCH
    __syncthreads();
#endif
  }

 private:
  /// Computed once, here. Otherwise every collective would compute it again, a loop with many registers in each
  /// iteration.
  unsigned rank_ = detail::found_once(detail::thread_of_block());
};

#endif

namespace detail {

TESSERA_ONE_SIDED
template <unsigned N, bool Padded, class Block>
TESSERA_FN auto block_tile_of([[maybe_unused]] Block const& block, [[maybe_unused]] call_site site) {
  static_assert(N >= 64 && N <= 1024 && (N & (N - 1)) == 0,
                "A block as a tile has a power of two of lanes, from 64 to 1024: write 64, 128, ... 1024, "
                "and for fewer lanes tiled_partition<N>(block).");
  if constexpr (on_host<Block>) {
    return host::detail::block_tile<N>(block, Padded, site);
  } else {
#if TESSERA_CUDA
#if TESSERA_ARCH && defined(TESSERA_CHECK)
    unsigned const threads = blockDim.x * blockDim.y * blockDim.z;
    if (Padded ? threads > N : threads != N) __trap();
#endif
    return tessera::block_tile<N, Padded>{};
#else
    static_assert(on_host<Block>, "this_block_tile<N>(block): the block is a host::block.");
#endif
  }
}

}  // namespace detail

/// The block of N threads as a tile. Called by all its threads; no exchange. Host blocks check N, as does a GPU build
/// that defines `TESSERA_CHECK`.
template <unsigned N, class Block>
TESSERA_FN auto this_block_tile(Block const& block, call_site site = call_site::here()) {
  return detail::block_tile_of<N, false>(block, site);
}

/// The block of up to N threads as the first lanes of a tile of N. Called by all its threads; no exchange. Host blocks
/// check that there are at most N, as does a GPU build that defines `TESSERA_CHECK`.
template <unsigned N, class Block>
TESSERA_FN auto padded_block_tile(Block const& block, call_site site = call_site::here()) {
  return detail::block_tile_of<N, true>(block, site);
}

TESSERA_NAMESPACE_END
