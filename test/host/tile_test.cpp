// Every member of host::tile, at sizes from 1 to 1024, compared with hand-computed values or with the
// definition.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tessera/host/launch.hpp>
#include <vector>

namespace {

namespace host = tessera::host;

struct bytes_12 {
  std::uint32_t a, b, c;
  friend bool operator==(bytes_12 x, bytes_12 y) { return x.a == y.a && x.b == y.b && x.c == y.c; }
};
struct bytes_64 {
  std::uint64_t word[8];
};

template <class Size>
class HostTile : public testing::Test {};

template <unsigned N>
struct lanes_of {
  static constexpr unsigned size = N;
};
using sizes = testing::Types<lanes_of<1>, lanes_of<2>, lanes_of<16>, lanes_of<32>, lanes_of<64>, lanes_of<1024>>;
struct size_name {
  template <class Size>
  static std::string GetName(int) {
    return std::to_string(Size::size);
  }
};
TYPED_TEST_SUITE(HostTile, sizes, size_name);

TYPED_TEST(HostTile, KnowsItsSizeAndRanks) {
  constexpr unsigned N = TypeParam::size;
  static_assert(host::tile<N>::size() == N && host::tile<N>::num_threads() == N);
  auto const ranks = host::launch_tile<N>([](host::tile<N> tile) {
    return std::vector<unsigned>{tile.thread_rank(), tile.meta_group_rank(), tile.meta_group_size()};
  });
  ASSERT_EQ(ranks.size(), N);
  for (unsigned r = 0; r < N; ++r) EXPECT_EQ(ranks[r], (std::vector<unsigned>{r, 0, 1}));
}

TYPED_TEST(HostTile, ShufflesFromAnyLane) {
  constexpr unsigned N = TypeParam::size;
  auto const got = host::launch_tile<N>([](host::tile<N> tile) {
    unsigned const r = tile.thread_rank();
    return std::vector<unsigned>{tile.shfl(100 + r, N - 1), tile.shfl(100 + r, 0), tile.shfl(100 + r, (r + 1) % N)};
  });
  for (unsigned r = 0; r < N; ++r) EXPECT_EQ(got[r], (std::vector<unsigned>{100 + N - 1, 100, 100 + (r + 1) % N}));
}

TYPED_TEST(HostTile, ShufflesByOffsetAndKeepsItsOwnPastTheEdge) {
  constexpr unsigned N = TypeParam::size;
  for (unsigned d : {0u, 1u, 2u, N / 2, N - 1, N, N + 1, 5000u, ~0u}) {
    auto const up = host::launch_tile<N>([&](host::tile<N> tile) { return tile.shfl_up(tile.thread_rank(), d); });
    auto const down = host::launch_tile<N>([&](host::tile<N> tile) { return tile.shfl_down(tile.thread_rank(), d); });
    auto const cross = host::launch_tile<N>([&](host::tile<N> tile) { return tile.shfl_xor(tile.thread_rank(), d); });
    for (unsigned r = 0; r < N; ++r) {
      EXPECT_EQ(up[r], r >= d ? r - d : r) << d;
      EXPECT_EQ(down[r], d < N - r ? r + d : r) << d;
      EXPECT_EQ(cross[r], (r ^ d) < N ? r ^ d : r) << d;
    }
  }
}

TYPED_TEST(HostTile, MovesTypesOfAnySize) {
  constexpr unsigned N = TypeParam::size;
  auto const right = host::launch_tile<N>([](host::tile<N> tile) {
    unsigned const r = tile.thread_rank(), from = r ^ (N - 1);
    bool ok = tile.shfl_xor(static_cast<std::uint8_t>(r), N - 1) == static_cast<std::uint8_t>(from);
    ok &= tile.shfl_xor(static_cast<std::int16_t>(r), N - 1) == static_cast<std::int16_t>(from);
    ok &= tile.shfl_xor(r + 0.5, N - 1) == from + 0.5;
    ok &= tile.shfl_xor(bytes_12{r, 2 * r, 3 * r}, N - 1) == bytes_12{from, 2 * from, 3 * from};
    bytes_64 big{};
    for (unsigned i = 0; i < 8; ++i) big.word[i] = 1000 * r + i;
    big = tile.shfl(big, from);
    for (unsigned i = 0; i < 8; ++i) ok &= big.word[i] == 1000 * from + i;
    return ok;
  });
  for (unsigned r = 0; r < N; ++r) EXPECT_TRUE(right[r]) << r;
}

TYPED_TEST(HostTile, Votes) {
  constexpr unsigned N = TypeParam::size;
  for (unsigned voter = 0; voter <= N; voter += (N + 3) / 4) {  // voter N means that no lane votes
    auto const any = host::launch_tile<N>([&](host::tile<N> t) { return t.any(t.thread_rank() == voter); });
    auto const all = host::launch_tile<N>([&](host::tile<N> t) { return t.all(t.thread_rank() != voter); });
    for (unsigned r = 0; r < N; ++r) {
      EXPECT_EQ(any[r], voter < N);
      EXPECT_EQ(all[r], voter == N);
    }
  }
}

template <class Size>
class HostWordTile : public testing::Test {};
using word_sizes = testing::Types<lanes_of<1>, lanes_of<2>, lanes_of<8>, lanes_of<32>>;
TYPED_TEST_SUITE(HostWordTile, word_sizes, size_name);

TYPED_TEST(HostWordTile, BallotsAndMatches) {
  constexpr unsigned N = TypeParam::size;
  unsigned const everyone = N == 32 ? ~0u : (1u << N) - 1;
  host::launch_tile<N>([&](host::tile<N> tile) {
    unsigned const r = tile.thread_rank();
    unsigned const like_me = (r % 2 == 0 ? 0x55555555u : 0xaaaaaaaau) & everyone;
    EXPECT_EQ(tile.ballot(r % 3 == 0), 0x49249249u & everyone);
    EXPECT_EQ(tile.ballot(false), 0u);
    EXPECT_EQ(tile.ballot(true), everyone);
    EXPECT_EQ(tile.match_any(r % 2), like_me);
    EXPECT_EQ(tile.match_any(r % 2 == 0 ? 0.0 : -0.0), like_me);
    int same = 7;
    EXPECT_EQ(tile.match_all(5ull, same), everyone);
    EXPECT_EQ(same, 1);
    EXPECT_EQ(tile.match_all(r, same), N == 1 ? everyone : 0u);
    EXPECT_EQ(same, N == 1 ? 1 : 0);
  });
}

TYPED_TEST(HostTile, SyncIsABarrierUnderEverySchedule) {
  constexpr unsigned N = TypeParam::size;
  for (host::schedule order : host::all_schedules) {
    unsigned arrived = 0;
    host::launch_tile<N>(host::options{}.with_schedule(order), [&](host::tile<N> tile) {
      for (unsigned round = 1; round <= 3; ++round) {
        ++arrived;
        tile.sync();
        EXPECT_EQ(arrived, round * N);
        tile.sync();
      }
    });
  }
}

}  // namespace
