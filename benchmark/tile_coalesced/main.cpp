// tile_coalesced measures one sum or scan of each of two coalesced groups of a warp, by tessera and by its peer.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_coalesced";
  p.purpose =
      "Measures one sum or scan of each of two coalesced groups of a warp, by tessera and by cooperative groups.";
  bench::add_int_groups(p.chains);
  bench::add_float_groups(p.chains);

  p.ratios = {{"cg / tessera", "cg", "tessera"}};
  for (char const* lanes : {"every other lane", "the first 17 lanes", "20 scattered lanes", "2 lanes"}) {
    p.targets.push_back({std::string("int sum, ") + lanes, 32, 1.0, "cg", "tessera"});  // both are one redux.sync
    p.targets.push_back({std::string("float sum, ") + lanes, 32, 2.0, "cg", "tessera"});
    p.targets.push_back({std::string("int scan, ") + lanes, 32, 2.0, "cg", "tessera"});
    p.targets.push_back({std::string("float scan, ") + lanes, 32, 2.0, "cg", "tessera"});
  }
  return bench::run(p, argc, argv);
}
