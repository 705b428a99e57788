// tile_move measures how a tile's items move from blocked to striped order, by tessera and by CUB.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_move";
  p.purpose = "Measures how a tile's items move from blocked to striped order: tessera and CUB.";
  bench::add_blocked_to_striped(p.chains);
  p.ratios = {
      {"CUB shared / adaptive", "CUB, shared memory", "tessera adaptive"},
      {"CUB shuffles / adaptive", "CUB, shuffles", "tessera adaptive"},
      {"best peer / converged", bench::best_peer, "tessera converged"},
  };
  return bench::run(p, argc, argv);
}
