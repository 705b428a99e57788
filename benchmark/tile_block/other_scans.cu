// Scans of ints and doubles.
#include "../tile_reduce/reductions.cuh"
#include "chains.hpp"
#include "scans.cuh"

namespace bench {

namespace {

template <class T>
void add_scans(std::vector<chain>& chains, char const* what) {
  using subject = block_scan<T, add>;
  add_sizes<dense<subject>, our_block_scan<tessera::plus, on_block>, blocks::of_tile>(
      chains, what, "tessera, block tile", kind::ours);
  add_cub_scans<dense<subject>, tessera::plus>(chains, what);
}

}  // namespace

void add_other_scans(std::vector<chain>& chains) {
  add_scans<int>(chains, "inclusive int scan");
  add_scans<double>(chains, "inclusive double scan");
}

}  // namespace bench
