// Sorts of a cluster's lanes, beside std::stable_sort.
#include <tessera/reduce.hpp>
#include <tessera/sort.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clusters.hpp"

namespace {

using namespace test;

struct ClusterSort : testing::Test {
  void SetUp() override { SKIP_WITHOUT_CLUSTERS(); }
};

TESSERA_FN unsigned key_of(unsigned position) {
  return position * 2654435761u >> 9;
}
/// Few keys, so that many are equal.
TESSERA_FN unsigned label_of(unsigned position) {
  return key_of(position) % 97;
}
/// Numbers with NaN, -0 and +0 among them.
TESSERA_FN float drawn_number(unsigned position) {
  unsigned const k = key_of(position);
  if (k % 37 == 0) return tessera::detail::from_words<float>({{0x7fc00000u}});  // NaN
  return k % 31 == 0 ? (k % 2 == 0 ? 0.0f : -0.0f) : static_cast<float>(k) - 4e6f;
}
struct wide_key {
  unsigned long long high;
  unsigned char low, position[3];
};
struct by_wide_key {
  TESSERA_FN bool operator()(wide_key const& a, wide_key const& b) const {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};
TESSERA_FN wide_key wide_key_of(unsigned position) {
  auto const byte = [](unsigned x) { return static_cast<unsigned char>(x % 256); };
  return {label_of(position) / 3, byte(position * 7 % 5), {byte(position), byte(position / 256), 0}};
}

constexpr unsigned K = 2;

struct sorted {
  unsigned keys[K], values[K], after[K];
  float number, stable_number;
  wide_key wide;
};

/// Sorts of several types, one after the other, and a sum between them.
struct sorts_of_a_cluster {
  unsigned n;

  template <class Tile>
  TESSERA_FN sorted operator()(Tile const& tile) const {
    unsigned const rank = tile.thread_rank();
    tessera::items<unsigned, K> labels{}, positions{}, keys{};
    for (unsigned i = 0; i < K; ++i) {
      positions[i] = rank * K + i;
      labels[i] = label_of(rank * K + i);
      keys[i] = key_of(rank * K + i);
    }
    auto const pairs = tessera::stable_sort_by_key(tile, labels, positions, tessera::greater{}, tessera::first(n));
    auto const all = tessera::sort(tile, keys);
    unsigned const sum = tessera::reduce(tile, 1u);
    sorted found{{}, {}, {}, 0, 0, {}};
    for (unsigned i = 0; i < K; ++i) {
      found.keys[i] = pairs.keys[i];
      found.values[i] = pairs.values[i] + sum - Tile::size();
      found.after[i] = all[i];
    }
    found.number = tessera::sort(tile, drawn_number(rank));
    found.stable_number = tessera::stable_sort(tile, drawn_number(rank), tessera::greater{});
    found.wide = tessera::stable_sort(tile, wide_key_of(rank), by_wide_key{});
    return found;
  }
};

bool same_number(float a, float b) {
  return a == b || (a != a && b != b);
}

template <unsigned N, unsigned Threads>
void expect_sorted(unsigned n) {
  auto const all = run_clusters<N, Threads, sorted>(sorts_of_a_cluster{n});
  if (all.empty()) return;
  std::vector<unsigned> position(N * K), keys(N * K);
  std::iota(position.begin(), position.end(), 0u);
  std::stable_sort(position.begin(), position.begin() + std::min(n, N * K),
                   [](unsigned a, unsigned b) { return label_of(a) > label_of(b); });
  std::vector<float> numbers(N);
  std::vector<wide_key> wide(N);
  for (unsigned i = 0; i < N * K; ++i) keys[i] = key_of(i);
  for (unsigned rank = 0; rank < N; ++rank) {
    numbers[rank] = drawn_number(rank);
    wide[rank] = wide_key_of(rank);
  }
  std::sort(keys.begin(), keys.end());
  auto descending = numbers;
  std::stable_sort(numbers.begin(), numbers.end(), tessera::less{});
  std::stable_sort(descending.begin(), descending.end(), tessera::greater{});
  std::stable_sort(wide.begin(), wide.end(), by_wide_key{});
  for (unsigned at = 0; at < all.size(); ++at) {
    unsigned const rank = at % N;
    sorted const& found = all[at];
    for (unsigned i = 0; i < K; ++i) {
      unsigned const p = position[rank * K + i];
      ASSERT_EQ(found.keys[i], label_of(p)) << rank << ", item " << i << ", n = " << n;
      ASSERT_EQ(found.values[i], p) << rank << ", item " << i << ", n = " << n;
      ASSERT_EQ(found.after[i], keys[rank * K + i]) << rank << ", item " << i;
    }
    ASSERT_TRUE(same_number(found.number, numbers[rank])) << rank << ": " << found.number << ", " << numbers[rank];
    ASSERT_TRUE(same_number(found.stable_number, descending[rank])) << rank;
    ASSERT_EQ(std::signbit(found.stable_number), std::signbit(descending[rank])) << rank << ": zeros out of order";
    ASSERT_EQ(found.wide.high, wide[rank].high) << rank;
    ASSERT_EQ(found.wide.low, wide[rank].low) << rank;
    ASSERT_EQ(found.wide.position[0], wide[rank].position[0]) << rank << ": equal keys out of order";
    ASSERT_EQ(found.wide.position[1], wide[rank].position[1]) << rank << ": equal keys out of order";
  }
}

#if TESSERA_CUDA
TEST_F(ClusterSort, SortsEightBlocksOf1024) {
  expect_sorted<8192, 1024>(8192 * K);
}
#ifndef TESSERA_TEST_FEW_SIZES
TEST_F(ClusterSort, SortsAPartOfFourBlocksOf256) {
  for (unsigned n : {0u, 1u, 500u, 512u, 900u, 2047u, 5000u}) expect_sorted<1024, 256>(n);
}
TEST_F(ClusterSort, SortsSixteenBlocks) {
  expect_sorted<1024, 64>(1024 * K);
}
#endif
#else
TEST_F(ClusterSort, SortsHostLanes) {
  expect_sorted<128, 64>(128 * K);
  expect_sorted<256, 64>(400);
  for (unsigned n : {0u, 100u, 128u, 200u}) expect_sorted<128, 64>(n);
}
#endif

}  // namespace
