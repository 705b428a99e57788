// tile_block measures one reduction, scan, sort or movement of a tile of 64 to 1024 lanes, by tessera and by its peers.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  using bench::quantity;
  bench::program p;
  p.name = "tile_block";
  p.purpose = "Measures one reduction, scan or sort of a tile of several warps, by tessera and by its peers.";
  p.unit = bench::unit::ns_per_tile;
  bench::add_float_sums(p.chains);
  bench::add_leader_sums(p.chains);
  bench::add_float_scans(p.chains);
  bench::add_other_scans(p.chains);
  bench::add_int_sums(p.chains);
  bench::add_double_sums(p.chains);
  bench::add_bundles(p.chains);
  bench::add_block_sorts(p.chains);
  bench::add_movements(p.chains);

  // In these rows the block is one tile. Where CUB gets its TempStorage, tessera declares its memory itself, or gets a scratch.
  constexpr char const *block = "tessera, block tile", *shared = "tessera, block, shared";
  p.ratios = {
      {"cg / tessera", "cg", "tessera"},
      {"cg / tessera, shared", "cg", "tessera, shared"},
      {"CUB / block tile", "CUB*", block},
      {"CUB / block, shared", "CUB*", shared},
      {"latency, cg / tessera", "cg", "tessera", quantity::latency},
      {"latency, CUB / block tile", "CUB*", block, quantity::latency},
      {"latency, CUB / shared", "CUB*", shared, quantity::latency},
  };
  constexpr char const *sum = "float sum", *leader = "float sum to the leader", *scan = "inclusive float scan";
  unsigned const sizes[] = {64, 128, 256, 512, 1024};
  for (unsigned n : sizes) p.targets.push_back({sum, n, 2.4, "cg", "tessera"});
  for (char const* what :
       {sum, leader, scan, "int sum", "int sum to the leader", "inclusive int scan", "double sum",
        "double sum to the leader", "inclusive double scan", "sum of 32 bytes", "scan of 32 bytes"}) {
    for (unsigned n : sizes) {
      p.targets.push_back({what, n, 1, "CUB*", block});
      p.targets.push_back({what, n, 1, "CUB*", block, quantity::latency});
    }
  }
  p.targets.push_back({scan, 1024, 2.5, "CUB warps", "tessera"});
  for (unsigned n : sizes) p.targets.push_back({scan, n, 2.4, "cg", "tessera"});
  for (char const* keys : {"sort of 4 uint32 a lane", "sort of 4 uint32 a lane, with values"}) {
    for (unsigned n : {64, 128}) p.targets.push_back({keys, n, 2, "CUB*", block});
    p.targets.push_back({keys, 256, 1.8, "CUB*", block});
    p.targets.push_back({keys, 1024, 1.7, "CUB*", block});
  }
  for (char const* keys : {"sort of 16 uint32 a lane", "sort of 16 uint32 a lane, with values"})
    p.targets.push_back({keys, 256, 1.2, "CUB*", block});
  for (char const* what : {"shuffle", "rotate", "transpose of 4 items"})
    p.targets.push_back({what, 256, 8, "a slot a warp", block});
  return bench::run(p, argc, argv);
}
