#include "aggregate.cuh"
#include "chains.hpp"

void bench::add_float_values(std::vector<chain>& chains) {
  add_additions<float, false>(chains, "add floats");
}
