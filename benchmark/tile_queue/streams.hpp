// What tile_queue measures.
#pragma once

#include "../passes.hpp"

namespace bench {

void add_streams(std::vector<task>& tasks);

}  // namespace bench
