// The chains of tile_batch, one function for each file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_scattered_floats(std::vector<chain>& chains);
void add_floats_to_all(std::vector<chain>& chains);
void add_ints(std::vector<chain>& chains);  // halving and redux

}  // namespace bench
