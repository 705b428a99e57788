// The chains of tile_coalesced, one function for each file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_int_groups(std::vector<chain>& chains);
void add_float_groups(std::vector<chain>& chains);

}  // namespace bench
