// host::shared: races, uninitialized reads, indices and atomics.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using host::misuse_kind;
using test::expect_report;
using test::here;

struct point {
  int x, y;
};

TEST(HostShared, CarriesValuesAcrossABarrier) {
  for (host::schedule order : host::all_schedules) {
    auto const got = host::launch_block(100, host::options{}.with_schedule(order), [](host::block block) {
      host::shared<int> a(block, 100);
      host::shared<double> b(block, 1);
      int const r = static_cast<int>(block.thread_rank());
      EXPECT_EQ(a.size(), 100u);
      a[r] = 7 * r;
      if (r == 99) b[0] = 0.5;
      block.sync();
      return a[99 - r] + b[0];
    });
    for (int r = 0; r < 100; ++r) EXPECT_EQ(got[static_cast<std::size_t>(r)], 7 * (99 - r) + 0.5);
  }
}

TEST(HostShared, ReadsWritesAndCompoundsOfOneLane) {
  host::launch_block(1, [](host::block block) {
    host::shared<int> s(block, 2);
    s[0] = 40;
    s[0] += 2;
    s[0] -= 1;
    s[0] *= 3;
    s[0] /= 2;
    EXPECT_EQ(s[0], 61);
    s[0] |= 64;
    s[0] &= ~1;
    s[0] ^= 2;
    EXPECT_EQ(s.read(0), 126);
    ++s[0];
    --s[0];
    s[1] = s[0];
    s.write(0, 5);
    EXPECT_EQ(s[1] + s[0], 131);
    EXPECT_EQ(s.data()[1], 126);
  });
}

TEST(HostShared, AtomicsDontRaceWithEachOther) {
  host::launch_block(96, [](host::block block) {
    host::shared<int> s(block, 6);
    int const r = static_cast<int>(block.thread_rank());
    if (r < 6) s[r] = r == 2 ? ~0 : 0;
    block.sync();
    s[0].fetch_add(r);
    s[1].fetch_max(r);
    s[2].fetch_and(~(1 << (r % 32)));
    s[3].fetch_or(1 << (r % 32));
    s[4].fetch_sub(1);
    s[5].fetch_min(-r);
    block.sync();
    EXPECT_EQ(s[0], 95 * 48);
    EXPECT_EQ(s[1], 95);
    EXPECT_EQ(s[2], 0);
    EXPECT_EQ(s[3], ~0);
    EXPECT_EQ(s[4], -96);
    EXPECT_EQ(s[5], -95);
    block.sync();
    if (r == 7) {
      EXPECT_EQ(s[4].exchange(8), -96);
      EXPECT_EQ(s[4].compare_exchange(9, 1), 8);
      EXPECT_EQ(s[4].compare_exchange(8, 1), 8);
      EXPECT_EQ(s[4].fetch_xor(3), 1);
      s[4].atomic_store(11);
      EXPECT_EQ(s[4].atomic_load(), 11);
    }
  });
}

TEST(HostShared, AtomicSumsWrapAndBitsAreCompared) {
  host::launch_block(1, [](host::block b) {
    host::shared<int> number(b, 1);
    number[0] = std::numeric_limits<int>::max();
    number[0].fetch_add(1);
    EXPECT_EQ(int{number[0]}, std::numeric_limits<int>::min());
    number[0].fetch_sub(1);
    EXPECT_EQ(int{number[0]}, std::numeric_limits<int>::max());
    host::shared<float> real(b, 1);
    real[0] = -0.0f;
    real[0].compare_exchange(0.0f, 1.0f);
    EXPECT_TRUE(std::signbit(float{real[0]}));
    real[0].compare_exchange(-0.0f, NAN);
    real[0].compare_exchange(NAN, 2.0f);
    EXPECT_EQ(float{real[0]}, 2.0f);
    host::shared<point> pair(b, 1);  // which has no ==
    pair[0] = point{1, 2};
    pair[0].compare_exchange(point{1, 2}, point{3, 4});
    EXPECT_EQ(pair.read(0).y, 4);
  });
}

TEST(HostShared, ElementsOutliveTheirObject) {
  host::launch_block(1, [](host::block b) {
    auto const element = [&] {
      host::shared<int> const array(b, 2);
      return array[1];
    }();
    volatile char other[256];  // where the object was
    for (unsigned i = 0; i < sizeof other; ++i) other[i] = static_cast<char>(i);
    auto same = element;
    same = 5;
    EXPECT_EQ(int{same}, 5);
  });
}

TEST(HostShared, RaceWithinAWarp) {
  unsigned write = 0, read = 0;
  // A shuffle between the two accesses doesn't order them.
  expect_report(misuse_kind::shared_race, __FILE__, {&write, &read},
                {"element", "shared<int>", "write by lane", "read by lane"}, [&](const host::options& how) {
                  host::launch_block(32, how, [&](host::block block) {
                    host::shared<int> s(block, 32);
                    auto const tile = host::tiled_partition<32>(block);
                    unsigned const r = block.thread_rank();
                    here(write), s[r] = 1;
                    tile.shfl_xor(r, 1);
                    tile.ballot(true);
                    int x = 0;
                    here(read), x = s[r ^ 1];
                    EXPECT_EQ(x, 1);
                  });
                });
}

TEST(HostShared, TileSyncOrdersItsTileOnly) {
  auto const run = [](const host::options& how, unsigned distance, unsigned& write, unsigned& read) {
    host::launch_block(64, how, [&](host::block block) {
      host::shared<int> s(block, 64);
      auto const tile = host::tiled_partition<8>(block);
      unsigned const r = block.thread_rank();
      s[r] = 0;
      block.sync();
      here(write), s[r] = 1;
      tile.sync();
      here(read), s.read(r ^ distance);
    });
  };
  unsigned write = 0, read = 0;
  for (unsigned distance : {1u, 2u, 5u, 7u}) run({}, distance, write, read);
  for (host::schedule order : {host::schedule::ascending, host::schedule::random_lane})
    for (unsigned distance : {8u, 32u, 63u}) {
      auto const got = test::report_of([&] { run(host::options{}.with_schedule(order), distance, write, read); });
      EXPECT_EQ(got.kind, misuse_kind::shared_race);
      EXPECT_TRUE(got.has(test::at_line(__FILE__, write)) && got.has(test::at_line(__FILE__, read))) << got.text;
    }
}

TEST(HostShared, RaceOfTwoWritersAcrossWarps) {
  unsigned line = 0;
  expect_report(misuse_kind::shared_race, __FILE__, {&line}, {"write by lane 3,", "write by lane 50,"},
                [&](const host::options& how) {
                  host::launch_block(64, how, [&](host::block block) {
                    host::shared<float> s(block, 1);
                    bool const mine = block.thread_rank() == 3 || block.thread_rank() == 50;
                    here(line), mine ? s.write(0, 1.0f) : void();
                    host::tiled_partition<32>(block).sync();
                  });
                });
}

TEST(HostShared, AtomicRacesWithAPlainAccess) {
  unsigned atomic = 0, plain = 0;
  expect_report(misuse_kind::shared_race, __FILE__, {&atomic, &plain}, {"atomic by lane 0,", "read by lane 9,"},
                [&](const host::options& how) {
                  host::launch_block(16, how, [&](host::block block) {
                    host::shared<int> s(block, 1);
                    if (block.thread_rank() == 5) s[0] = 0;
                    block.sync();
                    if (block.thread_rank() == 0) here(atomic), s[0].fetch_add(1);
                    if (block.thread_rank() == 9) here(plain), s.read(0);
                  });
                });
}

TEST(HostShared, WriteRacesWithAnyOfManyReaders) {
  unsigned read = 0, write = 0;
  expect_report(misuse_kind::shared_race, __FILE__, {&read, &write}, {"read by lane", "write by lane 0,"},
                [&](const host::options& how) {
                  host::launch_block(64, how, [&](host::block block) {
                    host::shared<int> s(block, 1);
                    auto const warp = host::tiled_partition<32>(block);
                    if (block.thread_rank() == 0) s[0] = 0;
                    block.sync();
                    here(read), s.read(0);
                    warp.sync();  // orders the reads of warp 0 alone
                    if (block.thread_rank() == 0) here(write), s[0] = 1;
                  });
                });
}

TEST(HostShared, OrderIsTransitiveThroughSmallerTiles) {
  // Lane 0 writes and syncs with lane 1 in a tile of 2. Both sync with lane 3 in a tile of 4, and lane 3
  // reads. The second write and read go the other way.
  host::launch_block(4, [](host::block block) {
    host::shared<int> s(block, 2);
    auto const four = host::tiled_partition<4>(block);
    auto const two = host::tiled_partition<2>(four);
    if (block.thread_rank() == 0) s[0] = 4;
    two.sync();
    four.sync();
    EXPECT_EQ(block.thread_rank() == 3 ? s.read(0) : 4, 4);
    if (block.thread_rank() == 2) s[1] = 6;
    four.sync();
    two.sync();
    EXPECT_EQ(block.thread_rank() == 1 ? s.read(1) : 6, 6);
  });
}

TEST(HostShared, DoubleBufferingIsCorrect) {
  for (host::schedule order : host::all_schedules)
    host::launch_block(128, host::options{}.with_schedule(order), [](host::block block) {
      host::shared<unsigned> scratch(block, 2 * 4);
      unsigned const warp = block.thread_rank() / 32;
      for (unsigned round = 0; round < 5; ++round) {
        unsigned const half = 4 * (round % 2);
        if (block.thread_rank() % 32 == 0) scratch[half + warp] = 10 * round + warp;
        block.sync();
        for (unsigned w = 0; w < 4; ++w) EXPECT_EQ(scratch[half + w], 10 * round + w);
      }
    });
}

TEST(HostShared, ScratchUsedAgainWithoutABarrierIsARace) {
  for (host::schedule order : {host::schedule::ascending, host::schedule::descending, host::schedule::random_lane,
                               host::schedule::round_robin}) {
    auto const got = test::report_of([&] {
      host::launch_block(128, host::options{}.with_schedule(order), [](host::block block) {
        host::shared<unsigned> scratch(block, 4);
        unsigned const warp = block.thread_rank() / 32;
        for (unsigned round = 0; round < 2; ++round) {
          if (block.thread_rank() % 32 == 0) scratch[warp] = round;
          block.sync();
          scratch.read((warp + 1) % 4);
        }
      });
    });
    EXPECT_TRUE(got.caught) << host::name_of(order);
    EXPECT_EQ(got.kind, misuse_kind::shared_race);
  }
}

TEST(HostShared, UninitializedRead) {
  unsigned line = 0;
  expect_report(misuse_kind::uninitialized_read, __FILE__, {&line},
                {"element 3 of shared<unsigned char>, 8 elements", "read by lane 3"}, [&](const host::options& how) {
                  host::launch_block(8, how, [&](host::block block) {
                    host::shared<unsigned char> s(block, 8);
                    if (block.thread_rank() != 3) s[block.thread_rank()] = 1;
                    here(line), s.read(block.thread_rank());
                  });
                });
  EXPECT_EQ(test::report_of([] {
              host::launch_block(1, [](host::block b) { host::shared<int>(b, 1)[0].fetch_add(1); });
            }).kind,
            misuse_kind::uninitialized_read);
}

TEST(HostShared, BadIndex) {
  for (long long i : {8LL, -1LL, 1LL << 40}) {
    unsigned line = 0;
    expect_report(misuse_kind::index_out_of_range, __FILE__, {&line},
                  {"element " + std::to_string(i) + " of shared<int>, 8 elements", "write by lane 2"},
                  [&](const host::options& how) {
                    host::launch_block(4, how, [&](host::block block) {
                      host::shared<int> s(block, 8);
                      if (block.thread_rank() == 2) here(line), s[i] = 1;
                    });
                  });
  }
}

TEST(HostShared, DeclarationsMustAgree) {
  unsigned declared = 0;
  expect_report(
      misuse_kind::mismatched_call, __FILE__, {&declared}, {"4 elements", "5 elements"}, [&](const host::options& how) {
        host::launch_block(4, how,
                           [&](host::block b) { here(declared), host::shared<int>(b, b.thread_rank() == 2 ? 5 : 4); });
      });
  unsigned first = 0, second = 0;
  expect_report(misuse_kind::divergent_call, __FILE__, {&first, &second}, {"shared<int>", "shared<float>"},
                [&](const host::options& how) {
                  host::launch_block(4, how, [&](host::block b) {
                    if (b.thread_rank() == 2)
                      here(first), host::shared<int>(b, 4);
                    else
                      here(second), host::shared<float>(b, 4);
                  });
                });
}

TEST(HostShared, RaceFreeUseOf1024ReadersIsQuick) {
  host::launch_block(1024, [](host::block block) {
    host::shared<unsigned> s(block, 32);
    for (unsigned round = 0; round < 4; ++round) {
      if (block.thread_rank() < 32) s[block.thread_rank()] = round;
      block.sync();
      for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(s[i], round);
      block.sync();
    }
  });
}

}  // namespace
