// The bins of grid::histogram, and its blocks on host tiles.
#include <gtest/gtest.h>

#include <tessera/grid/histogram/channel_bins.hpp>
#include <tessera/grid/histogram/edge_search.hpp>
#include <tessera/grid/histogram/even_bins.hpp>
#include <tessera/grid/histogram/histogram_tuning.hpp>
#include <tessera/grid/histogram/weighted_cells.hpp>
#include <tessera/grid/parts/count_cells.hpp>
#include <tessera/host/launch.hpp>

#include "histogram_reference.hpp"

namespace {

using namespace tessera::grid::detail;

/// Of each element by itself.
template <class T>
test::counted count_by_bins(std::vector<T> const& in, std::int64_t bins, bound_t<T> lower, bound_t<T> upper,
                            bool closed) {
  auto const b = bins_of<T>::over(bins, lower, upper, closed);
  EXPECT_EQ(b.count, static_cast<unsigned>(bins));
  test::counted out;
  std::vector<std::uint64_t> all(b.count + 3);
  for (T const& x : in) {
    place const at = b.place(x);
    unsigned const cell = at.inside ? at.cell : b.outside(x);
    EXPECT_LT(cell, b.cells());
    ++all[b.of_cell(cell)];
  }
  out.counts.assign(all.begin(), all.begin() + b.count);
  out.below = all[b.count];
  out.above = all[b.count + 1];
  out.nan = all[b.count + 2];
  return out;
}

template <class T>
void expect_bins(std::vector<T> const& in, std::int64_t bins, bound_t<T> lower, bound_t<T> upper) {
  for (bool closed : {false, true}) {
    EXPECT_TRUE(count_by_bins(in, bins, lower, upper, closed) ==
                test::expected_histogram(in, bins, lower, upper, closed))
        << bins << " bins over " << lower << " … " << upper << (closed ? ", closed" : "");
  }
}

/// Both sides of each of some edges of bins.
template <class T>
std::vector<T> around_edges(std::int64_t bins, bound_t<T> lower, bound_t<T> upper) {
  __extension__ typedef __int128 wide;
  wide const width = wide{upper} - lower;
  std::vector<T> out;
  for (std::int64_t b = 0; b <= bins; b += bins < 5000 || b < 100 || b > bins - 100 ? 1 : 61) {
    wide const edge = lower + (width * b + bins - 1) / bins;
    for (int near = -1; near <= 1; ++near) {
      wide const x = edge + near;
      if (x >= std::numeric_limits<T>::lowest() && x <= std::numeric_limits<T>::max()) out.push_back(static_cast<T>(x));
    }
  }
  return out;
}

template <class T>
void expect_exact(std::vector<std::pair<bound_t<T>, bound_t<T>>> const& ranges) {
  for (auto const& [lower, upper] : ranges) {
    for (std::int64_t bins : {1, 2, 3, 7, 10, 255, 256, 257, 1000, 65535, 65536})
      expect_bins(around_edges<T>(bins, lower, upper), bins, lower, upper);
  }
}

TEST(GridHistogramBins, OfIntegersAreExactAtEveryEdge) {
  constexpr std::int64_t two32 = std::int64_t{1} << 32, two31 = two32 / 2;
  expect_exact<std::uint8_t>({{0, 256}, {0, 255}, {10, 20}, {0, 1}, {255, 256}, {1, 100}});
  expect_exact<std::int8_t>({{-128, 128}, {-5, 100}});
  expect_exact<std::uint16_t>({{0, 65536}, {3, 60000}});
  expect_exact<std::int32_t>({{-two31, two31}, {0, 256}, {-1000, 999}, {5, 6}, {-two31, -two31 + 1}, {-7, two31 - 1}});
  expect_exact<std::uint32_t>({{0, two32}, {0, two32 - 1}, {1, 1000003}, {two32 - 3, two32}});
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  expect_exact<std::int64_t>(
      {{least, most}, {0, most}, {-3, 4}, {-1000003, two32 * 3}, {least, least + 1}, {0, two32}});
  constexpr std::uint64_t highest = std::numeric_limits<std::uint64_t>::max();
  expect_exact<std::uint64_t>(
      {{0, highest}, {1, highest}, {0, 3}, {highest - 100, highest}, {5, std::uint64_t{1} << 63}});
}

template <class T>
class GridHistogramFloatBins : public testing::Test {};
using float_types = testing::Types<float, double>;
TYPED_TEST_SUITE(GridHistogramFloatBins, float_types);

TYPED_TEST(GridHistogramFloatBins, AreTheFormulaAtEveryEdge) {
  using T = TypeParam;
  T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  T const small = std::numeric_limits<T>::denorm_min(), most = std::numeric_limits<T>::max();
  std::pair<T, T> const ranges[] = {{0, 1},
                                    {T(0.1), T(0.7)},
                                    {-3, 5},
                                    {-1, T(1e-3)},
                                    {T(1e6), T(1e6) + 1},
                                    {0, T(1e6) * std::numeric_limits<T>::min()},
                                    {-most / 4, most / 4}};
  for (auto const& [lower, upper] : ranges) {
    for (std::int64_t bins : {1, 3, 10, 256, 1000, 65536}) {
      std::vector<T> x{inf, -inf, nan, -nan, T(-0.0), 0, small, -small, most, -most, lower, upper};
      for (std::int64_t b = 0; b <= bins; b += bins < 2000 ? 1 : 37) {
        T const edge = lower + (upper - lower) * (static_cast<T>(b) / static_cast<T>(bins));
        x.insert(x.end(), {edge, std::nextafter(edge, inf), std::nextafter(edge, -inf)});
      }
      expect_bins(x, bins, lower, upper);
    }
  }
}

TEST(GridHistogramBins, ThatCannotBe) {
  constexpr std::int64_t two31 = std::int64_t{1} << 31;
  EXPECT_EQ(bins_of<int>::over(0, 0, 10).count, 0u);
  EXPECT_EQ(bins_of<int>::over(-1, 0, 10).count, 0u);
  EXPECT_EQ(bins_of<int>::over(65537, 0, 100000).count, 0u);
  EXPECT_EQ(bins_of<int>::over(4, 10, 10).count, 0u);
  EXPECT_EQ(bins_of<int>::over(4, 11, 10).count, 0u);
  EXPECT_EQ(bins_of<int>::over(4, 0, two31 + 1).count, 0u);
  EXPECT_EQ(bins_of<int>::over(4, -two31 - 1, 0).count, 0u);
  EXPECT_EQ(bins_of<unsigned>::over(4, -1, 10).count, 0u);
  EXPECT_EQ(bins_of<std::uint8_t>::over(4, 0, 257).count, 0u);
  EXPECT_EQ(bins_of<long>::over(4, 3, 3).count, 0u);
  float const inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  float const most = std::numeric_limits<float>::max();
  for (auto const& [lower, upper] : std::vector<std::pair<float, float>>{
           {0, inf}, {-inf, 0}, {nan, 1}, {0, nan}, {-most, most}, {1, 1}, {2, 1}, {0, 1e-44f}})
    EXPECT_EQ(bins_of<float>::over(10, lower, upper).count, 0u) << lower << " … " << upper;
}

/// The blocks of a launch, on host tiles.
template <unsigned Threads, class T>
test::counted count_on_host(T const* in, std::size_t n, std::int64_t bins, bound_t<T> lower, bound_t<T> upper,
                            unsigned parts, unsigned slices, unsigned copies) {
  auto const b = bins_of<T>::over(bins, lower, upper);
  test::counted out;
  out.counts.resize(b.count);
  std::uint64_t outside[3] = {};
  totals const to{out.counts.data(), outside, b.count};
  unsigned const slice_size = (b.cells() + slices - 1) / slices;
  std::vector<unsigned> cells(slice_size * copies);
  auto const all = tessera::detail::range_of(in, std::uint64_t{n});
  tessera::host::launch_grid(parts * slices, Threads, [&](tessera::host::block const& block) {
    unsigned const which = block.group_index().x, begin = which % slices * slice_size;
    cell_slice const slice{begin, std::min(slice_size, b.cells() - begin), copies};
    clear_cells(block, cells.data(), slice);
    block.sync();
    if (slices == 1) {
      count_cells<Threads, false>(block, all, which / slices, parts, b, cells.data(), slice);
    } else {
      count_cells<Threads, true>(block, all, which / slices, parts, b, cells.data(), slice);
    }
    block.sync();
    add_cells(block, cells.data(), slice, which % slice.size, b, to);
    block.sync();
  });
  out.below = outside[0];
  out.above = outside[1];
  out.nan = outside[2];
  return out;
}

template <class T>
void expect_blocks(bound_t<T> lower, bound_t<T> upper) {
  for (std::size_t n : {0, 1, 3, 31, 64, 1000, 5003}) {
    for (unsigned offset : {0u, 1u}) {
      std::vector<T> const in =
          test::draw<T>(n + offset, test::spread::uniform, static_cast<double>(lower), static_cast<double>(upper), 5);
      std::vector<T> const seen(in.begin() + offset, in.end());
      for (unsigned parts : {1u, 3u}) {
        for (unsigned slices : {1u, 2u}) {
          for (unsigned copies : {1u, 8u, 32u}) {
            EXPECT_TRUE(count_on_host<64>(in.data() + offset, n, 10, lower, upper, parts, slices, copies) ==
                        test::expected_histogram(seen, 10, lower, upper))
                << n << " elements, " << parts << " parts, " << slices << " slices, " << copies << " copies";
          }
        }
      }
    }
  }
}

TEST(GridHistogramBlocks, CountEveryElementOnce) {
  expect_blocks<std::uint8_t>(3, 200);
  expect_blocks<std::int32_t>(-50, 1000);
  expect_blocks<std::int64_t>(-50, 1000);
  expect_blocks<float>(-1, 2);
  expect_blocks<double>(-1, 2);
}

/// Counts pixels of three values, of which two are in bins, by two parts of one or two slices each, and compares the
/// counts of channel c with expected(c).
template <class T, class Bins, class Expected>
void expect_channels(std::vector<T> const& values, channel_bins<Bins, 2> bins, Expected const& expected) {
  using rgb = pixel<T, 3>;
  auto const* const in = reinterpret_cast<rgb const*>(values.data());
  bins.number_cells();
  for (unsigned slices : {1u, 2u}) {
    std::vector<std::uint64_t> counts(17), outside(6);
    channel_totals<2> const to{{{counts.data(), outside.data(), 10}, {counts.data() + 10, outside.data() + 3, 7}}};
    unsigned const size = (bins.cells() + slices - 1) / slices;
    std::vector<unsigned> cells(size * 4);
    auto const all = tessera::detail::range_of(in, std::uint64_t{values.size() / 3});
    tessera::host::launch_grid(2 * slices, 32, [&](tessera::host::block const& block) {
      unsigned const which = block.group_index().x, begin = which % slices * size;
      cell_slice const slice{begin, std::min(size, bins.cells() - begin), 4};
      clear_cells(block, cells.data(), slice);
      block.sync();
      if (slices == 1) {
        count_cells<32, false>(block, all, which, 2, bins, cells.data(), slice);
      } else {
        count_cells<32, true>(block, all, which / slices, 2, bins, cells.data(), slice);
      }
      block.sync();
      add_cells(block, cells.data(), slice, which % slice.size, bins, to);
      block.sync();
    });
    for (std::size_t c = 0; c < 2; ++c) {
      std::vector<T> channel;
      for (std::size_t i = c; i < values.size(); i += 3) channel.push_back(values[i]);
      auto const want = expected(c, channel);
      auto const from = counts.begin() + (c == 0 ? 0 : 10);
      EXPECT_EQ(std::vector<std::uint64_t>(from, from + (c == 0 ? 10 : 7)), want.counts) << "channel " << c;
      EXPECT_EQ(outside[3 * c], want.below);
      EXPECT_EQ(outside[3 * c + 1], want.above);
    }
  }
}

TEST(GridHistogramBlocks, CountInterleavedChannels) {
  channel_bins<bins_of<std::uint16_t>, 2> bins;
  bins.channel[0] = bins_of<std::uint16_t>::over(10, 100, 900, true);
  bins.channel[1] = bins_of<std::uint16_t>::over(7, 0, 500);
  expect_channels(test::draw<std::uint16_t>(3 * 1001, test::spread::uniform, 0, 1000, 6), bins,
                  [](std::size_t c, std::vector<std::uint16_t> const& channel) {
                    return c == 0 ? test::expected_histogram(channel, 10, 100, 900, true)
                                  : test::expected_histogram(channel, 7, 0, 500);
                  });
}

/// Each channel between edges of its own; NaNs are in no bin, and the last edge is in a closed one.
template <class T>
void expect_channels_between(double lower, double upper) {
  std::vector<T> const edges[] = {test::draw_edges<T>(10, test::spacing::random, lower, upper, 3),
                                  test::draw_edges<T>(7, test::spacing::random, lower, upper, 4)};
  std::vector<T> values = test::draw<T>(3 * 1001, test::spread::uniform, lower - 1, upper + 1, 6);
  for (std::size_t i = 0; i < 60; ++i) values[i * 7] = edges[i * 7 % 3 == 0 ? 0 : 1][i % 8];
  values[3] = edges[0].back();
  values[4] = edges[1].back();
  if constexpr (std::is_floating_point_v<T>) values[9] = values[13] = std::numeric_limits<T>::quiet_NaN();
  channel_bins<edges_of_channel<T, T>, 2> bins{};
  for (std::size_t c = 0; c < 2; ++c) {
    bins.channel[c].request = {edges[c].data(), static_cast<unsigned>(edges[c].size()) - 1, sign_bit<T>, c == 0};
    bins.channel[c].count = bins.channel[c].request.bins;
  }
  expect_channels(values, bins, [&](std::size_t c, std::vector<T> const& channel) {
    return test::expected_between(channel, edges[c], c == 0);
  });
}
TEST(GridHistogramBlocks, CountInterleavedChannelsBetweenEdges) {
  expect_channels_between<float>(-2, 5);
  expect_channels_between<double>(0, 1);
  expect_channels_between<std::int32_t>(-500, 400);
  expect_channels_between<std::uint64_t>(10, 900);
  expect_channels_between<std::uint8_t>(20, 200);
  expect_channels_between<std::int8_t>(-100, 90);
}

/// The sum of weights as the contract says, in long double, which has 64 bits of precision: exact here.
template <class W>
void expect_fixed_sum(std::vector<W> const& weights) {
  long double peak = 0, sum = 0;
  for (W w : weights) peak = std::max(peak, std::abs(static_cast<long double>(w)));
  int e = -1021, k = 0;
  if (sizeof(W) == 4) e = -125;
  while (std::ldexp(1.0L, e) <= peak) ++e;
  while ((std::size_t{1} << k) < weights.size()) ++k;
  long double const unit = std::ldexp(1.0L, e + k - 62);
  for (W w : weights) sum += std::round(static_cast<long double>(w) / unit) * unit;

  using fixed = fixed_weights<W>;
  std::uint64_t bits = 0, total = 0;
  for (W w : weights) bits = std::max<std::uint64_t>(bits, fixed::magnitude(w));
  auto const to = fixed::of(bits, static_cast<std::int64_t>(weights.size()));
  for (W w : weights) total += to.fixed(w);
  EXPECT_EQ(to.template sum<double>(total, 0), static_cast<double>(sum)) << weights.size() << " below 2^" << e;
}

TEST(GridHistogramWeights, AreRoundedToOneUnit) {
  expect_fixed_sum<float>({0.75f, 0.5f, -0.3125f});
  expect_fixed_sum<float>({});
  expect_fixed_sum<float>({0, -0.0f});
  expect_fixed_sum<float>({1e-45f, -3e-45f, 1e-40f});
  expect_fixed_sum<double>({1e300, -1e280, 3e290});
  expect_fixed_sum<double>({1, std::ldexp(1.0, -62), std::ldexp(-1.5, -61), 1e-300});
  for (double scale : {1e-30, 1.0, 1e20}) {
    expect_fixed_sum(test::draw<float>(1000, test::spread::uniform, -scale, 2 * scale, 9));
    expect_fixed_sum(test::draw<double>(1000, test::spread::zipf, -scale, 2 * scale, 9));
  }
}

TEST(GridHistogramWeights, AddInTwoWords) {
  std::vector<unsigned> memory(6);
  weighted_cells const cells{memory.data(), 2};
  std::uint64_t expected = 0;
  for (std::uint64_t x : {0xffffffffull, 1ull, 0xfffffffffffffff0ull, 0x123456789abcdefull, 0xffffffffffffffffull}) {
    cells.add(1, x);
    expected += x;
    EXPECT_EQ(cells.total(1), expected);
  }
  EXPECT_EQ(cells.total(0), 0u);
  float const inf = std::numeric_limits<float>::infinity();
  fixed_weights<float> const fixed{30};
  for (float w : {inf, 1.0f, -inf}) add_weight(cells, 0, true, fixed, w);
  EXPECT_EQ(cells.total(0), std::uint64_t{1} << 30);
  EXPECT_EQ(cells.special()[0], has_infinity | has_negative_infinity);
  EXPECT_TRUE(std::isnan(fixed.sum<float>(5, has_infinity | has_negative_infinity)));
  EXPECT_EQ(fixed.sum<float>(5, has_negative_infinity), -inf);
  add_weight(cells, 1, false, fixed, 7.0f);  // counted
  EXPECT_EQ(cells.total(1), expected + 1);
}

/// Signed integers are counted as unsigned ones.
TEST(GridHistogramBins, OfSignedIntegersInAnUnsignedKernel) {
  auto const expect = [](auto of_signed, auto lower, auto upper) {
    using T = decltype(of_signed);
    using U = std::make_unsigned_t<T>;
    auto const in = around_edges<T>(100, lower, upper);
    auto const b = bins_of<U>::template over<T>(100, lower, upper);
    ASSERT_EQ(b.count, 100u);
    std::vector<std::uint64_t> all(103);
    for (T x : in) {
      place const at = b.place(static_cast<U>(x));
      ++all[b.of_cell(at.inside ? at.cell : b.outside(static_cast<U>(x)))];
    }
    auto const expected = test::expected_histogram(in, 100, lower, upper);
    EXPECT_EQ(std::vector<std::uint64_t>(all.begin(), all.begin() + 100), expected.counts) << sizeof(T);
    EXPECT_EQ(all[100], expected.below) << sizeof(T);
    EXPECT_EQ(all[101], expected.above) << sizeof(T);
  };
  expect(std::int8_t{}, -100, 90);
  expect(std::int16_t{}, -20000, 30000);
  expect(std::int32_t{}, -2000000000, 1500000000);
  expect(std::int64_t{}, std::int64_t{-4000000000000000000}, std::int64_t{8000000000000000000});
}

/// The blocks of a launch with edges, on host tiles.
template <unsigned Threads, class T, class Edge>
test::counted count_between_on_host(T const* in, std::size_t n, std::vector<Edge> const& edges, bool closed,
                                    unsigned parts, unsigned slices, unsigned copies) {
  auto const bins = static_cast<unsigned>(edges.size() - 1);
  edge_request<Edge> const request{edges.data(), bins, sign_bit<Edge>, closed};
  test::counted out;
  out.counts.resize(bins);
  std::uint64_t outside[3] = {};
  totals const to{out.counts.data(), outside, bins};
  unsigned const slice_size = (bins + slices - 1) / slices;
  edge_layout const whole{0, slice_size, copies, 6};
  std::vector<std::uint64_t> memory(whole.bytes(sizeof(edge_key<Edge>)) / 8 + 1);
  auto const all = tessera::detail::range_of(in, std::uint64_t{n});
  tessera::host::launch_grid(parts * slices, Threads, [&](tessera::host::block const& block) {
    unsigned const which = block.group_index().x, begin = which % slices * slice_size;
    edge_layout const layout{begin, std::min(slice_size, bins - begin), copies, 6};
    edge_search<Edge> search(request, layout, reinterpret_cast<unsigned*>(memory.data()));
    cell_slice const cells{0, layout.cells(), copies};
    clear_cells(block, search.counters(), cells);
    search.prepare(block);
    block.sync();
    visit_part<false>(block_lanes<Threads>{block.thread_rank()}, all, which / slices, parts,
                      [&](T const& x) { search.count(x); });
    block.sync();
    add_cells(block, search.counters(), cells, which % cells.size, search, to);
    block.sync();
  });
  out.below = outside[0];
  out.above = outside[1];
  out.nan = outside[2];
  return out;
}

/// Weights between edges, on host blocks: each of whole numbers, so that sums are exact.
template <class T>
void expect_weights_between(unsigned slices, unsigned copies) {
  constexpr unsigned bins = 30, parts = 2, threads = 32;
  auto const edges = test::draw_edges<T>(bins, test::spacing::random, 10, 900, 17);
  auto const in = test::draw<T>(2003, test::spread::uniform, 0, 1000, 16);
  edge_request<T> const request{edges.data(), bins, sign_bit<T>, true};
  auto const fixed = fixed_weights<float>::of(fixed_weights<float>::magnitude(1000.0f), 2003);
  std::vector<std::uint64_t> total(bins + 3);
  std::vector<unsigned> special(bins + 3);
  weighted_totals const all{total.data(), special.data(), bins};
  edge_layout const whole{0, (bins + slices - 1) / slices, copies, 6, true};
  std::vector<std::uint64_t> memory(whole.bytes(sizeof(edge_key<T>)) / 8 + 1);
  tessera::host::launch_grid(parts * slices, threads, [&](tessera::host::block const& block) {
    unsigned const which = block.group_index().x, begin = which % slices * whole.bins;
    edge_layout const layout{begin, std::min(whole.bins, bins - begin), copies, 6, true};
    edge_search<T> search(request, layout, reinterpret_cast<unsigned*>(memory.data()));
    weighted_cells const cells{search.counters(), search.cells()};
    cells.clear(block);
    search.prepare(block);
    block.sync();
    for (std::size_t i = which / slices * threads + block.thread_rank(); i < in.size(); i += parts * threads) {
      unsigned const cell = search.cell_of(in[i]);
      add_weight(cells, cell, search.of_cell(cell) < bins, fixed, static_cast<float>(i % 1000) - 300);
    }
    block.sync();
    all.add(block, cells, search);
    block.sync();
  });
  auto const outside = test::expected_between(in, edges, true);
  EXPECT_EQ(total[bins], outside.below);
  EXPECT_EQ(total[bins + 1], outside.above);
  std::vector<double> sums(bins);
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto const one = test::expected_between(std::vector<T>{in[i]}, edges, true).counts;
    for (unsigned b = 0; b < bins; ++b) sums[b] += static_cast<double>(one[b]) * (static_cast<double>(i % 1000) - 300);
  }
  for (unsigned b = 0; b < bins; ++b) EXPECT_EQ(fixed.template sum<double>(total[b], special[b]), sums[b]) << b;
}

TEST(GridHistogramWeights, AreAddedBetweenEdges) {
  for (unsigned slices : {1u, 3u}) {
    for (unsigned copies : {1u, 8u}) {
      expect_weights_between<float>(slices, copies);
      expect_weights_between<std::int64_t>(slices, copies);
    }
  }
}

/// Drawn elements, and the edges and their neighbors.
template <class T, class Edge>
std::vector<T> around(std::vector<Edge> const& edges, double lower, double upper) {
  std::vector<T> in = test::draw<T>(300, test::spread::uniform, lower, upper, 7);
  for (Edge const& e : edges) {
    if constexpr (std::is_integral_v<T>) {
      auto const x = static_cast<T>(e);
      in.insert(in.end(), {x, static_cast<T>(x - (x > std::numeric_limits<T>::lowest() ? 1 : 0)),
                           static_cast<T>(x + (x < std::numeric_limits<T>::max() ? 1 : 0))});
    } else {
      T const x = static_cast<T>(e), inf = std::numeric_limits<T>::infinity();
      in.insert(in.end(), {x, std::nextafter(x, inf), std::nextafter(x, -inf)});
    }
  }
  if constexpr (!std::is_integral_v<T>) {
    T const inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    in.insert(in.end(), {inf, -inf, nan, -nan, T(0.0), T(-0.0), std::numeric_limits<T>::denorm_min(),
                         std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()});
  } else {
    in.insert(in.end(), {std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()});
  }
  return in;
}

template <class T, class Edge = T>
void expect_between(double lower, double upper) {
  for (test::spacing how : test::all_spacings) {
    for (std::size_t bins : {1, 2, 5, 150}) {
      auto const edges = test::draw_edges<Edge>(bins, how, lower, upper, 8);
      auto const in = around<T>(edges, lower, upper);
      for (bool closed : {false, true}) {
        auto const expected = test::expected_between(in, edges, closed);
        for (unsigned copies : {1u, 32u}) {
          unsigned const slices = bins > 4 && copies == 1 ? 3 : 1;
          EXPECT_TRUE(count_between_on_host<32>(in.data(), in.size(), edges, closed, 2, slices, copies) == expected)
              << sizeof(T) << " bytes, spacing " << static_cast<int>(how) << ", " << bins << " bins, " << copies
              << " copies, " << lower << " … " << upper << (closed ? ", closed" : "");
        }
      }
    }
  }
}

TEST(GridHistogramEdges, AreExactForFloats) {
  expect_between<float>(-3, 5);
  expect_between<float>(-0.0, 1e-40);
  expect_between<float>(-3e38, 3e38);
  expect_between<double>(1e300, 1.5e300);
}
TEST(GridHistogramEdges, AreExactForIntegers) {
  expect_between<std::int32_t>(-2147483648.0, 2147483647.0);
  expect_between<std::int64_t>(-9e18, 9.3e18);
  expect_between<std::int64_t>(-5, 300);
  expect_between<std::int16_t, float>(-32768, 30000.5);
}

TEST(GridHistogramEdges, OfBytes) {
  for (test::spacing how : test::all_spacings) {
    auto const edges = test::draw_edges<std::int8_t>(20, how, -100, 127, 9);
    std::vector<std::int8_t> in;
    for (int x = -128; x < 128; ++x) in.push_back(static_cast<std::int8_t>(x));
    for (bool closed : {false, true}) {
      byte_edges<std::int8_t, std::int8_t> const b{20, {edges.data(), 20, sign_bit<std::int8_t>, closed}};
      std::vector<std::uint64_t> all(23);
      for (unsigned cell = 0; cell < 256; ++cell) ++all[b.of_cell(cell)];
      auto const expected = test::expected_between(in, edges, closed);
      EXPECT_EQ(std::vector<std::uint64_t>(all.begin(), all.begin() + 20), expected.counts);
      EXPECT_EQ(all[20], expected.below);
      EXPECT_EQ(all[21], expected.above);
    }
  }
}

/// The contract says that one or two comparisons suffice for what edges often are: for up to 3 in an interval.
TEST(GridHistogramEdges, FewAreCompared) {
  for (test::spacing how :
       {test::spacing::even, test::spacing::random, test::spacing::squares, test::spacing::exponential}) {
    auto const edges = test::draw_edges<float>(256, how, 0, 1, 1);
    unsigned least = 1000;
    for (unsigned choice = 0; choice < edge_layout::scale_choices; ++choice) {
      auto const guide = guide_function<float>::between(edges.front(), edges.back(), 10, 2 * choice);
      std::vector<unsigned> counts(1024);
      for (float e : edges) ++counts[guide(e)];
      least = std::min(least, *std::max_element(counts.begin(), counts.end()));
    }
    EXPECT_LE(least, 3u) << static_cast<int>(how);
  }
}

TEST(GridHistogramPlan, OfEdgesFitsInSharedMemory) {
  for (unsigned shared : {64u * 1024, 99u * 1024, 163u * 1024, 227u * 1024}) {
    for (unsigned key_bytes : {4u, 8u}) {
      for (unsigned bins = 1; bins <= most_bins; bins += bins / 7 + 1) {
        auto const plan = plan_edges(std::int64_t{1} << 28, 4, key_bytes, bins, 132, shared);
        EXPECT_LE(plan.layout.bytes(key_bytes), shared) << bins;
        EXPECT_GE(plan.layout.bins * plan.slices, bins);
        EXPECT_LT(plan.layout.bins * (plan.slices - 1), bins);
        EXPECT_TRUE(plan.layout.copies >= 1 && plan.layout.copies <= 32);
        EXPECT_GE(plan.parts, 1u);
      }
    }
  }
  EXPECT_EQ(plan_edges(std::int64_t{1} << 28, 4, 4, 256, 132, 227 * 1024).layout.copies, 32u);
  EXPECT_EQ(plan_edges(std::int64_t{1} << 28, 4, 4, 65536, 132, 227 * 1024).slices, 3u);
  EXPECT_EQ(plan_edges(std::int64_t{1} << 28, 8, 8, 65536, 132, 227 * 1024).slices, 4u);
}

TEST(GridHistogramPlan, FitsInSharedMemory) {
  for (unsigned shared : {99u * 1024, 163u * 1024, 227u * 1024}) {
    for (unsigned cells = 1; cells <= most_bins + 3; cells += cells / 7 + 1) {
      for (std::int64_t n : {std::int64_t{0}, std::int64_t{1000}, std::int64_t{1} << 28, longest_array}) {
        auto const plan = plan_histogram(n, 4, cells, 132, shared);
        EXPECT_LE(plan.slice * plan.copies * 4, shared) << cells;
        EXPECT_GE(plan.slice * plan.slices, cells);
        EXPECT_LT(plan.slice * (plan.slices - 1), cells);
        EXPECT_TRUE(plan.copies >= 1 && plan.copies <= 32 && (plan.copies & (plan.copies - 1)) == 0);
        EXPECT_GE(plan.parts, 1u);
        EXPECT_LE(n / plan.parts, longest_part);
        EXPECT_EQ(plan.parts == 1, n <= 1000);
      }
    }
  }
}

// The contract says how often an array is read.
TEST(GridHistogramPlan, ReadsTheArrayAsOftenAsTheContractSays) {
  auto const reads = [](unsigned bins, unsigned kib) {
    return plan_histogram(1 << 20, 4, bins + 3, 132, kib * 1024).slices;
  };
  EXPECT_EQ(reads(58109, 227), 1u);
  EXPECT_EQ(reads(58110, 227), 2u);
  EXPECT_EQ(reads(65536, 227), 2u);
  EXPECT_EQ(reads(65536, 99), 3u);
  EXPECT_EQ(reads(65536, 64), 5u);
}

}  // namespace
