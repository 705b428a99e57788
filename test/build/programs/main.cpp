// Plain C++: adds up eight numbers on a host tile, and asks the static library for the GPU.
#include <tessera/device.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>
#include <tessera/version.hpp>

#include <cstdio>

int main() {
  tessera::device_info const gpu = tessera::find_device();
  auto const sums =
      tessera::host::launch_tile<8>([](auto const& tile) { return tessera::reduce(tile, tile.thread_rank() + 1); });
  std::printf("tessera %s, GPU: %s, sum: %u\n", tessera::version(), gpu.usable ? gpu.name : gpu.reason, sums[0]);
  return sums[0] == 36 ? 0 : 1;
}
