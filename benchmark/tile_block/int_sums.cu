#include "chains.hpp"
#include "sums.cuh"

void bench::add_int_sums(std::vector<chain>& chains) {
  add_sums<int>(chains, "int sum");
  add_cub_sums<reduction<int, add, true>, cub_sum_and_broadcast>(chains, "int sum");
}
