// Compares sorts of tiles, by key and alone, and radix ranks with CUB's collectives of warps and blocks. Stable results must be
// equal; of others the keys, and each value must have come with its key.
#include <tessera/radix.hpp>
#include <tessera/sort.hpp>

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>

#include "backend.hpp"
#include "samples.hpp"

namespace {
namespace sort_peers {

using namespace test;
using tessera::items;

constexpr unsigned lanes_in_all = 4 * 1024;

/// A lane's keys, and its values, which are the keys' positions in the tile.
template <class T, unsigned K>
struct pairs {
  items<T, K> keys;
  items<unsigned, K> values;
};

template <unsigned N, unsigned Threads, class X, class Kernel>
__global__ void __launch_bounds__(Threads) run_tiles(X const* in, X* out, Kernel kernel) {
  auto const tile = tessera::tiled_partition<N>(cooperative_groups::this_thread_block());
  unsigned const lane = blockIdx.x * Threads + threadIdx.x;
  if (has_code<N>) out[lane] = kernel(tile, in[lane]);
}
/// The results of kernel(tile<N>, in[lane]) for each lane; above a warp the tile is the block.
template <unsigned N, class X, class Kernel>
std::vector<X> run(std::vector<X> const& in, Kernel kernel) {
  constexpr unsigned threads = N <= 32 ? 128 : N;
  gpu_array<X> const from(in), to(in.size());
  run_tiles<N, threads><<<lanes_in_all / threads, threads>>>(from.data(), to.data(), kernel);
  check(cudaGetLastError());
  return to.to_host();
}

// ---- The kernels.

struct our_sort {
  template <class Tile, class T, unsigned K>
  __device__ pairs<T, K> operator()(Tile const& tile, pairs<T, K> const& x) const {
    return {tessera::sort(tile, x.keys), x.values};
  }
};
struct our_sort_by_key {
  template <class Tile, class T, unsigned K>
  __device__ pairs<T, K> operator()(Tile const& tile, pairs<T, K> const& x) const {
    auto const sorted = tessera::sort_by_key(tile, x.keys, x.values);
    return {sorted.keys, sorted.values};
  }
};
struct our_stable_sort_by_key {
  template <class Tile, class T, unsigned K>
  __device__ pairs<T, K> operator()(Tile const& tile, pairs<T, K> const& x) const {
    auto const sorted = tessera::stable_sort_by_key(tile, x.keys, x.values);
    return {sorted.keys, sorted.values};
  }
};

struct rises {
  template <class T>
  __device__ bool operator()(T const& a, T const& b) const {
    return a < b;
  }
};
struct warp_merge_sort {
  template <class Tile, class T, unsigned K>
  __device__ pairs<T, K> operator()(Tile const&, pairs<T, K> x) const {
    using sort = cub::WarpMergeSort<T, K, 32, unsigned>;
    __shared__ typename sort::TempStorage storage[4];
    sort(storage[threadIdx.x / 32]).StableSort(x.keys.item, x.values.item, rises{});
    return x;
  }
};
struct block_merge_sort {
  template <class Tile, class T, unsigned K>
  __device__ pairs<T, K> operator()(Tile const&, pairs<T, K> x) const {
    using sort = cub::BlockMergeSort<T, tessera::tile_size_v<Tile>, K, unsigned>;
    __shared__ typename sort::TempStorage storage;
    sort(storage).StableSort(x.keys.item, x.values.item, rises{});
    return x;
  }
};
struct block_radix_sort {
  template <class Tile, class T, unsigned K>
  __device__ pairs<T, K> operator()(Tile const&, pairs<T, K> x) const {
    using sort = cub::BlockRadixSort<T, tessera::tile_size_v<Tile>, K, unsigned>;
    __shared__ typename sort::TempStorage storage;
    sort(storage).Sort(x.keys.item, x.values.item);
    return x;
  }
};

// ---- Sorts.

/// Keys with all bits, or few of them. Of floats no zero has a sign, and none is NaN: libraries differ in those.
template <class T>
T draw(random_engine& random, bool few) {
  auto const drawn = static_cast<unsigned>(random() >> 16);
  if constexpr (std::is_same_v<T, float>) {
    int const number = static_cast<int>(few ? drawn % 9 : drawn) - 4;
    return number == 3 ? std::numeric_limits<float>::infinity() : static_cast<float>(number) * 0.25f;
  } else {
    return few ? drawn % 9 : drawn;
  }
}
template <unsigned N, unsigned K, class T>
std::vector<pairs<T, K>> random_pairs(bool few) {
  random_engine random(N + K);
  std::vector<pairs<T, K>> x(lanes_in_all);
  for (unsigned lane = 0; lane < lanes_in_all; ++lane) {
    for (unsigned i = 0; i < K; ++i) {
      x[lane].keys[i] = draw<T>(random, few);
      x[lane].values[i] = lane % N * K + i;
    }
  }
  return x;
}

template <class T, unsigned N, unsigned K, class Peer>
void check_sorts(Peer peer) {
  for (bool few : {false, true}) {
    auto const x = random_pairs<N, K, T>(few);
    auto const theirs = run<N>(x, peer);
    auto const sorted = run<N>(x, our_sort{}), by_key = run<N>(x, our_sort_by_key{}),
               stable = run<N>(x, our_stable_sort_by_key{});
    std::vector<bool> found(lanes_in_all * K);
    for (unsigned lane = 0; lane < lanes_in_all; ++lane) {
      unsigned const first = lane / N * N;
      for (unsigned i = 0; i < K; ++i) {
        auto const where = [&] {
          return "N " + std::to_string(N) + ", lane " + std::to_string(lane) + ", item " + std::to_string(i);
        };
        T const key = theirs[lane].keys[i];
        ASSERT_TRUE(same_bits(sorted[lane].keys[i], key)) << where();
        ASSERT_TRUE(same_bits(stable[lane].keys[i], key)) << where();
        ASSERT_EQ(stable[lane].values[i], theirs[lane].values[i]) << where();
        ASSERT_TRUE(same_bits(by_key[lane].keys[i], key)) << where();
        unsigned const from = by_key[lane].values[i];
        ASSERT_LT(from, N * K) << where();
        ASSERT_TRUE(same_bits(x[first + from / K].keys[from % K], key)) << where();
        ASSERT_FALSE(found[first * K + from]) << where();
        found[first * K + from] = true;
      }
    }
  }
}

// ---- Radix ranks: a lane's digits as keys, and their ranks as values.

constexpr unsigned digit_bits = 5;

struct our_ranks {
  template <class Tile, unsigned K>
  __device__ pairs<unsigned, K> operator()(Tile const& tile, pairs<unsigned, K> const& x) const {
    return {x.keys, tessera::radix_rank<digit_bits>(tile, x.keys).rank};
  }
};
/// Its items are striped within a warp, which for one a lane is blocked order.
template <unsigned N>
using ranks_by_match = cub::BlockRadixRankMatch<N, digit_bits, false>;
template <unsigned N>
using ranks_by_counters = cub::BlockRadixRank<N, digit_bits, false>;

template <template <unsigned> class Rank>
struct cub_ranks {
  template <class Tile, unsigned K>
  __device__ pairs<unsigned, K> operator()(Tile const&, pairs<unsigned, K> x) const {
    using rank = Rank<tessera::tile_size_v<Tile>>;
    __shared__ typename rank::TempStorage storage;
    int ranks[K];
    rank(storage).RankKeys(x.keys.item, ranks, cub::BFEDigitExtractor<unsigned>(0, digit_bits));
    for (unsigned i = 0; i < K; ++i) x.values[i] = static_cast<unsigned>(ranks[i]);
    return x;
  }
};

template <unsigned N, unsigned K, class Peer>
void check_ranks(Peer peer) {
  for (bool few : {false, true}) {
    auto const x = random_pairs<N, K, unsigned>(few);
    auto const theirs = run<N>(x, peer), ours = run<N>(x, our_ranks{});
    for (unsigned lane = 0; lane < lanes_in_all; ++lane) {
      for (unsigned i = 0; i < K; ++i)
        ASSERT_EQ(ours[lane].values[i], theirs[lane].values[i]) << "N " << N << ", lane " << lane << ", item " << i;
    }
  }
}

struct SortPeers : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

TEST_F(SortPeers, CubWarpMergeSort) {
  check_sorts<unsigned, 32, 1>(warp_merge_sort{});
  check_sorts<unsigned, 32, 4>(warp_merge_sort{});
  check_sorts<float, 32, 4>(warp_merge_sort{});
}
TEST_F(SortPeers, CubBlockMergeSort) {
  check_sorts<unsigned, 128, 4>(block_merge_sort{});
  check_sorts<float, 256, 4>(block_merge_sort{});
}
TEST_F(SortPeers, CubBlockRadixSort) {
  check_sorts<float, 128, 4>(block_radix_sort{});
  check_sorts<unsigned, 256, 4>(block_radix_sort{});
}
TEST_F(SortPeers, CubBlockRadixRank) {
  check_ranks<128, 1>(cub_ranks<ranks_by_match>{});
  check_ranks<256, 1>(cub_ranks<ranks_by_match>{});
  check_ranks<128, 4>(cub_ranks<ranks_by_counters>{});
}

}  // namespace sort_peers
}  // namespace
