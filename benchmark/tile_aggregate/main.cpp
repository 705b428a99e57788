// tile_aggregate measures additions to 256 counters in shared memory, by tessera::aggregated_add and by one
// atomic per lane.
#include "../program.hpp"
#include "chains.hpp"

#include <string>

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_aggregate";
  p.purpose = "Measures additions to counters in shared memory, by tessera and by its peers.";
  bench::add_int_values(p.chains);
  bench::add_float_values(p.chains);
  bench::add_counts(p.chains);

  p.ratios = {
      {"atomicAdd / adaptive", "atomicAdd", "tessera adaptive"},
      {"atomicAdd / converged", "atomicAdd", "tessera converged"},
      {"best peer / adaptive", bench::best_peer, "tessera adaptive"},
  };
  struct {
    char const* keys;
    double of_values, of_counts;
  } const laws[] = {{", all equal", 8, 0.95}, {", Zipf 1.2", 1.5, 0.95}, {", uniform", 0.8, 0.95}};
  for (std::string const what : {"add ints", "add floats", "count"}) {
    for (auto const& law : laws) {
      double const at_least = what == "count" ? law.of_counts : law.of_values;
      p.targets.push_back({what + law.keys, 32, at_least, "atomicAdd", "tessera adaptive"});
    }
  }
  return bench::run(p, argc, argv);
}
