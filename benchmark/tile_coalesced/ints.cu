#include "chains.hpp"
#include "groups.cuh"

void bench::add_int_groups(std::vector<chain>& chains) {
  add_all_groups<int>(chains, "int");
}
