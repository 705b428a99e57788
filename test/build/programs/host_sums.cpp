// Plain C++ that needs the headers alone: adds up eight numbers on a host tile.
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>

#include <cstdio>

int main() {
  auto const sums =
      tessera::host::launch_tile<8>([](auto const& tile) { return tessera::reduce(tile, tile.thread_rank() + 1); });
  std::printf("sum: %u\n", sums[0]);
  return sums[0] == 36 ? 0 : 1;
}
