// The chains of tile_sort. The functions append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_keys(std::vector<chain>& chains);
void add_floats(std::vector<chain>& chains);
void add_pairs(std::vector<chain>& chains);

}  // namespace bench
