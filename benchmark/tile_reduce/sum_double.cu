#include "chains.hpp"
#include "sum.cuh"

void bench::add_double_sums(std::vector<chain>& chains) {
  add_sums<double>(chains, "double sum");
}
