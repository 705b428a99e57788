#include "chains.hpp"
#include "scans.cuh"

void bench::add_int_scans(std::vector<chain>& chains) {
  add_scans<int, false>(chains, "inclusive int scan");
}
