// The types that are tiles, their sizes, and tiles of blocks and of tiles.
#include <tessera/core/tile.hpp>

#include "backend.hpp"

namespace {

using namespace test;

static_assert(tessera::is_tile_v<tessera::host::tile<8>> && tessera::is_tile_v<tessera::host::tile<8> const&>);
static_assert(!tessera::is_tile_v<int> && tessera::is_tile_v<tessera::host::block>);
static_assert(tessera::tile_size_v<tessera::host::tile<1024> const&> == 1024);
#if TESSERA_CUDA
static_assert(tessera::tile_size_v<cooperative_groups::thread_block_tile<16>> == 16);
static_assert(
    tessera::tile_size_v<cooperative_groups::thread_block_tile<4, cooperative_groups::thread_block_tile<16>>> == 4);
static_assert(tessera::is_tile_v<cooperative_groups::thread_block>);
#endif
#if defined(__cpp_concepts) && __cpp_concepts >= 201907L
static_assert(tessera::tile<tessera::host::tile<2>> && !tessera::tile<float>);
#endif

struct tile_coordinates {
  unsigned rank, index, groups, inner_rank, inner_index, inner_groups;
};

struct coordinates {
  template <class Block>
  TESSERA_FN tile_coordinates operator()(Block const& block) const {
    auto const outer = tessera::tiled_partition<16>(block);
    auto const inner = tessera::tiled_partition<4>(outer);
    return {outer.thread_rank(), outer.meta_group_rank(), outer.meta_group_size(),
            inner.thread_rank(), inner.meta_group_rank(), inner.meta_group_size()};
  }
};

TEST(Tile, CoordinatesAreByDirectParent) {
  SKIP_WITHOUT_BACKEND();
  auto const out = backend::run_block<tile_coordinates>(64, coordinates{});
  for (unsigned i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i].rank, i % 16);
    EXPECT_EQ(out[i].index, i / 16);
    EXPECT_EQ(out[i].groups, 4u);
    EXPECT_EQ(out[i].inner_rank, i % 4);
    EXPECT_EQ(out[i].inner_index, i % 16 / 4);
    EXPECT_EQ(out[i].inner_groups, 4u);
  }
}

}  // namespace
