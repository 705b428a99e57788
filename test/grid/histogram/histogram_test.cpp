// The bins of grid::histogram, and its blocks on host tiles.
#include <gtest/gtest.h>

#include <tessera/grid/histogram/even_bins.hpp>
#include <tessera/grid/histogram/histogram_tuning.hpp>
#include <tessera/grid/parts/count_cells.hpp>
#include <tessera/host/launch.hpp>

#include "histogram_reference.hpp"

namespace {

using namespace tessera::grid::detail;

/// Of each element by itself.
template <class T>
test::counted count_by_bins(std::vector<T> const& in, std::int64_t bins, bound_t<T> lower, bound_t<T> upper) {
  auto const b = bins_of<T>::over(bins, lower, upper);
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
  EXPECT_TRUE(count_by_bins(in, bins, lower, upper) == test::expected_histogram(in, bins, lower, upper))
      << bins << " bins over " << lower << " … " << upper;
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
