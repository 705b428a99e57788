// tile_block measures one reduction or scan of a tile of 64 to 1024 lanes, by tessera and by its peers.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  using bench::quantity;
  bench::program p;
  p.name = "tile_block";
  p.purpose = "Measures one reduction or scan of a tile of several warps, by tessera and by its peers.";
  p.unit = bench::unit::ns_per_tile;
  bench::add_float_sums(p.chains);
  bench::add_leader_sums(p.chains);
  bench::add_float_scans(p.chains);
  bench::add_int_sums(p.chains);
  bench::add_double_sums(p.chains);
  bench::add_bundles(p.chains);

  // In these rows the block is one tile. For throughput tessera gets a scratch, as CUB gets its
  // TempStorage; without a scratch it has the lowest latency.
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
  constexpr char const *sum = "float sum", *leader = "float sum to the leader",
                       *scan = "inclusive float scan";
  unsigned const sizes[] = {64, 128, 256, 512, 1024};
  for (unsigned n : sizes) p.targets.push_back({sum, n, 2.4, "cg", "tessera"});
  for (unsigned n : {128, 256, 512, 1024}) p.targets.push_back({sum, n, 1, "CUB*", shared});
  for (unsigned n : sizes) p.targets.push_back({sum, n, 1, "CUB*", block, quantity::latency});
  for (unsigned n : sizes) p.targets.push_back({leader, n, 1, "CUB*", shared});
  for (unsigned n : {128, 256}) p.targets.push_back({scan, n, 1.2, "CUB warps", shared});
  p.targets.push_back({scan, 1024, 2.5, "CUB warps", "tessera"});
  for (unsigned n : sizes) p.targets.push_back({scan, n, 2.4, "cg", "tessera"});
  return bench::run(p, argc, argv);
}
