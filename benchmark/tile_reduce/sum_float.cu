#include "chains.hpp"
#include "sum.cuh"

void bench::add_float_sums(std::vector<chain>& chains) {
  add_sums<float>(chains, "float sum");
  add_sums<float, 8>(chains, "float sum, 8 in a row");
}
