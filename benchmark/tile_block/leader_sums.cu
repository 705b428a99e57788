#include "chains.hpp"
#include "sums.cuh"

void bench::add_leader_sums(std::vector<chain>& chains) {
  using tessera::plus;
  using subject = reduction<float, add, true>;
  using sum = dense<subject>;
  constexpr char const* what = "float sum to the leader";
  add_sizes<sum, our_leader_sum<plus>, blocks::of_tile>(chains, what, "tessera, block = tile", kind::ours);
  add_sizes<sum, our_leader_sum<plus, on_block>, blocks::of_tile>(chains, what, "tessera, block tile",
                                                                  kind::ours);
  add_sizes<sum, our_leader_sum<plus, on_block, callers_memory<blocks::of_tile>>, blocks::of_tile>(
      chains, what, "tessera, block, shared", kind::ours);
  add_cub_sums<subject, cub_leader_sum>(chains, what);
}
