// Shuffles, compared with the instructions that combine a whole warp. The table in tessera/group/tuning.hpp is
// based on this.
#include "chains.hpp"
#include "reductions.cuh"

namespace bench {

namespace {

template <class Subject, class Op>
void add_both(std::vector<chain>& chains, char const* what) {
  namespace choice = tessera::choice;
  using by_shuffles = ours<Op, choice::converged, choice::shuffles>;
  using by_hardware = ours<Op, choice::converged, choice::hardware>;
  using unforced = ours<Op, choice::converged>;
  add_widths<Subject, by_shuffles>(chains, what, "converged | shuffles", kind::ours);
  add_widths<Subject, by_hardware>(chains, what, "converged | hardware", kind::ours);
  add_widths<Subject, unforced>(chains, what, "converged | automatic", kind::ours);
  add_widths<Subject, loop_only>(chains, what, "loop only", kind::loop);
}

}  // namespace

void add_methods(std::vector<chain>& chains) {
  add_both<reduction<int, add>, tessera::plus>(chains, "int sum, by method");
  add_both<reduction<int, least>, tessera::minimum>(chains, "int minimum");
  add_both<reduction<float, least>, tessera::minimum>(chains, "float minimum");
  add_both<reduction<bool, both>, tessera::logical_and>(chains, "bool logical_and");
  add_both<reduction<std::uint64_t, either_bits>, tessera::bit_or>(chains, "uint64_t bit_or");
}

}  // namespace bench
