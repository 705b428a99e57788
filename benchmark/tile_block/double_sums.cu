#include "chains.hpp"
#include "sums.cuh"

void bench::add_double_sums(std::vector<chain>& chains) {
  add_sums<double>(chains, "double sum");
  add_cub_sums<reduction<double, add, true>, cub_sum_and_broadcast>(chains, "double sum");
}
