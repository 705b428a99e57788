#include "chains.hpp"
#include "sums.cuh"

void bench::add_float_sums(std::vector<chain>& chains) {
  add_sums<float, true>(chains, "float sum");
  add_cub_sums<reduction<float, add, true>, cub_sum_and_broadcast>(chains, "float sum");
}
