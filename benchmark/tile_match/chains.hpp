// The chains of tile_match, one function for each file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_matches(std::vector<chain>& chains);
void add_ballots(std::vector<chain>& chains);

}  // namespace bench
