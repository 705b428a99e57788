// What docs/ shows of whole arrays of a user's types, operators and functions; the reference has parts of this file.
#include <tessera/grid/histogram.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/top_k.cuh>

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

/// The structs with the greatest colors.
cudaError_t top_colors(my_struct const* in, std::int64_t n, std::int64_t k, my_struct* values,
                       std::int64_t* indices) {
  cudaError_t error = cudaSuccess;
  // [tessera/grid/top_k.cuh]
  auto const color = [] __host__ __device__(my_struct const& x) { return x.color; };
  error = tessera::grid::top_k_by(in, n, k, values, indices, color);
  // [end]
  return error;
}

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

TEST_F(DocsGridAny, Selections) {
  std::vector<my_struct> x;
  for (int i = 0; i < 10; ++i) x.push_back(my_struct{i * 7 % 10});
  device_array<my_struct> const structs(x), best(3);
  device_array<std::int64_t> const places(3);
  ASSERT_EQ(top_colors(structs.data(), 10, 3, best.data(), places.data()), cudaSuccess);
  EXPECT_EQ(best.to_host()[0].color, 9);
  EXPECT_EQ(places.to_host()[1], 4);
}

}  // namespace
