// What tile_block measures, by file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_float_sums(std::vector<chain>& chains);  // results in every lane
void add_leader_sums(std::vector<chain>& chains);
void add_int_sums(std::vector<chain>& chains);
void add_double_sums(std::vector<chain>& chains);
void add_float_scans(std::vector<chain>& chains);  // inclusive scans
void add_other_scans(std::vector<chain>& chains);  // of ints and doubles
void add_block_sorts(std::vector<chain>& chains);  // of items
void add_bundles(std::vector<chain>& chains);      // sums and inclusive scans of structs of 32 bytes
void add_movements(std::vector<chain>& chains);    // shuffles, rotations and transposes of 256 lanes

}  // namespace bench
