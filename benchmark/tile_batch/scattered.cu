#include "batches.cuh"
#include "chains.hpp"

namespace bench {

namespace {

template <unsigned K, unsigned N>
void add_width(std::vector<chain>& chains) {
  namespace choice = tessera::choice;
  using scattered = batch<float, K, results::scattered>;
  std::string const what = std::to_string(K) + " floats, scattered";
  auto const add = [&](auto subject, auto method, char const* name, bench::kind kind) {
    chains.push_back(make_chain<decltype(subject), decltype(method), N>(what, name, kind));
  };
  using total = batch<float, K, results::total>;
  add(scattered{}, our_batch<choice::scattered>{}, "tessera adaptive", kind::ours);
  add(scattered{}, our_batch<choice::scattered, choice::converged>{}, "tessera converged", kind::ours);
  add(total{}, each<our_sum, results::total>{}, "tessera::reduce of each", kind::ours);
  add(total{}, each<cooperative_groups_sum, results::total>{}, "cg::reduce of each", kind::peer);
  add(scattered{}, each<cooperative_groups_sum, results::scattered>{}, "cg::reduce, own kept", kind::peer);
  add(scattered{}, loop_only{}, "loop only", kind::loop);
}

}  // namespace

void add_scattered_floats(std::vector<chain>& chains) {
  add_width<4, 8>(chains);
  add_width<4, 32>(chains);
  add_width<8, 8>(chains);
  add_width<8, 32>(chains);
  add_width<16, 32>(chains);
  add_width<32, 32>(chains);
}

}  // namespace bench
