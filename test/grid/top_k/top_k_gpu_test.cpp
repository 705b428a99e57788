// grid::top_k, nth_element and quantiles against std::stable_sort, on the GPU.
#include <gtest/gtest.h>

#include <tessera/grid/parts/workspace_memory.hpp>
#include <tessera/grid/top_k.hpp>
#include <tessera/grid/top_k/top_k_tuning.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "device_array.hpp"
#include "stream.hpp"
#include "top_k_reference.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using grid::execution;
using grid::workspace;
using tessera::greater;
using tessera::less;

struct GridTopK : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

/// The first k of an array that lies `offset` elements behind a multiple of 256 bytes.
template <class Before, class T>
void expect_top(std::vector<T> const& x, std::vector<std::int64_t> const& order, std::int64_t k, std::size_t offset,
                execution on) {
  auto const n = static_cast<std::int64_t>(x.size());
  auto const results = static_cast<std::size_t>(k);
  device_array<T> const in(x, offset), values(results, 1);
  device_array<std::int64_t> const indices(results, 1);
  ASSERT_EQ(grid::top_k(in.data(), n, k, values.data(), indices.data(), Before{}, on), cudaSuccess);
  auto const got = indices.to_host();
  auto const elements = values.to_host();
  for (std::size_t i = 0; i < results; ++i) {
    if (got[i] != order[i] || !same_bits(elements[i], x[static_cast<std::size_t>(got[i])]))
      FAIL() << got[i] << " for " << order[i] << " at " << i << " of " << k << " of " << n << ", offset " << offset;
  }
  EXPECT_TRUE(values.guards_intact() && indices.guards_intact());
}
template <class Before, class T>
void expect_rank(std::vector<T> const& x, std::vector<std::int64_t> const& order, std::int64_t rank, execution on) {
  device_array<T> const in(x), value(1);
  device_array<std::int64_t> const index(1);
  ASSERT_EQ(
      grid::nth_element(in.data(), static_cast<std::int64_t>(x.size()), rank, value.data(), index.data(), Before{}, on),
      cudaSuccess);
  auto const expected = order[static_cast<std::size_t>(rank)];
  ASSERT_EQ(index.to_host()[0], expected) << "rank " << rank << " of " << x.size();
  ASSERT_TRUE(same_bits(value.to_host()[0], x[static_cast<std::size_t>(expected)]));
}

/// Around the sizes at which other ways are taken: what blocks rank, what is sorted, samples that blocks share.
std::vector<std::int64_t> const sizes{1,    2,    3,    31,   33,    511,   513,    3327,    3328,   3329,
                                      6655, 6656, 6657, 8193, 16385, 65537, 262143, 1048577, 2097152};

template <class T>
void expect_every_size() {
  workspace memory;
  unsigned seed = 0;
  for (std::int64_t n : worthwhile(sizes)) {
    for (values how : {values::uniform, all_values[++seed % std::size(all_values)]}) {
      auto const x = draw_values<T>(how, static_cast<std::size_t>(n), seed);
      auto const falling = sorted_indices(x, true), rising = sorted_indices(x, false);
      SCOPED_TRACE(name_of(how));
      for (std::int64_t k : {std::int64_t{1}, std::int64_t{16}, std::int64_t{2496}, std::int64_t{4992},
                             std::int64_t{4993}, n / 3, n - 1, n}) {
        if (k < 1 || k > n) continue;
        expect_top<greater>(x, falling, k, seed % 3, seed % 2 == 0 ? execution(memory) : nullptr);
        if (testing::Test::HasFatalFailure()) return;
      }
      expect_top<less>(x, rising, std::min<std::int64_t>(n, 100), 1, memory);
      for (std::int64_t rank : {std::int64_t{0}, n / 1000, n / 2, n - 1 - n / 10, n - 1})
        expect_rank<less>(x, rising, rank, memory);
      expect_rank<greater>(x, falling, n / 4, memory);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(GridTopK, OfFloatsOfEverySize) {
  expect_every_size<float>();
}
TEST_F(GridTopK, OfDoublesOfEverySize) {
  expect_every_size<double>();
}
TEST_F(GridTopK, OfHalvesOfEverySize) {
  expect_every_size<__half>();
}
TEST_F(GridTopK, OfBfloatsOfEverySize) {
  expect_every_size<__nv_bfloat16>();
}
TEST_F(GridTopK, OfIntsOfEverySize) {
  expect_every_size<std::int32_t>();
}
TEST_F(GridTopK, OfUnsignedOfEverySize) {
  expect_every_size<std::uint32_t>();
}
TEST_F(GridTopK, OfLongsOfEverySize) {
  expect_every_size<std::int64_t>();
}
TEST_F(GridTopK, OfUnsignedLongsOfEverySize) {
  expect_every_size<std::uint64_t>();
}

/// Values that tie, that are sorted, or whose samples mislead.
TEST_F(GridTopK, OfEveryKindOfValues) {
  workspace memory;
  for (std::int64_t n : worthwhile({300007, 2200001})) {
    for (values how : all_values) {
      auto const x = draw_values<float>(how, static_cast<std::size_t>(n), 3);
      auto const falling = sorted_indices(x, true), rising = sorted_indices(x, false);
      SCOPED_TRACE(name_of(how));
      for (std::int64_t k : {std::int64_t{1}, std::int64_t{256}, std::int64_t{4096}, std::int64_t{20000}, n / 2 + 1}) {
        expect_top<greater>(x, falling, k, 0, memory);
        expect_top<less>(x, rising, k, 3, memory);
      }
      for (std::int64_t rank : {n / 100, n / 2, n - 5}) expect_rank<less>(x, rising, rank, memory);
      if (HasFatalFailure()) return;
    }
  }
}

/// Entries of NaNs have the key of the words that fill a list, and the last of 2^22 has their index's bits, too.
template <class T>
void expect_sorted_nans() {
  workspace memory;
  for (std::size_t n : {(std::size_t{1} << 22) - 1, std::size_t{1} << 22}) {
    std::vector<T> x(n, static_cast<T>(std::numeric_limits<float>::quiet_NaN()));
    for (std::size_t i = 0; i < n / 20; ++i) x[19 * i] = static_cast<T>(static_cast<float>(i % 7));
    auto const rising = sorted_indices(x, false);
    for (std::int64_t k : {100000, 1000000}) expect_top<less>(x, rising, k, 0, memory);
  }
}
TEST_F(GridTopK, OfNansThatAreSorted) {
  if (!is_worth(1 << 22)) GTEST_SKIP() << "too many for a sanitizer";
  expect_sorted_nans<double>();
  expect_sorted_nans<float>();
  expect_sorted_nans<__half>();
}

/// The samples are the least elements, or the greatest: windows miss the wanted rank, or have nearly all elements.
TEST_F(GridTopK, OfWhatSamplesDoNotSee) {
  if (!is_worth(1 << 22)) GTEST_SKIP() << "too many for a sanitizer";
  workspace memory;
  for (std::int64_t n : {1 << 20, 1 << 22}) {
    for (float sampled : {-1.0f, 2000.0f}) {
      std::vector<float> x(static_cast<std::size_t>(n));
      std::mt19937_64 random(1);
      for (float& value : x) value = static_cast<float>(random() % 1000);
      for (unsigned log2 = 9; log2 <= 18; ++log2) {
        for (unsigned i = 0; i < 1u << log2; ++i)
          x[static_cast<std::size_t>(grid::detail::sample_position(n, i, log2))] = sampled;
      }
      auto const falling = sorted_indices(x, true);
      for (std::int64_t k : {16, 4096, 300000}) expect_top<greater>(x, falling, k, 0, memory);
      expect_rank<greater>(x, falling, n / 2 - 1, memory);
      expect_rank<greater>(x, falling, n / 3, memory);
    }
  }
}

TEST_F(GridTopK, Quantiles) {
  workspace memory;
  for (std::int64_t n : {1, 2, 5, 1000, 70001}) {
    auto const x = draw_values<double>(values::uniform, static_cast<std::size_t>(n), 5);
    auto const order = sorted_indices(x, false);
    double const q[] = {0, 0.25, 0.5, 0.75, 0.999, 1};
    device_array<double> const in(x), out(std::size(q));
    auto const at = [&](double place) { return x[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])]; };
    using method = grid::quantile_method;
    for (auto by : {method::lower, method::higher, method::nearest, method::linear, method::midpoint}) {
      ASSERT_EQ(grid::quantiles(in.data(), n, q, std::size(q), out.data(), by, memory), cudaSuccess);
      auto const got = out.to_host();
      for (std::size_t i = 0; i < std::size(q); ++i) {
        double const place = q[i] * static_cast<double>(n - 1), below = std::floor(place), above = std::ceil(place),
                     middle = by == method::midpoint && place > below ? 0.5 : place - below;
        double const expected = by == method::lower     ? at(below)
                                : by == method::higher  ? at(above)
                                : by == method::nearest ? at(std::nearbyint(place))
                                                        : (1 - middle) * at(below) + middle * at(above);
        bool const is_element = by != method::linear && by != method::midpoint;
        EXPECT_NEAR(got[i], expected,
                    is_element ? 0 : 4 * 0x1p-53 * std::max(std::fabs(at(below)), std::fabs(at(above))))
            << "quantile " << q[i] << " of " << n;
      }
    }
    EXPECT_TRUE(out.guards_intact());
  }
}

TEST_F(GridTopK, OnlyValuesOrOnlyIndices) {
  auto const x = draw_values<float>(values::few, 100003, 1);
  auto const order = sorted_indices(x, true);
  device_array<float> const in(x);
  for (std::int64_t k : {50, 20000}) {
    device_array<float> const values(static_cast<std::size_t>(k));
    device_array<std::int64_t> const indices(static_cast<std::size_t>(k));
    ASSERT_EQ(grid::top_k(in.data(), 100003, k, values.data(), nullptr), cudaSuccess);
    ASSERT_EQ(grid::top_k(in.data(), 100003, k, nullptr, indices.data()), cudaSuccess);
    auto const elements = values.to_host();
    auto const places = indices.to_host();
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
      ASSERT_EQ(places[i], order[i]);
      ASSERT_EQ(elements[i], x[static_cast<std::size_t>(order[i])]);
    }
  }
}

TEST_F(GridTopK, OfNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), values(10);
  device_array<std::int64_t> const indices(10);
  float const* const no_array = nullptr;
  EXPECT_EQ(grid::top_k(in.data(), 100, 0, values.data(), indices.data()), cudaSuccess);
  EXPECT_EQ(grid::top_k(no_array, 0, 0, values.data(), indices.data()), cudaSuccess);
  EXPECT_EQ(grid::quantiles(in.data(), 100, nullptr, 0, values.data()), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(values.untouched() && indices.untouched());
}

TEST_F(GridTopK, RefusesBadArguments) {
  device_array<float> const in(std::vector<float>(100, 0.5f)), to(100);
  device_array<std::int64_t> const places(100);
  float const* const from = in.data();
  float* const values = to.data();
  std::int64_t* const indices = places.data();
  auto const shift = [](auto* p, std::size_t bytes) {
    return reinterpret_cast<decltype(p)>(reinterpret_cast<std::uintptr_t>(p) + bytes);
  };
  float* const no_values = nullptr;
  std::int64_t* const no_indices = nullptr;
  float const* const nothing = nullptr;
  double const good = 0.5, below = -0.1, above = 1.1, nan = std::numeric_limits<double>::quiet_NaN();
  cudaError_t const results[] = {
      grid::top_k(from, -1, 0, values, indices),
      grid::top_k(from, (std::int64_t{1} << 40) + 1, 3, values, indices),
      grid::top_k(from, 100, -1, values, indices),
      grid::top_k(from, 100, 101, values, indices),
      grid::top_k(nothing, 100, 3, values, indices),
      grid::top_k(from, 100, 3, no_values, no_indices),
      grid::top_k(shift(from, 1), 99, 3, values, indices),
      grid::top_k(from, 100, 3, shift(values, 2), indices),
      grid::top_k(from, 100, 3, values, shift(indices, 4)),
      grid::top_k(from, 100, 3, const_cast<float*>(from) + 99, indices),
      grid::top_k(reinterpret_cast<float const*>(indices), 100, 3, values, indices),
      grid::top_k(from, 100, 3, reinterpret_cast<float*>(indices + 2), indices),
      grid::nth_element(from, 100, -1, values, indices),
      grid::nth_element(from, 100, 100, values, indices),
      grid::nth_element(from, 0, 0, values, indices),
      grid::nth_element(from, 100, 3, no_values, no_indices),
      grid::nth_element(from, 100, 3, const_cast<float*>(from)),
      grid::quantiles(from, 0, &good, 1, values),
      grid::quantiles(from, 100, &below, 1, values),
      grid::quantiles(from, 100, &above, 1, values),
      grid::quantiles(from, 100, &nan, 1, values),
      grid::quantiles(from, 100, &good, -1, values),
      grid::quantiles(from, 100, nullptr, 1, values),
      grid::quantiles(from, 100, &good, 1, no_values),
      grid::quantiles(from, 100, &good, 1, const_cast<float*>(from) + 50),
      grid::quantiles(indices, 50, &good, 1, indices + 60, grid::quantile_method::linear),
      grid::quantiles(indices, 50, &good, 1, indices + 60, grid::quantile_method::midpoint),
  };
  for (std::size_t i = 0; i < std::size(results); ++i) EXPECT_EQ(results[i], cudaErrorInvalidValue) << "case " << i;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(to.untouched() && places.untouched());
}

/// Many results are sorted by CUB's kernels, which no call launches while an error is pending.
TEST_F(GridTopK, AnEarlierErrorStays) {
  auto const x = draw_values<float>(values::uniform, 100003, 1);
  auto const order = sorted_indices(x, true);
  device_array<float> const in(x), value(1);
  device_array<std::int64_t> const few(10), many(20000);
  float* const no_values = nullptr;
  cudaError_t const left = leave_earlier_error();
  EXPECT_EQ(grid::top_k(in.data(), 100003, 10, no_values, few.data()), cudaSuccess);
  EXPECT_EQ(grid::nth_element(in.data(), 100003, 50000, value.data()), cudaSuccess);
  EXPECT_EQ(grid::top_k(in.data(), 100003, 20000, no_values, many.data()), left);
  EXPECT_EQ(cudaGetLastError(), left);
  check(cudaDeviceSynchronize());
  EXPECT_EQ(few.to_host(), std::vector<std::int64_t>(order.begin(), order.begin() + 10));
  EXPECT_TRUE(many.untouched());
  EXPECT_EQ(grid::top_k(in.data(), 100003, 20000, no_values, many.data()), cudaSuccess);
  EXPECT_EQ(many.to_host(), std::vector<std::int64_t>(order.begin(), order.begin() + 20000));
}

TEST_F(GridTopK, LeavesTheWorkspacesCountersAndSlotsZero) {
  workspace memory;
  for (std::int64_t n : worthwhile({100, 300007, 5000003})) {
    for (values how : {values::uniform, values::constant}) {
      auto const x = draw_values<float>(how, static_cast<std::size_t>(n), 3);
      auto const order = sorted_indices(x, true);
      expect_top<greater>(x, order, std::min<std::int64_t>(n, 70000), 0, memory);
      expect_rank<greater>(x, order, n / 2, memory);
      std::vector<unsigned> words(workspace::zero_bytes / sizeof(unsigned), 1u);
      ASSERT_EQ(cudaMemcpy(words.data(), tessera::grid::detail::workspace_memory::counters(memory),
                           workspace::zero_bytes, cudaMemcpyDeviceToHost),
                cudaSuccess);
      EXPECT_EQ(words, std::vector<unsigned>(words.size()));
    }
  }
}

TEST_F(GridTopK, CallsWithoutAWorkspaceLeaveNothing) {
  device_array<float> const in(std::vector<float>(20000, 0.5f)), values(10);
  device_array<std::int64_t> const indices(10);
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i)
    ASSERT_EQ(grid::top_k(in.data(), 20000, 10, values.data(), indices.data()), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

TEST_F(GridTopK, OnTwoStreamsAtOnce) {
  auto const a = draw_values<float>(values::uniform, 1000003, 8), b = draw_values<float>(values::few, 999983, 9);
  auto const order_a = sorted_indices(a, true), order_b = sorted_indices(b, true);
  device_array<float> const from_a(a), from_b(b);
  device_array<std::int64_t> const to_a(5000), to_b(300);
  stream const streams[2];
  workspace memory_a, memory_b;
  float* const no_values = nullptr;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(grid::top_k(from_a.data(), 1000003, 5000, no_values, to_a.data(), greater{}, {streams[0], memory_a}),
              cudaSuccess);
    EXPECT_EQ(grid::top_k(from_b.data(), 999983, 300, no_values, to_b.data(), greater{},
                          i % 2 == 0 ? execution(streams[1], memory_b) : streams[1]),
              cudaSuccess);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(to_a.to_host(), std::vector<std::int64_t>(order_a.begin(), order_a.begin() + 5000));
  EXPECT_EQ(to_b.to_host(), std::vector<std::int64_t>(order_b.begin(), order_b.begin() + 300));
}

/// Two selections and the kernel that interpolates, all with the workspace's memory.
TEST_F(GridTopK, QuantilesInAGraph) {
  device_array<float> const in(std::vector<float>{4, 1, 3, 2}), out(1);
  double const q = 0.5;
  stream const on;
  workspace memory;
  auto const call = [&] {
    EXPECT_EQ(grid::quantiles(in.data(), 4, &q, 1, out.data(), grid::quantile_method::linear, {on, memory}),
              cudaSuccess);
  };
  call();  // so that it has its size
  check(cudaMemsetAsync(out.data(), 0, sizeof(float), on));
  graph const captured(on, call);
  EXPECT_EQ(captured.nodes(), 3u);
  captured.replay();
  check(cudaStreamSynchronize(on));
  EXPECT_EQ(out.to_host(), std::vector<float>{2.5f});
}

/// One kernel; all elements that are sorted, and a list of some.
TEST_F(GridTopK, InAGraph) {
  constexpr std::int64_t most = 2500003;
  auto const x = draw_values<std::int32_t>(values::uniform, most, 10);
  device_array<std::int32_t> const in(x);
  stream const on;
  workspace memory;
  std::int32_t* const no_values = nullptr;
  for (auto [n, k] : {std::pair<std::int64_t, std::size_t>{1000003, 20}, {1000003, 6000}, {most, 6000}}) {
    auto const order = sorted_indices(std::vector<std::int32_t>(x.begin(), x.begin() + n), false);
    device_array<std::int64_t> const to(k);
    auto const call = [&, size = n, count = static_cast<std::int64_t>(k)](execution given) {
      return grid::top_k(in.data(), size, count, no_values, to.data(), less{}, given);
    };
    ASSERT_EQ(call({on, memory}), cudaSuccess);  // so that it has its size
    for (execution const given : {execution(on, memory), execution(on)}) {
      graph const captured(on, [&] { EXPECT_EQ(call(given), cudaSuccess); });
      if (k == 20) {
        EXPECT_EQ(captured.nodes() == 1, given.memory != nullptr) << captured.nodes();
      }
      for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(cudaMemsetAsync(to.data(), 0xff, k * sizeof(std::int64_t), on), cudaSuccess);
        captured.replay();
        ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
        EXPECT_EQ(to.to_host(),
                  std::vector<std::int64_t>(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k)));
      }
    }
  }
}

}  // namespace
