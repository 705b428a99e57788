#include "chains.hpp"
#include "sum.cuh"

namespace bench {

struct hand_written_redux : for_all_lanes {
  template <unsigned N>
  __device__ int operator()(tile<N> const&, int x) const {
    return __reduce_add_sync(0xffffffffu, x);
  }
};

void add_int_sums(std::vector<chain>& chains) {
  add_sums<int>(chains, "int sum");
  chains.push_back(
      make_chain<reduction<int, add, true>, hand_written_redux, 32>("int sum", "hand-written redux", kind::peer));
}

}  // namespace bench
