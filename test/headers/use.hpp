// A use of every public device header, for check.py to compile in each language and mode.
#pragma once

#include <tessera/host/launch.hpp>
#include <tessera/tessera.hpp>

template <class Tile>
TESSERA_FN unsigned use_everything(Tile const& tile, unsigned x) {
  x += tessera::reduce(tile, x) +
       tessera::reduce(tile, x, tessera::maximum{}, tessera::converged | tessera::first(x));
  x += tessera::ballot(tile, x > 3).count() + tessera::count_if(tile, x > 4);
  return tessera::shift_up(tile, x, 1, 0u) + tessera::broadcast(tile, x) +
         (tessera::any_of(tile, x == 7) ? 1 : 0);
}

inline unsigned use_on_host() {
  unsigned total = 0;
  for (unsigned x :
       tessera::host::launch_tile<8>([](auto tile) { return use_everything(tile, tile.thread_rank()); }))
    total += x;
  return total;
}

#if defined(__CUDACC__)
static __global__ void use_in_kernel(unsigned* out) {
  auto const tile = tessera::tiled_partition<8>(cooperative_groups::this_thread_block());
  out[threadIdx.x] = use_everything(tile, out[threadIdx.x]);
}
#endif
