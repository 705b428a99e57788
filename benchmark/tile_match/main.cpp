// tile_match measures one match_any or ballot of a tile, by tessera and by its peers.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_match";
  p.purpose = "Measures one match_any or ballot of a tile, by tessera and by its peers.";
  bench::add_matches(p.chains);
  bench::add_ballots(p.chains);

  p.ratios = {
      {"cg / adaptive", "cg", "tessera adaptive"},
      {"cg / converged", "cg", "tessera converged"},
      {"best peer / converged", bench::best_peer, "tessera converged"},
      {"best peer / adaptive", bench::best_peer, "tessera adaptive"},
  };
  for (char const* what : {"match_any, all equal", "match_any, 4 keys", "match_any, all different", "ballot"}) {
    for (unsigned n : {2, 4, 8, 16, 32}) {
      p.targets.push_back({what, n, n <= 8 ? 2.0 : 1.0, "cg", "tessera adaptive"});
    }
  }
  return bench::run(p, argc, argv);
}
