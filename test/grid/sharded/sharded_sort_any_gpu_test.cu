// Sorts of arrays whose parts are on several GPUs, or with several ranks on one, beside those of the whole array.
#include <tessera/grid/sharded_sort.cuh>

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

template <class T, class Before>
void check_sort(std::vector<T> const& x, Before const& before) {
  auto const total = static_cast<std::int64_t>(x.size());
  device_array<T> const whole(x), sorted(x.size());
  check(grid::sort(whole.data(), total, sorted.data(), before));
  auto const expected = sorted.to_host();
  with_shards(x, [&](grid::communicator& ranks, grid::shard const& part, T const* in, cudaStream_t on) {
    device_array<T> const out(static_cast<std::size_t>(part.count));
    gpu_ranks::meet();
    EXPECT_EQ(grid::sort(ranks, in, part, out.data(), before, on), cudaSuccess);
    check(cudaStreamSynchronize(on));
    auto const got = out.to_host();
    EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin() + static_cast<std::ptrdiff_t>(part.begin),
                           [](T const& a, T const& b) { return same_bits(a, b); }))
        << total << " over " << ranks.count();
    EXPECT_TRUE(out.guards_intact());
  });
}

TEST(ShardedSort, Sorts) {
  SKIP_WITHOUT_GPU();
  for (std::int64_t total : worthwhile({std::begin(sizes_of_shards), std::end(sizes_of_shards)})) {
    check_sort(drawn<float>(total, 8), tessera::less{});
    std::vector<double> ties(static_cast<std::size_t>(total));
    random_engine random(static_cast<std::uint64_t>(total));
    for (double& value : ties) value = static_cast<double>(random() % 3);
    check_sort(ties, tessera::greater{});
    check_sort(drawn<std::uint32_t>(total, 9), tessera::greater{});
  }
}

}  // namespace
