// compact for types of 1 to 12 bytes, and appending, with counters of each kind.
#include <tessera/block_tile.hpp>

#include "compact_cases.hpp"

#if !TESSERA_CUDA
#include <tessera/histogram.hpp>
#include <tessera/host/launch.hpp>
#include <tessera/host/shared.hpp>
#endif

namespace {

using namespace test;

TEST(Compact, Ints) {
  check_compact_of_sizes<int>();
}
TEST(Compact, TwelveBytesConverged) {
  check_compact_of_sizes<row<12>>(tessera::converged);
}
TEST(Compact, BytesIsolated) {
  check_compact_of_sizes<unsigned char>(tessera::isolated);
}

TEST(Append, IntsWithAnUnsignedCounter) {
  check_append_of_sizes<int, unsigned>();
}
TEST(Append, TwelveBytesWithAnUnsignedLongLongCounterConverged) {
  check_append_of_sizes<row<12>, unsigned long long>(tessera::converged);
}
TEST(Append, BytesWithAnIntCounterIsolated) {
  check_append_of_sizes<unsigned char, int>(tessera::isolated);
}

/// If no value is kept, the counter isn't accessed, so it may be null.
struct append_nothing {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned x) const {
    unsigned* const nowhere = nullptr;
    auto const [begin, count] = tessera::compact(tile, x, false, nowhere, nowhere);
    return begin + count + tessera::compact(tile, x, true, nowhere, nowhere, tessera::first(0)).count;
  }
};
TEST(Append, OfNothingMakesNoAtomic) {
  SKIP_WITHOUT_BACKEND();
  for (unsigned returned : backend::run<16, unsigned>(std::vector<unsigned>(block_lanes), append_nothing{}))
    ASSERT_EQ(returned, 0u);
}

/// A block of any size as one tile: every second thread keeps its rank.
template <unsigned N>
struct append_padded {
  unsigned* out;
  unsigned* counter;
  template <class Block>
  TESSERA_FN reserved_range<unsigned> operator()(Block const& block) const {
    auto const tile = tessera::padded_block_tile<N>(block);
    unsigned const rank = tile.thread_rank();
    auto const returned = tessera::compact(tile, rank, rank % 2 == 1, out, counter);
    return {returned.begin, returned.count};
  }
};
template <unsigned N>
void check_append_padded(std::initializer_list<unsigned> threads_of) {
  for (unsigned threads : threads_of) {
    backend::array<unsigned> out(std::vector<unsigned>(threads + 5, 77)), counter(std::vector<unsigned>{3});
    auto const returned =
        backend::run_block<reserved_range<unsigned>>(threads, append_padded<N>{out.data(), counter.data()});
    for (auto const& one : returned) {
      ASSERT_EQ(one.begin, threads < 2 ? 0u : 3u) << threads;
      ASSERT_EQ(one.count, threads / 2) << threads;
    }
    ASSERT_EQ(counter.to_host()[0], 3 + threads / 2);
    auto const got = out.to_host();
    for (unsigned i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], i < 3 || i >= 3 + threads / 2 ? 77 : 2 * (i - 3) + 1) << threads << ", place " << i;
  }
}
TEST(Append, FromBlocksOfAnySize) {
  SKIP_WITHOUT_BACKEND();
  check_append_padded<64>({1, 5, 31, 32, 40, 64});
  check_append_padded<256>({1, 31, 33, 65, 129, 200, 255, 256});
}

#if !TESSERA_CUDA
/// The counter is in shared memory of host tiles: atomics on it don't race, and a read after a barrier gets
/// their result.
TEST(Append, WithACounterInSharedMemory) {
  namespace host = tessera::host;
  for (host::schedule order : host::all_schedules) {
    std::vector<unsigned> out(64, 77);
    auto const counts =
        host::launch_block(64, host::options{}.with_schedule(order).with_seed(3), [&](host::block block) {
          host::shared<unsigned long long> counter(block, 1);
          host::shared<int> keys(block, 2);
          unsigned const rank = block.thread_rank();
          if (rank == 0) counter[0] = 10, keys[0] = 0, keys[1] = 0;
          block.sync();
          auto const tile = tessera::tiled_partition<16>(block);
          auto const [begin, count] = tessera::compact(tile, rank, rank % 16 < 3, out.data(), counter);
          tessera::aggregated_add(tile, keys, rank % 2, 1);
          block.sync();
          int const of_first = keys[0];
          return static_cast<unsigned>(counter[0]) + 100 * count + 1000 * (begin % 3 == 1 ? 1 : 0) +
                 10000 * static_cast<unsigned>(of_first);
        });
    for (unsigned returned : counts) ASSERT_EQ(returned, 22u + 300 + 1000 + 320000);
    std::vector<unsigned> got(out.begin() + 10, out.begin() + 22);
    std::sort(got.begin(), got.end());
    ASSERT_EQ(got, (std::vector<unsigned>{0, 1, 2, 16, 17, 18, 32, 33, 34, 48, 49, 50}));
    ASSERT_EQ(out[9] + out[22], 154u);
  }
}
#endif

}  // namespace
