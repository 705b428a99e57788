// Sorts of floats.
#include "chains.hpp"
#include "sorts.cuh"

namespace bench {

void add_floats(std::vector<chain>& chains) {
  add_sorts<float, 1>(chains, "floats");
  add_sorts<float, 4>(chains, "floats");
}

}  // namespace bench
