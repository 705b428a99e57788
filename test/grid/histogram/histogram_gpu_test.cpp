// grid::histogram against a sequential reference; histogram_peers_gpu_test.cu has it beside CUB.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <tessera/grid/histogram.hpp>
#include <tessera/grid/parts/workspace_memory.hpp>

#include "device_array.hpp"
#include "gpu.hpp"
#include "histogram_reference.hpp"
#include "stream.hpp"

namespace {

using tessera::grid::execution;
using tessera::grid::out_of_range;
using tessera::grid::workspace;
using test::device_array;
using test::spread;

class GridHistogram : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

/// What the GPU counts, of an array that lies `offset` elements after a multiple of 256 bytes.
template <class T>
test::counted count(std::vector<T> const& in, std::int64_t bins, test::bound_of<T> lower, test::bound_of<T> upper,
                    std::size_t offset = 0, execution on = {}) {
  device_array<T> const from(in, offset);
  device_array<std::uint64_t> const counts(static_cast<std::size_t>(bins));
  device_array<out_of_range> const outside(1);
  EXPECT_EQ(tessera::grid::histogram(from.data(), static_cast<std::int64_t>(in.size()), counts.data(), bins, lower,
                                     upper, outside.data(), on),
            cudaSuccess);
  out_of_range const apart = outside.to_host()[0];
  EXPECT_TRUE(counts.guards_intact() && outside.guards_intact());
  return {counts.to_host(), apart.below, apart.above, apart.nan};
}

template <class T>
void expect_counts(test::counted const& expected, std::vector<T> const& in, std::int64_t bins, test::bound_of<T> lower,
                   test::bound_of<T> upper, std::size_t offset, execution on) {
  test::counted const got = count(in, bins, lower, upper, offset, on);
  EXPECT_TRUE(got == expected) << in.size() << " elements of " << sizeof(T) << " bytes, " << bins << " bins over "
                               << static_cast<double>(lower) << " … " << static_cast<double>(upper) << ", " << offset
                               << " after a boundary; outside " << got.below << ' ' << got.above << ' ' << got.nan
                               << ", expected " << expected.below << ' ' << expected.above << ' ' << expected.nan;
}

template <class T>
void expect_counts(std::vector<T> const& in, std::int64_t bins, test::bound_of<T> lower, test::bound_of<T> upper,
                   std::size_t offset = 0, execution on = {}) {
  expect_counts(test::expected_histogram(in, bins, lower, upper), in, bins, lower, upper, offset, on);
}

std::size_t const sizes[] = {0,    1,    2,    3,     7,     15,    16,     17,     31,     1023,    1024,   1025,
                             4093, 4096, 4097, 16383, 16385, 65537, 262143, 262145, 499979, 1048575, 1048577};

template <class T>
void expect_every_size(double lower, double upper) {
  std::vector<T> const all = test::draw<T>(1048577, spread::uniform, lower, upper, 1);
  workspace memory;
  for (std::size_t n : sizes) {
    if (!test::is_worth(static_cast<std::int64_t>(n))) continue;
    std::vector<T> const in(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    auto const from = static_cast<test::bound_of<T>>(lower), to = static_cast<test::bound_of<T>>(upper);
    auto const expected = test::expected_histogram(in, 100, from, to);
    for (std::size_t offset : {0, 1})
      expect_counts(expected, in, 100, from, to, offset, offset == 0 ? execution(memory) : nullptr);
  }
}

TEST_F(GridHistogram, OfBytesOfEverySize) {
  expect_every_size<std::uint8_t>(10, 200);
}
TEST_F(GridHistogram, OfIntsOfEverySize) {
  expect_every_size<std::int32_t>(-1000, 3000);
}
TEST_F(GridHistogram, OfUnsignedOfEverySize) {
  expect_every_size<std::uint32_t>(0, 4294967296.0);
}
TEST_F(GridHistogram, OfLongsOfEverySize) {
  expect_every_size<std::int64_t>(-1e15, 2e15);
}
TEST_F(GridHistogram, OfUnsignedLongsOfEverySize) {
  expect_every_size<std::uint64_t>(0, 1e19);
}
TEST_F(GridHistogram, OfFloatsOfEverySize) {
  expect_every_size<float>(-0.3, 7.1);
}
TEST_F(GridHistogram, OfDoublesOfEverySize) {
  expect_every_size<double>(-0.3, 7.1);
}
TEST_F(GridHistogram, OfHalvesOfEverySize) {
  expect_every_size<__half>(-0.3, 7.1);
}
TEST_F(GridHistogram, OfBfloatsOfEverySize) {
  expect_every_size<__nv_bfloat16>(-0.3, 7.1);
}

TEST_F(GridHistogram, InAnyNumberOfBins) {
  workspace memory;
  for (spread how : {spread::uniform, spread::zipf, spread::constant}) {
    auto const ints = test::draw<std::int32_t>(300007, how, -100000, 100000, 2);
    auto const floats = test::draw<float>(300007, how, -1, 1, 3);
    auto const longs = test::draw<std::int64_t>(300007, how, -1e17, 1e17, 3);
    for (std::int64_t bins :
         {1,    2,    3,    7,     31,    32,    255,   256,   257,   900,   1000,  1024,  1789,  1790,  1791, 2048,
          3631, 4096, 7000, 14500, 16384, 29000, 32768, 58000, 58080, 58093, 58094, 58112, 60000, 65535, 65536}) {
      if (!test::is_worth(300007) && bins % 1000 != 0) continue;
      SCOPED_TRACE(test::name_of(how));
      expect_counts(ints, bins, -100000, 100000, 1, memory);
      expect_counts(floats, bins, -1.0f, 1.0f, 1, memory);
      if (bins < 3 || bins > 50000) expect_counts(longs, bins, -100000000000000000, 100000000000000000, 1, memory);
    }
  }
}

TEST_F(GridHistogram, OfBytesInMoreBinsThanValues) {
  auto const in = test::draw<std::uint8_t>(300007, spread::uniform, 0, 256, 4);
  for (std::int64_t bins : {1, 3, 255, 256, 257, 65536}) {
    expect_counts(in, bins, 0, 256);
    expect_counts(in, bins, 17, 18);
    expect_counts(in, bins, 17, 201);
  }
}

TEST_F(GridHistogram, OfWhatIsNoNumberOrAlmostNone) {
  float const inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  float const least = std::numeric_limits<float>::denorm_min(), normal = std::numeric_limits<float>::min();
  std::vector<float> in{inf, -inf, nan, -nan, 0.0f, -0.0f, least, -least, normal, 1, std::nextafter(1.0f, 0.0f), 2, -1};
  for (int i = 0; i < 8; ++i) {
    std::vector<float> const more(in.begin(), in.end() - i);
    in.insert(in.end(), more.begin(), more.end());
  }
  expect_counts(in, 10, 0.0f, 1.0f);
  expect_counts(in, 65536, -1.0f, 1.0f);
  expect_counts(in, 3, 0.0f, 1000 * normal);
  expect_counts(in, 1, -1e38f, 1e38f);
  std::vector<double> const wide(in.begin(), in.end());
  expect_counts(wide, 10, 0.0, 1.0);
  expect_counts(std::vector<float>(100003, nan), 10, 0.0f, 1.0f);
}

TEST_F(GridHistogram, OfFloatsAtEveryEdge) {
  std::vector<float> in;
  for (int b = 0; b <= 1000; ++b) {
    float const edge = 0.1f + 0.6f * (static_cast<float>(b) / 1000);
    in.insert(in.end(), {edge, std::nextafter(edge, 2.0f), std::nextafter(edge, -2.0f)});
  }
  for (std::int64_t bins : {10, 1000, 4096}) expect_counts(in, bins, 0.1f, 0.7f);
}

/// What the GPU counts between edges.
template <class T>
test::counted count_between(std::vector<T> const& in, std::vector<T> const& edges, tessera::grid::last_bin last,
                            std::size_t offset, execution on = {}) {
  std::size_t const bins = edges.size() - 1;
  device_array<T> const from(in, offset), at(edges, offset);
  device_array<std::uint64_t> const counts(bins);
  device_array<out_of_range> const outside(1);
  EXPECT_EQ(tessera::grid::histogram(from.data(), static_cast<std::int64_t>(in.size()), counts.data(),
                                     static_cast<std::int64_t>(bins), at.data(), {outside.data(), last}, on),
            cudaSuccess);
  out_of_range const apart = outside.to_host()[0];
  EXPECT_TRUE(counts.guards_intact() && outside.guards_intact());
  return {counts.to_host(), apart.below, apart.above, apart.nan};
}

template <class T>
void expect_between(std::size_t n, std::size_t bins, test::spacing how, double lower, double upper,
                    std::size_t offset = 0, execution on = {}) {
  auto const edges = test::draw_edges<T>(bins, how, lower, upper, 12);
  std::vector<T> in = test::draw<T>(n, spread::uniform, lower, upper, 13);
  for (std::size_t i = 0; i < n; i += 7) in[i] = edges[i % edges.size()];
  for (bool closed : {false, true}) {
    auto const last = closed ? tessera::grid::last_bin::closed : tessera::grid::last_bin::half_open;
    EXPECT_TRUE(count_between(in, edges, last, offset, on) == test::expected_between(in, edges, closed))
        << n << " elements of " << sizeof(T) << " bytes, " << bins << " bins of spacing " << static_cast<int>(how)
        << (closed ? ", closed" : "");
  }
}

template <class T>
void expect_edges(double lower, double upper) {
  workspace memory;
  for (std::size_t n : {0, 1, 31, 1025, 16385, 65537, 300007})
    expect_between<T>(n, 100, test::spacing::random, lower, upper, n % 2, memory);
  for (test::spacing how : test::all_spacings) expect_between<T>(65537, 256, how, lower, upper, 1);
  for (std::size_t bins : {1, 2, 1000, 5000, 20000, 65536})
    expect_between<T>(300007, bins, test::spacing::squares, lower, upper);
}

TEST_F(GridHistogram, OfBytesBetweenEdges) {
  expect_edges<std::uint8_t>(10, 200);
  expect_edges<std::int8_t>(-100, 127);
}
TEST_F(GridHistogram, OfShortsBetweenEdges) {
  expect_edges<std::int16_t>(-20000, 30000);
  expect_edges<std::uint16_t>(0, 65535);
}
TEST_F(GridHistogram, OfIntsBetweenEdges) {
  expect_edges<std::int32_t>(-2000000000, 2000000000);
  expect_edges<std::uint32_t>(0, 100000);
}
TEST_F(GridHistogram, OfLongsBetweenEdges) {
  expect_edges<std::int64_t>(-9e18, 9e18);
  expect_edges<std::uint64_t>(1e10, 1.8e19);
}
TEST_F(GridHistogram, OfFloatsBetweenEdges) {
  expect_edges<float>(-0.3, 7.1);
  expect_edges<float>(-3e38, 3e38);
  expect_edges<float>(0, 1e-39);
  expect_edges<double>(-0.3, 7.1);
}
TEST_F(GridHistogram, OfHalvesBetweenEdges) {
  expect_edges<__half>(-0.3, 7.1);
  expect_edges<__nv_bfloat16>(-0.3, 7.1);
}

TEST_F(GridHistogram, OfWhatIsNoNumberBetweenEdges) {
  float const inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const in{inf, -inf, nan, -nan, 0.0f, -0.0f, 1e-45f, -1e-45f, 3e38f, -3e38f, 1, 2, 3};
  for (std::vector<float> const& edges : std::vector<std::vector<float>>{
           {-inf, inf}, {0, 1}, {-inf, -0.0f, inf}, {0, 0, 0}, {1e-45f, 2e-45f}, {-inf, -inf, inf, inf}, {1, inf}}) {
    for (bool closed : {false, true}) {
      auto const last = closed ? tessera::grid::last_bin::closed : tessera::grid::last_bin::half_open;
      EXPECT_TRUE(count_between(in, edges, last, 0) == test::expected_between(in, edges, closed))
          << edges.size() - 1 << " bins from " << edges[0] << (closed ? ", closed" : "");
    }
  }
}

/// Unspecified counts, but nothing is written outside.
TEST_F(GridHistogram, BetweenEdgesOutOfOrder) {
  auto const in = test::draw<float>(100003, spread::uniform, 0, 1, 14);
  auto edges = test::draw_edges<float>(300, test::spacing::random, 0, 1, 15);
  std::reverse(edges.begin(), edges.begin() + 200);
  edges[100] = std::numeric_limits<float>::quiet_NaN();
  (void)count_between(in, edges, tessera::grid::last_bin::closed, 0);
}

TEST_F(GridHistogram, WithAClosedLastBin) {
  auto const expect = [](auto lower, auto upper) {
    using T = decltype(lower);
    auto in = test::draw<T>(100003, spread::uniform, static_cast<double>(lower), static_cast<double>(upper), 16);
    for (std::size_t i = 0; i < in.size(); i += 5) in[i] = upper;
    device_array<T> const from(in);
    device_array<std::uint64_t> const counts(10);
    device_array<out_of_range> const outside(1);
    ASSERT_EQ(tessera::grid::histogram(from.data(), 100003, counts.data(), 10, lower, upper,
                                       {outside.data(), tessera::grid::last_bin::closed}),
              cudaSuccess);
    auto const expected = test::expected_histogram(in, 10, lower, upper, true);
    EXPECT_EQ(counts.to_host(), expected.counts) << sizeof(T) << " bytes";
    EXPECT_EQ(outside.to_host()[0].above, expected.above) << sizeof(T) << " bytes";
    EXPECT_EQ(outside.to_host()[0].below, expected.below) << sizeof(T) << " bytes";
  };
  expect(std::uint8_t{0}, std::uint8_t{255});
  expect(std::int16_t{-5}, std::int16_t{500});
  expect(std::int32_t{-2147483647}, std::int32_t{2147483647});
  expect(std::int64_t{-5}, std::int64_t{1} << 62);
  expect(-1.0f, 1.0f);
  expect(-1.0, 1.0);
}

enum class color : std::uint8_t { red, green, blue };
enum class level : std::int16_t { low = -300, high = 300 };

TEST_F(GridHistogram, OfEnumerations) {
  std::vector<color> colors;
  std::vector<level> levels;
  for (int i = 0; i < 10007; ++i) {
    colors.push_back(static_cast<color>(i % 3));
    levels.push_back(i % 4 == 0 ? level::high : level::low);
  }
  device_array<color> const some_colors(colors);
  device_array<level> const some_levels(levels), edges(std::vector<level>{level::low, level::high});
  device_array<std::uint64_t> const counts(3);
  ASSERT_EQ(tessera::grid::histogram(some_colors.data(), 10007, counts.data(), 3, 0, 3), cudaSuccess);
  EXPECT_EQ(counts.to_host(), (std::vector<std::uint64_t>{3336, 3336, 3335}));
  ASSERT_EQ(tessera::grid::histogram(some_levels.data(), 10007, counts.data(), 2, -300, 301), cudaSuccess);
  EXPECT_EQ(counts.to_host()[1], 2502u);
  ASSERT_EQ(tessera::grid::histogram(some_levels.data(), 10007, counts.data(), 1, edges.data(),
                                     tessera::grid::last_bin::closed),
            cudaSuccess);
  EXPECT_EQ(counts.to_host()[0], 10007u);
}

TEST_F(GridHistogram, RefusesBadEdges) {
  device_array<float> const in(std::vector<float>(100, 0.5f));
  device_array<std::uint64_t> const counts(100);
  float const* const from = in.data();
  std::uint64_t* const to = counts.data();
  auto const between = [&](std::int64_t bins, float const* edges, out_of_range* apart = nullptr) {
    return tessera::grid::histogram(from, 10, to, bins, edges, apart);
  };
  EXPECT_EQ(between(0, from), cudaErrorInvalidValue);
  EXPECT_EQ(between(-1, from), cudaErrorInvalidValue);
  EXPECT_EQ(between(65537, from), cudaErrorInvalidValue);
  EXPECT_EQ(between(3, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(between(3, reinterpret_cast<float const*>(reinterpret_cast<std::uintptr_t>(from) + 1)),
            cudaErrorInvalidValue);
  EXPECT_EQ(between(3, reinterpret_cast<float const*>(to + 2)), cudaErrorInvalidValue);
  EXPECT_EQ(between(3, from + 50, reinterpret_cast<out_of_range*>(const_cast<float*>(from + 52))),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(counts.untouched());
}

TEST_F(GridHistogram, WithoutCountingWhatIsOutside) {
  auto const in = test::draw<std::int32_t>(100003, spread::uniform, -1000, 1000, 6);
  device_array<std::int32_t> const from(in);
  device_array<std::uint64_t> const counts(10);
  ASSERT_EQ(tessera::grid::histogram(from.data(), 100003, counts.data(), 10, 0, 500), cudaSuccess);
  EXPECT_EQ(counts.to_host(), test::expected_histogram(in, 10, 0, 500).counts);
  EXPECT_TRUE(counts.guards_intact());
}

TEST_F(GridHistogram, RefusesBadArguments) {
  device_array<float> const in(std::vector<float>(100, 0.5f));
  device_array<std::uint64_t> const counts(100);
  device_array<out_of_range> const outside(1);
  float const inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  auto const with = [&](float const* from, std::int64_t n, std::uint64_t* to, std::int64_t bins, float lower,
                        float upper, out_of_range* apart) {
    return tessera::grid::histogram(from, n, to, bins, lower, upper, apart);
  };
  auto const shift = [](auto* p, std::size_t bytes) {
    return reinterpret_cast<decltype(p)>(reinterpret_cast<std::uintptr_t>(p) + bytes);
  };
  float const* const from = in.data();
  std::uint64_t* const to = counts.data();
  out_of_range* const apart = outside.data();
  cudaError_t const results[] = {
      with(nullptr, 1, to, 10, 0, 1, apart),
      with(from, -1, to, 10, 0, 1, apart),
      with(from, (std::int64_t{1} << 40) + 1, to, 10, 0, 1, apart),
      with(from, 100, nullptr, 10, 0, 1, apart),
      with(from, 100, to, 0, 0, 1, apart),
      with(from, 100, to, -5, 0, 1, apart),
      with(from, 100, to, 65537, 0, 1, apart),
      with(from, 100, to, 10, 1, 1, apart),
      with(from, 100, to, 10, 2, 1, apart),
      with(from, 100, to, 10, nan, 1, apart),
      with(from, 100, to, 10, 0, nan, apart),
      with(from, 100, to, 10, 0, inf, apart),
      with(from, 100, to, 10, -3e38f, 3e38f, apart),
      with(shift(from, 1), 99, to, 10, 0, 1, apart),
      with(from, 100, shift(to, 4), 10, 0, 1, apart),
      with(from, 100, to, 10, 0, 1, shift(apart, 4)),
      with(reinterpret_cast<float const*>(to) + 19, 1, to, 10, 0, 1, apart),
      with(reinterpret_cast<float const*>(apart), 1, to, 10, 0, 1, apart),
      with(from, 100, to, 10, 0, 1, reinterpret_cast<out_of_range*>(to + 9)),
      tessera::grid::histogram(reinterpret_cast<std::uint8_t const*>(from), 100, to, 10, 0, 257, apart),
      tessera::grid::histogram(reinterpret_cast<std::uint32_t const*>(from), 100, to, 10, -1, 257, apart),
  };
  for (std::size_t i = 0; i < std::size(results); ++i) EXPECT_EQ(results[i], cudaErrorInvalidValue) << "case " << i;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(counts.untouched() && outside.untouched());
}

TEST_F(GridHistogram, LeavesTheWorkspacesCountersZero) {
  workspace memory;
  for (std::int64_t bins : {10, 65536}) {
    expect_counts(test::draw<float>(1000003, spread::uniform, 0, 1, 7), bins, 0.0f, 1.0f, 0, memory);
    std::vector<unsigned> counters(workspace::counter_bytes / sizeof(unsigned), 1u);
    ASSERT_EQ(cudaMemcpy(counters.data(), tessera::grid::detail::workspace_memory::counters(memory),
                         workspace::counter_bytes, cudaMemcpyDeviceToHost),
              cudaSuccess);
    EXPECT_EQ(counters, std::vector<unsigned>(counters.size()));
  }
}

TEST_F(GridHistogram, CallsWithoutAWorkspaceLeaveNothing) {
  device_array<float> const in(std::vector<float>(20000, 0.5f));
  device_array<std::uint64_t> const counts(10);
  std::uint64_t const before = test::pool_bytes();
  for (int i = 0; i < test::many_calls(); ++i)
    ASSERT_EQ(tessera::grid::histogram(in.data(), 20000, counts.data(), 10, 0.0f, 1.0f), cudaSuccess);
  EXPECT_EQ(test::pool_bytes(), before);
}

TEST_F(GridHistogram, OnTwoStreamsAtOnce) {
  auto const a = test::draw<float>(1000003, spread::uniform, 0, 1, 8),
             b = test::draw<float>(999983, spread::zipf, 0, 1, 9);
  device_array<float> const from_a(a), from_b(b);
  device_array<std::uint64_t> const to_a(1000), to_b(1000);
  test::stream const streams[2];
  workspace memory_a, memory_b;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(tessera::grid::histogram(from_a.data(), 1000003, to_a.data(), 1000, 0.0f, 1.0f, nullptr,
                                       {streams[0], memory_a}),
              cudaSuccess);
    EXPECT_EQ(tessera::grid::histogram(from_b.data(), 999983, to_b.data(), 1000, 0.0f, 1.0f, nullptr,
                                       i % 2 == 0 ? execution(streams[1], memory_b) : streams[1]),
              cudaSuccess);
  }
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(to_a.to_host(), test::expected_histogram(a, 1000, 0, 1).counts);
  EXPECT_EQ(to_b.to_host(), test::expected_histogram(b, 1000, 0, 1).counts);
}

TEST_F(GridHistogram, InAGraph) {
  auto const in = test::draw<std::int32_t>(1000003, spread::uniform, 0, 4096, 10);
  auto const expected = test::expected_histogram(in, 4096, 0, 4096).counts;
  device_array<std::int32_t> const from(in);
  device_array<std::uint64_t> const to(4096);
  test::stream const on;
  workspace memory;
  ASSERT_EQ(memory.reserve(0, on), cudaSuccess);
  for (execution const given : {execution(on, memory), execution(on)}) {
    test::graph const captured(on, [&] {
      EXPECT_EQ(tessera::grid::histogram(from.data(), 1000003, to.data(), 4096, 0, 4096, nullptr, given), cudaSuccess);
    });
    EXPECT_EQ(captured.nodes() == 1, given.memory != nullptr) << captured.nodes();
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(cudaMemsetAsync(to.data(), 0xff, 4096 * sizeof(std::uint64_t), on), cudaSuccess);
      captured.replay();
      ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
      EXPECT_EQ(to.to_host(), expected);
    }
  }
}

}  // namespace
