// shuffle, broadcast, shifts, rotate, reverse, butterfly and exchange_items for types of 1 to 64 bytes, and
// worked examples from documents on warp primitives.
#include "lanes_cases.hpp"

namespace {

using namespace test;

TEST(Lanes, Bytes) {
  check_movement_of_sizes<unsigned char>();
}
TEST(Lanes, Shorts) {
  check_movement_of_sizes<unsigned short>();
}
TEST(Lanes, Words) {
  check_movement_of_sizes<unsigned>();
}
TEST(Lanes, WordsConverged) {
  check_movement_of_sizes<unsigned>(tessera::converged);
}
TEST(Lanes, WordsIsolated) {
  check_movement_of_sizes<unsigned>(tessera::isolated);
}
TEST(Lanes, Doubles) {
  check_movement_of_sizes<double>();
}
TEST(Lanes, StructsOfThreeBytes) {
  check_movement_of_sizes<row<3>>();
}
TEST(Lanes, StructsOf37Bytes) {
  check_movement_of_sizes<row<37>>();
}
TEST(Lanes, StructsOf64Bytes) {
  check_movement_of_sizes<row<64>>();
}

TEST(LanesItems, OneByte) {
  check_items_of_sizes<unsigned char, 1>();
}
TEST(LanesItems, SevenBytes) {
  check_items_of_sizes<unsigned char, 7>();
}
TEST(LanesItems, FourShorts) {
  check_items_of_sizes<short, 4>();
}
TEST(LanesItems, EightWords) {
  check_items_of_sizes<unsigned, 8>();
}
TEST(LanesItems, ThreeStructsOf12Bytes) {
  check_items_of_sizes<row<12>, 3>();
}

// ---- Worked examples.

struct rotate_kernel {
  int offset;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, char) const {
    return tessera::rotate(tile, tile.thread_rank(), offset);
  }
};

/// The results of the first 16 of 128 lanes, in tiles of 16.
std::vector<unsigned> rotated_by(int offset) {
  auto out = backend::run<16, unsigned>(std::vector<char>(block_lanes), rotate_kernel{offset});
  out.resize(16);
  return out;
}

TEST(LanesExamples, RotationOf16Lanes) {
  SKIP_WITHOUT_BACKEND();
  using list = std::vector<unsigned>;
  EXPECT_EQ(rotated_by(2), (list{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1}));
  EXPECT_EQ(rotated_by(-2), (list{14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
  EXPECT_EQ(rotated_by(0x7ffffffe), rotated_by(-2));
  EXPECT_EQ(rotated_by(-0x7fffffff - 1), rotated_by(0));
}

using four = tessera::items<int, 4>;

struct example_kernel {
  bool exchanges;

  template <class Tile>
  TESSERA_FN four operator()(Tile const& tile, char) const {
    int const first = static_cast<int>(4 * tile.thread_rank());
    four const x{{first, first + 1, first + 2, first + 3}};
    if (exchanges) return tessera::exchange_items(tile, x, 1, 0, 3);
    return tessera::butterfly(tile, x, 1);
  }
};

/// The results of four lanes with four items each.
std::vector<int> four_lanes(bool exchanges) {
  auto const out = backend::run<4, four>(std::vector<char>(block_lanes), example_kernel{exchanges});
  return numbered(out.data(), 4);
}

TEST(LanesExamples, ButterflyOfFourItems) {
  SKIP_WITHOUT_BACKEND();
  EXPECT_EQ(four_lanes(false), (std::vector<int>{4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11}));
}
TEST(LanesExamples, ExchangeOfItemZeroWithItemThree) {
  SKIP_WITHOUT_BACKEND();
  EXPECT_EQ(four_lanes(true), (std::vector<int>{7, 1, 2, 3, 4, 5, 6, 0, 15, 9, 10, 11, 12, 13, 14, 8}));
}

}  // namespace
