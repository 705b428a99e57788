// The exclusive scan of an array by one block, with 4 elements a thread.
//
// The whole block is the tile, and items<int, 4> are scanned by the same call as one value a lane.
// `with_total` adds the sum of all, from which the next round starts. With `shared(scratch)` the warps
// exchange through memory of the kernel's own. Change `each`, or the operator and how `start` grows by it.
#include <tessera/block_tile.hpp>
#include <tessera/scan.hpp>

#include "run.hpp"

struct block_scan {
  static constexpr unsigned threads = 256, each = 4;
  int const* in;
  unsigned n;
  int* out;

  template <class Block, class Scratch>
  TESSERA_FN void operator()(Block const& block, Scratch& scratch) const {
    auto const tile = tessera::this_block_tile<threads>(block);
    auto const policy = tessera::with_total | tessera::shared(scratch);
    int start = 0;
    for (unsigned begin = 0; begin < n; begin += threads * each) {
      unsigned const mine = begin + tile.thread_rank() * each;
      tessera::items<int, each> x;
      for (unsigned i = 0; i < each; ++i) x[i] = mine + i < n ? in[mine + i] : 0;
      auto const sums = tessera::exclusive_scan(tile, x, tessera::plus{}, start, policy);
      for (unsigned i = 0; i < each; ++i) {
        if (mine + i < n) out[mine + i] = sums.value[i];
      }
      start += sums.total;
    }
  }
};

int main() {
  constexpr unsigned threads = block_scan::threads, n = 5'003;
  ladder::random_numbers random;
  ladder::array<int> in(n), out(n);
  for (int& x : in) x = static_cast<int>(random.below(1000)) - 500;
  ladder::run_with<tessera::scratch<int, threads>>(1, threads, block_scan{in.data(), n, out.data()});

  std::vector<int> expected(n);
  for (unsigned i = 1; i < n; ++i) expected[i] = expected[i - 1] + in[i - 1];
  return ladder::report("block_scan", "5003 integers", "block of 256, 4 each", ladder::difference(out, expected));
}
