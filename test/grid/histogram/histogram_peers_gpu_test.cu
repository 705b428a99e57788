// grid::histogram beside CUB's, and what only histogram.cuh has: other types, and bins by a function.
#include <gtest/gtest.h>

#include <cub/device/device_histogram.cuh>
#include <cuda/std/array>
#include <tessera/grid/histogram.cuh>

#include "device_array.hpp"
#include "gpu.hpp"
#include "histogram_reference.hpp"

namespace {

using tessera::grid::out_of_range;
using test::device_array;

class GridHistogramBeside : public testing::Test {
 protected:
  void SetUp() override { SKIP_WITHOUT_GPU(); }
};

/// CUB's bins are ours where each has as many integers.
template <class T>
void expect_as_cub(int bins, int width, test::spread how) {
  auto const in = test::draw<T>(1000003, how, 0, static_cast<double>(bins) * width, 11);
  int const n = static_cast<int>(in.size());
  device_array<T> const from(in);
  device_array<unsigned> const theirs(static_cast<std::size_t>(bins));
  device_array<std::uint64_t> const ours(static_cast<std::size_t>(bins));
  std::size_t bytes = 0;
  auto const run = [&](void* memory) {
    return cub::DeviceHistogram::HistogramEven(memory, bytes, from.data(), theirs.data(), bins + 1, 0, bins * width, n);
  };
  ASSERT_EQ(run(nullptr), cudaSuccess);
  device_array<unsigned char> const memory(bytes);
  ASSERT_EQ(run(memory.data()), cudaSuccess);
  ASSERT_EQ(tessera::grid::histogram(from.data(), n, ours.data(), bins, 0, bins * width), cudaSuccess);
  std::vector<unsigned> const expected = theirs.to_host();
  EXPECT_EQ(ours.to_host(), std::vector<std::uint64_t>(expected.begin(), expected.end()))
      << bins << " bins, " << test::name_of(how);
}

TEST_F(GridHistogramBeside, Cub) {
  for (test::spread how : {test::spread::uniform, test::spread::zipf, test::spread::constant}) {
    expect_as_cub<std::uint8_t>(256, 1, how);
    expect_as_cub<std::int32_t>(256, 1, how);
    expect_as_cub<std::int32_t>(1000, 64, how);
    expect_as_cub<std::uint32_t>(65536, 1, how);
  }
}

TEST_F(GridHistogramBeside, CubBetweenEdges) {
  for (test::spacing how : test::all_spacings) {
    auto const in = test::draw<float>(1000003, test::spread::uniform, -2, 5, 12);
    auto const edges = test::draw_edges<float>(256, how, -2, 5, 13);
    device_array<float> const from(in), at(edges);
    device_array<unsigned> const theirs(256);
    device_array<std::uint64_t> const ours(256);
    std::size_t bytes = 0;
    auto const run = [&](void* memory) {
      return cub::DeviceHistogram::HistogramRange(memory, bytes, from.data(), theirs.data(), 257, at.data(), 1000003);
    };
    ASSERT_EQ(run(nullptr), cudaSuccess);
    device_array<unsigned char> const memory(bytes);
    ASSERT_EQ(run(memory.data()), cudaSuccess);
    ASSERT_EQ(tessera::grid::histogram(from.data(), 1000003, ours.data(), 256, at.data()), cudaSuccess);
    std::vector<unsigned> const expected = theirs.to_host();
    EXPECT_EQ(ours.to_host(), std::vector<std::uint64_t>(expected.begin(), expected.end())) << static_cast<int>(how);
  }
}

TEST_F(GridHistogramBeside, CubOfThreeChannelsOfFour) {
  for (std::size_t offset : {0, 1, 4}) {
    auto const in = test::draw<std::uint8_t>(4 * 250007, test::spread::zipf, 0, 256, 14);
    device_array<std::uint8_t> const from(in, offset);
    device_array<unsigned> const theirs_0(256), theirs_1(256), theirs_2(100);
    cuda::std::array<unsigned*, 3> const theirs{theirs_0.data(), theirs_1.data(), theirs_2.data()};
    device_array<std::uint64_t> const red(256), green(256), blue(100);
    cuda::std::array<int, 3> const levels{257, 257, 101}, lower{0, 0, 50}, upper{256, 256, 250};
    std::size_t bytes = 0;
    auto const run = [&](void* memory) {
      return cub::DeviceHistogram::MultiHistogramEven<4, 3>(memory, bytes, from.data(), theirs, levels, lower, upper,
                                                            250007);
    };
    ASSERT_EQ(run(nullptr), cudaSuccess);
    device_array<unsigned char> const memory(bytes);
    ASSERT_EQ(run(memory.data()), cudaSuccess);
    ASSERT_EQ(
        tessera::grid::histogram_channels<4>(
            from.data(), 250007, {{red.data(), 256, 0, 256}, {green.data(), 256, 0, 256}, {blue.data(), 100, 50, 250}}),
        cudaSuccess);
    auto const expect = [](device_array<std::uint64_t> const& ours, device_array<unsigned> const& peers) {
      std::vector<unsigned> const expected = peers.to_host();
      EXPECT_EQ(ours.to_host(), std::vector<std::uint64_t>(expected.begin(), expected.end()));
      EXPECT_TRUE(ours.guards_intact());
    };
    expect(red, theirs_0);
    expect(green, theirs_1);
    expect(blue, theirs_2);
  }
}

TEST_F(GridHistogramBeside, ChannelsInManyBinsAndOutside) {
  auto const in = test::draw<float>(3 * 100003, test::spread::uniform, -1, 2, 15);
  device_array<float> const from(in, 1);
  device_array<std::uint64_t> const x(60000), z(50000);
  device_array<out_of_range> const outside(2);
  out_of_range* const apart = outside.data();
  ASSERT_EQ(tessera::grid::histogram_channels<3>(
                from.data(), 100003,
                {{x.data(), 60000, -1.0f, 1.0f, apart},
                 {z.data(), 50000, 0.0f, 2.0f, {apart + 1, tessera::grid::last_bin::closed}}}),
            cudaSuccess);
  for (std::size_t c : {0, 1}) {
    std::vector<float> channel;
    for (std::size_t i = c; i < in.size(); i += 3) channel.push_back(in[i]);
    auto const expected =
        c == 0 ? test::expected_histogram(channel, 60000, -1, 1) : test::expected_histogram(channel, 50000, 0, 2, true);
    EXPECT_EQ((c == 0 ? x : z).to_host(), expected.counts) << c;
    EXPECT_EQ(outside.to_host()[c].below, expected.below) << c;
    EXPECT_EQ(outside.to_host()[c].above, expected.above) << c;
  }
  tessera::grid::histogram_channel<float> const twice[] = {{x.data(), 10, 0, 1}, {x.data() + 9, 10, 0, 1}};
  EXPECT_EQ(tessera::grid::histogram_channels<3>(from.data(), 5, twice), cudaErrorInvalidValue);
  EXPECT_EQ(tessera::grid::histogram_channels<3>(from.data(), -1, {{x.data(), 10, 0, 1}}), cudaErrorInvalidValue);
}

TEST_F(GridHistogramBeside, EdgesOfAnotherType) {
  auto const expect = [](auto element, auto edge) {
    using T = decltype(element);
    using Edge = decltype(edge);
    auto const in = test::draw<T>(100003, test::spread::uniform, 0, 100, 12);
    auto const edges = test::draw_edges<Edge>(20, test::spacing::random, 0.5, 90, 13);
    device_array<T> const from(in, 1);
    device_array<Edge> const at(edges);
    device_array<std::uint64_t> const counts(20);
    device_array<out_of_range> const outside(1);
    ASSERT_EQ(tessera::grid::histogram(from.data(), 100003, counts.data(), 20, at.data(), outside.data()), cudaSuccess);
    auto const expected = test::expected_between(in, edges, false);
    EXPECT_EQ(counts.to_host(), expected.counts);
    EXPECT_EQ(outside.to_host()[0].below, expected.below);
    EXPECT_EQ(outside.to_host()[0].above, expected.above);
  };
  expect(std::uint8_t{}, float{});
  expect(std::int32_t{}, double{});
}

struct particle {
  float mass;
  int kind;
  int more;  // 12 bytes: no vector of 16 holds a whole number of them
};

struct kind_of {
  __device__ int operator()(particle const& p) const { return p.kind; }
};

TEST_F(GridHistogramBeside, BinsByAFunction) {
  std::vector<particle> in(50021);
  std::vector<std::uint64_t> expected(5);
  std::uint64_t above = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    in[i] = {1.5f, static_cast<int>(i * i % 7) - 1, 0};
    if (in[i].kind < 0 || in[i].kind >= 5) {
      ++above;
    } else {
      ++expected[static_cast<std::size_t>(in[i].kind)];
    }
  }
  device_array<particle> const from(in);
  device_array<std::uint64_t> const counts(5);
  device_array<out_of_range> const outside(1);
  ASSERT_EQ(tessera::grid::histogram_by(from.data(), 50021, counts.data(), 5, kind_of{}, outside.data()), cudaSuccess);
  EXPECT_EQ(counts.to_host(), expected);
  out_of_range const apart = outside.to_host()[0];
  EXPECT_EQ(apart.below, 0u);
  EXPECT_EQ(apart.above, above);
  EXPECT_EQ(apart.nan, 0u);
  EXPECT_EQ(tessera::grid::histogram_by(from.data(), 50021, counts.data(), 0, kind_of{}), cudaErrorInvalidValue);
}

}  // namespace
