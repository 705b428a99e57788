// The functions of the engine of CPU lanes, compiled with optimizations: see ../meson.build.
#include <tessera/block_tile.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

namespace test {

/// Runs a kernel that exchanges, votes and uses shared memory, so that compilers keep what these call.
[[gnu::used]] inline unsigned run_on_host_engine(int x) {
  namespace host = tessera::host;
  unsigned sum = 0;
  auto const how = host::options{}.with_schedule(host::all_schedules[0]).with_seed(1);
  for (unsigned y : host::launch_grid(2, host::dim3{128, 1, 1}, how, [x](host::block block) {
         auto const tile = host::tiled_partition<32>(block);
         auto const large = tessera::this_block_tile<64>(block);
         block.sync();
         return tessera::ballot(tile, x > 0).count() + static_cast<unsigned>(tessera::shuffle(tile, x, 0)) +
                tessera::exclusive_scan(tile, 1u) + tessera::reduce(large, 1u) + tessera::exclusive_scan(large, 1u);
       }))
    sum += y;
  return sum;
}

}  // namespace test
