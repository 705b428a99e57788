#include "chains.hpp"
#include "scans.cuh"

void bench::add_exclusive_scans(std::vector<chain>& chains) {
  add_scans<float, true>(chains, "exclusive float scan");
}
