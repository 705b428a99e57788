// The k first of an array whose parts are on several GPUs, or with several ranks on one, beside those of the whole array.
#include <tessera/grid/sharded_top_k.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "gpu_ranks.hpp"
#include "gpu_shards.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

TEST(ShardedTopK, FirstOfAll) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({1000, 70001, 3000000})) {
    std::vector<float> x(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total));
    for (float& value : x) value = static_cast<float>(random() % 5000);
    for (std::int64_t k : {1, 100, 900}) {
      device_array<float> const whole(x), values(static_cast<std::size_t>(k));
      device_array<std::int64_t> const indices(static_cast<std::size_t>(k));
      check(grid::top_k(whole.data(), total, k, values.data(), indices.data()));
      auto const expected_values = values.to_host();
      auto const expected_indices = indices.to_host();
      with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, float const* in, cudaStream_t on) {
        device_array<float> const best(static_cast<std::size_t>(k));
        device_array<std::int64_t> const places(static_cast<std::size_t>(k));
        gpu_ranks::meet();
        EXPECT_EQ(grid::top_k(ranks, in, part, k, best.data(), places.data(), tessera::greater{}, on), cudaSuccess);
        check(cudaStreamSynchronize(on));
        EXPECT_EQ(best.to_host(), expected_values) << k << " of " << total << " over " << ranks.count();
        EXPECT_EQ(places.to_host(), expected_indices);
        EXPECT_TRUE(best.guards_intact() && places.guards_intact());
      });
    }
  }
}

/// Values and indices are those of the whole array: ties, NaNs, in either order.
template <class T, class Before>
void check_nth_element(std::vector<T> const& x, Before const& before) {
  auto const total = static_cast<std::int64_t>(x.size());
  device_array<T> const whole(x);
  std::vector<std::int64_t> const places{0, total / 2, total - 1};
  device_array<T> const values(places.size());
  device_array<std::int64_t> const indices(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    check(grid::nth_element(whole.data(), total, places[i], values.data() + i, indices.data() + i, before));
  auto const expected = values.to_host();
  auto const expected_indices = indices.to_host();
  with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, T const* in, cudaStream_t on) {
    device_array<T> const value(places.size());
    device_array<std::int64_t> const index(places.size());
    gpu_ranks::meet();
    for (std::size_t i = 0; i < places.size(); ++i)
      EXPECT_EQ(grid::nth_element(ranks, in, part, places[i], value.data() + i, index.data() + i, before, on),
                cudaSuccess);
    check(cudaStreamSynchronize(on));
    auto const got = value.to_host();
    EXPECT_TRUE(
        std::equal(got.begin(), got.end(), expected.begin(), [](T const& a, T const& b) { return same_bits(a, b); }))
        << total << " over " << ranks.count();
    EXPECT_EQ(index.to_host(), expected_indices);
    EXPECT_TRUE(value.guards_intact() && index.guards_intact());
  });
}

TEST(ShardedTopK, NthElement) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({1, 1000, 3000000})) {
    std::vector<float> x = drawn<float>(total, 21);
    for (std::size_t i = 0; i < x.size(); i += 3) x[i] = i % 2 == 0 ? -0.0f : std::nanf("");
    check_nth_element(x, tessera::less{});
    std::vector<std::uint64_t> ties(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total));
    for (std::uint64_t& value : ties) value = random() % 5 << 40;
    check_nth_element(ties, tessera::greater{});
  }
}

TEST(ShardedTopK, Quantiles) {
  SKIP_WITHOUT_GPU();
  double const q[] = {0, 0.1, 0.5, 0.77, 1};
  for (std::int64_t total : worthwhile({2, 70001})) {
    std::vector<float> const x = drawn<float>(total, 22);
    device_array<float> const whole(x), out(5);
    for (grid::quantile_method method : {grid::quantile_method::nearest, grid::quantile_method::linear}) {
      check(grid::quantiles(whole.data(), total, q, 5, out.data(), method));
      auto const expected = out.to_host();
      with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, float const* in, cudaStream_t on) {
        device_array<float> const got(5);
        gpu_ranks::meet();
        EXPECT_EQ(grid::quantiles(ranks, in, part, q, 5, got.data(), method, on), cudaSuccess);
        check(cudaStreamSynchronize(on));
        auto const values = got.to_host();
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(same_bits(values[i], expected[i])) << q[i];
        EXPECT_TRUE(got.guards_intact());
      });
    }
  }
}

TEST(ShardedTopK, InvalidArguments) {
  SKIP_WITHOUT_GPU();
  gpu_ranks::run(1, [&](grid::communicator& ranks, cudaStream_t on) {
    device_array<int> const in(10);
    device_array<std::int64_t> const indices(10);
    gpu_ranks::meet();
    grid::shard const part{0, 10, 10};
    EXPECT_EQ(grid::top_k(ranks, in.data(), part, 11, nullptr, indices.data(), tessera::less{}, on),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::top_k(ranks, in.data(), part, 2, nullptr, nullptr, tessera::less{}, on), cudaErrorInvalidValue);
    device_array<int> const out(2);
    for (std::int64_t place : {-1, 10})
      EXPECT_EQ(grid::nth_element(ranks, in.data(), part, place, out.data(), nullptr, tessera::less{}, on),
                cudaErrorInvalidValue);
    EXPECT_EQ(grid::nth_element(ranks, in.data(), part, 2, nullptr, nullptr, tessera::less{}, on),
              cudaErrorInvalidValue);
    double const half = 0.5, none = 1.5;
    EXPECT_EQ(grid::quantiles(ranks, in.data(), part, &none, 1, out.data(), grid::quantile_method::lower, on),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::quantiles(ranks, in.data(), part, &half, 1, out.data(), grid::quantile_method::linear, on),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::quantiles(ranks, in.data(), {0, 0, 0}, &half, 1, out.data(), grid::quantile_method::lower, on),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::quantiles(ranks, in.data(), part, &half, 0, out.data(), grid::quantile_method::lower, on),
              cudaSuccess);
  });
}

}  // namespace
