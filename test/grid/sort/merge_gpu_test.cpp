// grid::merge through the library's plain C++ interface, beside std::merge.
#include <tessera/grid/merge.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "stream.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

template <class T>
struct GridMergeOf : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }

  static std::vector<T> drawn_numbers(std::int64_t n, std::int64_t most, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<T> x(static_cast<std::size_t>(n));
    for (T& value : x) {
      value = static_cast<T>(random() % static_cast<std::uint64_t>(most));
      if constexpr (std::is_floating_point_v<T>) {
        if (random() % 64 == 0) value = std::numeric_limits<T>::quiet_NaN();
        if (random() % 8 == 0) value = -value;  // also −0, which is equal to +0
      }
    }
    std::stable_sort(x.begin(), x.end(), tessera::less{});
    return x;
  }
  void check_one(std::vector<T> const& a, std::vector<T> const& b, std::size_t offset) {
    auto const na = static_cast<std::int64_t>(a.size()), nb = static_cast<std::int64_t>(b.size());
    std::vector<T> expected(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), tessera::less{});
    device_array<T> const first(a, offset), second(b, offset + 1), out(expected.size(), offset);
    ASSERT_EQ(grid::merge(first.data(), na, second.data(), nb, out.data()), cudaSuccess);
    auto const got = out.to_host();
    ASSERT_EQ(first_difference(got, expected), -1) << na << " and " << nb;
    ASSERT_TRUE(out.guards_intact());
  }
};
using all_types = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridMergeOf, all_types);

TYPED_TEST(GridMergeOf, AllSizes) {
  auto const sizes = sizes_of<TypeParam>(worthwhile({0, 1, 2, 2303, 2304, 4863, 4864, 4865, 100000, 3000017}));
  for (std::int64_t most : {30, 1 << 20}) {
    std::vector<std::vector<TypeParam>> a, b;
    for (std::int64_t n : sizes) {
      a.push_back(this->drawn_numbers(n, most, 1));
      b.push_back(this->drawn_numbers(n, most, 2));
    }
    for (auto const& x : a)
      for (auto const& y : b) {
        this->check_one(x, y, most == 30 ? 0 : 3);
        if (this->HasFatalFailure()) return;
      }
  }
}

struct GridMerge : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

TEST_F(GridMerge, BadArgumentsTouchNothing) {
  device_array<int> const a(std::vector<int>(100, 1)), b(std::vector<int>(100, 1)), out(200);
  auto const fails = [&](int const* x, std::int64_t nx, int const* y, std::int64_t ny, int* to) {
    return grid::merge(x, nx, y, ny, to) == cudaErrorInvalidValue;
  };
  int* const none = nullptr;
  EXPECT_TRUE(fails(none, 100, b.data(), 100, out.data()));
  EXPECT_TRUE(fails(a.data(), 100, none, 100, out.data()));
  EXPECT_TRUE(fails(a.data(), 100, b.data(), 100, none));
  EXPECT_TRUE(fails(a.data(), -1, b.data(), 100, out.data()));
  EXPECT_TRUE(fails(a.data(), 100, b.data(), -1, out.data()));
  EXPECT_TRUE(fails(a.data(), INT64_MAX / 8, b.data(), INT64_MAX / 8, out.data()));
  EXPECT_TRUE(fails(a.data(), 50, b.data(), 50, a.data() + 50 - 1));
  EXPECT_TRUE(fails(a.data(), 50, b.data(), 50, b.data()));
  EXPECT_FALSE(fails(none, 0, none, 0, none));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridMerge, InAGraph) {
  device_array<int> const a(std::vector<int>{1, 4}), b(std::vector<int>{2, 9, 9}), out(5);
  stream const on;
  graph const captured(
      on, [&] { EXPECT_EQ(grid::merge(a.data(), 2, b.data(), 3, out.data(), tessera::less{}, on), cudaSuccess); });
  EXPECT_EQ(captured.nodes(), 1u);
  captured.replay();
  check(cudaStreamSynchronize(on));
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 2, 4, 9, 9}));
}

}  // namespace
