// A struct of 32 bytes, with an operator that the library doesn't know.
#include "chains.hpp"
#include "scans.cuh"
#include "sums.cuh"

namespace bench {

namespace {

/// Adds eight members. They are integers, so that the result doesn't depend on the order.
struct bundle {
  unsigned word[8];
};

/// For tessera this operator is like a lambda.
struct sum_of_bundles {
  BENCH_FN bundle operator()(bundle a, bundle const& b) const {
    TESSERA_UNROLL
    for (int i = 0; i < 8; ++i) a.word[i] += b.word[i];
    return a;
  }
};

using bench::update;
BENCH_FN bundle update(bundle x, bundle const& weight, bundle const& own) {
  TESSERA_UNROLL
  for (int i = 0; i < 8; ++i) x.word[i] = update(x.word[i], weight.word[i], own.word[i]);
  return x;
}
bool agree(bundle const& a, bundle const& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The same as Subject, with bundles as values.
template <class Subject>
struct of_bundles : Subject {
  static bundle own(unsigned thread, unsigned /*width*/) {
    bundle x;
    for (unsigned i = 0; i < 8; ++i) x.word[i] = (thread + 1) * 2654435761u ^ i * 0x9e3779b9u;
    return x;
  }
  static bundle weight(unsigned /*rank*/, unsigned /*width*/) { return {{1, 1, 1, 1, 1, 1, 1, 1}}; }
};

}  // namespace

void add_bundles(std::vector<chain>& chains) {
  using sum = of_bundles<reduction<bundle, sum_of_bundles>>;
  using scan = of_bundles<block_scan<bundle, sum_of_bundles>>;
  using op = sum_of_bundles;
  constexpr char const* what = "sum of 32 bytes";
  add_sizes<sum, our_sum<op>, blocks::filled>(chains, what, "tessera", kind::ours);
  add_sizes<sum, our_sum<op>, blocks::of_tile>(chains, what, "tessera, block = tile", kind::ours);
  add_sizes<sum, our_sum<op, on_block>, blocks::of_tile>(chains, what, "tessera, block tile", kind::ours);
  add_sizes<sum, our_sum<op, on_block, callers_memory<blocks::of_tile>>, blocks::of_tile>(
      chains, what, "tessera, block, shared", kind::ours);
  add_cub<sum, op, cub_sum_and_broadcast>(chains, what);
  add_our_scans<scan, op>(chains, "scan of 32 bytes");
  add_cub_scans<scan, op>(chains, "scan of 32 bytes");
}

}  // namespace bench
