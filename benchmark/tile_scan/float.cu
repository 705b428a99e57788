#include "chains.hpp"
#include "scans.cuh"

void bench::add_float_scans(std::vector<chain>& chains) {
  add_scans<float, false>(chains, "inclusive float scan");
}
