#include "chains.hpp"
#include "sum.cuh"

void bench::add_half2_sums(std::vector<chain>& chains) {
  add_sums<__half2>(chains, "__half2 sum");
}
