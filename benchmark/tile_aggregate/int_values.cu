#include "aggregate.cuh"
#include "chains.hpp"

void bench::add_int_values(std::vector<chain>& chains) {
  add_additions<int, false>(chains, "add ints");
}
