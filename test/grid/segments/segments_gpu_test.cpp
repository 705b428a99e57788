// reduce_segments through the library's plain C++ interface, against sequential references.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/segments.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "segment_lengths.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

/// What an operator makes of a segment: sums of small integers are exact in every type.
struct sum {
  using op = tessera::plus;
  static double join(double a, double b) { return a + b; }
};
struct least {
  using op = tessera::minimum;
  static double join(double a, double b) { return a < b ? a : b; }
};
struct greatest {
  using op = tessera::maximum;
  static double join(double a, double b) { return a > b ? a : b; }
};
template <class R, class Fold>
R identity() {
  bool constexpr is_least = std::is_same_v<Fold, least>;
  if constexpr (std::is_same_v<Fold, sum>) {
    return rounded<R>(0);
  } else if constexpr (is_any_float<R>) {
    return rounded<R>(is_least ? INFINITY : -INFINITY);
  } else {
    return is_least ? std::numeric_limits<R>::max() : std::numeric_limits<R>::lowest();
  }
}

template <class T>
struct GridSegmentsOf : WithWorkspace {
  template <class Fold, class Offset>
  void check_one(segment_lengths const& what, std::int64_t start, std::size_t offset) {
    using Op = typename Fold::op;
    using R = grid::reduced_t<T, Op>;
    auto const offsets = what.offsets<Offset>(start);
    std::mt19937_64 random(2);
    std::vector<T> x(static_cast<std::size_t>(start + what.items()));
    T const small_numbers[] = {rounded<T>(0), rounded<T>(1), rounded<T>(2), rounded<T>(3)};
    for (T& value : x) value = small_numbers[random() % 4];
    device_array<T> const in(x, offset);
    device_array<Offset> const begins(offsets);
    device_array<R> const out(what.lengths.size()), again(what.lengths.size());
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    ASSERT_EQ(grid::reduce_segments(in.data(), begins.data(), segments, out.data(), Op{}, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce_segments(in.data(), begins.data(), segments, again.data(), Op{}), cudaSuccess);
    auto const got = out.to_host(), second = again.to_host();
    for (std::size_t s = 0; s < got.size(); ++s) {
      R expected = identity<R, Fold>();
      if (what.lengths[s] > 0) {
        double joined = as_double(x[static_cast<std::size_t>(offsets[s])]);
        for (auto i = offsets[s] + 1; i < offsets[s + 1]; ++i)
          joined = Fold::join(joined, as_double(x[static_cast<std::size_t>(i)]));
        expected = R(static_cast<std::conditional_t<is_half_float<R>, float, R>>(joined));
      }
      if (!same_bits(got[s], expected))
        FAIL() << what.name << ", segment " << s << " of " << segments << ", start " << start << ", offset " << offset
               << ": " << as_double(got[s]) << ", expected " << as_double(expected);
    }
    ASSERT_EQ(first_difference(second, got), -1) << what.name;
    ASSERT_TRUE(out.guards_intact()) << what.name;
  }
  template <class Fold>
  void check() {
    for (auto const& what : all_segment_lengths()) {
      if (!is_worth(what.size() / 4) || (what.items() > 3000000 && !has_long_arrays<T>)) continue;
      for (std::size_t offset : {0, 1}) {
        check_one<Fold, std::int32_t>(what, 0, offset);
        if (HasFatalFailure()) return;
      }
      check_one<Fold, std::int64_t>(what, 5, 3);
      if (HasFatalFailure()) return;
    }
  }
};
using all_types =
    testing::Types<float, double, __half, __nv_bfloat16, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GridSegmentsOf, all_types);

TYPED_TEST(GridSegmentsOf, Sums) {
  this->template check<sum>();
}
TYPED_TEST(GridSegmentsOf, Minima) {
  this->template check<least>();
}
TYPED_TEST(GridSegmentsOf, Maxima) {
  this->template check<greatest>();
}

struct GridSegments : WithWorkspace {
  template <class T, class Op>
  std::vector<T> run(std::vector<T> const& x, std::vector<int> const& offsets, Op op) {
    device_array<T> const in(x);
    device_array<int> const begins(offsets);
    device_array<T> const out(offsets.size() - 1);
    EXPECT_EQ(grid::reduce_segments(in.data(), begins.data(), static_cast<std::int64_t>(offsets.size()) - 1, out.data(),
                                    op, memory),
              cudaSuccess);
    return out.to_host();
  }
};

/// A sum is off by as many roundings as its longest way has: 16 elements of a lane, one for each tile of its block,
/// and the trees.
TEST_F(GridSegments, SumsOfAnyFloats) {
  for (auto const& what : all_segment_lengths()) {
    auto const offsets = what.offsets<int>(0);
    std::mt19937_64 random(3);
    std::vector<float> x(static_cast<std::size_t>(what.items()));
    for (float& value : x) value = std::uniform_real_distribution<float>(-1, 1)(random);
    auto const got = run(x, offsets, tessera::plus{});
    for (std::size_t s = 0; s < got.size(); ++s) {
      double expected = 0, magnitude = 0;
      for (auto i = static_cast<std::size_t>(offsets[s]); i < static_cast<std::size_t>(offsets[s + 1]); ++i) {
        expected += x[i];
        magnitude += std::fabs(x[i]);
      }
      double const roundings = 16 + 8 * (1 + static_cast<double>(what.lengths[s]) / 4096) + 5 + 16;
      ASSERT_LE(std::fabs(got[s] - expected), roundings * 0x1p-24 * magnitude) << what.name << ", segment " << s;
    }
  }
}

TEST_F(GridSegments, SpecialValues) {
  float const inf = INFINITY, nan = NAN;
  std::vector<float> const x{1, nan, 2, inf, -inf, -0.0f, 0.0f, -0.0f, 0x1p-149f, 0x1p-149f};
  std::vector<int> const offsets{0, 3, 4, 5, 7, 8, 10, 10};
  auto const sums = run(x, offsets, tessera::plus{});
  auto const low = run(x, offsets, tessera::minimum{}), high = run(x, offsets, tessera::maximum{});
  EXPECT_TRUE(std::isnan(sums[0]) && std::isnan(low[0]) && std::isnan(high[0]));
  EXPECT_TRUE(sums[1] == inf && sums[2] == -inf && low[1] == inf && high[2] == -inf);
  EXPECT_TRUE(std::signbit(low[3]) && !std::signbit(high[3]) && !std::signbit(sums[3]));
  EXPECT_TRUE(std::signbit(sums[4]) && std::signbit(high[4]));
  EXPECT_EQ(sums[5], 0x1p-148f);
  EXPECT_TRUE(sums[6] == 0 && !std::signbit(sums[6]) && low[6] == inf && high[6] == -inf);
}

TEST_F(GridSegments, ProductsAndBits) {
  std::vector<std::int64_t> const x{3, 5, -7, 6, 12, 10};
  std::vector<int> const offsets{0, 3, 3, 6};
  EXPECT_EQ(run(x, offsets, tessera::multiplies{}), (std::vector<std::int64_t>{-105, 1, 720}));
  EXPECT_EQ(run(x, offsets, tessera::bit_and{}), (std::vector<std::int64_t>{3 & 5 & -7, -1, 0}));
  EXPECT_EQ(run(x, offsets, tessera::bit_or{}), (std::vector<std::int64_t>{3 | 5 | -7, 0, 14}));
  EXPECT_EQ(run(x, offsets, tessera::bit_xor{}), (std::vector<std::int64_t>{3 ^ 5 ^ -7, 0, 0}));
}

TEST_F(GridSegments, OfOneLength) {
  std::vector<float> x(6000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
  device_array<float> const in(x), out(60);
  ASSERT_EQ(grid::reduce_segments(in.data(), grid::segments_of_length(100), 60, out.data(), tessera::plus{}, memory),
            cudaSuccess);
  auto const got = out.to_host();
  for (std::size_t s = 0; s < 60; ++s) {
    float sum = 0;
    for (std::size_t i = s * 100; i < s * 100 + 100; ++i) sum += x[i];
    EXPECT_EQ(got[s], sum) << s;
  }
  EXPECT_EQ(grid::reduce_segments(in.data(), grid::segments_of_length(-1), 60, out.data()), cudaErrorInvalidValue);
}

TEST_F(GridSegments, BadArgumentsTouchNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), out(2);
  device_array<int> const offsets(std::vector<int>{0, 50, 100});
  auto const fails = [&](int const* begins, std::int64_t count, float* to) {
    return grid::reduce_segments(in.data(), begins, count, to, tessera::plus{}, memory) == cudaErrorInvalidValue;
  };
  int const* const none = nullptr;
  EXPECT_TRUE(fails(none, 2, out.data()));
  EXPECT_TRUE(fails(offsets.data(), -1, out.data()));
  EXPECT_TRUE(fails(offsets.data(), INT64_MAX, out.data()));
  EXPECT_TRUE(fails(offsets.data(), 2, nullptr));
  EXPECT_TRUE(fails(offsets.data(), 2, reinterpret_cast<float*>(reinterpret_cast<char*>(out.data()) + 1)));
  EXPECT_TRUE(fails(offsets.data(), 2, reinterpret_cast<float*>(offsets.data())));
  EXPECT_FALSE(fails(none, 0, nullptr));
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridSegments, InAGraphAndTwoStreams) {
  segment_lengths const what = all_segment_lengths()[12];
  auto const offsets = what.offsets<int>(0);
  auto const items = static_cast<std::size_t>(what.items());
  float const values[] = {1.5f, 2.5f};  // of each stream
  device_array<float> const in[] = {device_array<float>(std::vector<float>(items, values[0])),
                                    device_array<float>(std::vector<float>(items, values[1]))};
  device_array<int> const begins(offsets);
  device_array<float> const out[] = {device_array<float>(what.lengths.size()),
                                     device_array<float>(what.lengths.size())};
  auto const count = static_cast<std::int64_t>(what.lengths.size());
  stream const streams[2];
  grid::workspace memories[2];
  auto const reduce_once = [&](int i) {
    EXPECT_EQ(grid::reduce_segments(in[i].data(), begins.data(), count, out[i].data(), tessera::plus{},
                                    {streams[i], memories[i]}),
              cudaSuccess);
  };
  for (int i = 0; i < 2; ++i) reduce_once(i);
  graph const graphs[] = {{streams[0], [&] { reduce_once(0); }}, {streams[1], [&] { reduce_once(1); }}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(graphs[i].nodes(), 1u);
    check(cudaMemsetAsync(out[i].data(), 0, what.lengths.size() * sizeof(float), streams[i]));
  }
  for (int turn = 0; turn < (is_worth(what.size()) ? 50 : 3); ++turn)
    for (graph const& captured : graphs) captured.replay();
  for (int i = 0; i < 2; ++i) {
    check(cudaStreamSynchronize(streams[i]));
    auto const sums = out[i].to_host();
    for (std::size_t s = 0; s < sums.size(); ++s) ASSERT_EQ(sums[s], values[i] * static_cast<float>(what.lengths[s]));
    EXPECT_EQ(memories[i].release(), cudaSuccess);
  }
}

TEST_F(GridSegments, CallsWithoutAWorkspaceLeaveNothing) {
  device_array<float> const in(std::vector<float>(20000, 1.0f)), out(2);
  device_array<int> const begins(std::vector<int>{0, 7, 20000});
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i)
    ASSERT_EQ(grid::reduce_segments(in.data(), begins.data(), 2, out.data(), tessera::plus{}), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

}  // namespace
