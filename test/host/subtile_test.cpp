// Several tiles in a block, and tiles of tiles.
#include <gtest/gtest.h>

#include <tessera/host/launch.hpp>
#include <vector>

namespace {

namespace host = tessera::host;

TEST(HostTiles, OfABlockAreIndependent) {
  auto const sums = host::launch_block(64, [](host::block block) {
    auto const tile = host::tiled_partition<8>(block);
    EXPECT_EQ(tile.meta_group_rank(), block.thread_rank() / 8);
    EXPECT_EQ(tile.meta_group_size(), 8u);
    unsigned sum = block.thread_rank();
    for (unsigned m = 1; m < 8; m *= 2) sum += tile.shfl_xor(sum, m);
    return sum;
  });
  for (unsigned r = 0; r < 64; ++r) EXPECT_EQ(sums[r], 64 * (r / 8) + 28) << r;  // 8 (8k) + 0 + … + 7
}

TEST(HostTiles, OfTilesCountWithinTheirParent) {
  host::launch_block(256, [](host::block block) {
    auto const outer = host::tiled_partition<64>(block);
    auto const middle = host::tiled_partition<16>(outer);
    auto const inner = host::tiled_partition<4>(middle);
    unsigned const r = block.thread_rank();
    EXPECT_EQ(outer.meta_group_rank(), r / 64);
    EXPECT_EQ(outer.meta_group_size(), 4u);
    EXPECT_EQ(middle.meta_group_rank(), r % 64 / 16);
    EXPECT_EQ(middle.meta_group_size(), 4u);
    EXPECT_EQ(inner.meta_group_rank(), r % 16 / 4);
    EXPECT_EQ(inner.meta_group_size(), 4u);
    EXPECT_EQ(inner.thread_rank(), r % 4);
    EXPECT_EQ(inner.shfl(r, 3), r / 4 * 4 + 3);
    EXPECT_EQ(middle.shfl(r, 0), r / 16 * 16);
    EXPECT_EQ(outer.shfl(r, 63), r / 64 * 64 + 63);
    EXPECT_EQ(host::tiled_partition<4>(inner).meta_group_size(), 1u);
  });
}

TEST(HostTiles, AdvanceIndependently) {
  // Tile k makes k + 1 rounds. The other tiles don't wait for it, and don't change its results.
  auto const rounds = host::launch_block(48, [](host::block block) {
    auto const tile = host::tiled_partition<16>(block);
    unsigned count = 0;
    for (unsigned i = 0; i <= tile.meta_group_rank(); ++i) count += tile.shfl(1u, i);
    return count;
  });
  for (unsigned r = 0; r < 48; ++r) EXPECT_EQ(rounds[r], r / 16 + 1);
}

}  // namespace
