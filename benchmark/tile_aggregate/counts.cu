#include "aggregate.cuh"
#include "chains.hpp"

void bench::add_counts(std::vector<chain>& chains) {
  add_additions<int, true>(chains, "count");
}
