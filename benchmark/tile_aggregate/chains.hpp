// The chains of tile_aggregate, one function for each file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_int_values(std::vector<chain>& chains);
void add_float_values(std::vector<chain>& chains);
void add_counts(std::vector<chain>& chains);  // adding one

}  // namespace bench
