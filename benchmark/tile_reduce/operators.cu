// Operators on structs, compared with hand-written code.
#include "chains.hpp"
#include "reductions.cuh"

namespace bench {

namespace {

template <class Subject, class Op, class ByHand>
void add_beside(std::vector<chain>& chains, char const* what) {
  namespace choice = tessera::choice;
  add_widths<Subject, ours<Op, choice::adaptive>>(chains, what, "tessera adaptive", kind::ours);
  add_widths<Subject, ours<Op, choice::converged>>(chains, what, "tessera converged", kind::ours);
  add_widths<Subject, ours<Op, choice::isolated>>(chains, what, "tessera isolated", kind::ours);
  add_widths<Subject, ByHand>(chains, what, "hand-written", kind::peer);
  add_widths<Subject, loop_only>(chains, what, "loop only", kind::loop);
}

}  // namespace

void add_operators(std::vector<chain>& chains) {
  add_beside<reduction<indexed, lowest>, tessera::argmin, hand_written<lowest>>(chains, "argmin of float");
  // For tessera, `product` is like a lambda: an operator that isn't known to commute.
  add_beside<reduction<matrix, product>, product, hand_written_in_order<product>>(chains, "2x2 matrix product");
}

}  // namespace bench
