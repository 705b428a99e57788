// What docs/ shows of whole arrays of a user's types, operators and functions; the reference has parts of this file.
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/scan_by_key.cuh>
#include <tessera/grid/scan_segments.cuh>
#include <tessera/grid/search.cuh>
#include <tessera/grid/segments.cuh>

#include <cstdint>
#include <vector>

#include "../gpu.hpp"
#include "device_array.hpp"

namespace {

using namespace test;

/// The map y → a · y + b, with integers that wrap.
struct part {
  unsigned a = 1, b = 0;
};
struct join {
  TESSERA_FN part operator()(part const& f, part const& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
};
struct my_struct {
  int color;
};

/// How many values are above t, by any function of the elements. (In a function of its own: a private one, as a test's, can't have
/// such a lambda.)
cudaError_t count_above(float const* in, std::int64_t n, float t, int* count) {
  // [tessera/grid/reduce.cuh]
  // With nvcc's --extended-lambda; without it write a functor.
  cudaError_t const error = tessera::grid::transform_reduce(
      in, n, count, tessera::plus{}, [=] __host__ __device__(float x) { return x > t ? 1 : 0; });
  // [end]
  return error;
}

/// The same of each row.
cudaError_t count_above_of_rows(tessera::grid::matrix<float const> x, float t, int* counts) {
  // [tessera/grid/rows.cuh]
  cudaError_t const error = tessera::grid::transform_reduce_rows(
      x, counts, tessera::plus{}, [=] __host__ __device__(float v) { return v > t ? 1 : 0; });
  // [end]
  return error;
}

/// Counts structs by their color.
cudaError_t count_colors(my_struct const* in, std::int64_t n, std::uint64_t* counts) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/histogram.cuh]
  error =
      tessera::grid::histogram_by(in, n, counts, 5, [] __device__(my_struct const& x) { return x.color; });
  // [end]
  return error;
}

/// The first value above t, and how many are.
cudaError_t find_above(float const* in, std::int64_t n, float t, std::int64_t* first, std::int64_t* count,
                       cudaStream_t stream, tessera::grid::workspace& memory) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/search.cuh]
  auto const is_large = [=] __host__ __device__(float x) { return x > t; };
  error = tessera::grid::find_if(in, n, is_large, first, stream, &memory);  // std::int64_t* first
  // [end]
  if (error != cudaSuccess) return error;
  // [tessera/grid/search.cuh]
  error = tessera::grid::count_if(in, n, is_large, count, stream, &memory);  // std::int64_t* count
  // [end]
  return error;
}

/// Keys on one page of 16.
struct same_page {
  TESSERA_FN bool operator()(int a, int b) const { return a / 16 == b / 16; }
};
struct differ {
  TESSERA_FN bool operator()(int a, int b) const { return a != b; }
};
/// Of intervals by where they begin, also beside a place.
struct interval {
  int begin, end;
};
struct starts_before {
  TESSERA_FN bool operator()(interval const& a, int b) const { return a.begin < b; }
  TESSERA_FN bool operator()(interval const& a, interval const& b) const { return a.begin < b.begin; }
};

struct DocsGridAny : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  cudaStream_t const stream = nullptr;
  tessera::grid::workspace memory;
};

TEST_F(DocsGridAny, Arrays) {
  std::int64_t const n = 100;
  float const t = 49;
  device_array<float> const numbers(std::vector<float>(100, 50.0f));
  device_array<int> const results(1);
  device_array<part> const maps(std::vector<part>(100, part{2, 1})), wholes(1);
  auto const* const in = numbers.data();
  auto const* const parts = maps.data();
  int* const count = results.data();
  part* const whole = wholes.data();
  cudaError_t error = count_above(in, n, t, count);
  // [tessera/grid/reduce.cuh]
  // A struct by an operator of one's own, which need not commute:
  auto const in_order = tessera::make_operator(join{}, part{});
  if (error == cudaSuccess) error = tessera::grid::reduce(parts, n, whole, in_order, stream, &memory);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host()[0], 100);
  ASSERT_EQ(tessera::grid::reduce(parts, n, whole, tessera::make_operator(join{}, part{}), stream, &memory),
            cudaSuccess);
}

TEST_F(DocsGridAny, Rows) {
  float const t = 49;
  device_array<float> const numbers(std::vector<float>(100, 50.0f));
  device_array<int> const results(5);
  device_array<part> const maps(std::vector<part>(100, part{1, 1})), sums(5);
  int* const counts = results.data();
  part* const wholes = sums.data();
  tessera::grid::matrix const x{numbers.data(), 5, 20};
  cudaError_t error = count_above_of_rows(x, t, counts);
  // [tessera/grid/rows.cuh]
  tessera::grid::matrix parts{maps.data(), 5, 20};
  auto const in_order = tessera::make_operator(join{}, part{});
  if (error == cudaSuccess) error = tessera::grid::reduce_rows(parts, wholes, in_order, stream, &memory);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host()[4], 20);
  EXPECT_EQ(sums.to_host()[4].b, 20u);
  ASSERT_EQ(
      tessera::grid::reduce_rows(parts, wholes, tessera::make_operator(join{}, part{}), stream, &memory),
      cudaSuccess);
}

TEST_F(DocsGridAny, Segments) {
  device_array<part> const maps(std::vector<part>(10, part{1, 1})), sums(2);
  device_array<int> const places(std::vector<int>{0, 4, 10});
  auto const* const parts = maps.data();
  auto const* const offsets = places.data();
  part* const wholes = sums.data();
  std::int64_t const segments = 2;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/segments.cuh]
  auto const in_order = tessera::make_operator(join{}, part{});
  error = tessera::grid::reduce_segments(parts, offsets, segments, wholes, in_order, stream, &memory);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host()[1].b, 6u);
}

TEST_F(DocsGridAny, Histograms) {
  device_array<my_struct> const structs(std::vector<my_struct>(10, my_struct{3}));
  device_array<std::uint64_t> const bins(5);
  auto const* const in = structs.data();
  std::uint64_t* const counts = bins.data();
  std::int64_t const n = 10;
  cudaError_t const error = count_colors(in, n, counts);
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(bins.to_host()[3], 10u);
}

TEST_F(DocsGridAny, SegmentedScans) {
  device_array<part> const maps(std::vector<part>(10, part{1, 1})), sums(10);
  device_array<int> const pages(std::vector<int>{0, 3, 15, 16, 17, 31, 40, 33, 34, 5}),
      places(std::vector<int>{0, 4, 10});
  int const* const keys = pages.data();
  part const* const parts = maps.data();
  int const* const offsets = places.data();
  std::int64_t const n = 10, segments = 2;
  part* const products = sums.data();
  part* const wholes = sums.data();
  using product = join;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/scan_by_key.cuh]
  error =
      tessera::grid::inclusive_scan_by_key(keys, parts, n, products, product{}, same_page{}, stream, &memory);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host()[5].b, 3u);
  EXPECT_EQ(sums.to_host()[9].b, 1u);
  // [tessera/grid/scan_segments.cuh]
  error =
      tessera::grid::inclusive_scan_segments(parts, n, offsets, segments, wholes, join{}, stream, &memory);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(sums.to_host()[9].b, 6u);
}

TEST_F(DocsGridAny, Searches) {
  std::vector<float> numbers(10000);
  numbers[7000] = numbers[9000] = 60;
  device_array<float> const values(numbers);
  device_array<std::int64_t> const places(2);
  std::int64_t* const found = places.data();
  ASSERT_EQ(find_above(values.data(), 10000, 50, found, found + 1, stream, memory), cudaSuccess);
  EXPECT_EQ(places.to_host(), (std::vector<std::int64_t>{7000, 2}));
  device_array<interval> const intervals(std::vector<interval>{{0, 4}, {5, 9}, {5, 7}, {20, 21}});
  device_array<int> const needles(std::vector<int>{5, 30}), results(2);
  interval const* const rows = intervals.data();
  int const* const columns = needles.data();
  int* const out = results.data();
  std::int64_t const n = 4, m = 2;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/search.cuh]
  error = tessera::grid::lower_bound(rows, n, columns, m, out, starts_before{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{1, 4}));
}

TEST_F(DocsGridAny, DifferencesAndMerges) {
  device_array<int> const numbers(std::vector<int>{3, 1, 4, 1, 5}), differences(5), results(5);
  int const* const in = numbers.data();
  int const* const keys = in;
  int* const out = differences.data();
  int* const starts = results.data();
  std::int64_t n = 5;
  cudaError_t error = cudaSuccess;
  // [tessera/grid/adjacent_difference.cuh]
  error = tessera::grid::adjacent_difference(in, n, out);  // out[i] = in[i] − in[i − 1]; out[0] = in[0]
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(differences.to_host(), (std::vector<int>{3, -2, 3, -3, 4}));
  // [tessera/grid/adjacent_difference.cuh]
  error = tessera::grid::adjacent_difference(keys, n, starts, differ{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(results.to_host(), (std::vector<int>{3, 1, 1, 1, 1}));
  device_array<interval> const some(std::vector<interval>{{0, 1}, {5, 1}}),
      others(std::vector<interval>{{0, 2}}), merged(3);
  interval const* const events_a = some.data();
  interval const* const events_b = others.data();
  interval* const all = merged.data();
  std::int64_t const na = 2, nb = 1;
  using happens_before = starts_before;
  // [tessera/grid/merge.cuh]
  error = tessera::grid::merge(events_a, na, events_b, nb, all, happens_before{}, stream);
  // [end]
  ASSERT_EQ(error, cudaSuccess);
  EXPECT_EQ(merged.to_host()[1].end, 2);
}

}  // namespace
