#include "chains.hpp"
#include "sums.cuh"

namespace bench {

namespace {

template <class T>
void add_sums_to_leader(std::vector<chain>& chains, char const* what) {
  using tessera::plus;
  using subject = reduction<T, add, true>;
  using sum = dense<subject>;
  add_sizes<sum, our_leader_sum<plus, on_block>, blocks::of_tile>(chains, what, "tessera, block tile", kind::ours);
  if constexpr (std::is_same_v<T, float>) {
    add_sizes<sum, our_leader_sum<plus>, blocks::of_tile>(chains, what, "tessera, block = tile", kind::ours);
    add_sizes<sum, our_leader_sum<plus, on_block, callers_memory<blocks::of_tile>>, blocks::of_tile>(
        chains, what, "tessera, block, shared", kind::ours);
  }
  add_cub_sums<subject, cub_leader_sum>(chains, what);
}

}  // namespace

void add_leader_sums(std::vector<chain>& chains) {
  add_sums_to_leader<float>(chains, "float sum to the leader");
  add_sums_to_leader<int>(chains, "int sum to the leader");
  add_sums_to_leader<double>(chains, "double sum to the leader");
}

}  // namespace bench
