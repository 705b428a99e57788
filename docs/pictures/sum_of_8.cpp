// The sum of 8 lanes: three exchanges, after which every lane has the result.
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>

int main() {
  tessera::host::launch_tile<8>([](tessera::host::tile<8> tile) {
    int const x = static_cast<int>(tile.thread_rank()) + 1;
    return tessera::reduce(tile, x);
  });
}
