// Segmented scans and reductions of tiles within a warp.
#include "segmented_cases.hpp"

namespace {

using namespace test;

struct Segmented : testing::Test {
  void SetUp() override { SKIP_WITHOUT_BACKEND(); }
};

TEST_F(Segmented, FloatSum) {
  check_segments_of<float>(tessera::plus{});
}
TEST_F(Segmented, Digits) {
  check_segments_of<digits>(tessera::make_operator(digit_concatenation{}, digits{0, 1}));
}
TEST_F(Segmented, CountsOfBools) {
  check_segments_of<bool>(tessera::plus{});
}

/// A segment need not begin at a power of two.
struct middle_segment {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned x) const {
    unsigned const rank = tile.thread_rank();
    return tessera::segmented_reduce(tile, x, rank == 1 || rank == 3, tessera::plus{}, tessera::to_leader);
  }
};

TEST_F(Segmented, LanesOneAndTwo) {
  std::vector<unsigned> in(block_lanes);
  for (unsigned i = 0; i < block_lanes; ++i) in[i] = 1u << (i % 8);
  auto const out = backend::run<8, unsigned>(in, middle_segment{});
  for (unsigned base = 0; base < block_lanes; base += 8) {
    EXPECT_EQ(out[base], 1u);
    EXPECT_EQ(out[base + 1], 2u + 4u);
    EXPECT_EQ(out[base + 3], 8u + 16u + 32u + 64u + 128u);
  }
}

}  // namespace
