// Schedules: each has the order that its name says, and a schedule with a seed repeats the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <vector>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using host::schedule;

/// The ranks of 64 lanes in the order in which they pass two syncs of their warp.
std::vector<unsigned> trace(schedule order, std::uint64_t seed) {
  std::vector<unsigned> ranks;
  host::launch_block(64, host::options{}.with_schedule(order).with_seed(seed), [&](host::block block) {
    auto const warp = host::tiled_partition<32>(block);
    for (int i = 0; i < 3; ++i) {
      ranks.push_back(block.thread_rank());
      warp.sync();
    }
  });
  return ranks;
}

/// The number of lanes of the other warp that pass between the first and the last lane of warp w.
unsigned interleaved(const std::vector<unsigned>& ranks) {
  unsigned changes = 0;
  for (std::size_t i = 1; i < ranks.size(); ++i) changes += ranks[i] / 32 != ranks[i - 1] / 32;
  return changes;
}

TEST(HostSchedule, ReplaysFromItsSeed) {
  for (schedule order : host::all_schedules) {
    EXPECT_EQ(trace(order, 5), trace(order, 5)) << host::name_of(order);
    EXPECT_EQ(trace(order, 5).size(), 192u);
  }
  EXPECT_NE(trace(schedule::random_lane, 5), trace(schedule::random_lane, 6));
  EXPECT_NE(trace(schedule::random_warp, 5), trace(schedule::random_warp, 6));
}

TEST(HostSchedule, AscendingAndDescendingRunOneWarpFarAhead) {
  auto const up = trace(schedule::ascending, 0), down = trace(schedule::descending, 0);
  for (unsigned i = 0; i < 192; ++i) {
    EXPECT_EQ(up[i] / 32, i / 96);
    EXPECT_EQ(down[i] / 32, 1 - i / 96);
  }
  EXPECT_EQ(up[0], 0u);
  EXPECT_EQ(down[0], 63u);
}

TEST(HostSchedule, RandomWarpStaysInItsWarp) {
  std::set<unsigned> first;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto const ranks = trace(schedule::random_warp, seed);
    EXPECT_EQ(interleaved(ranks), 1u);
    first.insert(ranks[0]);
  }
  EXPECT_GT(first.size(), 10u);
}

TEST(HostSchedule, RandomLaneMixesWarps) {
  EXPECT_GT(interleaved(trace(schedule::random_lane, 3)), 30u);
}

TEST(HostSchedule, RoundRobinTakesTurns) {
  auto const ranks = trace(schedule::round_robin, 0);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(ranks[i], i);
}

TEST(HostSchedule, DepthFirstContinuesTheLaneThatCompletes) {
  auto const ranks = trace(schedule::depth_first, 0);
  EXPECT_EQ(interleaved(ranks), 1u);
  EXPECT_EQ(ranks[31], ranks[32]);  // the last to arrive at the first sync is the first to pass it
}

TEST(HostSchedule, LaunchesRotateThroughAllOfThem) {
  std::set<std::string> seen;
  for (int i = 0; i < 6; ++i) {
    auto const got = test::report_of([] {
      host::launch_tile<2>([](host::tile<2> t) {
        if (t.thread_rank()) t.sync();
      });
    });
    for (schedule order : host::all_schedules)
      if (got.has(std::string("SCHEDULE=") + host::name_of(order) + " ")) seen.insert(host::name_of(order));
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST(HostSchedule, ComesFromTheEnvironmentUnlessSet) {
  auto const broken = [](const host::options& how) {
    return test::report_of([&] {
      host::launch_tile<2>(how, [](host::tile<2> t) {
        if (t.thread_rank()) t.sync();
      });
    });
  };
  setenv("TESSERA_HOST_SCHEDULE", "random_warp", 1);
  setenv("TESSERA_HOST_SEED", "12345", 1);
  auto const from_environment = broken({});
  auto const half = broken(host::options{}.with_seed(9));
  auto const set = broken(host::options{}.with_seed(9).with_schedule(schedule::descending));
  setenv("TESSERA_HOST_SCHEDULE", "upside_down", 1);
  EXPECT_THROW(host::launch_tile<1>([](host::tile<1>) {}), std::invalid_argument);
  unsetenv("TESSERA_HOST_SCHEDULE");
  unsetenv("TESSERA_HOST_SEED");
  EXPECT_TRUE(from_environment.has("TESSERA_HOST_SCHEDULE=random_warp TESSERA_HOST_SEED=12345"))
      << from_environment.text;
  EXPECT_TRUE(half.has("TESSERA_HOST_SCHEDULE=random_warp TESSERA_HOST_SEED=9"));
  EXPECT_TRUE(set.has("TESSERA_HOST_SCHEDULE=descending TESSERA_HOST_SEED=9"));
}

TEST(HostSchedule, SomeRevealAMissingBarrier) {
  // Warp w writes its number to shared memory, and after block.sync reads its neighbor's. It does so twice
  // without a barrier in between, so a warp that runs ahead overwrites a number that another warp hasn't
  // read yet.
  auto const wrong = [](schedule order, std::uint64_t seed) {
    std::vector<unsigned> scratch(4);
    auto const got =
        host::launch_block(128, host::options{}.with_schedule(order).with_seed(seed), [&](host::block block) {
          unsigned const warp = block.thread_rank() / 32;
          auto const tile = host::tiled_partition<32>(block);
          bool ok = true;
          for (unsigned round = 0; round < 2; ++round) {
            if (tile.thread_rank() == 0) scratch[warp] = 10 * round + warp;
            block.sync();
            ok &= scratch[(warp + 1) % 4] == 10 * round + (warp + 1) % 4;
          }
          return ok;
        });
    return std::count(got.begin(), got.end(), false) != 0;
  };
  for (schedule order : {schedule::ascending, schedule::descending, schedule::random_warp})
    EXPECT_TRUE(wrong(order, 1)) << host::name_of(order);
}

}  // namespace
