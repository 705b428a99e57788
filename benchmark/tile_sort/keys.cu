// Sorts of unsigned keys.
#include "chains.hpp"
#include "sorts.cuh"

namespace bench {

void add_keys(std::vector<chain>& chains) {
  add_sorts<unsigned, 1>(chains, "uint32");
  add_sorts<unsigned, 2>(chains, "uint32");
  add_sorts<unsigned, 4>(chains, "uint32");
  add_sorts<unsigned, 8>(chains, "uint32");
}

}  // namespace bench
