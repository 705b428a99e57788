// grid::adjacent_difference through the library's plain C++ interface, beside a loop.
#include <tessera/grid/adjacent_difference.hpp>

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
struct GridAdjacentDifferenceOf : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }

  /// Of floats also infinities and zeros of both signs; of integers all bits, so that differences wrap.
  static std::vector<T> drawn_numbers(std::int64_t n) {
    std::mt19937_64 random(static_cast<std::uint64_t>(n));
    std::vector<T> x(static_cast<std::size_t>(n));
    for (T& value : x) {
      if constexpr (std::is_floating_point_v<T>) {
        value = static_cast<T>(random() % 3) * static_cast<T>(0.1) - static_cast<T>(random() % 1000);
        if (random() % 64 == 0) value = std::numeric_limits<T>::infinity();
        if (random() % 16 == 0) value = random() % 2 == 0 ? T(0) : -T(0);
      } else {
        value = static_cast<T>(random());
      }
    }
    return x;
  }
  static std::vector<T> differences_of(std::vector<T> const& x) {
    std::vector<T> out = x;
    for (std::size_t i = 1; i < x.size(); ++i) out[i] = tessera::minus{}(x[i], x[i - 1]);
    return out;
  }
  static bool is_same(T a, T b) { return same_bits(a, b) || (a != a && b != b); }

  void check_one(std::int64_t n, std::size_t offset) {
    auto const x = drawn_numbers(n);
    auto const expected = differences_of(x);
    device_array<T> const in(x, offset), out(x.size(), offset + 1);
    ASSERT_EQ(grid::adjacent_difference(in.data(), n, out.data()), cudaSuccess);
    auto const got = out.to_host();
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_TRUE(is_same(got[i], expected[i])) << "element " << i << " of " << n << ", offset " << offset;
    ASSERT_TRUE(out.guards_intact());
  }
};
using all_types = testing::Types<float, double, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridAdjacentDifferenceOf, all_types);

TYPED_TEST(GridAdjacentDifferenceOf, AllSizes) {
  for (std::int64_t n : {0, 1, 2, 31, 128, 129, 2047, 2048, 2049, 4095, 4096, 4097, 100003, 3000017}) {
    if (!is_worth(n)) continue;
    for (std::size_t offset : {0, 1, 2, 3}) {
      this->check_one(n, offset);
      if (this->HasFatalFailure()) return;
    }
  }
}

struct GridAdjacentDifference : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

TEST_F(GridAdjacentDifference, ResultsOfTheOtherSign) {
  device_array<std::uint32_t> const in(std::vector<std::uint32_t>{7, 5, 0, 4294967295u});
  device_array<std::int32_t> const out(4);
  ASSERT_EQ(grid::adjacent_difference(in.data(), 4, out.data()), cudaSuccess);
  EXPECT_EQ(out.to_host(), (std::vector<std::int32_t>{7, -2, -5, -1}));
}

TEST_F(GridAdjacentDifference, BadArgumentsTouchNothing) {
  device_array<int> const in(std::vector<int>(100, 1)), out(200);
  auto const fails = [](int const* from, std::int64_t n, int* to) {
    return grid::adjacent_difference(from, n, to) == cudaErrorInvalidValue;
  };
  int* const none = nullptr;
  auto* const misaligned = reinterpret_cast<int*>(reinterpret_cast<char*>(out.data()) + 1);
  EXPECT_TRUE(fails(in.data(), -1, out.data()));
  EXPECT_TRUE(fails(in.data(), INT64_MAX, out.data()));
  EXPECT_TRUE(fails(none, 100, out.data()));
  EXPECT_TRUE(fails(in.data(), 100, none));
  EXPECT_TRUE(fails(in.data(), 100, misaligned));
  EXPECT_TRUE(fails(out.data(), 100, out.data())) << "not in place";
  EXPECT_TRUE(fails(out.data(), 100, out.data() + 99));
  EXPECT_FALSE(fails(none, 0, none));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridAdjacentDifference, InAGraph) {
  device_array<int> const in(std::vector<int>{3, 1, 4, 1, 5}), out(5);
  stream const on;
  graph const captured(
      on, [&] { EXPECT_EQ(grid::adjacent_difference(in.data(), 5, out.data(), tessera::minus{}, on), cudaSuccess); });
  EXPECT_EQ(captured.nodes(), 1u);
  captured.replay();
  check(cudaStreamSynchronize(on));
  EXPECT_EQ(out.to_host(), (std::vector<int>{3, -2, 3, -3, 4}));
}

}  // namespace
