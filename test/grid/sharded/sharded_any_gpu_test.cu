// Calls on arrays whose parts are on several GPUs, or with several ranks on one, beside the calls on the whole array.
#include <tessera/grid/sharded.cuh>
#include <tessera/grid/sharded_select.cuh>

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu_ranks.hpp"
#include "gpu_shards.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

TEST(Sharded, Reductions) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({std::begin(sizes_of_shards), std::end(sizes_of_shards)})) {
    auto const ints = drawn<int>(total, 1);
    std::uint32_t sum = 0;
    int most = std::numeric_limits<int>::min();
    for (int x : ints) sum += static_cast<std::uint32_t>(x), most = std::max(most, x);
    with_shards(ints, [&](grid::communicator& ranks, grid::shard const& part, int const* in, cudaStream_t on) {
      device_array<int> const out(2);
      device_array<tessera::min_max<int>> const both(1);
      device_array<tessera::indexed<int, std::int64_t>> const best(1);
      gpu_ranks::meet();
      EXPECT_EQ(grid::reduce(ranks, in, part, out.data(), tessera::plus{}, on), cudaSuccess);
      EXPECT_EQ(grid::reduce(ranks, in, part, out.data() + 1, tessera::maximum{}, on), cudaSuccess);
      EXPECT_EQ(grid::minmax(ranks, in, part, both.data(), on), cudaSuccess);
      EXPECT_EQ(grid::argmax(ranks, in, part, best.data(), on), cudaSuccess);
      check(cudaStreamSynchronize(on));
      EXPECT_EQ(static_cast<std::uint32_t>(out.to_host()[0]), sum) << total << " over " << ranks.count();
      EXPECT_EQ(out.to_host()[1], most);
      EXPECT_EQ(both.to_host()[0].max, most);
      auto const found = std::max_element(ints.begin(), ints.end());
      EXPECT_EQ(best.to_host()[0].value, most);
      EXPECT_EQ(best.to_host()[0].index, total == 0 ? INT64_MAX : found - ints.begin());
    });
  }
}

struct weight {
  __host__ __device__ std::int64_t operator()(int x, std::int64_t index) const { return (x & 255) * index; }
};

/// An operator that doesn't commute, a function of the index, and iterators.
TEST(Sharded, AnyOperator) {
  SKIP_WITHOUT_GPU();
  auto const op = tessera::make_operator(matrix_product{}, matrix_one);
  std::vector<matrix> x(5001);
  random_engine random(3);
  matrix product = matrix_one;
  for (auto& value : x) {
    value = sample<matrix>(random);
    product = matrix_product{}(product, value);
  }
  with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, matrix const* in, cudaStream_t on) {
    device_array<matrix> const out(1);
    gpu_ranks::meet();
    EXPECT_EQ(grid::reduce(ranks, in, part, out.data(), op, on), cudaSuccess);
    matrix const got = value_of(out, on);
    EXPECT_TRUE(same_bits(got, product)) << ranks.count();
  });
  auto const ints = drawn<int>(70001, 4);
  std::int64_t expected = 0;
  for (std::size_t i = 0; i < ints.size(); ++i) expected += weight{}(ints[i], static_cast<std::int64_t>(i));
  with_shards(ints, [&](grid::communicator& ranks, grid::shard const& part, int const* in, cudaStream_t on) {
    device_array<std::int64_t> const out(1);
    gpu_ranks::meet();
    EXPECT_EQ(grid::transform_reduce(ranks, in, part, out.data(), tessera::plus{}, weight{}, on), cudaSuccess);
    EXPECT_EQ(value_of(out, on), expected) << ranks.count();
  });
}

/// With order::any_device the bits are those of one rank, and all ranks have the same; other cuts are refused.
TEST(Sharded, BitsOfOneRank) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({std::begin(sizes_of_shards), std::end(sizes_of_shards)})) {
    std::vector<float> x(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total));
    for (float& value : x)
      value = std::ldexp(static_cast<float>(random() % 2001) - 1000, static_cast<int>(random() % 20));
    std::vector<__half> halves(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) halves[i] = __float2half(std::fmod(x[i], 100.0f));
    same_everywhere<float> sums, half_sums;
    same_everywhere<tessera::moments<double>> moments;
    with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, float const* in, cudaStream_t on) {
      device_array<float> const out(1);
      device_array<tessera::moments<double>> const m(1);
      gpu_ranks::meet();
      bool const even = part.begin == ranks.shard_of(total).begin && part.count == ranks.shard_of(total).count;
      cudaError_t const error = grid::reduce(ranks, in, part, out.data(), tessera::plus{}, grid::order::any_device, on);
      // A rank whose shard is right waits for one whose isn't: call it only where all are.
      EXPECT_EQ(error, even ? cudaSuccess : cudaErrorInvalidValue);
      if (!even) return;
      EXPECT_EQ(grid::moments(ranks, in, part, m.data(), grid::order::any_device, on), cudaSuccess);
      sums.add(value_of(out, on));
      moments.add(value_of(m, on));
    });
    with_shards(halves, [&](grid::communicator& ranks, grid::shard const& part, __half const* in, cudaStream_t on) {
      device_array<float> const out(1);
      gpu_ranks::meet();
      if (part.begin != ranks.shard_of(total).begin || part.count != ranks.shard_of(total).count) return;
      EXPECT_EQ(grid::reduce(ranks, in, part, out.data(), tessera::plus{}, grid::order::any_device, on), cudaSuccess);
      half_sums.add(value_of(out, on));
    });
  }
}

/// The same bits on all ranks and in 1000 runs, by both ways of exchange.
TEST(Sharded, BitsOfAllRuns) {
  SKIP_WITHOUT_GPU();
  auto const x = drawn<float>(300007, 7);
  int const count = gpu_ranks::most();
  same_everywhere<float> sums;
  auto const reduce_often = [&](grid::communicator& ranks, cudaStream_t on) {
    grid::shard const part = ranks.shard_of(300007);
    auto const begin = x.begin() + part.begin;
    device_array<float> const in(std::vector<float>(begin, begin + part.count));
    std::size_t const runs = is_worth(std::int64_t{1} << 32) ? 1000 : 20;
    device_array<float> const out(runs);
    gpu_ranks::meet();
    for (std::size_t run = 0; run < runs; ++run)
      EXPECT_EQ(grid::reduce(ranks, in.data(), part, out.data() + run, tessera::plus{}, on), cudaSuccess);
    check(cudaStreamSynchronize(on));
    for (float const& sum : out.to_host()) sums.add(sum);
  };
  for (grid::exchange by : {grid::exchange::nccl, grid::exchange::nvlink}) gpu_ranks::run(count, reduce_often, by);
}

TEST(Sharded, Scans) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({std::begin(sizes_of_shards), std::end(sizes_of_shards)})) {
    auto const x = drawn<int>(total, 5);
    std::vector<int> inclusive(x.size()), exclusive(x.size()), suffix(x.size());
    std::uint32_t sum = 0, from = 41;
    for (std::size_t i = 0; i < x.size(); ++i) {
      inclusive[i] = static_cast<int>(sum += static_cast<std::uint32_t>(x[i]));
      exclusive[i] = static_cast<int>(from);
      from += static_cast<std::uint32_t>(x[i]);
    }
    std::uint32_t back = 0;
    for (std::size_t i = x.size(); i-- > 0;) suffix[i] = static_cast<int>(back += static_cast<std::uint32_t>(x[i]));
    with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, int const* in, cudaStream_t on) {
      auto const n = static_cast<std::size_t>(part.count);
      auto const begin = static_cast<std::ptrdiff_t>(part.begin), end = begin + static_cast<std::ptrdiff_t>(n);
      auto const here = [&](std::vector<int> const& all) {
        return std::vector<int>(all.begin() + begin, all.begin() + end);
      };
      device_array<int> const out(n), starts(std::vector<int>{41}), all(1);
      gpu_ranks::meet();
      EXPECT_EQ(grid::inclusive_scan(ranks, in, part, out.data(), tessera::plus{}, {false, all.data()}, on),
                cudaSuccess);
      EXPECT_EQ(static_cast<std::uint32_t>(value_of(all, on)), sum);
      EXPECT_EQ(out.to_host(), here(inclusive)) << total << " over " << ranks.count();
      EXPECT_EQ(grid::inclusive_scan(ranks, in, part, out.data(), tessera::plus{}, {true, nullptr}, on), cudaSuccess);
      check(cudaStreamSynchronize(on));
      EXPECT_EQ(out.to_host(), here(suffix));
      EXPECT_EQ(grid::exclusive_scan(ranks, in, part, out.data(), tessera::plus{}, 41, {}, on), cudaSuccess);
      check(cudaStreamSynchronize(on));
      EXPECT_EQ(out.to_host(), here(exclusive));
      auto const start = grid::start_on_device(static_cast<int const*>(starts.data()));
      EXPECT_EQ(grid::exclusive_scan(ranks, in, part, out.data(), tessera::plus{}, start, {false, starts.data()}, on),
                cudaSuccess);
      EXPECT_EQ(static_cast<std::uint32_t>(value_of(starts, on)), from);
      EXPECT_EQ(out.to_host(), here(exclusive));
      EXPECT_TRUE(out.guards_intact());
    });
  }
}

struct is_even {
  __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

TEST(Sharded, SelectionsAndHistograms) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({std::begin(sizes_of_shards), std::end(sizes_of_shards)})) {
    auto const x = drawn<int>(total, 6);
    std::vector<int> selected;
    std::vector<std::uint64_t> counted(16);
    constexpr int lower = -1'000'000'000, upper = 1'000'000'000;
    for (int value : x) {
      if (is_even{}(value)) selected.push_back(value);
      if (value >= lower && value < upper)
        ++counted[static_cast<std::size_t>((std::int64_t{value} - lower) / 125'000'000)];
    }
    with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, int const* in, cudaStream_t on) {
      device_array<int> const out(static_cast<std::size_t>(part.count));
      device_array<grid::shard> const where(1);
      device_array<std::uint64_t> const counts(16);
      gpu_ranks::meet();
      EXPECT_EQ(grid::select(ranks, in, part, out.data(), where.data(), is_even{}, on), cudaSuccess);
      EXPECT_EQ(grid::histogram(ranks, in, part, counts.data(), 16, lower, upper, {}, on), cudaSuccess);
      grid::shard const got = value_of(where, on);
      EXPECT_EQ(got.total, static_cast<std::int64_t>(selected.size()));
      ASSERT_TRUE(got.begin >= 0 && got.count >= 0 && got.begin + got.count <= got.total);
      auto const values = out.to_host();
      EXPECT_TRUE(std::equal(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(got.count),
                             selected.begin() + static_cast<std::ptrdiff_t>(got.begin)));
      EXPECT_EQ(counts.to_host(), counted);
    });
  }
}

/// A call that is captured, replayed with other elements.
TEST(Sharded, Graphs) {
  SKIP_WITHOUT_GPU();
  gpu_ranks::run(gpu_ranks::most(), [&](grid::communicator& ranks, cudaStream_t on) {
    grid::shard const part = ranks.shard_of(100000);
    std::vector<int> const ones(static_cast<std::size_t>(part.count), 1);
    device_array<int> const in(ones), out(1);
    gpu_ranks::meet();
    EXPECT_EQ(grid::reduce(ranks, in.data(), part, out.data(), tessera::plus{}, on), cudaSuccess);
    check(cudaStreamSynchronize(on));
    check(cudaStreamBeginCapture(on, cudaStreamCaptureModeThreadLocal));
    EXPECT_EQ(grid::reduce(ranks, in.data(), part, out.data(), tessera::plus{}, on), cudaSuccess);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    check(cudaStreamEndCapture(on, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    for (int round = 0; round < 3; ++round) {
      check(cudaMemsetAsync(out.data(), 0, sizeof(int), on));
      check(cudaGraphLaunch(executable, on));
      EXPECT_EQ(value_of(out, on), 100000);
    }
    check(cudaGraphExecDestroy(executable));
    check(cudaGraphDestroy(graph));
  });
}

TEST(Sharded, InvalidArguments) {
  SKIP_WITHOUT_GPU();
  gpu_ranks::run(1, [&](grid::communicator& ranks, cudaStream_t on) {
    device_array<int> const in(10), out(1);
    gpu_ranks::meet();
    for (grid::shard const& wrong : {grid::shard{-1, 1, 5}, grid::shard{0, -1, 5}, grid::shard{3, 3, 5}})
      EXPECT_EQ(grid::reduce(ranks, in.data(), wrong, out.data(), tessera::plus{}, on), cudaErrorInvalidValue);
    grid::shard const part{0, 10, 10};
    EXPECT_EQ(grid::reduce(ranks, in.data(), part, in.data() + 3, tessera::plus{}, on), cudaErrorInvalidValue);
    EXPECT_EQ(grid::reduce(ranks, static_cast<int*>(nullptr), part, out.data(), tessera::plus{}, on),
              cudaErrorInvalidValue);
    EXPECT_EQ(ranks.status(), ncclSuccess);
    EXPECT_EQ(ranks.abort(), cudaSuccess);
    EXPECT_EQ(ranks.get(), nullptr);
    EXPECT_EQ(grid::reduce(ranks, in.data(), part, out.data(), tessera::plus{}, on), cudaErrorNotPermitted);
  });
}

/// A rank that doesn't make a call: the others' streams go on after abort(), and their next calls are errors.
TEST(Sharded, AbortEndsWaiting) {
  SKIP_WITHOUT_GPU();
  int const count = gpu_ranks::most();
  if (count < 2) GTEST_SKIP() << "needs two GPUs, or an NCCL that lets ranks share one";
  std::atomic<int> done{0};
  gpu_ranks::run(count, [&](grid::communicator& ranks, cudaStream_t on) {
    device_array<float> const in(1000), out(1);
    gpu_ranks::meet();
    grid::shard const part{ranks.index() * 1000, 1000, ranks.count() * 1000};
    bool const takes_part = ranks.index() != 1;
    if (takes_part) EXPECT_EQ(grid::reduce(ranks, in.data(), part, out.data(), tessera::plus{}, on), cudaSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (takes_part) EXPECT_EQ(cudaStreamQuery(on), cudaErrorNotReady) << "nobody could know the missing rank's part";
    ++done;
    while (done < ranks.count()) std::this_thread::yield();
    (void)ranks.abort();
    EXPECT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    EXPECT_EQ(grid::reduce(ranks, in.data(), part, out.data(), tessera::plus{}, on), cudaErrorNotPermitted);
  });
}

}  // namespace
