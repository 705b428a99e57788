// tile_select measures tessera::top_k of a warp's values, compared with sorting them.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_select";
  p.purpose = "Measures the selection of a warp's 8 greatest floats with their indices: tessera::top_k, and a sort.";
  bench::add_selections(p.chains);

  p.ratios = {{"sort / top_k", "tessera sort_by_key", "tessera top_k"}};
  for (char const* of : {"128", "256"})
    p.targets.push_back(
        {std::string("8 greatest of ") + of + " floats", 32, 3.0, "tessera sort_by_key", "tessera top_k"});
  return bench::run(p, argc, argv);
}
