// Sums of ints, which 32 lanes can also add by one redux each. The choice in tessera/group/tuning.hpp is based on
// this.
#include "batches.cuh"
#include "chains.hpp"

namespace bench {

namespace {

template <unsigned K, results Results, class Placement>
void add_methods(std::vector<chain>& chains, std::string const& what) {
  namespace choice = tessera::choice;
  using subject = batch<int, K, Results>;
  auto const add = [&](auto method, char const* name, bench::kind kind) {
    chains.push_back(make_chain<subject, decltype(method), 32>(what, name, kind));
  };
  add(our_batch<Placement, choice::shuffles>{}, "shuffles", kind::ours);
  add(our_batch<Placement, choice::hardware>{}, "hardware", kind::ours);
  add(our_batch<Placement>{}, "automatic", kind::ours);
  add(loop_only{}, "loop only", kind::loop);
}

template <unsigned K>
void add_count(std::vector<chain>& chains) {
  namespace choice = tessera::choice;
  std::string const ints = std::to_string(K) + " ints";
  add_methods<K, results::scattered, choice::scattered>(chains, ints + ", scattered");
  add_methods<K, results::to_all, choice::to_all>(chains, ints + ", to all");
}

}  // namespace

void add_ints(std::vector<chain>& chains) {
  add_count<2>(chains);
  add_count<4>(chains);
  add_count<8>(chains);
  add_count<16>(chains);
  add_count<32>(chains);
}

}  // namespace bench
