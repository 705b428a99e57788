// The chains of tile_reduce, one function for each file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_float_sums(std::vector<chain>& chains);
void add_int_sums(std::vector<chain>& chains);
void add_double_sums(std::vector<chain>& chains);
void add_half2_sums(std::vector<chain>& chains);
void add_methods(std::vector<chain>& chains);    // shuffles, and the instructions for a whole warp
void add_operators(std::vector<chain>& chains);  // argmin, and a product that doesn't commute

}  // namespace bench
