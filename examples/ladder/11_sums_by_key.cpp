// The sum of the values of each key, where keys are sorted: segments.
//
// Neighbors with the same key are a segment, and segmented_reduce adds up every segment of the tile by
// itself. `to_leader` leaves the sum in the segment's first lane, whose predecessor has another key. A
// segment may go on in the next tile, so sums meet by an atomic. Change by_key(key) to by_head(flag). For
// unsorted keys see rung 05.
#include <tessera/atomic.hpp>
#include <tessera/lanes.hpp>
#include <tessera/segmented.hpp>

#include "run.hpp"

struct sums_by_key {
  int const* keys;
  float const* values;
  unsigned n;
  float* sums;

  template <class Block>
  TESSERA_FN void operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<32>(block);
    unsigned const i = block.group_index().x * block.size() + block.thread_rank();
    int const none = -1;
    int const key = i < n ? keys[i] : none;
    float const value = i < n ? values[i] : 0;
    float const sum = tessera::segmented_reduce(tile, value, tessera::by_key(key), tessera::plus{}, tessera::to_leader);
    bool const leads = key != tessera::shift_up(tile, key, 1, none);
    if (leads && key != none) tessera::atomic_update(sums + key, sum);
  }
};

int main() {
  constexpr unsigned different = 700, threads = 256;
  ladder::random_numbers random;
  ladder::array<int> keys;
  ladder::array<float> values, sums(different);
  std::vector<float> expected(different);
  for (unsigned key = 0; key < different; ++key) {
    for (unsigned left = random.below(1 + random.below(60)); left > 0; --left) {
      keys.push_back(static_cast<int>(key));
      values.push_back(static_cast<float>(random.below(100)));
      expected[key] += values.back();
    }
  }
  unsigned const n = static_cast<unsigned>(keys.size());
  ladder::run(ladder::parts(n, threads), threads, sums_by_key{keys.data(), values.data(), n, sums.data()});
  return ladder::report("sums_by_key", "700 keys, 0 to 59 values of each", "tile of 32",
                        ladder::difference(sums, expected));
}
