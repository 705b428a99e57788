// What tile_reduce measures, by file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_float_sums(std::vector<chain>& chains);
void add_int_sums(std::vector<chain>& chains);
void add_double_sums(std::vector<chain>& chains);
void add_half2_sums(std::vector<chain>& chains);
void add_methods(std::vector<chain>& chains);    // shuffles beside the warp's instructions
void add_operators(std::vector<chain>& chains);  // argmin; a product that doesn't commute

}  // namespace bench
