// The k first of an array whose parts are on several GPUs, or with several ranks on one, beside those of the whole array.
#include <tessera/grid/sharded_top_k.cuh>

#include <gtest/gtest.h>

#include <algorithm>
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
  });
}

}  // namespace
