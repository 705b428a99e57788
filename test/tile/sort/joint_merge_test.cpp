// Merges of ranges of all lengths, beside std::merge.
#include <tessera/joint_merge.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#endif

#include <gtest/gtest.h>

#include <random>

#include "joint_cases.hpp"

namespace {

using namespace test;

/// A key, and what tells equal ones apart; the size is that of Rest and four bytes.
template <class Rest>
struct entry {
  int key;
  Rest rest;
};
struct by_key {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return a.key < b.key;
  }
};
struct three_shorts {
  short of[3];
};
TESSERA_FN unsigned number_of(unsigned x) {
  return x;
}
TESSERA_FN unsigned number_of(three_shorts const& x) {
  return static_cast<unsigned>(x.of[1]);
}

/// The ranges of one tile.
template <class T>
struct merged_ranges {
  T const *a, *b;
  T* out;
  int na, nb;
};

struct merges {
  template <class Tile, class T>
  TESSERA_FN int operator()(Tile const& tile, merged_ranges<T> const& x) const {
    tessera::joint_merge(tile, x.a, x.na, x.b, static_cast<long long>(x.nb), x.out, by_key{});
    return 0;
  }
};

template <class T>
std::vector<T> random_run(std::mt19937& random, int n, int keys, unsigned from) {
  std::vector<T> x;
  for (int i = 0; i < n; ++i) x.push_back(T{static_cast<int>(random() % static_cast<unsigned>(keys)), {}});
  std::stable_sort(x.begin(), x.end(), by_key{});
  for (int i = 0; i < n; ++i) {
    unsigned const number = from + static_cast<unsigned>(i);
    if constexpr (sizeof(T) == 8) {
      x[static_cast<std::size_t>(i)].rest = number;
    } else {
      x[static_cast<std::size_t>(i)].rest.of[1] = static_cast<short>(number);
    }
  }
  return x;
}

template <unsigned N, class T>
void check_entries() {
  constexpr unsigned tiles = block_lanes_of(N) / N;
  std::mt19937 random(N);
  std::vector<std::pair<int, int>> lengths{{0, 0}, {1, 0}, {0, 1}, {-3, 5}, {5, -1}, {1, 1}, {700, 2}, {3, 555}};
  lengths.push_back({static_cast<int>(2 * N), static_cast<int>(2 * N)});
  while (lengths.size() % tiles != 0) lengths.push_back({random() % 300, random() % 300});
  for (std::size_t round = 0; round < lengths.size(); round += tiles) {
    std::vector<std::vector<T>> as, bs;
    std::vector<std::unique_ptr<placed_values<T>>> memory;
    std::vector<merged_ranges<T>> lanes;
    for (std::size_t t = 0; t < tiles; ++t) {
      auto const [na, nb] = lengths[round + t];
      as.push_back(random_run<T>(random, na, t % 2 == 0 ? 9 : 100000, 0));
      bs.push_back(random_run<T>(random, nb, t % 2 == 0 ? 9 : 100000, 10000));
      unsigned const shift = static_cast<unsigned>(random() % 4);
      memory.push_back(std::make_unique<placed_values<T>>(as.back(), shift));
      memory.push_back(std::make_unique<placed_values<T>>(bs.back(), shift + 1));
      std::vector<T> const nothing(as.back().size() + bs.back().size(), T{-7, {}});
      memory.push_back(std::make_unique<placed_values<T>>(nothing, static_cast<unsigned>(random() % 4)));
      merged_ranges<T> const ranges{memory[3 * t]->data(), memory[3 * t + 1]->data(), memory[3 * t + 2]->data(), na,
                                    nb};
      lanes.insert(lanes.end(), N, ranges);
    }
    backend::run<N, int>(lanes, merges{});
    for (std::size_t t = 0; t < tiles; ++t) {
      std::vector<T> expected;
      std::merge(as[t].begin(), as[t].end(), bs[t].begin(), bs[t].end(), std::back_inserter(expected), by_key{});
      auto const got = memory[3 * t + 2]->to_host();
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(got[i].key, expected[i].key) << "N " << N << ", element " << i << ", na " << as[t].size();
        ASSERT_EQ(number_of(got[i].rest), number_of(expected[i].rest)) << "N " << N << ", element " << i;
      }
    }
  }
}
template <unsigned... N>
void check_sizes() {
  for_each_size(sizes<N...>{}, [](auto n) {
    check_entries<decltype(n)::value, entry<unsigned>>();
    check_entries<decltype(n)::value, entry<three_shorts>>();
  });
}
TEST(JointMerge, RangesOfAllLengths) {
  SKIP_WITHOUT_BACKEND();
  check_sizes<1, 8, 32, 64, 256>();
}

#if !TESSERA_CUDA
struct compared {};  // thrown

TEST(JointMerge, RangesOf2To32ElementsTogether) {
  std::vector<unsigned char> x(64);
  auto* const out = reinterpret_cast<unsigned char*>(reinterpret_cast<std::uintptr_t>(x.data()) +
                                                     (std::uintptr_t{1} << 40));  // apart from x
  auto const stops = [](unsigned char, unsigned char) -> bool { throw compared{}; };
  auto const merge_both = [&](tessera::host::tile<2> tile) {
    tessera::joint_merge(tile, x.data(), 1u << 31, x.data(), 1u << 31, out, stops);
  };
  EXPECT_THROW(tessera::host::launch_tile<2>(merge_both), compared);  // and doesn't take them for none
}
#endif

/// Bytes, 16 of which a lane merges.
struct merges_bytes {
  unsigned char const* x;
  unsigned char* out;

  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned lane) const {
    unsigned char* const own = out + lane / tile.size() * 200;
    tessera::joint_merge(tile, x, 100, x, 100, own);
    tile.sync();
    bool right = true;
    for (unsigned i = tile.thread_rank(); i < 200; i += tile.size()) right = right && own[i] == i / 2;
    return right ? 1u : 0u;
  }
};
TEST(JointMerge, Bytes) {
  SKIP_WITHOUT_BACKEND();
  std::vector<unsigned char> x;
  for (unsigned i = 0; i < 100; ++i) x.push_back(static_cast<unsigned char>(i));
  backend::array<unsigned char> from(x), out(std::vector<unsigned char>(200 * 16));
  std::vector<unsigned> lanes;
  for (unsigned i = 0; i < 128; ++i) lanes.push_back(i);
  for (unsigned right : backend::run<8, unsigned>(lanes, merges_bytes{from.data(), out.data()})) ASSERT_EQ(right, 1u);
}

}  // namespace
