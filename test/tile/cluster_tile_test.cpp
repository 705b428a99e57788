// Cluster tiles: sums and scans with the bits of one balanced tree over all lanes, votes, participants, and calls of all
// kinds one after the other. Host clusters have up to 1024 lanes, the GPU's up to 16384.
#include <tessera/cluster_tile.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/vote.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#include <tessera/host/shared.hpp>
#endif

#include "clusters.hpp"

namespace {

using namespace test;
using tessera::plus;

TESSERA_FN unsigned mixed_up(unsigned i) {
  i = (i ^ 0x9e3779b9u) * 0x85ebca6bu;
  i = (i ^ i >> 13) * 0xc2b2ae35u;
  return i ^ i >> 16;
}
/// Every order of combination gives other bits.
TESSERA_FN float number_of(unsigned rank) {
  return static_cast<float>(static_cast<int>(mixed_up(rank + 77))) / 3;
}
/// The map x -> a * x + b modulo 2^32, and more words, so that blocks exchange 36 bytes. Composition doesn't commute.
struct long_map {
  unsigned a, b, more[7];
};
struct compose_long {
  TESSERA_FN long_map operator()(long_map const& f, long_map const& g) const {
    long_map h{f.a * g.a, f.b * g.a + g.b, {}};
    for (unsigned i = 0; i < 7; ++i) h.more[i] = f.more[i] + g.more[i];
    return h;
  }
};
TESSERA_FN long_map long_map_of(unsigned rank) {
  return {2 * rank + 3, 7 * rank + 1, {rank, 1, 2, 3, 4, 5, rank}};
}

/// The results of a lane that are compared bit for bit.
struct results {
  float sum, scan, total, after, in_block, in_block_after;
  long_map map, maps;
  unsigned wrong;  // a bit for each other call that is wrong
};

struct calls_of_a_cluster {
  unsigned rounds;

  template <class Tile>
  TESSERA_FN results operator()(Tile const& tile) const {
    using tessera::first, tessera::where, tessera::suffix, tessera::with_total, tessera::to_leader;
    constexpr unsigned n = Tile::size();
    unsigned const rank = tile.thread_rank(), m = n / 2 + 3;
    unsigned wrong = 0, bit = 0;
    auto const expect = [&](bool good) { wrong |= unsigned{!good} << bit++; };
    results found{};
    auto const composed = tessera::make_operator(compose_long{}, long_map{1, 0, {}});
    for (unsigned round = 0; round < rounds; ++round) {
      bit = 0;
      float const x = number_of(rank);
      found.sum = tessera::reduce(tile, x);
      expect(tessera::reduce(tile, rank) == n * (n - 1) / 2);
      auto const scan = tessera::inclusive_scan(tile, x, plus{}, with_total);
      found.scan = scan.value;
      found.total = scan.total;
      found.map = tessera::reduce(tile, long_map_of(rank), composed);
      found.after = tessera::inclusive_scan(tile, x, plus{}, suffix);
      found.maps = tessera::inclusive_scan(tile, long_map_of(rank), composed);
      found.in_block = tessera::inclusive_scan(tile.block(), x);
      found.in_block_after = tessera::inclusive_scan(tile.block(), x, plus{}, suffix);
      expect(tessera::inclusive_scan(tile, rank) == rank * (rank + 1) / 2);
      expect(tessera::exclusive_scan(tile, rank, plus{}, 7u) == 7 + rank * (rank - 1) / 2);
      expect(tessera::exclusive_scan(tile, rank % 3 == 1) == (rank + 1) / 3);
      expect(tessera::inclusive_scan(tile, rank % 3 == 1, plus{}, suffix) == (n + 1) / 3 - (rank + 1) / 3);
      expect(tessera::reduce(tile, rank % 2 == 0) == n / 2);
      expect(tessera::count_if(tile, rank % 5 == 0, first(m)) == (m + 4) / 5);
      expect(tessera::any_of(tile, rank == n - 1));
      expect(tessera::none_of(tile, rank == 5, first(5)) && tessera::any_of(tile, rank == 5, first(6)));
      expect(tessera::all_of(tile, rank < n) && !tessera::all_of(tile, rank != n / 2));
      expect(tessera::reduce(tile, static_cast<unsigned short>(1)) == n);
      expect(tessera::detail::same_bits(tessera::reduce(tile, -0.0f, plus{}, where(rank > n)), 0.0f));
      expect(tessera::reduce(tile, 1.0, plus{}, where(rank % 4 == 0)) == n / 4);
      expect(tessera::exclusive_scan(tile, 1.0f, plus{}, where(rank % 4 == 2)) == static_cast<float>((rank + 1) / 4));
      expect(tessera::inclusive_scan(tile, 1.0f, plus{}, first(m) | suffix) ==
             static_cast<float>(rank < m ? m - rank : 0));
      expect(tessera::reduce(tile, tessera::with_index(rank % 64, rank), tessera::argmax{}).index == 63);
      expect(tessera::reduce(tile, rank, tessera::maximum{}, to_leader) == n - 1 || rank != 0);
      auto const three = tessera::inclusive_scan(tile, tessera::items<unsigned, 3>{{rank, 1, 2}});
      expect(three[2] == rank * (rank + 1) / 2 + 3 * (rank + 1) && three[0] + 3 == three[2]);
      tile.sync();
      expect(tessera::reduce(tile.block(), 1u) == n / tile.num_blocks());
      expect(tile.block_rank() == rank / (n / tile.num_blocks()));
    }
    found.wrong = wrong;
    return found;
  }
};

struct ClusterTile : testing::Test {
  void SetUp() override { SKIP_WITHOUT_CLUSTERS(); }
};

/// The balanced tree over values from, … from + count − 1.
float tree_of(std::vector<float> const& x, unsigned from, unsigned count) {
  if (count == 1) return x[from];
  float const left = tree_of(x, from, count / 2);
  return left + tree_of(x, from + count / 2, count / 2);
}
bool same(long_map const& f, long_map const& g) {
  bool equal = f.a == g.a && f.b == g.b;
  for (unsigned i = 0; i < 7; ++i) equal = equal && f.more[i] == g.more[i];
  return equal;
}

template <unsigned N, unsigned Threads>
void expect_one_tree(unsigned rounds = 3) {
  auto const all = run_clusters<N, Threads, results>(calls_of_a_cluster{rounds});
  if (all.empty()) return;
  std::vector<float> x(N), of_block(N / Threads);
  std::vector<long_map> maps(N);
  for (unsigned rank = 0; rank < N; ++rank) {
    x[rank] = number_of(rank);
    maps[rank] = rank == 0 ? long_map_of(0) : compose_long{}(maps[rank - 1], long_map_of(rank));
  }
  float const sum = tree_of(x, 0, N);
  for (unsigned b = 0; b < N / Threads; ++b) of_block[b] = tree_of(x, b * Threads, Threads);
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned const rank = i % N, block = rank / Threads;
    auto const& found = all[i];
    float scan = found.in_block, after = found.in_block_after;
    for (unsigned width = 1; width < N / Threads; width *= 2) {
      unsigned const first = block & ~(2 * width - 1);
      if ((block & width) != 0)
        scan = tree_of(of_block, first, width) + scan;
      else
        after = after + tree_of(of_block, first + width, width);
    }
    ASSERT_EQ(found.sum, sum) << rank;
    ASSERT_EQ(found.total, sum) << rank;
    ASSERT_EQ(found.scan, scan) << rank;
    ASSERT_EQ(found.after, after) << rank;
    if (rank == N - 1) {
      ASSERT_EQ(found.scan, sum);
    }
    ASSERT_TRUE(same(found.map, maps[N - 1])) << rank;
    ASSERT_TRUE(same(found.maps, maps[rank])) << rank;
    ASSERT_EQ(found.wrong, 0u) << "rank " << rank << ": a bit for each call that is wrong";
  }
}

#if TESSERA_CUDA

TEST_F(ClusterTile, HasTheBitsOfOneTreeOverEightBlocksOf1024) {
  expect_one_tree<8192, 1024>();
}
#ifndef TESSERA_TEST_FEW_SIZES
TEST_F(ClusterTile, HasTheBitsOfOneTreeOverTwoBlocksOf1024) {
  expect_one_tree<2048, 1024>();
}
TEST_F(ClusterTile, HasTheBitsOfOneTreeOverSixteenBlocksOf1024) {
  expect_one_tree<16384, 1024>();
}
TEST_F(ClusterTile, HasTheBitsOfOneTreeOverSixteenBlocksOf64) {
  expect_one_tree<1024, 64>();
}
TEST_F(ClusterTile, HasTheBitsOfOneTreeOverFourBlocksOf128) {
  expect_one_tree<512, 128>();
}
#endif

#else

using tessera::host::cluster;
using tessera::host::launch_cluster;
using tessera::host::misuse;
using tessera::host::misuse_kind;

TEST_F(ClusterTile, HasTheBitsOfOneTree) {
  expect_one_tree<128, 64>(2);
  expect_one_tree<1024, 64>(1);
}

TEST_F(ClusterTile, HasTheBitsOfATileOfAsManyLanes) {
  auto const x_of = [](auto const& tile) {
    return tessera::reduce(tile, number_of(tile.thread_rank()), tessera::plus{}, tessera::first(300));
  };
  auto const of_cluster =
      launch_cluster(4, 128, [&](cluster const& whole) { return x_of(tessera::this_cluster_tile<512, 128>(whole)); });
  auto const of_tile =
      tessera::host::launch_tile<512>([&](tessera::host::tile<512> const& tile) { return x_of(tile); });
  EXPECT_EQ(of_cluster, of_tile);
}

template <class F>
misuse_kind kind_of_misuse(F kernel) {
  try {
    launch_cluster(2, 64, [&](cluster const& whole) { kernel(whole); });
  } catch (misuse const& report) {
    return report.kind();
  }
  ADD_FAILURE() << "no report";
  return misuse_kind::deadlock;
}

TEST_F(ClusterTile, IsReportedIfLanesDiffer) {
  EXPECT_EQ(kind_of_misuse([](cluster const& whole) {
              auto const tile = tessera::this_cluster_tile<128, 64>(whole);
              if (tile.block_rank() == 0) tessera::reduce(tile, 1);
            }),
            misuse_kind::exited_lane);
  EXPECT_EQ(kind_of_misuse([](cluster const& whole) {
              auto const tile = tessera::this_cluster_tile<128, 64>(whole);
              tessera::reduce(tile, 1, plus{}, tessera::first(tile.block_rank()));
            }),
            misuse_kind::mismatched_call);
  EXPECT_EQ(kind_of_misuse([](cluster const& whole) { tessera::this_cluster_tile<256, 128>(whole); }),
            misuse_kind::incomplete_group);
}

TEST_F(ClusterTile, OrdersMemoryByItsBarrier) {
  auto const run = [](bool syncs) {
    return launch_cluster(2, 64, [&](cluster const& whole) {
      tessera::host::shared<int> value(whole.lanes(), 1);
      auto const tile = tessera::this_cluster_tile<128, 64>(whole);
      if (tile.thread_rank() == 0) value[0] = 5;
      if (syncs) tile.sync();
      return tile.thread_rank() == 127 ? int(value[0]) : 5;
    });
  };
  EXPECT_EQ(run(true), std::vector<int>(128, 5));
  EXPECT_THROW(run(false), misuse);
}

TEST_F(ClusterTile, HasUpTo1024HostLanes) {
  EXPECT_THROW(launch_cluster(16, 128, [](cluster const&) {}), std::invalid_argument);
}

#endif

}  // namespace
