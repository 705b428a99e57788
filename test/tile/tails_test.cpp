// Collectives whose last step only some lanes do, in a loop. After the caller's barrier every lane must
// read all results.
//
// If a warp arrived at that barrier in several parts, the barrier would count each part, and let other
// warps pass before all lanes have written.
#include <tessera/atomic.hpp>
#include <tessera/block_tile.hpp>
#include <tessera/compact.hpp>
#include <tessera/histogram.hpp>
#include <tessera/joint_scan.hpp>
#include <tessera/vote.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#endif

#include "backend.hpp"

namespace {

using namespace test;

struct Tails : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TESSERA_FN unsigned hash(unsigned a, unsigned b = 0, unsigned c = 0) {
  unsigned h = a * 0x9e3779b9u ^ b * 0x85ebca6bu ^ c * 0xc2b2ae35u;
  h = (h ^ h >> 16) * 0x7feb352du;
  h = (h ^ h >> 15) * 0x846ca68bu;
  return h ^ h >> 16;
}

constexpr unsigned cell_count = 128;

/// Tiles of N that are parts of the block, the block as a tile, and a padded tile that is larger than the
/// block.
enum class tile_kind { part, block, padded };

template <tile_kind Kind, unsigned N, class Block>
TESSERA_FN auto tile_of(Block const& block) {
  if constexpr (Kind == tile_kind::part) {
    return tessera::tiled_partition<N>(block);
  } else if constexpr (Kind == tile_kind::block) {
    return tessera::this_block_tile<N>(block);
  } else {
    return tessera::padded_block_tile<(N < 512 ? 2 * N : 1024)>(block);
  }
}

/// Each lane returns the number of wrong cells. T is the type of the cells. Each tile has its own cells.
template <tile_kind Kind, unsigned N, class T>
struct tails {
  T* memory;
  unsigned rounds;
  unsigned* counters;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    using tessera::where, tessera::first, tessera::shuffles, tessera::hardware;
    auto const tile = tile_of<Kind, N>(block);
    unsigned const rank = tile.thread_rank();
    T* const cells = memory + block.thread_rank() / N * cell_count;
    unsigned wrong = 0;
#if TESSERA_ARCH
#pragma unroll 1
#endif
    for (unsigned round = 0; round < rounds; ++round) {
      unsigned const way = round % 10, seed = hash(round, 7), n = hash(seed, 1) % (N + 2);
      auto const in = [&](unsigned lane) {
        return way == 1 || way == 6 ? lane < n : way == 2 || way == 7 ? hash(seed, lane, 2) % 3 != 0 : true;
      };
      auto const key = [&](unsigned lane) {
        unsigned const h = hash(seed, lane, 4);
        return round % 3 == 0 ? 37u : round % 3 == 1 ? h % 100 : h % 4 != 0 ? 3u : h / 4 % 100;
      };
      auto const value = [&](unsigned lane) { return static_cast<T>(hash(seed, lane, 6) % 50); };
      auto const keep = [&](unsigned lane) { return hash(seed, lane, 3) % 2 == 0; };
      for (unsigned i = rank; i < cell_count; i += N) cells[i] = T(11);
      tile.sync();
      T const x = value(rank);
      unsigned const k = key(rank);
      if (way == 0) tessera::aggregated_add(tile, cells, k, x);
      if (way == 1) tessera::aggregated_add(tile, cells, k, x, first(n));
      if (way == 2) tessera::aggregated_add(tile, cells, k, x, where(in(rank)));
      if (way == 3) tessera::aggregated_add(tile, cells, k, x, shuffles);
      if (way == 4) tessera::aggregated_add(tile, cells, k, x, hardware);
      if (way == 5) tessera::atomic_reduce(tile, cells + 37, x);
      if (way == 6) tessera::atomic_reduce(tile, cells + 37, x, tessera::plus{}, first(n));
      if (way == 7) tessera::atomic_reduce(tile, cells + 37, x, tessera::plus{}, where(in(rank)));
      if (way == 8) tessera::invoke_one(tile, add_one{cells + 37});
      if (way == 9) tessera::invoke_one(tile, add_one_and_tell{cells + 37}, tessera::to_leader);
      tile.sync();
      for (unsigned i = rank; i < cell_count; i += N) {
        T want = T(11);
        for (unsigned lane = 0; lane < N; ++lane) {
          unsigned const to = way < 5 ? key(lane) : 37;
          T const adds = way < 8 ? value(lane) : lane == 0 ? T(1) : T(0);
          if (in(lane) && to == i) want += adds;
        }
        wrong += cells[i] != want;
      }
      tile.sync();
      unsigned const kept = tessera::compact(tile, x, keep(rank), cells, where(in(rank)));
      tile.sync();
      unsigned at = 0;
      for (unsigned lane = 0; lane < N; ++lane) {
        if (!in(lane) || !keep(lane) || at >= cell_count) continue;
        if (at % N == rank) wrong += cells[at] != value(lane);
        ++at;
      }
      wrong += at != (kept < cell_count ? kept : cell_count);
      tile.sync();
      unsigned* const ends = counters + block.thread_rank() / N;
      if (rank == 0) *ends = 3;
      tile.sync();
      auto const appended = tessera::compact(tile, x, keep(rank), cells, ends, where(in(rank) && rank < 100));
      tile.sync();
      at = 3;
      for (unsigned lane = 0; lane < N && lane < 100; ++lane)
        if (in(lane) && keep(lane)) wrong += cells[at++] != value(lane);
      wrong += *ends != at || appended.count != at - 3 || (appended.count > 0 && appended.begin != 3);
      tile.sync();
    }
    return wrong;
  }

  struct add_one {
    T* cell;
    TESSERA_FN void operator()() const { *cell += T(1); }
  };
  struct add_one_and_tell {
    T* cell;
    TESSERA_FN int operator()() const {
      *cell += T(1);
      return 1;
    }
  };
};

/// Padded tiles don't support aggregated_add, so these are the other calls that end in a write by some lanes.
template <unsigned N, class T>
struct padded_tails {
  T* memory;
  unsigned rounds;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tile_of<tile_kind::padded, N>(block);
    unsigned const rank = tile.thread_rank();
    unsigned wrong = 0;
#if TESSERA_ARCH
#pragma unroll 1
#endif
    for (unsigned round = 0; round < rounds; ++round) {
      unsigned const seed = hash(round, 9), n = hash(seed, 1) % (N + 2);
      auto const value = [&](unsigned lane) { return static_cast<T>(hash(seed, lane, 6) % 50); };
      auto const keep = [&](unsigned lane) { return hash(seed, lane, 3) % 2 == 0; };
      for (unsigned i = rank; i < cell_count; i += N) memory[i] = T(11);
      tile.sync();
      if (round % 3 == 0) tessera::atomic_reduce(tile, memory + 5, value(rank), tessera::plus{}, tessera::first(n));
      if (round % 3 == 1) tessera::invoke_one(tile, typename tails<tile_kind::block, N, T>::add_one{memory + 5});
      if (round % 3 == 2) tessera::compact(tile, value(rank), rank < cell_count && keep(rank), memory);
      tile.sync();
      T sum = T(11);
      unsigned at = 0;
      for (unsigned lane = 0; lane < N; ++lane) {
        if (round % 3 == 0 && lane < n) sum += value(lane);
        if (round % 3 == 2 && lane < cell_count && keep(lane)) wrong += memory[at++] != value(lane);
      }
      if (round % 3 == 1) sum += T(1);
      if (round % 3 != 2) wrong += memory[5] != sum;
      tile.sync();
    }
    return wrong;
  }
};

/// The scan of a range in memory, of a different length each time. All lanes read it after a barrier.
template <tile_kind Kind, unsigned N, class T>
struct joint_tails {
  T* memory;
  unsigned rounds;

  template <class Block>
  TESSERA_FN unsigned operator()(Block const& block) const {
    auto const tile = tile_of<Kind, N>(block);
    unsigned const rank = tile.thread_rank();
    T* const cells = memory + block.thread_rank() / N * cell_count;
    unsigned wrong = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      unsigned const n = 1 + hash(round, 3) % cell_count;
      for (unsigned i = rank; i < n; i += N) cells[i] = T(1);
      tile.sync();
      tessera::joint_inclusive_scan(tile, cells, n, cells);
      tile.sync();
      for (unsigned i = 0; i < n; ++i) wrong += cells[i] != static_cast<T>(i + 1);
      tile.sync();
    }
    return wrong;
  }
};

constexpr unsigned rounds_of(unsigned N) {
  return TESSERA_CUDA ? 1000 : N >= 512 ? 10 : 60;
}

template <tile_kind Kind, unsigned N, class T>
void give_counters(tails<Kind, N, T>& kernel, unsigned* counters) {
  kernel.counters = counters;
}
template <class Kernel>
void give_counters(Kernel&, unsigned*) {}

template <unsigned Threads, class T, class Kernel>
void expect_none_wrong(const char* what, unsigned N, Kernel kernel) {
  typename backend::template array<T> memory(std::vector<T>(1024 / N * cell_count + 1024));
  typename backend::template array<unsigned> counters(std::vector<unsigned>(1024));
  kernel.memory = memory.data();
  give_counters(kernel, counters.data());
  kernel.rounds = rounds_of(N);
  auto const wrong = backend::run_block<unsigned>(Threads, kernel);
  for (unsigned thread = 0; thread < Threads; ++thread)
    ASSERT_EQ(wrong[thread], 0u) << what << " of " << N << " lanes, cells of " << sizeof(T) << " bytes, thread "
                                 << thread;
}

TEST_F(Tails, OfTilesWithinAWarp) {
  expect_none_wrong<64, unsigned long long>("tiles", 8, tails<tile_kind::part, 8, unsigned long long>{});
  expect_none_wrong<128, unsigned>("tiles", 32, tails<tile_kind::part, 32, unsigned>{});
  expect_none_wrong<64, float>("tiles", 32, joint_tails<tile_kind::part, 32, float>{});
}
TEST_F(Tails, OfBlocksAsATile) {
  expect_none_wrong<64, unsigned long long>("blocks", 64, tails<tile_kind::block, 64, unsigned long long>{});
  expect_none_wrong<128, unsigned long long>("blocks", 128, tails<tile_kind::block, 128, unsigned long long>{});
  expect_none_wrong<64, double>("blocks", 64, joint_tails<tile_kind::block, 64, double>{});
}
TEST_F(Tails, OfTilesAboveAWarp) {
  expect_none_wrong<256, unsigned long long>("tiles", 64, tails<tile_kind::part, 64, unsigned long long>{});
  expect_none_wrong<256, float>("tiles", 128, tails<tile_kind::part, 128, float>{});
}
TEST_F(Tails, OfPaddedTiles) {
  expect_none_wrong<64, unsigned long long>("blocks", 64, padded_tails<64, unsigned long long>{});
  expect_none_wrong<512, unsigned>("blocks", 512, padded_tails<512, unsigned>{});
}

}  // namespace
