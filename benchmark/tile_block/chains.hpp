// What tile_block measures, by file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_float_sums(std::vector<chain>& chains);  // in every lane
void add_leader_sums(std::vector<chain>& chains);
void add_int_sums(std::vector<chain>& chains);
void add_double_sums(std::vector<chain>& chains);
void add_float_scans(std::vector<chain>& chains);  // inclusive
void add_bundles(std::vector<chain>& chains);      // 32 bytes: sums and inclusive scans

}  // namespace bench
