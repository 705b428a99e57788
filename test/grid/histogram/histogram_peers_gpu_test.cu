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

/// Edges of their own for each channel, beside CUB's.
TEST_F(GridHistogramBeside, ChannelsBetweenEdges) {
  auto const in = test::draw<float>(4 * 250007, test::spread::uniform, -1, 2, 15);
  device_array<float> const from(in, 1);
  std::vector<float> const edges[] = {test::draw_edges<float>(200, test::spacing::random, -0.5, 1.5, 1),
                                      test::draw_edges<float>(5, test::spacing::random, 0, 1, 2),
                                      test::draw_edges<float>(30000, test::spacing::random, -0.9, 1.9, 3)};
  device_array<float> const e0(edges[0]), e1(edges[1]), e2(edges[2]);
  device_array<std::uint64_t> const c0(200), c1(5), c2(30000);
  device_array<unsigned> const theirs_0(200), theirs_1(5), theirs_2(30000);
  cuda::std::array<unsigned*, 3> const counts{theirs_0.data(), theirs_1.data(), theirs_2.data()};
  cuda::std::array<int, 3> const levels{201, 6, 30001};
  cuda::std::array<float const*, 3> const bounds{e0.data(), e1.data(), e2.data()};
  std::size_t bytes = 0;
  auto const run = [&](void* memory) {
    return cub::DeviceHistogram::MultiHistogramRange<4, 3>(memory, bytes, from.data(), counts, levels, bounds, 250007);
  };
  ASSERT_EQ(run(nullptr), cudaSuccess);
  device_array<unsigned char> const memory(bytes);
  ASSERT_EQ(run(memory.data()), cudaSuccess);
  tessera::grid::histogram_channel_edges<float> const channels[] = {
      {c0.data(), 200, e0.data()}, {c1.data(), 5, e1.data()}, {c2.data(), 30000, e2.data()}};
  ASSERT_EQ(tessera::grid::histogram_channels<4>(from.data(), 250007, channels), cudaSuccess);
  auto const expect = [](device_array<std::uint64_t> const& ours, device_array<unsigned> const& peers) {
    std::vector<unsigned> const expected = peers.to_host();
    EXPECT_EQ(ours.to_host(), std::vector<std::uint64_t>(expected.begin(), expected.end()));
    EXPECT_TRUE(ours.guards_intact());
  };
  expect(c0, theirs_0);
  expect(c1, theirs_1);
  expect(c2, theirs_2);
  tessera::grid::histogram_channel_edges<float> const none[] = {{c0.data(), 200, nullptr}};
  EXPECT_EQ(tessera::grid::histogram_channels<4>(from.data(), 5, none), cudaErrorInvalidValue);
  tessera::grid::histogram_channel_edges<float> const over_edges[] = {
      {c0.data(), 200, e0.data()}, {reinterpret_cast<std::uint64_t*>(e0.data()), 5, e1.data()}};
  EXPECT_EQ(tessera::grid::histogram_channels<4>(from.data(), 5, over_edges), cudaErrorInvalidValue);
  auto* const bytes_of_counts = reinterpret_cast<std::uint8_t*>(c0.data());
  tessera::grid::histogram_channel_edges<std::uint8_t> const over_bytes[] = {{c0.data(), 5, bytes_of_counts}};
  EXPECT_EQ(tessera::grid::histogram_channels<4>(bytes_of_counts + 1000, 5, over_bytes), cudaErrorInvalidValue);
}

/// Weights of whole numbers have exact sums, which a loop computes.
template <class T, class W, class Sum>
void expect_weighted(std::size_t n, std::size_t bins, bool closed, std::size_t offset) {
  auto const in = test::draw<T>(n, test::spread::uniform, 0, 1000, 16);
  auto const edges = test::draw_edges<T>(bins, test::spacing::random, 10, 900, 17);
  std::vector<W> weights(n);
  for (std::size_t i = 0; i < n; ++i)
    weights[i] = static_cast<W>(static_cast<int>(i % 1000) - (W(-1) < W(0) ? 300 : 0));
  device_array<T> const from(in, offset), at(edges);
  device_array<W> const by(weights, offset);
  device_array<Sum> const sums(bins);
  device_array<out_of_range> const outside(1);
  auto const last = closed ? tessera::grid::last_bin::closed : tessera::grid::last_bin::half_open;
  auto const of_weights = [&](auto const& bin_of) {
    std::vector<Sum> expected(bins);
    for (std::size_t i = 0; i < n; ++i) {
      auto const one = bin_of(std::vector<T>{in[i]});
      for (std::size_t b = 0; one.below + one.above == 0 && b < bins; ++b)
        if (one.counts[b] != 0) expected[b] += static_cast<Sum>(weights[i]);
    }
    return expected;
  };
  auto const count = static_cast<std::int64_t>(n), some_bins = static_cast<std::int64_t>(bins);
  ASSERT_EQ(tessera::grid::histogram_weighted(from.data(), by.data(), count, sums.data(), some_bins, at.data(),
                                              {outside.data(), last}),
            cudaSuccess);
  EXPECT_EQ(sums.to_host(),
            of_weights([&](std::vector<T> const& x) { return test::expected_between(x, edges, closed); }));
  EXPECT_EQ(outside.to_host()[0].below, test::expected_between(in, edges, closed).below);
  EXPECT_EQ(outside.to_host()[0].above, test::expected_between(in, edges, closed).above);
  test::bound_of<T> const lower = 10, upper = 500;
  tessera::grid::workspace memory;
  ASSERT_EQ(tessera::grid::histogram_weighted(from.data(), by.data(), count, sums.data(), some_bins, lower, upper,
                                              {outside.data(), last}, memory),
            cudaSuccess);
  EXPECT_EQ(sums.to_host(), of_weights([&](std::vector<T> const& x) {
              return test::expected_histogram(x, some_bins, lower, upper, closed);
            }));
  EXPECT_EQ(outside.to_host()[0].above, test::expected_histogram(in, some_bins, lower, upper, closed).above);
  EXPECT_TRUE(sums.guards_intact() && outside.guards_intact());
}

TEST_F(GridHistogramBeside, SumsOfWeights) {
  for (std::size_t n : {0, 1, 1000, 20011}) {
    for (bool closed : {false, true}) {
      expect_weighted<float, float, double>(n, 30, closed, n % 2);
      expect_weighted<int, short, std::int64_t>(n, 30, closed, n % 2);
    }
  }
}

TEST_F(GridHistogramBeside, SumsOfFloatsDoNotDependOnTheOrder) {
  auto in = test::draw<float>(1000003, test::spread::uniform, 0, 1, 18);
  auto weights = test::draw<float>(1000003, test::spread::zipf, -3, 1e6, 19);
  auto const run = [&] {
    device_array<float> const from(in), by(weights);
    device_array<float> const sums(60000);
    EXPECT_EQ(tessera::grid::histogram_weighted(from.data(), by.data(), 1000003, sums.data(), 60000, 0.0f, 1.0f),
              cudaSuccess);
    return sums.to_host();
  };
  auto const first = run();
  std::reverse(in.begin(), in.end());
  std::reverse(weights.begin(), weights.end());
  EXPECT_EQ(run(), first);
}

TEST_F(GridHistogramBeside, SumsOfWhatIsNoNumber) {
  float const inf = INFINITY;
  device_array<int> const in(std::vector<int>{0, 0, 1, 1, 2, 2, 3, 9});
  device_array<float> const weights(std::vector<float>{inf, 1, -inf, inf, NAN, 1, -2, inf}), sums(4);
  ASSERT_EQ(tessera::grid::histogram_weighted(in.data(), weights.data(), 8, sums.data(), 4, 0, 4), cudaSuccess);
  auto const got = sums.to_host();
  EXPECT_EQ(got[0], inf);
  EXPECT_TRUE(std::isnan(got[1]) && std::isnan(got[2]));
  EXPECT_EQ(got[3], -2.0f);
  EXPECT_EQ(tessera::grid::histogram_weighted(in.data(), weights.data(), 8, sums.data(), 0, 0, 4),
            cudaErrorInvalidValue);
  EXPECT_EQ(tessera::grid::histogram_weighted(in.data(), static_cast<float*>(nullptr), 8, sums.data(), 4, 0, 4),
            cudaErrorInvalidValue);
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
