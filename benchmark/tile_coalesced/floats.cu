#include "chains.hpp"
#include "groups.cuh"

void bench::add_float_groups(std::vector<chain>& chains) {
  add_all_groups<float>(chains, "float");
}
