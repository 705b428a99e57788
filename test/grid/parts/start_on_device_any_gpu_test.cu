// Scans from a start on the device, in chunks that hand their totals on, in a stream and in a graph.
#include <tessera/grid/scan.cuh>

#include <cuda_fp16.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridStartOnDevice = WithWorkspace;

struct as_wide {
  TESSERA_FN std::uint64_t operator()(unsigned x) const { return x; }
};

/// Chunks of 1, 2, … tiles, of many, and empty ones; their lengths on the host or on the device.
TEST_F(GridStartOnDevice, Chunks) {
  std::int64_t const bounds[] = {0, 1, 1, 5000, 200000, 1500000, 6000001};
  std::vector<unsigned> x(6000001);
  if (!test::is_worth(6000001)) x.resize(200000);
  random_engine random(1);
  for (unsigned& value : x) value = sample<unsigned>(random);
  auto const n = static_cast<std::int64_t>(x.size());
  gpu_array<unsigned> const in(x), out(x.size());
  gpu_array<std::uint64_t> const wide(x.size());
  for (bool exclusive : {false, true}) {
    gpu_array<unsigned> const carry(std::vector<unsigned>{7});
    gpu_array<std::uint64_t> const wide_carry(std::vector<std::uint64_t>{7});
    auto const start = grid::start_on_device(static_cast<unsigned const*>(carry.data()));
    auto const wide_start = grid::start_on_device(static_cast<std::uint64_t const*>(wide_carry.data()));
    for (std::size_t k = 1; k < std::size(bounds) && bounds[k] <= n; ++k) {
      std::int64_t const begin = bounds[k - 1], length = bounds[k] - begin;
      gpu_array<std::int64_t> const count(std::vector<std::int64_t>{length});
      auto const some = grid::count_on_device(count.data(), n - begin);
      unsigned* const to = out.data() + begin;
      std::uint64_t* const wide_to = wide.data() + begin;
      if (exclusive) {
        ASSERT_EQ(
            grid::exclusive_scan(in.data() + begin, length, to, tessera::plus{}, start, {false, carry.data()}, memory),
            cudaSuccess);
        ASSERT_EQ(grid::transform_exclusive_scan(in.data() + begin, length, wide_to, tessera::plus{}, as_wide{},
                                                 wide_start, {false, wide_carry.data()}, memory),
                  cudaSuccess);
      } else {
        ASSERT_EQ(
            grid::inclusive_scan(in.data() + begin, some, to, tessera::plus{}, start, {false, carry.data()}, memory),
            cudaSuccess);
        ASSERT_EQ(grid::transform_inclusive_scan(in.data() + begin, some, wide_to, tessera::plus{}, as_wide{},
                                                 wide_start, {false, wide_carry.data()}, memory),
                  cudaSuccess);
      }
    }
    auto const scanned = out.to_host();
    auto const wide_scanned = wide.to_host();
    unsigned sum = 7;
    std::uint64_t wide_sum = 7;
    for (std::size_t i = 0; i < x.size() && static_cast<std::int64_t>(i) < 200000; ++i) {
      if (exclusive) {
        ASSERT_EQ(scanned[i], sum) << i;
      }
      if (exclusive) {
        ASSERT_EQ(wide_scanned[i], wide_sum) << i;
      }
      sum += x[i];
      wide_sum += x[i];
      if (!exclusive) {
        ASSERT_EQ(scanned[i], sum) << i;
      }
      if (!exclusive) {
        ASSERT_EQ(wide_scanned[i], wide_sum) << i;
      }
    }
    for (std::size_t i = 200000; i < x.size(); ++i) wide_sum += x[i];
    EXPECT_EQ(wide_carry.to_host()[0], wide_sum);
    EXPECT_EQ(carry.to_host()[0], static_cast<unsigned>(wide_sum));
  }
}

/// Halves are added as floats, and by an operator without an identity from the array's end.
TEST_F(GridStartOnDevice, OtherTypes) {
  gpu_array<__half> const halves(std::vector<__half>(5000, __float2half(0.5f))), out(std::size_t{5000});
  gpu_array<float> const carry(std::vector<float>{0.25f});
  auto const start = grid::start_on_device(static_cast<float const*>(carry.data()));
  for (int call = 0; call < 2; ++call)
    ASSERT_EQ(grid::inclusive_scan(halves.data(), 5000, out.data(), tessera::plus{}, start, {false, carry.data()}),
              cudaSuccess);
  EXPECT_EQ(carry.to_host()[0], 5000.25f);

  random_engine random(3);
  std::vector<matrix> x(70000);
  for (matrix& value : x) value = sample<matrix>(random);
  gpu_array<matrix> const in(x), products(x.size()), after(std::vector<matrix>{matrix{3, 1, 4, 1}});
  ASSERT_EQ(grid::inclusive_scan(in.data(), 70000, products.data(), matrix_product{},
                                 grid::start_on_device(static_cast<matrix const*>(after.data())), {true}, memory),
            cudaSuccess);
  matrix all{3, 1, 4, 1};
  auto const got = products.to_host();
  for (std::size_t i = x.size(); i-- > 0;) {
    all = matrix_product{}(x[i], all);
    ASSERT_TRUE(same_bits(got[i], all)) << i;
  }
}

/// Of a function's results after a start by value.
TEST_F(GridStartOnDevice, InclusiveScanOfAFunctionAfterAValue) {
  for (std::int64_t n : {0, 1, 5000, 300000}) {
    gpu_array<unsigned> const in(std::vector<unsigned>(static_cast<std::size_t>(n) + 1, 3u));
    gpu_array<std::uint64_t> const out(static_cast<std::size_t>(n) + 1), total(std::size_t{1});
    std::uint64_t const start = std::uint64_t{1} << 40;
    ASSERT_EQ(grid::transform_inclusive_scan(in.data() + 1, n, out.data(), tessera::plus{}, as_wide{}, start,
                                             {false, total.data()}, memory),
              cudaSuccess);
    auto const got = out.to_host();
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(got[static_cast<std::size_t>(i)], start + 3 * static_cast<std::uint64_t>(i + 1)) << i << " of " << n;
    EXPECT_EQ(total.to_host()[0], start + 3 * static_cast<std::uint64_t>(n));
  }
}

TEST_F(GridStartOnDevice, Graph) {
  constexpr std::int64_t n = 100000;
  gpu_array<unsigned> const in(std::vector<unsigned>(n, 1)), out(std::size_t{n});
  gpu_array<unsigned> const carry(std::vector<unsigned>{0});
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  auto const enqueue = [&] {
    return grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{},
                                grid::start_on_device(static_cast<unsigned const*>(carry.data())),
                                {false, carry.data()}, {stream, memory});
  };
  ASSERT_EQ(enqueue(), cudaSuccess);  // which allocates what the graph needs
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  ASSERT_EQ(enqueue(), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  for (int round = 0; round < 20; ++round) ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  auto const got = out.to_host();
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], 20 * n + i + 1);
  EXPECT_EQ(carry.to_host()[0], 21 * n);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  memory.release();  // before its stream ends
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(GridStartOnDevice, Refusals) {
  gpu_array<unsigned> const x(std::size_t{10}), out(std::size_t{10});
  auto const from = [&](unsigned const* at) {
    return grid::inclusive_scan(x.data(), 10, out.data(), tessera::plus{}, grid::start_on_device(at), memory);
  };
  EXPECT_EQ(from(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(from(out.data() + 4), cudaErrorInvalidValue);
  EXPECT_EQ(from(x.data() + 4), cudaSuccess);
}

}  // namespace
