// The sum of 64 lanes by shuffles: each of two warps by itself, then both sums, which the warps exchange through shared memory.
#include <tessera/block_tile.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>

int main() {
  tessera::host::launch_block(64, [](tessera::host::block block) {
    auto const tile = tessera::this_block_tile<64>(block);
    int const x = static_cast<int>(block.thread_rank());
    return tessera::reduce(tile, x, tessera::plus{}, tessera::shuffles);
  });
}
