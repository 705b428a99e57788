// host::block, grids, and the results of a launch.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <tessera/core/tile.hpp>
#include <tessera/host/launch.hpp>
#include <tuple>
#include <vector>

namespace {

namespace host = tessera::host;

TEST(HostBlock, OfAnySizeSyncs) {
  for (unsigned size : {1u, 2u, 31u, 32u, 33u, 48u, 100u, 1000u, 1024u})
    for (host::schedule order : host::all_schedules) {
      unsigned arrived = 0;
      auto const seen = host::launch_block(size, host::options{}.with_schedule(order), [&](host::block block) {
        EXPECT_EQ(block.size(), size);
        EXPECT_EQ(block.num_threads(), size);
        ++arrived;
        block.sync();
        return arrived;
      });
      EXPECT_EQ(seen, std::vector<unsigned>(size, size));
    }
}

TEST(HostBlock, CountsThreadsXFirst) {
  host::dim3 const extent{5, 4, 3};
  auto const at = host::launch_block(extent, [&](host::block block) {
    EXPECT_EQ(block.dim_threads(), extent);
    EXPECT_EQ(block.group_dim(), extent);
    EXPECT_EQ(block.group_index(), host::dim3(0, 0, 0));
    EXPECT_EQ(block.grid_dim(), host::dim3(1));
    host::dim3 const i = block.thread_index();
    EXPECT_EQ(block.thread_rank(), i.x + 5 * (i.y + 4 * i.z));
    return i;
  });
  ASSERT_EQ(at.size(), 60u);
  EXPECT_EQ(at[0], host::dim3(0, 0, 0));
  EXPECT_EQ(at[4], host::dim3(4, 0, 0));
  EXPECT_EQ(at[5], host::dim3(0, 1, 0));
  EXPECT_EQ(at[20], host::dim3(0, 0, 1));
  EXPECT_EQ(at[59], host::dim3(4, 3, 2));
}

TEST(HostBlock, NumbersTheThreadsOfAGridXFirst) {
  host::dim3 const blocks{3, 2, 2}, threads{5, 2};
  auto const got = host::launch_grid(blocks, threads, [](host::block block) {
    EXPECT_EQ(tessera::grid_size(block), 120u);
    return tessera::grid_rank(block);
  });
  ASSERT_EQ(got.size(), 120u);
  for (unsigned i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i);
}

TEST(HostBlock, TilesOfA2DBlockAreConsecutiveRanks) {
  auto const leaders = host::launch_block(
      {6, 4}, [](host::block block) { return host::tiled_partition<8>(block).shfl(block.thread_rank(), 0); });
  for (unsigned r = 0; r < 24; ++r) EXPECT_EQ(leaders[r], r / 8 * 8);
}

TEST(HostBlock, WholeTilesOfAnOddBlockWork) {
  auto const got = host::launch_block(33, [](host::block block) {
    auto const tile = host::tiled_partition<32>(block);
    EXPECT_EQ(tile.meta_group_size(), 2u);
    if (tile.meta_group_rank() == 1) return 99u;  // the tile may exist as long as it calls no collective
    return tile.shfl(block.thread_rank(), 31);
  });
  for (unsigned r = 0; r < 33; ++r) EXPECT_EQ(got[r], r < 32 ? 31u : 99u);
}

TEST(HostBlock, EarlyExitsElsewhereAreLegal) {
  auto const got = host::launch_block(64, [](host::block block) {
    auto const tile = host::tiled_partition<16>(block);
    if (tile.meta_group_rank() % 2 == 0) return 0u;
    return tile.ballot(true);
  });
  for (unsigned r = 0; r < 64; ++r) EXPECT_EQ(got[r], r / 16 % 2 == 0 ? 0u : 0xffffu);
}

TEST(HostGrid, ReturnsBlocksInOrderUnderEverySchedule) {
  for (host::schedule order : host::all_schedules) {
    auto const got = host::launch_grid({3, 2}, 4, host::options{}.with_schedule(order), [](host::block block) {
      EXPECT_EQ(block.grid_dim(), host::dim3(3, 2));
      host::dim3 const b = block.group_index();
      block.sync();
      return std::make_tuple(b.x, b.y, block.thread_rank());
    });
    ASSERT_EQ(got.size(), 24u);
    for (unsigned i = 0; i < 24; ++i) EXPECT_EQ(got[i], std::make_tuple(i / 4 % 3, i / 12, i % 4));
  }
}

TEST(HostGrid, RunsBlocksOneAfterAnotherInAnOrderOfTheSchedule) {
  auto const order_of = [](host::schedule order, std::uint64_t seed) {
    std::vector<unsigned> first;
    host::launch_grid(8, 2, host::options{}.with_schedule(order).with_seed(seed), [&](host::block block) {
      if (first.empty() || first.back() != block.group_index().x) first.push_back(block.group_index().x);
      block.sync();
    });
    return first;
  };
  std::vector<unsigned> up{0, 1, 2, 3, 4, 5, 6, 7}, down{7, 6, 5, 4, 3, 2, 1, 0};
  EXPECT_EQ(order_of(host::schedule::ascending, 1), up);
  EXPECT_EQ(order_of(host::schedule::descending, 1), down);
  auto drawn = order_of(host::schedule::random_warp, 1);
  EXPECT_EQ(drawn, order_of(host::schedule::random_warp, 1));
  EXPECT_NE(drawn, order_of(host::schedule::random_warp, 2));
  std::sort(drawn.begin(), drawn.end());
  EXPECT_EQ(drawn, up);
}

TEST(HostLaunch, ReturnsAnyType) {
  struct no_default {
    explicit no_default(unsigned v) : value(v) {}
    unsigned value;
  };
  auto const plain = host::launch_block(3, [](host::block b) { return no_default(b.thread_rank()); });
  EXPECT_EQ(plain[2].value, 2u);
  auto const movable =
      host::launch_tile<2>([](host::tile<2> t) { return std::make_unique<unsigned>(t.thread_rank()); });
  EXPECT_EQ(*movable[1], 1u);
  auto const text = host::launch_tile<4>([](host::tile<4> t) { return std::string(t.thread_rank(), 'x'); });
  EXPECT_EQ(text[3], "xxx");
  auto const flags = host::launch_tile<4>([](host::tile<4> t) { return t.thread_rank() == 2; });
  EXPECT_EQ(flags, (std::vector<bool>{false, false, true, false}));
  auto const nothing = [](host::block) {};
  static_assert(std::is_void_v<decltype(host::launch_block(1, nothing))>);
}

TEST(HostLaunch, SharesOneKernelObjectAmongLanes) {
  unsigned total = 0;
  auto kernel = [calls = 0u, &total](host::block) mutable { total = ++calls; };
  host::launch_block(10, kernel);
  EXPECT_EQ(total, 10u);
  host::launch_block(10, kernel);
  EXPECT_EQ(total, 20u);
}

TEST(HostLaunch, RefusesSizesThatNoBlockHas) {
  EXPECT_THROW(host::launch_block(0, [](host::block) {}), std::invalid_argument);
  EXPECT_THROW(host::launch_block(1025, [](host::block) {}), std::invalid_argument);
  EXPECT_THROW(host::launch_block({32, 33}, [](host::block) {}), std::invalid_argument);
  EXPECT_TRUE(host::launch_grid(0, 4, [](host::block) { return 1; }).empty());
}

TEST(HostLaunch, RethrowsWhatTheKernelThrows) {
  for (host::schedule order : host::all_schedules) {
    auto const how = host::options{}.with_schedule(order);
    try {
      host::launch_block(40, how, [](host::block block) {
        if (block.thread_rank() == 17) throw std::runtime_error("lane 17");
        block.sync();
      });
      ADD_FAILURE();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "lane 17");
    }
    EXPECT_THROW(host::launch_tile<1024>(how, [](host::tile<1024>) { throw 5; }), int);
  }
}

TEST(HostLaunch, LanesMayCatchTheirOwnExceptions) {
  auto const got = host::launch_tile<8>([](host::tile<8> tile) {
    unsigned x = 0;
    for (unsigned i = 0; i < 3; ++i) {
      try {
        if (tile.thread_rank() % 2 == 0) throw i;
      } catch (unsigned caught) {
        x += caught;
      }
      tile.sync();
    }
    return x;
  });
  for (unsigned r = 0; r < 8; ++r) EXPECT_EQ(got[r], r % 2 == 0 ? 3u : 0u);
}

}  // namespace
