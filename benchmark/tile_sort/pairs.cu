// Sorts of unsigned keys with values.
#include "chains.hpp"
#include "sorts.cuh"

namespace bench {

void add_pairs(std::vector<chain>& chains) {
  add_pair_sorts<1>(chains);
  add_pair_sorts<2>(chains);
  add_pair_sorts<4>(chains);
  add_pair_sorts<8>(chains);
}

}  // namespace bench
