// The elements that pass a test, side by side, with one atomic a warp.
//
// compact(tile, x, keep, out, counter) reserves places for all that the tile keeps, and writes them in the
// order of the lanes. `first(n)` says how many lanes of the last tile have an element. Change the test.
// Without a counter, compact(tile, x, keep, out) writes from out[0] on and returns how many it wrote.
#include <tessera/compact.hpp>

#include <algorithm>

#include "run.hpp"

struct keep_multiples_of_3 {
  unsigned const* in;
  unsigned n;
  unsigned* out;
  unsigned* counter;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<32>(block);
    unsigned const which = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    unsigned const begin = which * tile.size();
    if (begin >= n) return;
    unsigned const i = begin + tile.thread_rank();
    unsigned const x = i < n ? in[i] : 0;
    tessera::compact(tile, x, x % 3 == 0, out, counter, tessera::first(n - begin));
  }
};

int main() {
  constexpr unsigned n = 20'011, threads = 256;
  ladder::random_numbers random;
  ladder::array<unsigned> in(n), out(n), counter(1);
  for (unsigned& x : in) x = random.below(1'000'000);
  ladder::run(ladder::parts(n, threads), threads, keep_multiples_of_3{in.data(), n, out.data(), counter.data()});

  std::vector<unsigned> expected;
  for (unsigned x : in) {
    if (x % 3 == 0) expected.push_back(x);
  }
  out.resize(std::min(counter[0], n));
  std::sort(out.begin(), out.end());
  std::sort(expected.begin(), expected.end());
  return ladder::report("compact", "20011 integers, a third of them kept", "tile of 32",
                        ladder::difference(out, expected));
}
