// Reductions from a start (reduce.cuh): the accumulator's type, operators without an identity, and starts on the device.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <tessera/grid/reduce.cuh>

#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridReduceStarts = WithWorkspace;

std::int64_t const sizes[] = {0, 1, 2, 33, 1000, 4097, 65537, 1000003};

TEST_F(GridReduceStarts, HaveTheTypeOfTheAccumulator) {
  for (std::int64_t n : sizes) {
    if (!test::is_worth(n)) continue;
    std::vector<int> const x(static_cast<std::size_t>(n) + 1, std::numeric_limits<int>::max());
    gpu_array<int> const in(x);
    gpu_array<double> const real(std::size_t{1});
    gpu_array<std::int64_t> const wide(std::size_t{1});
    gpu_array<int> const wrapped(std::size_t{1});
    ASSERT_EQ(grid::reduce(in.data() + 1, n, real.data(), tessera::plus{}, 0.5, memory), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data() + 1, n, wide.data(), std::plus<>{}, std::int64_t{-7}), cudaSuccess);
    ASSERT_EQ(grid::reduce(in.data() + 1, n, wrapped.data(), tessera::plus{}, 3, grid::order::any_device, memory),
              cudaSuccess);
    EXPECT_EQ(real.to_host()[0], static_cast<double>(n) * std::numeric_limits<int>::max() + 0.5) << n;
    EXPECT_EQ(wide.to_host()[0], n * std::numeric_limits<int>::max() - 7) << n;
    EXPECT_EQ(wrapped.to_host()[0], static_cast<int>(static_cast<unsigned>(n) * 0x7fffffffu + 3u)) << n;
  }
}

TEST_F(GridReduceStarts, OfHalvesAreFloats) {
  std::vector<__half> const x(100000, __float2half(0.5f));
  gpu_array<__half> const in(x);
  gpu_array<float> const sum(std::size_t{1}), more(std::size_t{1});
  gpu_array<__half> const greatest(std::size_t{1});
  ASSERT_EQ(grid::reduce(in.data(), 100000, sum.data(), tessera::plus{}, 1.0f, memory), cudaSuccess);
  ASSERT_EQ(grid::reduce(in.data(), 100000, more.data(), tessera::plus{}, __float2half(2.0f), memory), cudaSuccess);
  ASSERT_EQ(grid::reduce(in.data(), 100000, greatest.data(), tessera::maximum{}, __float2half(0.25f), memory),
            cudaSuccess);
  EXPECT_EQ(sum.to_host()[0], 50001.0f);
  EXPECT_EQ(more.to_host()[0], 50002.0f);
  EXPECT_EQ(__half2float(greatest.to_host()[0]), 0.5f);
}

/// By an operator that needn't commute, and has no identity.
TEST_F(GridReduceStarts, NeedNoIdentity) {
  for (std::int64_t n : sizes) {
    if (!test::is_worth(n)) continue;
    random_engine random(static_cast<std::uint64_t>(n));
    matrix const start{3, 1, 4, 1};
    matrix expected = start;
    std::vector<matrix> x(static_cast<std::size_t>(n));
    for (matrix& value : x) {
      value = sample<matrix>(random);
      expected = matrix_product{}(expected, value);
    }
    gpu_array<matrix> const in(x), product(std::size_t{1});
    ASSERT_EQ(grid::reduce(in.data(), n, product.data(), matrix_product{}, start, memory), cudaSuccess);
    matrix const got = product.to_host()[0];
    EXPECT_EQ(std::memcmp(&got, &expected, sizeof got), 0) << n;
  }
}

struct times_index {
  TESSERA_FN std::int64_t operator()(int x, std::int64_t index) const { return x * index; }
};

/// Chunks whose number of elements and start are on the device.
TEST_F(GridReduceStarts, CarryOnOnTheDevice) {
  std::int64_t const n = 100000;
  std::vector<int> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<int>(i % 7) - 2;
  gpu_array<int> const in(x);
  gpu_array<std::int64_t> const carry(std::vector<std::int64_t>{5});
  gpu_array<std::int64_t> const count(std::vector<std::int64_t>{777});
  auto const start = grid::start_on_device(static_cast<std::int64_t const*>(carry.data()));
  std::int64_t expected = 5;
  for (std::int64_t begin = 0; begin < n; begin += 30000) {
    std::int64_t const length = n - begin < 30000 ? n - begin : 30000;
    ASSERT_EQ(grid::reduce(in.data() + begin, length, carry.data(), tessera::plus{}, start, memory), cudaSuccess);
    for (std::int64_t i = begin; i < begin + length; ++i) expected += x[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(carry.to_host()[0], expected);
  auto const some = grid::count_on_device(count.data(), n);
  ASSERT_EQ(grid::transform_reduce(in.data(), some, carry.data(), tessera::plus{}, times_index{}, start, memory),
            cudaSuccess);
  for (std::int64_t i = 0; i < 777; ++i) expected += times_index{}(x[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(carry.to_host()[0], expected);
}

struct twice {
  TESSERA_FN int operator()(int x) const { return 2 * x; }
};
/// Of an iterator's type, a function's results of memory, and computed elements.
TEST_F(GridReduceStarts, ByIterators) {
  gpu_array<std::int64_t> const sum(std::size_t{1});
  gpu_array<int> const in(std::vector<int>(5000, 3));
  auto const doubled = thrust::make_transform_iterator(static_cast<int const*>(in.data()), twice{});
  ASSERT_EQ(grid::reduce(doubled, 5000, sum.data(), tessera::plus{}, std::int64_t{1}, memory), cudaSuccess);
  EXPECT_EQ(sum.to_host()[0], 30001);
  auto const numbers = thrust::make_counting_iterator(0);
  ASSERT_EQ(grid::reduce(numbers, 1000, sum.data(), tessera::plus{}, std::int64_t{1}, memory), cudaSuccess);
  EXPECT_EQ(sum.to_host()[0], 999 * 500 + 1);
}

TEST_F(GridReduceStarts, OfInvalidArguments) {
  gpu_array<int> const in(std::vector<int>(10, 3)), sum(std::size_t{1});
  auto const nowhere = grid::start_on_device(static_cast<int const*>(nullptr));
  EXPECT_EQ(grid::reduce(in.data(), 10, sum.data(), tessera::plus{}, nowhere, memory), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce(in.data(), -1, sum.data(), tessera::plus{}, 1, memory), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce(in.data(), 10, static_cast<int*>(nullptr), tessera::plus{}, 1, memory), cudaErrorInvalidValue);
  EXPECT_EQ(grid::reduce(in.data(), 10, in.data() + 3, tessera::plus{}, 1, memory), cudaErrorInvalidValue);
}

}  // namespace
