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
void expect_counts(std::vector<T> const& in, std::int64_t bins, test::bound_of<T> lower, test::bound_of<T> upper,
                   std::size_t offset = 0, execution on = {}) {
  test::counted const got = count(in, bins, lower, upper, offset, on);
  test::counted const expected = test::expected_histogram(in, bins, lower, upper);
  EXPECT_TRUE(got == expected) << in.size() << " elements of " << sizeof(T) << " bytes, " << bins << " bins over "
                               << static_cast<double>(lower) << " … " << static_cast<double>(upper) << ", " << offset
                               << " after a boundary; outside " << got.below << ' ' << got.above << ' ' << got.nan
                               << ", expected " << expected.below << ' ' << expected.above << ' ' << expected.nan;
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
    for (std::size_t offset : {0, 1})
      expect_counts(in, 100, static_cast<test::bound_of<T>>(lower), static_cast<test::bound_of<T>>(upper), offset,
                    offset == 0 ? execution(memory) : nullptr);
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
