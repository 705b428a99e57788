// Blocks with more tiles than the GPU has hardware barriers. Tiles without one wait as cooperative_groups
// does, in the same block as tiles with one. And warps that arrive at a barrier in several parts.
#include "multi_warp_mixtures_cases.hpp"

namespace {

using namespace test;

struct MultiWarpCrowded : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(MultiWarpCrowded, AllSizesInOneBlock) {
  check_side_by_side(arrange("falling", {512, 256, 128, 64, 32, 8}));
  check_side_by_side(arrange("rising", {8, 32, 64, 128, 256, 512}));
  check_side_by_side(arrange("64 in the middle", {256, 64, 32, 8, 128, 512}));
  check_side_by_side(arrange("the first of 64", {64, 32, 8, 128, 256, 512}));
  check_side_by_side(arrange("pairs", {64, 64, 128, 128, 128, 512}));
  check_side_by_side(arrange("64 and small", {64, 8, 32}));
  check_side_by_side(arrange("128 and 64", {128, 64, 64}));
}
TEST_F(MultiWarpCrowded, SixteenTilesOf64InLoopsOfDifferentLengths) {
  check_loops<64>(1024);
  check_loops<64>(1000);
  check_loops<64>({8, 9, 10});
}
TEST_F(MultiWarpCrowded, EightTilesOf128InLoopsOfDifferentLengths) {
  check_loops<128>(1024);
  check_loops<128>(640);
}
TEST_F(MultiWarpCrowded, TilesInTilesInTurn) {
  for (unsigned threads : {256u, 512u, 1024u}) check_nested<32>(threads);
}
TEST_F(MultiWarpCrowded, WarpsThatArriveInParts) {
  for (unsigned threads : {256u, 512u, 1024u}) check_nested<8>(threads);
}

}  // namespace
