// The sum of the weights of each key: lanes with the same key make one atomic.
//
// aggregated_add(tile, counters, key, x) adds up the values of lanes that have the same key, where there are
// many. `where(p)` leaves out the lanes without an element: a few blocks walk over the array, and each tile goes on until
// its first lane is past the end. Leave out x to count the keys.
// reduce_by_label(tile, key, x) gives the sum of a lane's key in a register instead, and peers(tile, key) the
// lanes that have it.
#include <tessera/atomic.hpp>
#include <tessera/histogram.hpp>

#include "run.hpp"

struct histogram {
  static constexpr unsigned bins = 64;
  unsigned const* keys;
  float const* weights;
  unsigned n;
  float* sums;

  template <class Block, class Counters>
  TESSERA_FN void operator()(Block const& block, Counters& counters) const {
    for (unsigned b = block.thread_rank(); b < bins; b += block.size()) counters[b] = 0;
    block.sync();

    auto const tile = tessera::tiled_partition<32>(block);
    for (auto i = tessera::grid_rank(block); i - tile.thread_rank() < n; i += tessera::grid_size(block)) {
      unsigned const key = i < n ? keys[i] : 0;
      float const weight = i < n ? weights[i] : 0;
      tessera::aggregated_add(tile, counters, key, weight, tessera::where(i < n));
    }
    block.sync();

    for (unsigned b = block.thread_rank(); b < bins; b += block.size()) tessera::atomic_update(sums + b, counters[b]);
  }
};

int main() {
  constexpr unsigned bins = histogram::bins, n = 10'007, threads = 256;
  ladder::random_numbers random;
  ladder::array<unsigned> keys(n);
  ladder::array<float> weights(n), sums(bins);
  std::vector<float> expected(bins);
  for (unsigned i = 0; i < n; ++i) {
    keys[i] = random.below(1 + random.below(bins));  // the low ones are frequent
    weights[i] = static_cast<float>(1 + random.below(9));
    expected[keys[i]] += weights[i];
  }
  ladder::run_with<float[bins]>(8, threads, histogram{keys.data(), weights.data(), n, sums.data()});
  return ladder::report("histogram", "10007 weights of 64 keys, low ones frequent", "tile of 32",
                        ladder::difference(sums, expected));
}
