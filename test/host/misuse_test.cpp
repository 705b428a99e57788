// Every kind of misuse. Each kernel must be reported under every schedule.
#include <gtest/gtest.h>

#include <tessera/block_tile.hpp>
#include <tessera/is_sorted.hpp>
#include <tessera/joint_merge.hpp>
#include <tessera/joint_reduce.hpp>
#include <tessera/joint_scan.hpp>
#include <tessera/joint_sort.hpp>
#include <tessera/joint_top_k.hpp>
#include <tessera/load_store.hpp>
#include <tessera/merge.hpp>
#include <tessera/partition.hpp>
#include <tessera/reduce.hpp>
#include <tessera/search.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>
#include <tessera/top_k_queue.hpp>

#include <optional>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using host::misuse_kind;
using test::expect_report;
using test::here;

TEST(HostMisuse, OtherOperation) {
  unsigned vote = 0, move = 0;
  expect_report(misuse_kind::divergent_call, __FILE__, {&vote, &move},
                {"tile.any", "tile.shfl", "tile<8> number 1", "lanes 8-15", "lanes 8-11 wait in", "lanes 12-15 wait in",
                 "32x1x1 threads"},
                [&](const host::options& how) {
                  host::launch_block(32, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<8>(block);
                    if (tile.meta_group_rank() != 1) return;
                    if (tile.thread_rank() < 4)
                      here(vote), tile.any(true);
                    else
                      here(move), tile.shfl(1, 2);
                  });
                });
}

struct not_above {
  bool operator()(int a, int b) const { return a <= b; }
};

TEST(HostMisuse, AnOrderThatIsNotStrict) {
  unsigned line = 0;
  expect_report(misuse_kind::order_not_strict, __FILE__, {&line},
                {"before(a, b) and before(b, a)", "a < b, not a <= b"}, [&](const host::options& how) {
                  host::launch_block(64, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<8>(block);
                    here(line), tessera::sort(tile, 3, not_above{});
                  });
                });
  expect_report(misuse_kind::order_not_strict, __FILE__, {&line}, {"stable_sort"}, [&](const host::options& how) {
    host::launch_block(64, how, [&](host::block block) {
      auto const tile = tessera::this_block_tile<64>(block);
      here(line), tessera::stable_sort(tile, 3, not_above{});
    });
  });
}

/// `call(tile)`, made by tiles of 8 lanes and by one of 64, is reported under this name.
template <class Call>
void expect_order_report(char const* name, unsigned const& line, Call call) {
  auto const expect = [&](auto kernel) {
    expect_report(misuse_kind::order_not_strict, __FILE__, {&line}, {name, "a < b, not a <= b"},
                  [&](const host::options& how) { host::launch_block(64, how, kernel); });
  };
  expect([&](host::block block) { call(host::tiled_partition<8>(block)); });
  expect([&](host::block block) { call(tessera::this_block_tile<64>(block)); });
}

/// `call(tile)`, made by tiles of 8 lanes and by one of 64, passes a wrong argument.
template <class Call>
void expect_argument_report(char const* name, char const* fault, unsigned const& line, Call call) {
  auto const expect = [&](auto kernel) {
    expect_report(misuse_kind::wrong_argument, __FILE__, {&line}, {name, fault},
                  [&](const host::options& how) { host::launch_block(64, how, kernel); });
  };
  expect([&](host::block block) { call(host::tiled_partition<8>(block)); });
  expect([&](host::block block) { call(tessera::this_block_tile<64>(block)); });
}

TEST(HostMisuse, RangesThatAreNullOrMisaligned) {
  unsigned line = 0;
  int const* const null = nullptr;
  alignas(8) char bytes[64] = {};
  auto const* const odd = reinterpret_cast<double const*>(bytes + 4);
  char const *const is_null = "a null pointer", *const is_odd = "isn't aligned";
  expect_argument_report("joint_reduce", is_null, line,
                         [&](auto const& tile) { here(line), tessera::joint_reduce(tile, null, 5); });
  expect_argument_report("joint_reduce", is_odd, line,
                         [&](auto const& tile) { here(line), tessera::joint_reduce(tile, odd, 5); });
  expect_argument_report("load", is_null, line, [&](auto const& tile) { here(line), tessera::load<2>(tile, null, 5); });
  expect_argument_report("lower_bound", is_null, line,
                         [&](auto const& tile) { here(line), tessera::lower_bound(tile, null, 5, 3); });
  expect_argument_report("joint_inclusive_scan", is_null, line, [&](auto const& tile) {
    here(line), tessera::joint_inclusive_scan(tile, null, 5, static_cast<int*>(nullptr));
  });
  host::launch_tile<8>([&](host::tile<8> tile) { EXPECT_EQ(tessera::joint_reduce(tile, null, 0), 0); });  // no elements
}

TEST(HostMisuse, MergesAndSortsInPlaceOrOfUnsortedInput) {
  unsigned line = 0;
  int rising[] = {1, 2, 3, 4, 5, 6, 7, 8}, falling[] = {3, 2, 1}, out[16];
  expect_argument_report("joint_merge", "overlaps the first range", line, [&](auto const& tile) {
    here(line), tessera::joint_merge(tile, rising, 4, rising + 4, 4, rising);
  });
  expect_argument_report("joint_merge", "a second range that isn't sorted", line,
                         [&](auto const& tile) { here(line), tessera::joint_merge(tile, rising, 8, falling, 3, out); });
  expect_argument_report("joint_sort", "a buffer that overlaps", line,
                         [&](auto const& tile) { here(line), tessera::joint_sort(tile, rising, 8, rising + 7); });
}

TEST(HostMisuse, PositionsThatAreNoPermutation) {
  unsigned line = 0;
  expect_argument_report("scatter", "that the tile doesn't have", line,
                         [&](auto const& tile) { here(line), tessera::scatter(tile, 1, tile.thread_rank() + 1); });
  expect_argument_report("scatter", "of which two are equal", line,
                         [&](auto const& tile) { here(line), tessera::scatter(tile, 1, tile.thread_rank() / 2); });
  expect_argument_report("scatter", "of which two are equal", line, [&](auto const& tile) {
    unsigned const rank = tile.thread_rank();
    here(line), tessera::scatter(tile, tessera::items<int, 2>{1, 2}, tessera::items<unsigned, 2>{rank, rank});
  });
}

TEST(HostMisuse, SelectionsByAnOrderThatIsNotStrict) {
  unsigned line = 0;
  expect_order_report("top_k", line, [&](auto const& tile) { here(line), tessera::top_k<2>(tile, 3, not_above{}); });
  expect_order_report("top_k", line, [&](auto const& tile) {
    tessera::items<int, 3> const x{{1, 2, 2}};
    here(line), tessera::top_k<1>(tile, x, not_above{}, tessera::first(5));
  });
  expect_order_report("top_k_queue", line, [&](auto const& tile) {
    constexpr unsigned N = tessera::tile_size_v<decltype(tile)>;
    tessera::top_k_queue < 2, int, not_above, N<32 ? N : 32> queue;
    queue.push(tile, 3);
    here(line), queue.best(tile);
  });
}
TEST(HostMisuse, MergesByAnOrderThatIsNotStrict) {
  unsigned line = 0;
  std::vector<int> const range{1, 1, 2};
  std::vector<int> own(64, 3), out(64);  // 6 or 3 elements of each tile
  expect_order_report("merge", line, [&](auto const& tile) { here(line), tessera::merge(tile, 3, 3, not_above{}); });
  expect_order_report("joint_merge", line, [&](auto const& tile) {
    int* const to = &out[6 * tile.meta_group_rank()];
    here(line), tessera::joint_merge(tile, range.data(), 3, range.data(), 3, to, not_above{});
  });
  expect_order_report("joint_sort", line, [&](auto const& tile) {
    unsigned const from = 3 * tile.meta_group_rank();
    here(line), tessera::joint_sort(tile, &own[from], 3, &out[from], not_above{});
  });
}

TEST(HostMisuse, ValuesSortedByAnOrderThatIsNotStrict) {
  unsigned line = 0;
  expect_order_report("is_sorted", line,
                      [&](auto const& tile) { here(line), tessera::is_sorted(tile, 3, not_above{}); });
  expect_order_report("is_sorted", line, [&](auto const& tile) {
    tessera::items<int, 2> const x{{1, 2}};
    here(line), tessera::is_sorted(tile, x, not_above{}, tessera::first(1));
  });
}

TEST(HostMisuse, SameOperationAtTwoLines) {
  unsigned left = 0, right = 0;
  expect_report(misuse_kind::divergent_call, __FILE__, {&left, &right}, {"tile.sync", "tile<16>"},
                [&](const host::options& how) {
                  host::launch_tile<16>(how, [&](host::tile<16> tile) {
                    if (tile.thread_rank() == 5)
                      here(left), tile.sync();
                    else
                      here(right), tile.sync();
                  });
                });
}

/// clang tells where in its line a call is, g++ from C++20 on.
TEST(HostMisuse, TwoCallsOnOneLine) {
  if (tessera::call_site::here().column == 0) GTEST_SKIP() << "the compiler tells no column";
  unsigned line = 0;
  // clang-format off
  expect_report(misuse_kind::divergent_call, __FILE__, {&line}, {"lanes 0-2 wait in", "lanes 3-7 wait in", ", column "},
                [&](const host::options& how) {
                  host::launch_tile<8>(how, [&](host::tile<8> tile) {
                    here(line), tile.thread_rank() < 3 ? tessera::reduce(tile, 1) : tessera::reduce(tile, 2);
                  });
                });
  expect_report(misuse_kind::divergent_call, __FILE__, {&line}, {"lanes 0-39 wait in", ", column "},
                [&](const host::options& how) {
                  host::launch_tile<64>(how, [&](host::tile<64> tile) {
                    here(line), tile.thread_rank() < 40 ? tessera::reduce(tile, 1) : tessera::reduce(tile, 2);
                  });
                });
  expect_report(misuse_kind::divergent_call, __FILE__, {&line}, {"declares shared<int>", ", column "},
                [&](const host::options& how) {
                  host::launch_block(8, how, [&](host::block block) {
                    here(line), block.thread_rank() < 3 ? host::shared<int>(block, 8) : host::shared<int>(block, 8);
                  });
                });
  // clang-format on
}

/// One call that all lanes make is one, wherever it is in its line.
TEST(HostMisuse, SeveralCallsOnOneLineInOrder) {
  for (host::schedule order : host::all_schedules)
    for (int sum : host::launch_tile<8>(host::options{}.with_schedule(order), [](host::tile<8> tile) {
           return tessera::reduce(tile, 1) + tessera::reduce(tile, 2) * tessera::reduce(tile, 1);
         }))
      EXPECT_EQ(sum, 8 + 16 * 8);
}

TEST(HostMisuse, TwoAlgorithmsOfOneTile) {
  unsigned left = 0, right = 0;
  auto const site = [](unsigned line) { return tessera::call_site{__FILE__, "kernel", line}; };
  expect_report(misuse_kind::divergent_call, __FILE__, {&left, &right}, {"reduce", "scan", "shuffle_xor"},
                [&](const host::options& how) {
                  host::launch_tile<4>(how, [&](host::tile<4> tile) {
                    bool const odd = tile.thread_rank() % 2 == 1;
                    here(odd ? left : right);
                    auto const lanes = tile.group({odd ? "scan" : "reduce", "", 0, false, site(odd ? left : right)});
                    lanes.shuffle_xor(1, 1);
                  });
                });
}

template <class T>
T moved(const host::tile<4>& tile, T x, tessera::call_site site) {
  return tile.shfl(x, 0, site);
}

TEST(HostMisuse, OtherTypeOrSize) {
  auto const site = tessera::call_site::here();
  expect_report(misuse_kind::mismatched_call, __FILE__, {&site.line}, {"of int (4 bytes)", "of float (4 bytes)"},
                [&](const host::options& how) {
                  host::launch_tile<4>(how, [&](host::tile<4> tile) {
                    if (tile.thread_rank() == 0)
                      moved(tile, 1, site);
                    else
                      moved(tile, 1.0f, site);
                  });
                });
  expect_report(misuse_kind::mismatched_call, __FILE__, {&site.line}, {"(8 bytes)", "(2 bytes)"},
                [&](const host::options& how) {
                  host::launch_tile<4>(how, [&](host::tile<4> tile) {
                    if (tile.thread_rank() == 3)
                      moved<short>(tile, 1, site);
                    else
                      moved<long long>(tile, 1, site);
                  });
                });
}

TEST(HostMisuse, ArgumentThatIsntUniform) {
  auto const site = tessera::call_site::here();
  expect_report(misuse_kind::mismatched_call, __FILE__, {&site.line},
                {"uniform argument = 3", "uniform argument = 4", "lane 2 waits in", "lanes 0, 1, 3 wait in"},
                [&](const host::options& how) {
                  host::launch_tile<4>(how, [&](host::tile<4> tile) {
                    tile.group({"reduce", "first(n)", tile.thread_rank() == 2 ? 4u : 3u, false, site}).ballot(true);
                  });
                });
  // The same with `converged`, where the rendezvous is that of the whole warp.
  expect_report(misuse_kind::mismatched_call, __FILE__, {&site.line}, {"uniform argument = 3", "uniform argument = 4"},
                [&](const host::options& how) {
                  host::launch_block(32, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<4>(block);
                    tile.group({"reduce", "first(n)", block.thread_rank() == 18 ? 4u : 3u, true, site}).ballot(true);
                  });
                });
}

TEST(HostMisuse, DetailIsComparedByItsText) {
  auto const site = tessera::call_site::here();
  auto const run = [&](const host::options& how, std::string other) {
    host::launch_tile<4>(how, [&, plus = std::string("plus")](host::tile<4> tile) {
      tile.group({"reduce", tile.thread_rank() == 2 ? other.c_str() : plus.c_str(), 0, false, site}).sync();
    });
  };
  run({}, "plus");
  expect_report(misuse_kind::mismatched_call, __FILE__, {&site.line}, {"reduce, plus", "reduce, minimum"},
                [&](const host::options& how) { run(how, "minimum"); });
}

TEST(HostMisuse, LaneThatHasExited) {
  unsigned last = 0, sync = 0;
  expect_report(misuse_kind::exited_lane, __FILE__, {&last, &sync},
                {"tile.ballot", "tile.sync", "lane 6: exited; its last collective was tile.ballot"},
                [&](const host::options& how) {
                  host::launch_tile<8>(how, [&](host::tile<8> tile) {
                    here(last), tile.ballot(true);
                    if (tile.thread_rank() == 6) return;
                    here(sync), tile.sync();
                  });
                });
}

TEST(HostMisuse, UnequalTripCounts) {
  unsigned line = 0;
  expect_report(misuse_kind::exited_lane, __FILE__, {&line}, {"tile.shfl_up", "lanes 0-3 wait in", "lanes 4-7: exited"},
                [&](const host::options& how) {
                  host::launch_tile<8>(how, [&](host::tile<8> tile) {
                    unsigned const trips = tile.thread_rank() < 4 ? 4 : 3;
                    for (unsigned i = 0; i < trips; ++i) here(line), tile.shfl_up(i, 1);
                  });
                });
}

TEST(HostMisuse, EarlyReturnBeforeBlockSync) {
  unsigned line = 0;
  expect_report(misuse_kind::exited_lane, __FILE__, {&line},
                {"block.sync", "in block", "lanes 40-47: exited before any collective", "48x1x1"},
                [&](const host::options& how) {
                  host::launch_block(48, how, [&](host::block block) {
                    if (block.thread_rank() >= 40) return;
                    here(line), block.sync();
                  });
                });
}

TEST(HostMisuse, SourceLaneOutOfRange) {
  for (long long source : {8LL, -1LL, 1LL << 33}) {
    unsigned line = 0;
    expect_report(
        misuse_kind::source_out_of_range, __FILE__, {&line},
        {"lane 11 (rank 3 of its tile) asks for lane " + std::to_string(source) + " of a tile of 8", "tile.shfl"},
        [&](const host::options& how) {
          host::launch_block(16, how, [&](host::block block) {
            auto const tile = host::tiled_partition<8>(block);
            here(line), tile.shfl(1.5, block.thread_rank() == 11 ? source : 0);
          });
        });
  }
  EXPECT_TRUE(test::report_of([] { host::launch_tile<1>([](host::tile<1> tile) { tile.shfl(1, 1); }); }).caught);
}

TEST(HostMisuse, SourceLaneOfAnAlgorithmOutOfRange) {
  auto const site = tessera::call_site::here();
  expect_report(
      misuse_kind::source_out_of_range, __FILE__, {&site.line}, {"broadcast", "asks for lane 4"},
      [&](const host::options& how) {
        host::launch_tile<4>(how, [&](host::tile<4> t) { t.group({"broadcast", "", 4, false, site}).shuffle(1, 4); });
      });
}

TEST(HostMisuse, DeadlockBetweenLevelsWithItsCycle) {
  unsigned tile_line = 0, block_line = 0;
  expect_report(misuse_kind::deadlock, __FILE__, {&tile_line, &block_line},
                {"collectives wait for each other", "lanes 0-15 wait in tile.sync", "for lanes 16-31",
                 "lanes 16-63 wait in block.sync", "for lanes 0-15"},
                [&](const host::options& how) {
                  host::launch_block(64, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<32>(block);
                    if (block.thread_rank() < 16)
                      here(tile_line), tile.sync();
                    else
                      here(block_line), block.sync();
                  });
                });
}

TEST(HostMisuse, DeadlockOfThreeLevels) {
  unsigned small = 0, large = 0, all = 0;
  expect_report(misuse_kind::deadlock, __FILE__, {&small, &large}, {"tile<4>", "tile<16>", "wait for each other"},
                [&](const host::options& how) {
                  host::launch_block(32, how, [&](host::block block) {
                    auto const outer = host::tiled_partition<16>(block);
                    auto const inner = host::tiled_partition<4>(outer);
                    if (block.thread_rank() == 0)
                      here(small), inner.any(true);
                    else if (block.thread_rank() < 16)
                      here(large), outer.any(true);
                    else
                      here(all), block.sync();
                  });
                });
}

TEST(HostMisuse, TileThatReachesPastTheBlock) {
  unsigned line = 0;
  expect_report(misuse_kind::incomplete_group, __FILE__, {&line}, {"lane 32 calls tile.all", "tile<32>", "block, 32"},
                [&](const host::options& how) {
                  host::launch_block(
                      33, how, [&](host::block block) { here(line), host::tiled_partition<32>(block).all(true); });
                });
}

TEST(HostMisuse, TileOfAnotherLane) {
  unsigned line = 0;
  expect_report(misuse_kind::foreign_tile, __FILE__, {&line}, {"tile.sync", "object of lane"},
                [&](const host::options& how) {
                  std::optional<host::tile<4>> kept;
                  host::launch_tile<4>(how, [&](host::tile<4> tile) {
                    if (!kept) kept = tile;
                    tile.sync();
                    here(line), kept->sync();
                  });
                });
}

TEST(HostMisuse, ObjectsOfAnotherLaunch) {
  unsigned line = 0;
  std::optional<host::tile<1>> tile;
  std::optional<host::block> block;
  host::launch_block(1, [&](host::block b) { block = b, tile = host::tiled_partition<1>(b); });
  expect_report(misuse_kind::foreign_tile, __FILE__, {&line}, {"tile.shfl", "another launch"},
                [&](const host::options& how) {
                  host::launch_block(1, how, [&](host::block) { here(line), tile->shfl(1, 0); });
                });
  expect_report(misuse_kind::foreign_tile, __FILE__, {&line}, {"block.sync", "another launch"},
                [&](const host::options& how) {
                  host::launch_grid(2, 1, how, [&, kept = std::optional<host::block>()](host::block b) mutable {
                    if (!kept) kept = b;
                    here(line), kept->sync();
                  });
                });
  auto const outside = test::report_of([&] { block->sync(); });
  EXPECT_TRUE(outside.caught && outside.kind == misuse_kind::foreign_tile && outside.has("has ended")) << outside.text;
}

TEST(HostMisuse, NestedLaunch) {
  unsigned line = 0;
  expect_report(misuse_kind::nested_launch, __FILE__, {&line}, {"lane 0 launches"}, [&](const host::options& how) {
    host::launch_tile<2>(how, [&](host::tile<2> tile) {
      if (tile.thread_rank() == 0) here(line), host::launch_tile<1>([](host::tile<1>) { return 1; });
      tile.sync();
    });
  });
}

TEST(HostMisuse, ReportsEveryLaneOfTheBlock) {
  auto const got = test::report_of([] {
    host::launch_block(96, [](host::block block) {
      auto const tile = host::tiled_partition<32>(block);
      if (block.thread_rank() == 3) return;
      if (tile.meta_group_rank() == 0) tile.sync();
      if (tile.meta_group_rank() == 1) block.sync();
    });
  });
  EXPECT_TRUE(got.has("lanes 0, 1, 2, 4-31: waiting in tile.sync") || got.has("lanes 0-2, 4-31: waiting in tile.sync"))
      << got.text;
  EXPECT_TRUE(got.has("lanes 32-63: waiting in block.sync")) << got.text;
  EXPECT_TRUE(got.has("lanes 3, 64-95: exited before any collective")) << got.text;
}

}  // namespace
