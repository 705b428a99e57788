// What tile_match measures, by file. All of them append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_matches(std::vector<chain>& chains);
void add_ballots(std::vector<chain>& chains);

}  // namespace bench
