// The running sums of three rows, which share one tile: no lane takes a value of another row.
#include <tessera/host/launch.hpp>
#include <tessera/segmented.hpp>

int main() {
  tessera::host::launch_tile<8>([](tessera::host::tile<8> tile) {
    int const x = static_cast<int>(tile.thread_rank()) + 1;
    int const row = static_cast<int>(tile.thread_rank()) / 3;
    return tessera::segmented_inclusive_scan(tile, x, tessera::by_key(row));
  });
}
