#include "../tile_reduce/reductions.cuh"
#include "chains.hpp"
#include "scans.cuh"

void bench::add_float_scans(std::vector<chain>& chains) {
  using subject = block_scan<float, add>;
  using theirs = cooperative_groups_block_scan;
  constexpr char const* what = "inclusive float scan";
  add_sizes<dense<subject>, theirs, blocks::filled>(chains, what, "cg", kind::peer);
  add_sizes<dense<subject>, theirs, blocks::of_tile>(chains, what, "cg, block = tile", kind::peer);
  add_our_scans<dense<subject>, tessera::plus>(chains, what);
  add_cub_scans<dense<subject>, tessera::plus>(chains, what);
  add_cub_scans<subject, tessera::plus, 1024>(chains, what, ", registers");
}
