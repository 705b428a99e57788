// Tiles of several warps on host tiles. Every access to the slots that warps exchange through is checked,
// so that a missing barrier in the library is reported as a race under any schedule. test/mutants.txt
// removes each barrier in turn.
#include <gtest/gtest.h>

#include <tessera/tessera.hpp>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using host::misuse_kind;
using tessera::maximum;
using tessera::plus;
using test::here;

/// Calls check(options) under every schedule, with several seeds.
template <class Check>
void under_all_schedules(Check check) {
  for (host::schedule order : host::all_schedules) {
    for (unsigned seed = 1; seed <= 4; ++seed) {
      SCOPED_TRACE(std::string(host::name_of(order)) + ", seed " + std::to_string(seed));
      check(host::options{}.with_schedule(order).with_seed(seed));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Launches `tiles` tiles of N lanes. `kernel(tile, rank)` returns whether all results are right.
template <unsigned N, class Kernel>
void expect_right(unsigned tiles, Kernel kernel) {
  under_all_schedules([&](host::options const& how) {
    auto const right = host::launch_block(N * tiles, how, [&](host::block block) {
      auto const tile = tessera::tiled_partition<N>(block);
      return static_cast<int>(kernel(tile, tile.thread_rank()));
    });
    for (unsigned lane = 0; lane < right.size(); ++lane) EXPECT_EQ(right[lane], 1) << "lane " << lane;
  });
}

unsigned sum_below(unsigned n) {
  return n * (n - 1) / 2;
}

TEST(HostMultiWarp, ReductionsBackToBack) {
  expect_right<128>(2, [](auto tile, unsigned rank) {
    bool right = true;
    for (unsigned i = 0; i < 5; ++i) {
      right &= tessera::reduce(tile, rank + i) == sum_below(128) + 128 * i;
      right &= tessera::reduce(tile, static_cast<unsigned short>(rank ^ i), maximum{}) == 127;
    }
    return right;
  });
}

TEST(HostMultiWarp, ScansBackToBack) {
  expect_right<64>(3, [](auto tile, unsigned rank) {
    bool right = true;
    for (unsigned i = 0; i < 4; ++i) {
      right &= tessera::inclusive_scan(tile, rank + i) == sum_below(rank + 1) + i * (rank + 1);
      right &= tessera::exclusive_scan(tile, i, plus{}, tessera::suffix) == i * (63 - rank);
    }
    return right;
  });
  expect_right<512>(1, [](auto tile, unsigned rank) {
    auto const first = tessera::inclusive_scan(tile, 1u, plus{}, tessera::with_total);
    auto const second = tessera::exclusive_scan(tile, rank, maximum{}, tessera::with_total);
    return first.value == rank + 1 && first.total == 512 && second.value == (rank == 0 ? 0 : rank - 1) &&
           second.total == 511;
  });
}

TEST(HostMultiWarp, ShufflesBackToBack) {
  expect_right<64>(2, [](auto tile, unsigned rank) {
    bool right = true;
    for (unsigned i = 0; i < 3; ++i) {
      right &= tessera::rotate(tile, rank + i, 5) == (rank + 5) % 64 + i;
      right &= tessera::broadcast(tile, rank * i, 40) == 40 * i;
      right &= tessera::shift_up(tile, rank + i, 1, 7u) == (rank == 0 ? 7 : rank - 1 + i);
      right &= tessera::shift_down(tile, rank + i, 1, 7u) == (rank == 63 ? 7 : rank + 1 + i);
    }
    return right;
  });
}

TEST(HostMultiWarp, VotesAndMatchesBackToBack) {
  expect_right<64>(2, [](auto tile, unsigned rank) {
    bool right = true;
    for (unsigned i = 1; i < 4; ++i) {
      right &= tessera::ballot(tile, rank % i == 0).count() == 63 / i + 1;
      right &=
          tessera::match_any(tile, rank % (i + 1)).test((rank + i + 1) % 64) == (64 % (i + 1) == 0 || rank + i < 63);
      right &= tessera::count_if(tile, rank < 3 * i) == 3 * i && !tessera::match_all(tile, rank);
      right &= tessera::reduce_by_label(tile, rank % i, 1u) == (64 - rank % i + i - 1) / i;
      right &= tessera::rotate(tile, static_cast<unsigned long long>(rank), 1) == (rank + 1) % 64;
      right &= tessera::histogram<5>(tile, rank % (i + 2))[1] == (64 - 1 + i + 1) / (i + 2);
    }
    return right;
  });
}

TEST(HostMultiWarp, SegmentsAndBatchesBackToBack) {
  expect_right<128>(1, [](auto tile, unsigned rank) {
    bool right = true;
    for (unsigned i = 1; i < 4; ++i) {
      unsigned const length = 13 * i, begin = rank / length * length;
      unsigned const end = begin + length < 128 ? begin + length : 128;
      auto const scan = tessera::segmented_inclusive_scan(tile, 1u, rank % length == 0, plus{}, tessera::with_total);
      right &= scan.value == rank - begin + 1 && scan.total == end - begin;
      right &= tessera::segmented_reduce(tile, rank, tessera::by_key(rank / length), maximum{}) == end - 1;
      auto const batch = tessera::reduce_batch(tile, tessera::items<unsigned, 3>{{rank, i, 1}});
      right &= batch[0] == sum_below(128) && batch[1] == 128 * i && batch[2] == 128;
    }
    return right;
  });
}

TEST(HostMultiWarp, TheCallersScratch) {
  under_all_schedules([](host::options const& how) {
    auto const right = host::launch_block(256, how, [](host::block block) {
      host::scratch<unsigned, 256> scratch(block);
      auto const tile = tessera::tiled_partition<128>(block);
      auto const in = tessera::shared(scratch);
      unsigned const rank = tile.thread_rank();
      bool good = true;
      for (unsigned i = 0; i < 3; ++i) {
        good &= tessera::reduce(tile, rank + i, plus{}, in) == sum_below(128) + 128 * i;
        good &= tessera::reduce(tile, static_cast<unsigned char>(rank), maximum{}, in) == 127;
        unsigned const leader = tessera::reduce(tile, i, plus{}, in | tessera::to_leader);
        good &= rank != 0 || leader == 128 * i;
        // Values of twice the scratch's element size take two windows; and two matches in a row.
        good &= tessera::rotate(tile, static_cast<unsigned long long>(rank), 65, in) == (rank + 65) % 128;
        good &= tessera::match_any(tile, rank % 4, in).count() == 32;
        good &= tessera::match_any(tile, rank % 8 + i, in).count() == 16;
        good &= tessera::rotate(tile, rank + i, -3, in) == (rank + 125) % 128 + i;
        good &= tessera::reverse(tile, rank + i, in) == 127 - rank + i;
        good &= tessera::inclusive_scan(tile, i, plus{}, in) == i * (rank + 1);
        good &= tessera::match_any(tile, rank % 4, in).count() == 32;
      }
      return static_cast<int>(good);
    });
    for (int each : right) EXPECT_EQ(each, 1);
  });
}

TEST(HostMultiWarp, AFreshScratchIsUsedOnce) {
  under_all_schedules([](host::options const& how) {
    auto const right = host::launch_block(256, how, [](host::block block) {
      host::scratch<unsigned, 256> one(block), other(block), third(block);
      auto const tile = tessera::tiled_partition<64>(block);
      unsigned const rank = tile.thread_rank();
      bool good = tessera::reduce(tile, rank, plus{}, tessera::fresh(one)) == sum_below(64);
      good &= tessera::broadcast(tile, rank + 2, 40, tessera::fresh(other)) == 42;
      good &= tessera::rotate(tile, rank, 1, tessera::fresh(third)) == (rank + 1) % 64;
      tile.sync();
      good &= tessera::reduce(tile, rank + 1, plus{}, tessera::fresh(one)) == sum_below(65);
      return static_cast<int>(good);
    });
    for (int each : right) EXPECT_EQ(each, 1);
  });
}

/// Each call stands between two barriers of the caller, and uses a scratch without a trailing barrier.
TEST(HostMultiWarp, NoCallRacesWithItselfInAFreshScratch) {
  under_all_schedules([](host::options const& how) {
    auto const right = host::launch_block(256, how, [](host::block block) {
      host::scratch<float, 256> scratch(block);
      auto const tile = tessera::tiled_partition<128>(block);
      auto const in = tessera::fresh(scratch);
      unsigned const rank = tile.thread_rank();
      float const x = static_cast<float>(rank);
      bool const even = rank % 2 == 0;
      tessera::items<float, 40> many{};
      for (unsigned i = 0; i < 40; ++i) many[i] = x + static_cast<float>(i);
      bool good = true;
      auto const expect = [&](bool now) {
        good = good && now;
        tile.sync();
      };
      expect(tessera::reduce(tile, x, plus{}, in | tessera::where(even)) == 126 * 32);
      expect(tessera::reduce(tile, x, plus{}, in | tessera::where(false)) == 0);
      expect(tessera::reduce(tile, x, tessera::maximum{}, in | tessera::first(9)) == 8);
      float const leader = tessera::reduce(tile, x, plus{}, in | tessera::to_leader);
      expect(rank != 0 || leader == 127 * 64);
      expect(tessera::reduce_batch(tile, many, plus{}, in | tessera::where(even))[39] == 126 * 32 + 39 * 64);
      expect(tessera::ballot(tile, even, in | tessera::first(10)).count() == 5);
      expect(tessera::count_if(tile, even, in) == 64);
      expect(tessera::elect(tile, in | tessera::where(rank > 70)) == (rank == 71));
      expect(tessera::invoke_one(
                 tile, [&] { return rank + 5; }, in) == 5);
      expect(tessera::broadcast(tile, rank, 99, in) == 99);
      expect(tessera::shuffle(tile, x, 127 - rank, in) == 127 - x);
      expect(tessera::shift_up(tile, rank, 1, 7u, in) == (rank == 0 ? 7 : rank - 1));
      expect(tessera::shift_down(tile, rank, 40, 7u, in) == (rank < 88 ? rank + 40 : 7));
      expect(tessera::reverse(tile, rank, in) == 127 - rank);
      expect(tessera::butterfly(tile, rank, 96, in) == (rank ^ 96));
      return static_cast<int>(good);
    });
    for (int each : right) EXPECT_EQ(each, 1);
  });
}

TEST(HostMultiWarp, AScratchThatIsTooSmallIsReported) {
  unsigned line = 0;
  test::expect_report(misuse_kind::index_out_of_range, __FILE__, {&line},
                      {"a scratch for 64 threads", "write scratch<T, 128>"}, [&](host::options const& how) {
                        host::launch_block(128, how, [&](host::block block) {
                          host::scratch<int, 64> scratch(block);
                          auto const tile = tessera::tiled_partition<64>(block);
                          return here(line), tessera::reduce(tile, 1, plus{}, tessera::shared(scratch));
                        });
                      });
}

TEST(HostMultiWarp, APaddedTileWaitsAsOne) {
  under_all_schedules([](host::options const& how) {
    auto const sums = host::launch_block(40, how, [](host::block block) {
      host::shared<unsigned> values(block, 40);
      auto const tile = tessera::padded_block_tile<64>(block);
      unsigned const rank = tile.thread_rank();
      values[rank] = rank;
      tile.sync();
      return values[39 - rank] + rank;
    });
    for (unsigned each : sums) EXPECT_EQ(each, 39u);
  });
}

TEST(HostMultiWarp, AScratchThatIsNotFreshIsReported) {
  unsigned first = 0, second = 0;
  test::expect_report(misuse_kind::shared_race, __FILE__, {&first, &second}, {"slots of tiles"},
                      [&](host::options const& how) {
                        host::launch_block(128, how, [&](host::block block) {
                          host::scratch<int, 128> scratch(block);
                          auto const tile = tessera::this_block_tile<128>(block);
                          int const x = (here(first), tessera::reduce(tile, 1, plus{}, tessera::fresh(scratch)));
                          return here(second), tessera::reduce(tile, x, plus{}, tessera::fresh(scratch));
                        });
                      });
}

/// On the GPU the second value's slots are in the bytes of the first one's.
TEST(HostMultiWarp, AScratchThatIsNotFreshForAnotherSizeIsReported) {
  unsigned first = 0, second = 0;
  auto const expect_race = [&](auto kernel) {
    test::expect_report(misuse_kind::shared_race, __FILE__, {&first, &second}, {"of a scratch", "no sync"},
                        [&](host::options const& how) {
                          host::launch_block(128, how, [&](host::block block) {
                            host::scratch<double, 128> scratch(block);
                            kernel(block, scratch);
                          });
                        });
  };
  expect_race([&](host::block block, auto& scratch) {
    auto const tile = tessera::this_block_tile<128>(block);
    here(first), tessera::reduce(tile, 1.0f, plus{}, tessera::fresh(scratch));
    here(second), tessera::reduce(tile, 1.0, plus{}, tessera::fresh(scratch));
  });
  expect_race([&](host::block block, auto& scratch) {
    auto const tile = tessera::this_block_tile<128>(block);
    here(first), tessera::broadcast(tile, 1, 40, tessera::fresh(scratch));
    here(second), tessera::rotate(tile, 1.0, 1, tessera::fresh(scratch));
  });
  expect_race([&](host::block block,
                  auto& scratch) {  // tiles of two sizes, of which the first begin at the same byte
    here(first), tessera::reduce(tessera::this_block_tile<128>(block), 1, plus{}, tessera::fresh(scratch));
    auto const half = tessera::tiled_partition<64>(block);
    here(second), tessera::reduce(half, 1, plus{}, tessera::fresh(scratch));
  });
}

TEST(HostMultiWarp, AScratchServesAllSizesWithBarriersBetween) {
  host::launch_block(128, [](host::block block) {
    host::scratch<double, 128> scratch(block);
    auto const tile = tessera::this_block_tile<128>(block);
    auto const half = tessera::tiled_partition<64>(block);
    EXPECT_EQ(tessera::reduce(tile, 1.0f, plus{}, tessera::fresh(scratch)), 128.0f);
    block.sync();
    EXPECT_EQ(tessera::reduce(tile, 1.0, plus{}, tessera::shared(scratch)), 128.0);
    EXPECT_EQ(tessera::rotate(tile, 1, 5, tessera::shared(scratch)), 1);
    EXPECT_EQ(tessera::reduce(tile, 1, plus{}, tessera::fresh(scratch)), 128);
    block.sync();
    EXPECT_EQ(tessera::reduce(half, 1.0f, plus{}, tessera::shared(scratch)), 64.0f);
    EXPECT_EQ(tessera::exclusive_scan(half, 1, plus{}, tessera::shared(scratch)), static_cast<int>(half.thread_rank()));
  });
}

/// The network leaves keys in slots of 32 bits, which the slots of 64 bits that follow share the bytes of.
TEST(HostMultiWarp, SortsOfLongKeysUseAScratchWithBarriersBetween) {
  under_all_schedules([](host::options const& how) {
    host::launch_block(64, how, [](host::block block) {
      host::scratch<tessera::items<double, 4>, 64> scratch(block);
      auto const tile = tessera::this_block_tile<64>(block);
      tessera::items<double, 4> x;
      for (unsigned i = 0; i < 4; ++i) x[i] = (tile.thread_rank() * 4 + i) * 37 % 256;
      x = tessera::sort(tile, x, tessera::less{}, tessera::shared(scratch));
      for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(x[i], tile.thread_rank() * 4 + i);
    });
  });
}

TEST(HostMultiWarp, PositionsThatRepeatAreReportedWithAScratchOfSmallItems) {
  unsigned line = 0;
  auto const expect_repeated = [&](auto scattered) {
    test::expect_report(misuse_kind::wrong_argument, __FILE__, {&line}, {"of which two are equal"},
                        [&](host::options const& how) {
                          host::launch_block(128, how, [&](host::block block) {
                            host::scratch<unsigned char, 128> scratch(block);
                            scattered(tessera::this_block_tile<128>(block), tessera::shared(scratch));
                          });
                        });
  };
  expect_repeated(
      [&](auto const& tile, auto in) { here(line), tessera::scatter(tile, 1.0, tile.thread_rank() / 2, in); });
  expect_repeated([&](auto const& tile, auto in) {
    unsigned const rank = tile.thread_rank();
    tessera::items<char, 2> const x{1, 2};
    tessera::items<unsigned, 2> const twice{rank, rank};
    here(line), tessera::scatter(tile, x, twice, in);
  });
}

TEST(HostMultiWarp, ABlockOfAnotherSizeThanTheTileIsReported) {
  unsigned line = 0;
  test::expect_report(misuse_kind::incomplete_group, __FILE__, {&line}, {"a block of 96 threads", "a tile of 128"},
                      [&](host::options const& how) {
                        host::launch_block(96, how, [&](host::block block) {
                          return here(line), tessera::reduce(tessera::this_block_tile<128>(block), 1);
                        });
                      });
}

TEST(HostMultiWarp, ACallThatDoesntSupportPaddedTilesIsReported) {
  test::expect_report(
      misuse_kind::incomplete_group, __FILE__, {}, {"past the last lane"}, [&](host::options const& how) {
        host::launch_block(
            96, how, [&](host::block block) { return tessera::rotate(tessera::padded_block_tile<128>(block), 1, 1); });
      });
}

TEST(HostMultiWarp, WarpsInDifferentCallsAreReportedAsOfTheirTile) {
  unsigned first = 0, second = 0;
  test::expect_report(misuse_kind::divergent_call, __FILE__, {&first, &second}, {"tile<64>"},
                      [&](host::options const& how) {
                        host::launch_tile<64>(how, [&](host::tile<64> tile) {
                          if (tile.thread_rank() < 32) return here(first), tessera::reduce(tile, 1);
                          return here(second), tessera::inclusive_scan(tile, 1);
                        });
                      });
}

}  // namespace
