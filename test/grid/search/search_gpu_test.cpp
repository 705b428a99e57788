// Bounds of many needles through the library's plain C++ interface, beside those of the standard library.
#include <tessera/grid/search.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "stream.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

template <class T>
std::vector<T> drawn_numbers(std::int64_t n, std::int64_t most, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& value : x) {
    auto const number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(2 * most + 1)) - most;
    value = static_cast<T>(number);
    if constexpr (std::is_floating_point_v<T>) {
      if (random() % 64 == 0) value = std::numeric_limits<T>::quiet_NaN();
      if (random() % 64 == 0) value = -T(0);
      if (random() % 64 == 0) value = random() % 2 ? INFINITY : -INFINITY;
    }
  }
  return x;
}

template <class T>
struct GridBoundsOf : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }

  template <class Index>
  void check_one(std::int64_t n, std::int64_t count, std::int64_t most, std::size_t offset) {
    auto sorted = drawn_numbers<T>(n, most, 1);
    std::sort(sorted.begin(), sorted.end(), tessera::less{});
    auto const needles = drawn_numbers<T>(count, most + 1, 2);
    device_array<T> const all(sorted, offset), some(needles, offset + 1);
    device_array<Index> const lower(needles.size(), offset), upper(needles.size(), offset);
    ASSERT_EQ(grid::lower_bound(all.data(), n, some.data(), count, lower.data()), cudaSuccess);
    ASSERT_EQ(grid::upper_bound(all.data(), n, some.data(), count, upper.data()), cudaSuccess);
    auto const from = lower.to_host(), to = upper.to_host();
    for (std::size_t i = 0; i < needles.size(); ++i) {
      auto const range = std::equal_range(sorted.begin(), sorted.end(), needles[i], tessera::less{});
      if (from[i] != range.first - sorted.begin() || to[i] != range.second - sorted.begin())
        FAIL() << "needle " << i << " of " << count << " in " << n << ": " << from[i] << " and " << to[i];
    }
    ASSERT_TRUE(lower.guards_intact() && upper.guards_intact());
  }
};
using all_types = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridBoundsOf, all_types);

TYPED_TEST(GridBoundsOf, AllSizes) {
  for (std::int64_t n : {0, 1, 2, 3, 31, 32, 33, 1000, 65536, 1000003}) {
    for (std::int64_t count : {0, 1, 1023, 1024, 1025, 50000}) {
      if (!is_worth(n) || !is_worth(count)) continue;
      this->template check_one<std::int32_t>(n, count, 20, 0);
      this->template check_one<std::int64_t>(n, count, 1 << 20, 3);
      if (this->HasFatalFailure()) return;
    }
  }
}

/// From 2^20 needles on blocks first load samples of the array.
TYPED_TEST(GridBoundsOf, ManyNeedles) {
  constexpr std::int64_t many = std::int64_t{1} << 20;
  for (std::int64_t n : {1, 2, 3, 5, 4095, 4096, 8191, 8192, 8193, 16385, 1000003}) {
    if (!is_worth(many)) break;
    this->template check_one<std::int32_t>(n, many, n == 1000003 ? 20 : n, 0);
    this->template check_one<std::int64_t>(n, many + 1777, 1 << 20, 3);
    if (this->HasFatalFailure()) return;
  }
}

struct GridBounds : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

TEST_F(GridBounds, BadArgumentsTouchNothing) {
  device_array<float> const sorted(std::vector<float>(100, 1.0f)), needles(std::vector<float>(10, 1.0f));
  device_array<int> const out(10);
  auto const fails = [&](float const* x, std::int64_t n, float const* some, std::int64_t count, int* to) {
    return grid::lower_bound(x, n, some, count, to) == cudaErrorInvalidValue;
  };
  float const* const none = nullptr;
  int* const nowhere = nullptr;
  EXPECT_TRUE(fails(none, 100, needles.data(), 10, out.data()));
  EXPECT_TRUE(fails(sorted.data(), 100, none, 10, out.data()));
  EXPECT_TRUE(fails(sorted.data(), 100, needles.data(), 10, nowhere));
  EXPECT_TRUE(fails(sorted.data(), -1, needles.data(), 10, out.data()));
  EXPECT_TRUE(fails(sorted.data(), 100, needles.data(), -1, out.data()));
  EXPECT_TRUE(fails(sorted.data(), std::int64_t{1} << 31, needles.data(), 10, out.data()));
  EXPECT_TRUE(fails(sorted.data(), 100, needles.data(), 10, reinterpret_cast<int*>(needles.data())));
  EXPECT_FALSE(fails(none, 0, none, 0, nowhere));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridBounds, InAGraph) {
  device_array<int> const sorted(std::vector<int>{1, 3, 3, 9}), needles(std::vector<int>{3, 10}), out(2);
  stream const on;
  graph const captured(on, [&] {
    EXPECT_EQ(grid::upper_bound(sorted.data(), 4, needles.data(), 2, out.data(), tessera::less{}, on), cudaSuccess);
  });
  EXPECT_EQ(captured.nodes(), 1u);
  captured.replay();
  check(cudaStreamSynchronize(on));
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, 4}));
}

}  // namespace
