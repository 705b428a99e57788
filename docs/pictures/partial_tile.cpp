// The greatest of the first 5 of 8 lanes: the others make the call, too, and contribute nothing.
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>

int main() {
  tessera::host::launch_tile<8>([](tessera::host::tile<8> tile) {
    int const x = static_cast<int>(tile.thread_rank() * 5 % 8);
    return tessera::reduce(tile, x, tessera::maximum{}, tessera::first(5));
  });
}
