#include "batches.cuh"
#include "chains.hpp"

namespace bench {

namespace {

template <unsigned K>
void add_count(std::vector<chain>& chains) {
  namespace choice = tessera::choice;
  using subject = batch<float, K, results::to_all>;
  std::string const what = std::to_string(K) + " floats, to all";
  add_8_and_32<subject, our_batch<>>(chains, what, "tessera adaptive", kind::ours);
  add_8_and_32<subject, our_batch<choice::converged>>(chains, what, "tessera converged", kind::ours);
  add_8_and_32<subject, each<our_sum, results::to_all>>(chains, what, "tessera::reduce of each", kind::ours);
  add_8_and_32<subject, each<cooperative_groups_sum, results::to_all>>(chains, what, "cg::reduce of each", kind::peer);
  add_8_and_32<subject, loop_only>(chains, what, "loop only", kind::loop);
}

}  // namespace

void add_floats_to_all(std::vector<chain>& chains) {
  add_count<2>(chains);
  add_count<4>(chains);
  add_count<8>(chains);
  add_count<16>(chains);
  add_count<32>(chains);
}

}  // namespace bench
