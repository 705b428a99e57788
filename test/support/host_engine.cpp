// The functions of the engine of CPU lanes, compiled with all optimizations: see ../meson.build.
#include <tessera/host/launch.hpp>
#include <tessera/lanes.hpp>
#include <tessera/vote.hpp>

namespace test {

/// Runs a kernel that exchanges and votes, so that compilers keep what these call.
unsigned run_on_host_engine(int x) {
  unsigned sum = 0;
  for (unsigned y : tessera::host::launch_grid(2, 64, [x](tessera::host::block block) {
         auto const tile = tessera::host::tiled_partition<32>(block);
         block.sync();
         return tessera::ballot(tile, x > 0).count() + static_cast<unsigned>(tessera::shuffle(tile, x, 0));
       }))
    sum += y;
  return sum;
}

}  // namespace test
