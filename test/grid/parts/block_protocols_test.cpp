// How blocks hand values to each other and draw work, on host tiles, where they run one after the other in any order.
#include <gtest/gtest.h>

#include <tessera/grid/parts/phase_queue.hpp>
#include <tessera/grid/parts/ticket_queue.hpp>
#include <tessera/host/launch.hpp>

#include <cstdint>
#include <vector>

namespace {

namespace detail = tessera::grid::detail;
namespace host = tessera::host;

host::options seeded(unsigned seed) {
  host::options how;
  how.seed = seed;
  return how;
}

TEST(MemoryOps, UpdatesReturnThePreviousValue) {
  std::uint32_t word = 5;
  EXPECT_EQ(detail::fetch_add(&word, 3), 5u);
  EXPECT_EQ(detail::exchange(&word, 2), 8u);
  detail::add_to_global(&word, 7);
  EXPECT_EQ(detail::load_acquire(&word), 9u);
  std::uint64_t wide = std::uint64_t{1} << 40;
  EXPECT_EQ(detail::fetch_add(&wide, 1), std::uint64_t{1} << 40);
  EXPECT_EQ(detail::fetch_max(&wide, 3), (std::uint64_t{1} << 40) + 1);
  EXPECT_EQ(detail::fetch_max(&wide, ~std::uint64_t{0}), (std::uint64_t{1} << 40) + 1);
  EXPECT_EQ(detail::load_relaxed(&wide), ~std::uint64_t{0});
  EXPECT_EQ(detail::compare_exchange(&wide, 5, 6), ~std::uint64_t{0});
  EXPECT_EQ(detail::compare_exchange(&wide, ~std::uint64_t{0}, 9), ~std::uint64_t{0});
  EXPECT_EQ(detail::load_relaxed(&wide), 9u);
}

TEST(MemoryOps, CountsAround) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 10; ++i) EXPECT_EQ(detail::count_around(&word, 3), i % 4);
}

/// No other block can change a word meanwhile.
TEST(MemoryOps, AWaitOnAHostLoadsOnce) {
  std::uint32_t const word = 1;
  unsigned asked = 0;
  EXPECT_EQ(detail::wait_acquire(&word, [&](std::uint32_t) { return ++asked == 100; }), 1u);
  EXPECT_EQ(asked, 1u);
}

TEST(MemoryOps, CountersOfOneLaneAreApart) {
  std::vector<unsigned> counters(12);
  for (unsigned lane = 0; lane < 3; ++lane) {
    detail::strided_counters const own(counters.data() + lane, 3);
    own.add_one(lane);
    own.add_one(3);
    own.add_one(3);
  }
  EXPECT_EQ(counters, (std::vector<unsigned>{1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 2}));
}

TEST(BlockProtocols, OneBlockPreparesAndOnePassesLast) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    detail::first_block_progress progress{};
    unsigned prepared = 0, last = 0;
    for (int launch = 0; launch < 2; ++launch) {
      host::launch_grid(7, 32, seeded(seed), [&](host::block const& block) {
        auto const warp = tessera::tiled_partition<32>(block);
        bool const is_last = detail::wait_for_first_block(warp, &progress, 7, [&] {
          if (warp.thread_rank() == 0) ++prepared;
        });
        EXPECT_NE(prepared, 0u);
        if (is_last) {
          ++last;
          progress.ready = 0;
        }
      });
    }
    EXPECT_EQ(prepared, 2u);
    EXPECT_EQ(last, 2u);
    EXPECT_EQ(progress.tickets + progress.ready + progress.passed, 0u);
  }
}

TEST(BlockProtocols, TheLastBlockToArriveGoesOn) {
  unsigned counter = 0, gone_on = 0, arrived = 0;
  host::launch_grid(6, 1, seeded(3), [&](host::block const& block) {
    ++arrived;
    if (!detail::is_highest_block_after_all(&counter, block.group_index().x, 6)) return;
    ++gone_on;
    EXPECT_EQ(arrived, 6u);
  });
  EXPECT_EQ(gone_on, 1u);
  EXPECT_EQ(counter, 0u);
}

/// Every item is drawn once, whichever block draws it, and the last block to leave clears the queue.
template <class Number>
void check_tickets(unsigned blocks, unsigned items, unsigned seed) {
  Number drawn = 0;
  unsigned left = 0, last = 0;
  detail::ticket_queue<Number> const queue{&drawn, &left};
  std::vector<unsigned> done(items);
  host::launch_grid(blocks, 1, seeded(seed), [&](host::block const&) {
    for (Number ticket; (ticket = queue.draw()) < items;) ++done[static_cast<std::size_t>(ticket)];
    if (!queue.is_last_to_leave(blocks)) return;
    ++last;
    EXPECT_EQ(drawn, items + blocks);
    queue.clear();
  });
  EXPECT_EQ(done, std::vector<unsigned>(items, 1));
  EXPECT_EQ(last, 1u);
  EXPECT_EQ(drawn, 0u);
  EXPECT_EQ(left, 0u);
}
TEST(TicketQueue, EachItemIsDrawnOnce) {
  for (unsigned blocks : {1u, 2u, 9u}) {
    for (unsigned items : {0u, 1u, 20u}) {
      check_tickets<unsigned>(blocks, items, items);
      check_tickets<std::uint64_t>(blocks, items, items);
    }
  }
}

TEST(TicketQueue, ATicketIsHandedOnInTwoPlaces) {
  detail::tickets_ahead ahead{};
  std::vector<unsigned> seen[4];
  host::launch_grid(1, 4, seeded(1), [&](host::block const& block) {
    unsigned const rank = block.thread_rank();
    if (rank == 0) ahead.put(1, 10);
    block.sync();
    unsigned ticket = ahead.at(1);
    for (unsigned turn = 0; ticket < 15; turn ^= 1) {
      seen[rank].push_back(ticket);
      if (rank == 3) ahead.put(turn, ticket + 1);
      block.sync();
      ticket = ahead.at(turn);
    }
  });
  for (auto const& own : seen) EXPECT_EQ(own, (std::vector<unsigned>{10, 11, 12, 13, 14}));
}

}  // namespace
