// The k first over several ranks, which are threads here: the agents on host tiles. The local steps are sequential.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/sharded/combine_shards.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "host_ranks.hpp"
#include "host_shards.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using tessera::grid::shard;

/// The k first of all, with many equal ones and NaNs, and ranks that have fewer than k.
template <class T, class Before>
void check_top_k(std::int64_t total, std::int64_t k, Before const& before) {
  std::vector<T> x(static_cast<std::size_t>(total));
  random_engine random(static_cast<std::uint64_t>(total * 100 + k));
  for (T& value : x) {
    value = static_cast<T>(random() % 9);
    if (std::is_floating_point_v<T> && random() % 7 == 0) value = std::numeric_limits<T>::quiet_NaN();
  }
  std::vector<std::int64_t> order(x.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  auto const at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(at(a), at(b)); });
  for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
    std::vector<T> values(static_cast<std::size_t>(k) + 1, T(77));
    std::vector<std::int64_t> indices(values.size(), -7);
    auto const top_k = [&](std::int64_t count, T* own, std::int64_t* places) {
      std::vector<std::int64_t> mine(static_cast<std::size_t>(part.count));
      std::iota(mine.begin(), mine.end(), std::int64_t{0});
      std::stable_sort(mine.begin(), mine.end(),
                       [&](auto a, auto b) { return before(at(part.begin + a), at(part.begin + b)); });
      for (std::int64_t i = 0; i < count; ++i) {
        places[i] = mine[static_cast<std::size_t>(i)];
        own[i] = at(part.begin + places[i]);
      }
      return cudaSuccess;
    };
    EXPECT_EQ(detail::top_k_shards<T>(rank, part, k, values.data(), indices.data(), before, top_k), cudaSuccess);
    for (std::int64_t i = 0; i < k; ++i) {
      auto const place = static_cast<std::size_t>(i);
      ASSERT_EQ(indices[place], order[place]) << i << " of " << k << ", " << total << " over " << rank.count();
      T const expected = at(order[place]);
      ASSERT_TRUE(same_bits(values[place], expected));
    }
    EXPECT_EQ(indices.back(), -7);
    EXPECT_EQ(values.back(), T(77));
  });
}

TEST(ShardedTopKOnHost, FirstOfAll) {
  for (std::int64_t total : {1, 20, 300}) {
    for (std::int64_t k : {1, 5, 20, 300}) {
      if (k > total) continue;
      check_top_k<float>(total, k, tessera::greater{});
      check_top_k<double>(total, k, tessera::less{});
      check_top_k<short>(total, k, tessera::greater{});
      check_top_k<unsigned char>(total, k, tessera::less{});
    }
  }
}

}  // namespace
