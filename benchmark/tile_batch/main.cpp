// tile_batch measures K sums of a tile, by one tessera::reduce_batch and by K reductions.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_batch";
  p.purpose = "Measures K sums of a tile: one tessera::reduce_batch and K reductions.";
  bench::add_scattered_floats(p.chains);
  bench::add_floats_to_all(p.chains);
  bench::add_ints(p.chains);

  p.ratios = {
      {"cg of each / adaptive", "cg::reduce of each", "tessera adaptive"},
      {"cg of each / converged", "cg::reduce of each", "tessera converged"},
      {"tessera of each / adaptive", "tessera::reduce of each", "tessera adaptive"},
  };
  p.targets = {{"32 floats, scattered", 32, 4, "cg::reduce of each", "tessera adaptive"}};
  return bench::run(p, argc, argv);
}
