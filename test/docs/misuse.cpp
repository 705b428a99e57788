// A kernel that breaks a rule: not all lanes of a tile come to the same call.
#include <cstdio>
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>

int main() {
  try {
    tessera::host::launch_tile<8>([](tessera::host::tile<8> tile) {
      float const x = 1.0f + static_cast<float>(tile.thread_rank());
      if (x > 3) return 0.0f;           // lanes 3 to 7 leave here …
      return tessera::reduce(tile, x);  // … and lanes 0 to 2 wait for them
    });
  } catch (tessera::host::misuse const& report) {
    std::puts(report.what());
    return 0;
  }
  return 1;
}
