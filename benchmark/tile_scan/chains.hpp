// The chains of tile_scan, one function for each file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_float_scans(std::vector<chain>& chains);  // inclusive scans
void add_int_scans(std::vector<chain>& chains);    // inclusive scans
void add_exclusive_scans(std::vector<chain>& chains);

}  // namespace bench
