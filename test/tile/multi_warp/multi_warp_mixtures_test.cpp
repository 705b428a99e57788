// Tiles of several sizes in one block. On the GPU each of them has a hardware barrier of its own, and its
// warps arrive there converged. multi_warp_crowded_test.cpp has the other cases.
#include "multi_warp_mixtures_cases.hpp"

namespace {

using namespace test;

struct MultiWarpMixtures : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(MultiWarpMixtures, AllSizesInOneBlock) {
  check_side_by_side(arrange("falling", {512, 256, 128, 32, 8, 32, 8}));
  check_side_by_side(arrange("rising", {8, 32, 32, 32, 128, 256, 512}));
  check_side_by_side(arrange("128 and small", {128, 8, 32, 32, 8}));
  check_side_by_side(arrange("256 and 8", {256, 8, 8, 8, 8, 8, 8, 8, 8}));
  check_side_by_side(arrange("eight of 128", {128}));
  check_side_by_side(arrange("four of 256", {256}));
  check_side_by_side(arrange("two of 512", {512}));
  check_side_by_side(arrange("one of 1024", {1024}));
}
TEST_F(MultiWarpMixtures, LoopsOfDifferentLengths) {
  for (unsigned threads : {64u, 128u, 256u, 512u}) check_loops<64>(threads);
  check_loops<256>(256);
  check_loops<256>(1024);
  check_loops<512>(1024);
}
TEST_F(MultiWarpMixtures, BlocksThatNoTileFills) {
  check_loops<32>(96);
  check_loops<64>(96);
  check_loops<64>(160);
  check_loops<128>(160);
  check_loops<64>(320);
  check_loops<128>(320);
  check_loops<256>(320);
  check_loops<256>(1000);
  check_loops<512>(1000);
}
TEST_F(MultiWarpMixtures, BlocksOfTwoAndThreeDimensions) {
  check_loops<64>({16, 16});
  check_loops<64>({3, 5, 20});
  check_loops<128>({16, 6, 2});
  check_loops<256>({32, 32});
  check_loops<256>({8, 4, 16});
  check_loops<512>({7, 9, 10});
}

}  // namespace
