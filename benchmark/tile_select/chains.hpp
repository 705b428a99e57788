// The chains of tile_select. The functions append to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_selections(std::vector<chain>& chains);

}  // namespace bench
