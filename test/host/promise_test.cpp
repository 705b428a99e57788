// The promise of `converged`, in kernels that keep it and in kernels that break it.
#include <gtest/gtest.h>

#include "reports.hpp"

namespace {

namespace host = tessera::host;
using host::misuse_kind;
using tessera::call_site;
using test::expect_report;
using test::here;

template <class Tile>
unsigned sum(const Tile& tile, bool converged, call_site site = call_site::here()) {
  auto const lanes = tile.group({"reduce", "unsigned plus", 0, converged, site});
  unsigned x = 1;
  for (unsigned m = 1; m < Tile::size(); m *= 2) x += lanes.shuffle_xor(x, m);
  return x;
}

TEST(HostPromise, BrokenByALaneThatHasExited) {
  unsigned line = 0;
  expect_report(misuse_kind::broken_converged_promise, __FILE__, {&line},
                {"reduce", "converged", "promised that the whole warp", "lanes 40-47: exited before any collective"},
                [&](const host::options& how) {
                  host::launch_block(64, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<8>(block);
                    if (block.thread_rank() / 8 == 5) return;
                    here(line), sum(tile, true);
                  });
                });
}

TEST(HostPromise, BrokenByATileInAnotherCall) {
  unsigned promise = 0, elsewhere = 0;
  expect_report(misuse_kind::broken_converged_promise, __FILE__, {&promise, &elsewhere},
                {"reduce", "promised that the whole warp", "block.sync"}, [&](const host::options& how) {
                  host::launch_block(32, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<8>(block);
                    if (tile.meta_group_rank() == 2)
                      here(elsewhere), block.sync();
                    else
                      here(promise), sum(tile, true);
                  });
                });
}

TEST(HostPromise, BrokenByTwoCallsThatEachPromise) {
  unsigned left = 0, right = 0;
  expect_report(misuse_kind::broken_converged_promise, __FILE__, {&left, &right}, {"lanes 0-15", "lanes 16-31"},
                [&](const host::options& how) {
                  host::launch_block(32, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<16>(block);
                    if (tile.meta_group_rank() == 0)
                      here(left), sum(tile, true);
                    else
                      here(right), sum(tile, true);
                  });
                });
}

TEST(HostPromise, BrokenByUnequalTripCounts) {
  unsigned line = 0;
  expect_report(misuse_kind::broken_converged_promise, __FILE__, {&line}, {"exited; its last collective was reduce"},
                [&](const host::options& how) {
                  host::launch_block(32, how, [&](host::block block) {
                    auto const tile = host::tiled_partition<8>(block);
                    for (unsigned i = 0; i <= tile.meta_group_rank(); ++i) here(line), sum(tile, true);
                  });
                });
}

TEST(HostPromise, SplitTileIsADivergentCall) {
  unsigned left = 0, right = 0;
  expect_report(misuse_kind::divergent_call, __FILE__, {&left, &right}, {"converged"}, [&](const host::options& how) {
    host::launch_block(32, how, [&](host::block block) {
      auto const tile = host::tiled_partition<8>(block);
      if (block.thread_rank() % 2 == 0)
        here(left), sum(tile, true);
      else
        here(right), sum(tile, false);
    });
  });
}

TEST(HostPromise, KeptAcrossWarpsThatDiverge) {
  auto const got = host::launch_block(96, [](host::block block) {
    auto const tile = host::tiled_partition<4>(block);
    unsigned total = 0;
    for (unsigned i = 0; i <= block.thread_rank() / 32; ++i) total += sum(tile, true);
    return total;
  });
  for (unsigned r = 0; r < 96; ++r) EXPECT_EQ(got[r], 4 * (r / 32 + 1));
}

TEST(HostPromise, IsNotMadeByDefault) {
  auto const got = host::launch_block(32, [](host::block block) {
    auto const tile = host::tiled_partition<4>(block);
    return tile.meta_group_rank() % 2 == 0 ? sum(tile, false) : 0u;
  });
  for (unsigned r = 0; r < 32; ++r) EXPECT_EQ(got[r], r / 4 % 2 == 0 ? 4u : 0u);
}

}  // namespace
