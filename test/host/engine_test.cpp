// The engine between launches: it reuses stacks, a failed launch doesn't affect the next one, and threads
// are independent.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "reports.hpp"

namespace {

namespace host = tessera::host;

std::size_t stacks_mapped() {
  return host::detail::engine::of_thread().stacks_mapped();
}

unsigned sum_of_ranks(unsigned size) {
  auto const sums = host::launch_block(size, [](host::block block) {
    host::shared<unsigned> total(block, 1);
    if (block.thread_rank() == 0) total[0] = 0;
    block.sync();
    total[0].fetch_add(block.thread_rank());
    block.sync();
    return total.read(0);
  });
  for (unsigned s : sums) EXPECT_EQ(s, sums[0]);
  return sums[0];
}

TEST(HostEngine, ReusesItsStacks) {
  sum_of_ranks(32);
  std::size_t const before = stacks_mapped();
  for (int i = 0; i < 10000; ++i)
    host::launch_tile<32>([](host::tile<32> tile) { return tile.shfl_xor(tile.thread_rank(), 1); });
  EXPECT_LE(stacks_mapped(), before + 1);
}

TEST(HostEngine, LanesThatNeverWaitShareAStack) {
  std::thread([] {
    host::launch_block(1024, [](host::block) {});
    EXPECT_LE(stacks_mapped(), 3u);
  }).join();
}

TEST(HostEngine, WorksAfterEveryKindOfFailure) {
  std::vector<std::size_t> mapped;
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(test::report_of([] {
                  host::launch_block(64, [](host::block b) {
                    if (b.thread_rank() != 40) b.sync();
                  });
                }).caught);
    EXPECT_TRUE(test::report_of([] {
                  host::launch_block(64, [](host::block b) { host::tiled_partition<8>(b).shfl(1, 9); });
                }).caught);
    EXPECT_TRUE(test::report_of([] {
                  host::launch_block(64, [](host::block b) {
                    host::shared<int> s(b, 1);
                    s[0] = 1;
                  });
                }).caught);
    EXPECT_THROW(host::launch_block(64,
                                    [](host::block b) {
                                      if (b.thread_rank() == 5) throw std::runtime_error("x");
                                      b.sync();
                                    }),
                 std::runtime_error);
    EXPECT_EQ(sum_of_ranks(64), 64u * 63 / 2);
    EXPECT_EQ(sum_of_ranks(100), 100u * 99 / 2);
    mapped.push_back(stacks_mapped());
  }
  EXPECT_EQ(mapped.front(), mapped.back());
}

TEST(HostEngine, NoexceptCollectivesMayFail) {
  auto const sync = [](const host::block& b) noexcept { b.sync(); };
  EXPECT_TRUE(test::report_of([&] {
                host::launch_block(8, [&](host::block b) {
                  if (b.thread_rank() != 0) sync(b);
                });
              }).caught);
}

TEST(HostEngine, OnePerThread) {
  std::vector<std::thread> threads;
  std::vector<unsigned> sums(4);
  for (std::size_t t = 0; t < sums.size(); ++t)
    threads.emplace_back([&sums, t] {
      for (int i = 0; i < 20; ++i) sums[t] += sum_of_ranks(33);
    });
  for (std::thread& t : threads) t.join();
  for (unsigned s : sums) EXPECT_EQ(s, 20u * 33 * 32 / 2);
}

TEST(HostEngine, GivesLanesEnoughStack) {
  auto const got = host::launch_tile<32>([](host::tile<32> tile) {
    volatile std::uint8_t frame[40000];
    for (unsigned i = 0; i < sizeof frame; i += 64) frame[i] = static_cast<std::uint8_t>(tile.thread_rank());
    tile.sync();
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof frame; i += 64) wrong += frame[i] != tile.thread_rank();
    return wrong;
  });
  EXPECT_EQ(got, std::vector<unsigned>(32));
}

TEST(HostEngine, FloatingPointSurvivesSwitches) {
  auto const got = host::launch_tile<8>([](host::tile<8> tile) {
    double x = tile.thread_rank(), y = x * 0.5, z = x + 0.25;
    for (int i = 0; i < 100; ++i) {
      tile.sync();
      x += y, y -= z * 0.001, z *= 1.01;
    }
    return x + y + z;
  });
  for (unsigned r = 0; r < 8; ++r) {
    double x = r, y = x * 0.5, z = x + 0.25;
    for (int i = 0; i < 100; ++i) x += y, y -= z * 0.001, z *= 1.01;
    EXPECT_EQ(got[r], x + y + z);
  }
}

/// More threads than guards that divide a mapping suffice for: 32 blocks of 1024 lanes at a time.
TEST(HostEngine, ManyThreadsHaveLargeBlocks) {
  if (host::detail::sanitized) GTEST_SKIP() << "sanitizers have limits of their own";
  std::vector<std::thread> threads;
  std::atomic<unsigned> done{0}, failed{0};
  constexpr unsigned count = 33;
  for (unsigned t = 0; t < count; ++t) {
    threads.emplace_back([&] {
      try {
        host::launch_block(1024, [](host::block b) { b.sync(); });
      } catch (std::exception const&) {
        ++failed;
      }
      for (++done; done != count;) std::this_thread::yield();  // keeps its stacks
    });
    while (done != t + 1) std::this_thread::yield();
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failed, 0u);
}

/// Where a guard divides its mapping, all pools together have so many, and stacks without one are as good.
TEST(HostEngine, DividesMappingsSoOften) {
  using pool = host::detail::stack_pool;
  std::vector<std::unique_ptr<pool>> pools;
  unsigned divided = 0;
  for (unsigned p = 0; p < 20; ++p) {
    pools.push_back(std::make_unique<pool>(host::detail::guard_kind::divided));
    std::vector<host::detail::stack> stacks(1024);
    for (auto& s : stacks) {
      s = pools.back()->take();
      s.base[0] = 1;
      EXPECT_TRUE(pools.back()->is_guard(s.base - 1));
      EXPECT_FALSE(pools.back()->is_guard(s.base));
    }
    for (auto& s : stacks) pools.back()->give(s);
    divided += pools.back()->divided();
  }
  EXPECT_EQ(divided, host::detail::guards::most_divided);
}

/// A frame that the stack has no room for, which leaves the guard's page next to the stack alone.
[[gnu::noinline]] void use_large_frame(volatile char* out) {
  volatile char frame[host::detail::stack_pool::stack_bytes + 6 * 1024];
  frame[100] = 7;
  *out = frame[100];
}
TEST(HostEngineDeathTest, ReportsAnOverflow) {
  if (host::detail::sanitized) GTEST_SKIP() << "the sanitizer reports it";
  EXPECT_DEATH(host::launch_block(8,
                                  [](host::block b) {
                                    b.sync();
                                    volatile char c = 0;
                                    if (b.thread_rank() == 3) use_large_frame(&c);
                                  }),
               "lane 3 of a block on CPU lanes has overflowed its stack of 64 KiB\n  after block.sync, at "
               ".*engine_test.cpp");
}
TEST(HostEngineDeathTest, LeavesOtherFaultsAlone) {
  if (host::detail::sanitized) GTEST_SKIP() << "the sanitizer reports it";
  auto const touch = [](int* address) { *static_cast<int volatile*>(address) = 1; };
  EXPECT_DEATH(host::launch_block(1, [&](host::block) { touch(nullptr); }), "^$");
}

}  // namespace
