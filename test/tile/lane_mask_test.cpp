// lane_mask: hand-computed sets, and every operation compared with a plain array of bools.
#include <tessera/core/lane_mask.hpp>

#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <type_traits>

namespace {

using tessera::lane_mask;

// Printers ask whether a value is an integer: a set is none, and is printed by its bytes.
TEST(LaneMask, IsPrintedAsNoInteger) {
  static_assert(!std::is_convertible_v<lane_mask<8>, long long>);
  EXPECT_EQ(lane_mask<64>::full(), ~lane_mask<64>{});
}

TEST(LaneMask, OfEightLanes) {
  auto const m = lane_mask<8>::from_word(0b10110010);
  EXPECT_EQ(m.count(), 4u);
  EXPECT_EQ(m.first(), 1u);
  EXPECT_EQ(m.last(), 7u);
  EXPECT_EQ(m.nth(0), 1u);
  EXPECT_EQ(m.nth(2), 5u);
  EXPECT_EQ(m.nth(4), 8u);
  EXPECT_EQ(m.rank_of(5), 2u);
  EXPECT_EQ(m.rank_of(6), 3u);
  EXPECT_TRUE(m.test(4));
  EXPECT_FALSE(m.test(0));
  EXPECT_FALSE(m.test(8));
  EXPECT_EQ((~m).word(), 0b01001101u);
  std::vector<unsigned> lanes;
  for (unsigned lane : m) lanes.push_back(lane);
  EXPECT_EQ(lanes, (std::vector<unsigned>{1, 4, 5, 7}));
}

TEST(LaneMask, DropsBitsPastTheLastLane) {
  EXPECT_EQ(lane_mask<4>::from_word(~0u).word(), 0xfu);
  EXPECT_TRUE(lane_mask<4>::from_word(~0u).all());
  EXPECT_EQ(lane_mask<4>::prefix(6).word(), 0xfu);
  EXPECT_EQ((~lane_mask<1>{}).word(), 1u);
}

TEST(LaneMask, EmptySetHasNoLanes) {
  lane_mask<64> const none{};
  EXPECT_TRUE(none.none());
  EXPECT_FALSE(none.any());
  EXPECT_EQ(none.first(), 64u);
  EXPECT_EQ(none.last(), 64u);
  EXPECT_EQ(none.nth(0), 64u);
  for (unsigned lane : none) ADD_FAILURE() << lane;
}

TEST(LaneMask, IsConstexpr) {
  static_assert(lane_mask<32>::full().all());
  static_assert(lane_mask<128>::prefix(70).test(69) && !lane_mask<128>::prefix(70).test(70));
  static_assert((lane_mask<16>::only(3) | lane_mask<16>::only(4)) == lane_mask<16>::from_word(0x18));
}

template <unsigned N>
void check_against_booleans() {
  std::mt19937 random(N);
  for (int round = 0; round < 50; ++round) {
    std::vector<bool> in(N);
    lane_mask<N> m{};
    for (unsigned r = 0; r < N; ++r) {
      in[r] = random() % (1 + static_cast<unsigned>(round) % 5) == 0;
      m.set(r, in[r]);
    }
    std::vector<unsigned> lanes;
    for (unsigned r = 0; r < N; ++r) {
      ASSERT_EQ(m.rank_of(r), lanes.size());
      ASSERT_EQ(m.test(r), in[r]);
      if (in[r]) lanes.push_back(r);
    }
    ASSERT_EQ(m.count(), lanes.size());
    ASSERT_EQ(m.any(), !lanes.empty());
    ASSERT_EQ(m.all(), lanes.size() == N);
    ASSERT_EQ(m.first(), lanes.empty() ? N : lanes.front());
    ASSERT_EQ(m.last(), lanes.empty() ? N : lanes.back());
    for (unsigned k = 0; k < lanes.size(); ++k) ASSERT_EQ(m.nth(k), lanes[k]);
    ASSERT_EQ(m.nth(static_cast<unsigned>(lanes.size())), N);
    std::vector<unsigned> walked;
    for (unsigned lane : m) walked.push_back(lane);
    ASSERT_EQ(walked, lanes);
    unsigned const n = static_cast<unsigned>(random() % (N + 2));
    ASSERT_EQ((m & lane_mask<N>::prefix(n)).count(), m.rank_of(n));
    ASSERT_EQ((m | ~m), lane_mask<N>::full());
    ASSERT_TRUE((m ^ m).none());
  }
}

TEST(LaneMask, EverySizeAgainstBooleans) {
  check_against_booleans<1>();
  check_against_booleans<2>();
  check_against_booleans<4>();
  check_against_booleans<8>();
  check_against_booleans<16>();
  check_against_booleans<32>();
  check_against_booleans<64>();
  check_against_booleans<256>();
  check_against_booleans<1024>();
}

}  // namespace
