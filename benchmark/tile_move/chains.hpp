// What tile_move measures. Appends to `chains`.
#pragma once

#include "../chain.hpp"

#include <vector>

namespace bench {

void add_blocked_to_striped(std::vector<chain>& chains);

}  // namespace bench
