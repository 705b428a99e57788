// The chains of tile_move. The function appends to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_blocked_to_striped(std::vector<chain>& chains);

}  // namespace bench
