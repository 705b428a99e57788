// Lanes of one tile in two calls: the launch ends in a report, and the picture shows which lanes wait where.
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>

int main() {
  try {
    tessera::host::launch_tile<8>([](tessera::host::tile<8> tile) {
      int const sum = tessera::reduce(tile, 1);
      if (tile.thread_rank() < 3) return tessera::reduce(tile, sum);
      return tessera::inclusive_scan(tile, sum);
    });
  } catch (tessera::host::misuse const&) {
    return 0;
  }
  return 1;
}
