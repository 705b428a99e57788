// tile_scan measures one scan of a tile in registers, by tessera and by its peers.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_scan";
  p.purpose = "Measures one scan of a tile in registers, by tessera and by its peers.";
  bench::add_float_scans(p.chains);
  bench::add_int_scans(p.chains);
  bench::add_exclusive_scans(p.chains);

  p.ratios = {
      {"cg / adaptive", "cg", "tessera adaptive"},
      {"CUB / adaptive", "CUB WarpScan", "tessera adaptive"},
      {"by hand / converged", "hand-written", "tessera converged"},
      {"best peer / converged", bench::best_peer, "tessera converged"},
      {"best peer / adaptive", bench::best_peer, "tessera adaptive"},
  };
  struct {
    unsigned width;
    double at_least;
  } const over_peers[] = {{4, 4}, {8, 2.3}, {16, 1.4}};
  for (char const* what : {"inclusive float scan", "inclusive int scan"}) {
    for (auto const [n, at_least] : over_peers) {
      p.targets.push_back({what, n, at_least, "cg", "tessera adaptive"});
      p.targets.push_back({what, n, at_least, "CUB WarpScan", "tessera adaptive"});
    }
    p.targets.push_back({what, 32, 1, bench::best_peer, "tessera adaptive"});
  }
  for (char const* what : {"inclusive float scan", "inclusive int scan", "exclusive float scan"}) {
    for (unsigned n : {2, 4, 8, 16, 32}) {
      p.targets.push_back({what, n, 0.97, "hand-written", "tessera converged"});
    }
  }
  return bench::run(p, argc, argv);
}
