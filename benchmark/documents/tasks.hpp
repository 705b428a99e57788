// The tasks of `documents`, one function for each file.
#pragma once

#include "../passes.hpp"

namespace bench {

void add_reductions(std::vector<task>& tasks);
void add_softmaxes(std::vector<task>& tasks);

}  // namespace bench
