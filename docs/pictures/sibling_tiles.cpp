// Two tiles of one block in different calls, and then in the same one.
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

int main() {
  tessera::host::launch_block(8, [](tessera::host::block block) {
    auto const tile = tessera::tiled_partition<4>(block);
    unsigned x = 1 + block.thread_rank();
    if (tile.meta_group_rank() == 0)
      x = tessera::reduce(tile, x);
    else
      x = tessera::inclusive_scan(tile, x);
    return tile.shfl(x, 1);
  });
}
