// Every member of host::group, which tessera's algorithms are written against.
#include <gtest/gtest.h>

#include <tessera/host/launch.hpp>
#include <vector>

namespace {

namespace host = tessera::host;
using tessera::call_site;
using tessera::lane_mask;

template <class Tile>
auto lanes_for(const Tile& tile, bool converged = false, call_site site = call_site::here()) {
  return tile.group({"test", "of lanes", 0, converged, site});
}

template <unsigned N>
void try_all_members() {
  host::launch_tile<N>([](host::tile<N> tile) {
    auto const lanes = lanes_for(tile);
    static_assert(decltype(lanes_for(tile))::size == N);
    unsigned const r = lanes.rank();
    EXPECT_EQ(r, tile.thread_rank());
    EXPECT_EQ(lanes.shuffle(3 * r, N - 1 - r), 3 * (N - 1 - r));
    EXPECT_EQ(lanes.shuffle_xor(r, N / 2), N == 1 ? r : r ^ (N / 2));
    EXPECT_EQ(lanes.shuffle_xor(r, N), r);
    EXPECT_EQ(lanes.shuffle_up(r, 1), r == 0 ? 0 : r - 1);
    EXPECT_EQ(lanes.shuffle_down(r, 1), r == N - 1 ? r : r + 1);
    EXPECT_EQ(lanes.shuffle_up(r, N), r);
    EXPECT_EQ(lanes.shuffle_down(r, N), r);
    lanes.sync();

    lane_mask<N> const thirds = lanes.ballot(r % 3 == 0);
    for (unsigned i = 0; i < N; ++i) EXPECT_EQ(thirds.test(i), i % 3 == 0);
    EXPECT_EQ(thirds.count(), (N + 2) / 3);
    EXPECT_TRUE(lanes.ballot(true).all());
    EXPECT_TRUE(lanes.ballot(false).none());
  });
}

TEST(HostLanes, MembersAtEverySize) {
  try_all_members<1>();
  try_all_members<2>();
  try_all_members<4>();
  try_all_members<8>();
  try_all_members<16>();
  try_all_members<32>();
  try_all_members<64>();
  try_all_members<128>();
  try_all_members<256>();
  try_all_members<512>();
  try_all_members<1024>();
}

TEST(HostLanes, ConvergedLanesExchangeInTheirTileAndWaitForTheWarp) {
  for (host::schedule order : host::all_schedules) {
    unsigned in_warp[2] = {};
    auto const got = host::launch_block(64, host::options{}.with_schedule(order), [&](host::block block) {
      auto const tile = host::tiled_partition<8>(block);
      auto const lanes = lanes_for(tile, true);
      unsigned const r = block.thread_rank();
      ++in_warp[r / 32];
      unsigned const from_3 = lanes.shuffle(r, 3);
      EXPECT_EQ(in_warp[r / 32], 32u);  // all lanes of the warp have arrived, not only those of the tile
      EXPECT_EQ(lanes.ballot(r % 2 == 1).word(), 0xaau);
      return from_3;
    });
    for (unsigned r = 0; r < 64; ++r) EXPECT_EQ(got[r], r / 8 * 8 + 3);
  }
}

TEST(HostLanes, ConvergedMeansTheLanesThatExist) {
  // The last warp of 44 threads has 12 lanes: three tiles of 4.
  auto const got = host::launch_block(44, [](host::block block) {
    return lanes_for(host::tiled_partition<4>(block), true).shuffle(block.thread_rank(), 0);
  });
  for (unsigned r = 0; r < 44; ++r) EXPECT_EQ(got[r], r / 4 * 4);
}

TEST(HostLanes, ConvergedTilesAboveAWarpWaitForTheirOwnLanes) {
  auto const got = host::launch_block(192, [](host::block block) {
    if (block.thread_rank() >= 128) return 0u;
    return lanes_for(host::tiled_partition<64>(block), true).shuffle(block.thread_rank(), 63);
  });
  for (unsigned r = 0; r < 192; ++r) EXPECT_EQ(got[r], r < 128 ? r / 64 * 64 + 63 : 0);
}

TEST(HostLanes, UniformArgumentsMayDifferBetweenTiles) {
  // `first(n)` may differ between the tiles of a converged warp.
  host::launch_block(32, [](host::block block) {
    auto const tile = host::tiled_partition<8>(block);
    auto const lanes = tile.group({"reduce", "first(n)", tile.meta_group_rank(), true, call_site::here()});
    EXPECT_EQ(lanes.shuffle_xor(block.thread_rank(), 1), block.thread_rank() ^ 1u);
  });
}

}  // namespace
