// The running sums of 8 lanes: each exchange reaches twice as far back.
#include <tessera/host/launch.hpp>
#include <tessera/scan.hpp>

int main() {
  tessera::host::launch_tile<8>([](tessera::host::tile<8> tile) {
    int const x = static_cast<int>(tile.thread_rank()) + 1;
    return tessera::inclusive_scan(tile, x);
  });
}
