// 10⁵ and more consecutive calls without barriers between them: of one type, of different types and
// collectives, and by tiles of a block that make different calls. Every lane checks every result, and
// returns the number of wrong ones.
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>
#include <tessera/vote.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "backend.hpp"

namespace {

using namespace test;

constexpr unsigned many = 100'000;
constexpr unsigned some = 10'000;  // the iterations, if one has ten collectives or more
constexpr unsigned blocks = 128;   // the number of blocks; each runs all iterations

struct MultiWarpRepeated : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

/// 0 + 1 + … + n − 1.
TESSERA_FN unsigned sum_below(unsigned n) {
  return n * (n - 1) / 2;
}

/// A struct of 32 bytes.
struct eight {
  unsigned word[8];
};
struct sum_of_eights {
  TESSERA_FN eight operator()(eight x, eight y) const {
    for (unsigned i = 0; i < 8; ++i) x.word[i] += y.word[i];
    return x;
  }
};

// Each function returns whether the lane's result of one call is right. The values depend on `trip`, so
// that a value that an earlier call left in memory is wrong. Sums of floats stay below 2^24.

template <class T, class Tile>
__device__ bool reduces(Tile const& tile, unsigned trip) {
  constexpr unsigned N = tessera::tile_size_v<Tile>;
  unsigned const shift = trip % 1024;
  return tessera::reduce(tile, static_cast<T>(tile.thread_rank() + shift)) == static_cast<T>(sum_below(N) + N * shift);
}
template <class Tile>
__device__ bool reduces_structs(Tile const& tile, unsigned trip) {
  constexpr unsigned N = tessera::tile_size_v<Tile>;
  eight x;
  for (unsigned i = 0; i < 8; ++i) x.word[i] = tile.thread_rank() + i * trip;
  eight const sum = tessera::reduce(tile, x, sum_of_eights{});
  bool right = true;
  for (unsigned i = 0; i < 8; ++i) right = right && sum.word[i] == sum_below(N) + N * i * trip;
  return right;
}
template <class Tile>
__device__ bool scans(Tile const& tile, unsigned trip) {
  unsigned const rank = tile.thread_rank();
  return tessera::inclusive_scan(tile, rank + trip) == sum_below(rank + 1) + (rank + 1) * trip;
}
template <class Tile>
__device__ bool ballots(Tile const& tile, unsigned trip) {
  constexpr unsigned N = tessera::tile_size_v<Tile>;
  unsigned const rank = tile.thread_rank(), other = (rank * 33 + trip) % N;
  auto const mask = tessera::ballot(tile, (rank + trip) % 3 == 0);
  return mask.test(other) == ((other + trip) % 3 == 0) && mask.first() == (3 - trip % 3) % 3;
}
template <class Tile>
__device__ bool votes(Tile const& tile, unsigned trip) {
  constexpr unsigned N = tessera::tile_size_v<Tile>;
  return tessera::any_of(tile, trip % 2 == 0 && tile.thread_rank() == trip % N) == (trip % 2 == 0);
}
template <class Tile>
__device__ bool scans_segments(Tile const& tile, unsigned trip) {
  unsigned const rank = tile.thread_rank(), length = 3 + trip % 97, into = (rank + trip) % length;
  unsigned const lanes = into < rank ? into + 1 : rank + 1;
  return tessera::segmented_inclusive_scan(tile, trip, into == 0) == lanes * trip;
}
template <class Tile>
__device__ bool broadcasts(Tile const& tile, unsigned trip) {
  unsigned const source = trip % tessera::tile_size_v<Tile>;
  return tessera::broadcast(tile, tile.thread_rank() * 5 + trip, source) == source * 5 + trip;
}
template <class Tile>
__device__ bool rotates(Tile const& tile, unsigned trip) {
  constexpr unsigned N = tessera::tile_size_v<Tile>;
  unsigned const rank = tile.thread_rank();
  return tessera::rotate(tile, rank * 5 + trip, static_cast<int>(trip)) == (rank + trip) % N * 5 + trip;
}

// ---- The calls of one iteration. Each function returns the number of wrong results.

struct ints {
  static constexpr unsigned calls = 1;  // the least number of calls of a tile in one iteration
  template <class Tile>
  __device__ unsigned operator()(Tile const& tile, unsigned trip) const {
    return reduces<int>(tile, trip) ? 0 : 1;
  }
};
struct ints_and_doubles {
  static constexpr unsigned calls = 2;
  template <class Tile>
  __device__ unsigned operator()(Tile const& tile, unsigned trip) const {
    return (reduces<int>(tile, trip) ? 0 : 1) + (reduces<double>(tile, trip) ? 0 : 1);
  }
};
/// An odd number of different calls, one after the other. The order changes from iteration to iteration.
struct everything {
  static constexpr unsigned calls = 11;
  template <class Tile>
  __device__ unsigned operator()(Tile const& tile, unsigned trip) const {
    unsigned wrong = 0;
    for (unsigned i = 0; i < 11; ++i) wrong += one(tile, trip, (trip + i * (1 + trip % 10)) % 11) ? 0 : 1;
    return wrong;
  }

  template <class Tile>
  __device__ static bool one(Tile const& tile, unsigned trip, unsigned kind) {
    switch (kind) {
      case 0:
        return reduces<float>(tile, trip);
      case 1:
        return reduces<int>(tile, trip);
      case 2:
        return reduces<double>(tile, trip);
      case 3:
        return reduces_structs(tile, trip);
      case 4:
        return scans(tile, trip);
      case 5:
        return ballots(tile, trip);
      case 6:
        return votes(tile, trip);
      case 7:
        return scans_segments(tile, trip);
      case 8:
        return broadcasts(tile, trip);
      case 9:
        return rotates(tile, trip);
      default:
        return reduces<unsigned char>(tile, trip);
    }
  }
};
/// Each tile of the block calls a different collective, a different number of times.
struct different_tiles {
  static constexpr unsigned calls = 1;
  template <class Tile>
  __device__ unsigned operator()(Tile const& tile, unsigned trip) const {
    unsigned const index = threadIdx.x / tessera::tile_size_v<Tile>;
    unsigned wrong = 0;
    for (unsigned i = 0; i <= (index + trip) % 4; ++i)
      wrong += everything::one(tile, trip + i, (trip + index) % 11) ? 0 : 1;
    return wrong;
  }
};

template <unsigned N, unsigned Threads, class Trip>
__global__ void __launch_bounds__(Threads) repeat(unsigned first, unsigned last, unsigned* wrong, Trip once) {
  auto const tile = tessera::tiled_partition<N>(cooperative_groups::this_thread_block());
  unsigned const ahead = blockIdx.x * 1009;  // each block has different values
  unsigned mine = 0;
  for (unsigned trip = first; trip < last; ++trip) mine += once(tile, ahead + trip);
  wrong[blockIdx.x * Threads + threadIdx.x] = mine;
}

/// The time limit of a case. A sanitizer makes each iteration a thousand times slower; with
/// TESSERA_TEST_SECONDS=600 it checks more of them.
std::chrono::seconds patience() {
  char const* const given = std::getenv("TESSERA_TEST_SECONDS");
  return std::chrono::seconds(given ? std::atoi(given) : 2);
}

/// The number of iterations of each block. TESSERA_TEST_CALLS=100000 sets the number of calls of all tiles
/// together.
unsigned enough(unsigned trips, unsigned calls_a_trip) {
  char const* const given = std::getenv("TESSERA_TEST_CALLS");
  return given ? static_cast<unsigned>(std::atoi(given)) / (blocks * calls_a_trip) + 1 : trips;
}

/// Runs `trips` iterations in each block of `Threads`, with tiles of N. There are launches of 16, 32, 64 …
/// iterations; none starts after the time limit.
template <unsigned N, unsigned Threads, class Trip>
void check_repeated(Trip once, unsigned trips) {
  using clock = std::chrono::steady_clock;
  auto const start = clock::now();
  constexpr unsigned calls_a_trip = Threads / N * Trip::calls;
  unsigned const wanted = enough(trips, calls_a_trip);
  unsigned done = 0;
  for (unsigned batch = 16; done < wanted && (clock::now() - start < patience()); batch *= 2) {
    unsigned const last = std::min(done + batch, wanted);
    gpu_array<unsigned> const wrong(std::vector<unsigned>(blocks * Threads, 1));
    repeat<N, Threads><<<blocks, Threads>>>(done, last, wrong.data(), once);
    test::check(cudaGetLastError());
    auto const counts = wrong.to_host();
    ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), 0ull), 0ull)
        << "wrong results on tiles of " << N << " in blocks of " << Threads << ", trips " << done << " to " << last;
    done = last;
  }
  if (done < trips) {
    std::printf("tiles of %u: %u of %u trips in a row, %u calls in all\n", N, done, trips,
                blocks * done * calls_a_trip);
    std::fflush(stdout);
  }
}

TEST_F(MultiWarpRepeated, OneTypeOn64Lanes) {
  check_repeated<64, 64>(ints{}, many);
}
TEST_F(MultiWarpRepeated, OneTypeOn256Lanes) {
  check_repeated<256, 256>(ints{}, many);
}
TEST_F(MultiWarpRepeated, OneTypeOn1024Lanes) {
  check_repeated<1024, 1024>(ints{}, many);
}

TEST_F(MultiWarpRepeated, TwoTypesOn64Lanes) {
  check_repeated<64, 128>(ints_and_doubles{}, many);
}
TEST_F(MultiWarpRepeated, TwoTypesOn256Lanes) {
  check_repeated<256, 512>(ints_and_doubles{}, many);
}
TEST_F(MultiWarpRepeated, TwoTypesOn1024Lanes) {
  check_repeated<1024, 1024>(ints_and_doubles{}, many);
}

TEST_F(MultiWarpRepeated, AllCollectivesOn64Lanes) {
  check_repeated<64, 128>(everything{}, some);
}
TEST_F(MultiWarpRepeated, AllCollectivesOn256Lanes) {
  check_repeated<256, 256>(everything{}, some);
}
TEST_F(MultiWarpRepeated, AllCollectivesOn1024Lanes) {
  check_repeated<1024, 1024>(everything{}, some);
}

TEST_F(MultiWarpRepeated, TilesWithDifferentCallsOn64Lanes) {
  check_repeated<64, 512>(different_tiles{}, many);
}
TEST_F(MultiWarpRepeated, TilesWithDifferentCallsOn128Lanes) {
  check_repeated<128, 1024>(different_tiles{}, many);
}
TEST_F(MultiWarpRepeated, TilesWithDifferentCallsOn256Lanes) {
  check_repeated<256, 1024>(different_tiles{}, many);
}

}  // namespace
