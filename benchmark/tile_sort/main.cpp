// tile_sort measures tessera::sort on tiles of 8, 16 and 32 lanes, compared with CUB's WarpMergeSort and with a plain network.
#include "../program.hpp"
#include "chains.hpp"

int main(int argc, char** argv) {
  bench::program p;
  p.name = "tile_sort";
  p.purpose = "Measures sorts of tiles: tessera::sort, CUB's WarpMergeSort, and a plain bitonic network.";
  bench::add_keys(p.chains);
  bench::add_floats(p.chains);
  bench::add_pairs(p.chains);

  p.ratios = {
      {"CUB / adaptive", "CUB WarpMergeSort", "tessera adaptive"},
      {"CUB / converged", "CUB WarpMergeSort", "tessera converged"},
  };
  for (char const* items : {"1", "2", "4", "8"}) {
    std::string const what = std::string(items) + " uint32 a lane";
    for (unsigned width : {8u, 16u, 32u}) {
      p.targets.push_back({what, width, 1.3, "CUB WarpMergeSort", "tessera adaptive"});
      p.targets.push_back({what, width, 0.95, "plain network", "tessera converged"});
      p.targets.push_back({what + ", with values", width, 1.3, "CUB WarpMergeSort", "tessera adaptive"});
    }
  }
  for (char const* items : {"1", "4"}) {
    for (unsigned width : {8u, 16u, 32u})
      p.targets.push_back({std::string(items) + " floats a lane", width, 1.3, "CUB WarpMergeSort", "tessera adaptive"});
  }
  return bench::run(p, argc, argv);
}
