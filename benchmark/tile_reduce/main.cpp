// tile_reduce measures one reduction of a tile in registers, by tessera and by its peers.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_reduce";
  p.purpose = "Measures one reduction of a tile in registers, by tessera and by its peers.";
  bench::add_float_sums(p.chains);
  bench::add_int_sums(p.chains);
  bench::add_double_sums(p.chains);
  bench::add_half2_sums(p.chains);
  bench::add_methods(p.chains);
  bench::add_operators(p.chains);

  p.ratios = {
      {"cg::reduce / adaptive", "cg::reduce", "tessera adaptive"},
      {"CUB to all / adaptive", "CUB + broadcast", "tessera adaptive"},
      {"by hand / converged", "hand-written", "tessera converged"},
      {"best peer / converged", bench::best_peer, "tessera converged"},
      {"best peer / adaptive", bench::best_peer, "tessera adaptive"},
  };
  p.targets = {
      {"float sum", 2, 12, "cg::reduce", "tessera adaptive"},
      {"float sum", 4, 4.3, "cg::reduce", "tessera adaptive"},
      {"float sum", 8, 2.3, "cg::reduce", "tessera adaptive"},
      {"float sum", 16, 1.5, "cg::reduce", "tessera adaptive"},
  };
  for (unsigned n : {2, 4, 8, 16, 32}) {
    p.targets.push_back({"float sum", n, 0.97, "hand-written", "tessera converged"});
  }
  for (char const* sum : {"float sum", "int sum", "double sum"}) {
    p.targets.push_back({sum, 32, 0.98, bench::best_peer, "tessera adaptive"});
  }
  return bench::run(p, argc, argv);
}
