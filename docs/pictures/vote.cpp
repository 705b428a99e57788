// A vote: every lane learns which lanes said yes.
#include <tessera/host/launch.hpp>
#include <tessera/vote.hpp>

int main() {
  tessera::host::launch_tile<8>([](tessera::host::tile<8> tile) {
    bool const odd = tile.thread_rank() % 2 == 1;
    return tessera::ballot(tile, odd).count();
  });
}
