// Sorts of ranges of all lengths, beside std::sort and std::stable_sort.
#include <tessera/joint_sort.hpp>

#include <gtest/gtest.h>

#include <random>

#include "joint_cases.hpp"

namespace {

using namespace test;

/// Equal keys are told apart by their numbers; Bytes more make the type larger.
template <unsigned Words>
struct entry {
  short key, number;
  unsigned more[Words];
};
struct by_key {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return a.key < b.key;
  }
};

template <class T>
struct sorted_ranges {
  T *first, *buffer;
  int n;
};

struct sorts_stable {
  template <class Tile, class T>
  TESSERA_FN int operator()(Tile const& tile, sorted_ranges<T> const& x) const {
    tessera::joint_stable_sort(tile, x.first, x.n, x.buffer, by_key{});
    return 0;
  }
};
struct sorts_falling {
  template <class Tile, class T>
  TESSERA_FN int operator()(Tile const& tile, sorted_ranges<T> const& x) const {
    tessera::joint_sort(tile, x.first, x.n, x.buffer, tessera::greater{});
    return 0;
  }
};

/// Sorts a range of each tile, and gives them to `compare(was, is)`.
template <unsigned N, class T, class Kernel, class Make, class Compare>
void check(Kernel kernel, Make make, Compare compare) {
  constexpr unsigned tiles = block_lanes_of(N) / N;
  std::mt19937 random(N);
  std::vector<int> lengths{0, -5, 1, 2, static_cast<int>(8 * N), static_cast<int>(8 * N + 1), static_cast<int>(40 * N)};
  while (lengths.size() % tiles != 0) lengths.push_back(static_cast<int>(random() % (30 * N + 100)));
  for (std::size_t round = 0; round < lengths.size(); round += tiles) {
    std::vector<std::vector<T>> was;
    std::vector<std::unique_ptr<placed_values<T>>> memory;
    std::vector<sorted_ranges<T>> lanes;
    for (std::size_t t = 0; t < tiles; ++t) {
      int const n = lengths[round + t];
      std::vector<T> x;
      for (int i = 0; i < n; ++i) x.push_back(make(static_cast<unsigned>(random()), i));
      was.push_back(x);
      memory.push_back(std::make_unique<placed_values<T>>(x, static_cast<unsigned>(random() % 4)));
      memory.push_back(std::make_unique<placed_values<T>>(x, static_cast<unsigned>(random() % 4)));
      lanes.insert(lanes.end(), N, sorted_ranges<T>{memory[2 * t]->data(), memory[2 * t + 1]->data(), n});
    }
    backend::run<N, int>(lanes, kernel);
    for (std::size_t t = 0; t < tiles; ++t) compare(was[t], memory[2 * t]->to_host());
  }
}

template <unsigned N, unsigned Words>
void check_stable() {
  using T = entry<Words>;
  check<N, T>(
      sorts_stable{},
      [](unsigned random, int i) {
        return T{static_cast<short>(random % 50), static_cast<short>(i), {}};
      },
      [](std::vector<T> expected, std::vector<T> const& got) {
        std::stable_sort(expected.begin(), expected.end(), by_key{});
        for (std::size_t i = 0; i < expected.size(); ++i) {
          ASSERT_EQ(got[i].key, expected[i].key) << "N " << N << ", n " << got.size() << ", element " << i;
          ASSERT_EQ(got[i].number, expected[i].number) << "N " << N << ", n " << got.size() << ", element " << i;
        }
      });
}
template <unsigned N, class T>
void check_numbers() {
  check<N, T>(
      sorts_falling{}, [](unsigned random, int) { return static_cast<T>(random % 1000); },
      [](std::vector<T> expected, std::vector<T> const& got) {
        std::sort(expected.begin(), expected.end(), std::greater<>{});
        ASSERT_EQ(got, expected) << "N " << N;
      });
}

TEST(JointSort, Stable) {
  SKIP_WITHOUT_BACKEND();
  check_stable<1, 1>();
  check_stable<2, 4>();
  check_stable<8, 1>();
  check_stable<32, 1>();
  check_stable<32, 7>();
  check_stable<64, 2>();
  check_stable<128, 1>();
}
TEST(JointSort, Numbers) {
  SKIP_WITHOUT_BACKEND();
  check_numbers<1, float>();
  check_numbers<8, unsigned char>();
  check_numbers<16, double>();
  check_numbers<32, short>();
  check_numbers<256, int>();
}

}  // namespace
