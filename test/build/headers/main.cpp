// `consumer cpu` exits with 0 if the sums are right. `consumer gpu` exits with 77, since there is no kernel.
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>

#include <cstring>

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "gpu") == 0) return 77;
  for (auto sum :
       tessera::host::launch_tile<8>([](auto tile) { return tessera::reduce(tile, tile.thread_rank() + 1); }))
    if (sum != 36) return 1;
  return 0;
}
