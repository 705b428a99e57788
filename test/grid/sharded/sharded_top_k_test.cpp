// The k first and the element of a place over several ranks, which are threads here: the agents on host tiles. The
// local steps are sequential.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/core/iterators.hpp>
#include <tessera/grid/sharded/combine_shards.hpp>
#include <tessera/grid/sharded/nth_element_shards.hpp>

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

/// Elements of some places, with ties, NaNs and both zeros: values and indices of a stable sort.
template <bool Falling, class T, class Before>
void check_nth_element(std::int64_t total, unsigned kinds, Before const& before) {
  std::vector<T> const x = drawn_elements<T>(total, kinds);
  std::vector<std::int64_t> order(x.size());
  std::iota(order.begin(), order.end(), std::int64_t{0});
  auto const at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(at(a), at(b)); });
  for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
    local_steps<T> const local{x.data() + part.begin, part};
    for (std::int64_t place : {total / 3, total - 1}) {
      T value(77);
      std::int64_t index = -7;
      detail::store_element_and_index<T> const store{&value, &index};
      EXPECT_EQ((detail::nth_of_shards<Falling, T>(rank, part, place, local.count(), local.pick(), store)),
                cudaSuccess);
      std::int64_t const expected = order[static_cast<std::size_t>(place)];
      EXPECT_EQ(index, expected) << place << " of " << total << " over " << rank.count();
      EXPECT_TRUE(same_bits(value, at(expected)));
    }
  });
}

TEST(ShardedTopKOnHost, NthElement) {
  for (std::int64_t total : {1, 100}) {
    for (unsigned kinds : {3u, 1000u}) check_nth_element<false, float>(total, kinds, tessera::less{});
  }
  check_nth_element<true, double>(100, 1000, tessera::greater{});
  check_nth_element<false, signed char>(100, 1000, tessera::less{});
  check_nth_element<true, short>(100, 1000, tessera::greater{});
  check_nth_element<false, unsigned char>(300, 1000, tessera::less{});
}

/// A quantile between two elements, and one at an element.
TEST(ShardedTopKOnHost, Quantiles) {
  std::vector<float> const x = drawn_elements<float>(100, 1000);
  std::vector<float> sorted = x;
  std::stable_sort(sorted.begin(), sorted.end(), tessera::less{});
  for_all_cuts(100, [&](host_ranks::rank const& rank, shard const& part) {
    local_steps<float> const local{x.data() + part.begin, part};
    for (detail::quantile_place const wanted : {detail::quantile_place{41, 0.25}, detail::quantile_place{98, 0}}) {
      float got = 77;
      auto const at = static_cast<std::size_t>(wanted.rank);
      EXPECT_EQ(detail::quantile_of_shards(rank, part, wanted, &got, local.count(), local.pick()), cudaSuccess);
      float const expected =
          wanted.fraction > 0 ? detail::interpolated(sorted[at], sorted[at + 1], wanted.fraction) : sorted[at];
      EXPECT_TRUE(same_bits(got, expected)) << wanted.rank << " and " << wanted.fraction << " over " << rank.count();
    }
  });
}

/// An error of a local step is the call's.
TEST(ShardedTopKOnHost, Errors) {
  host_ranks all(1);
  all.run([&](host_ranks::rank const& rank) {
    float got = 1;
    auto const fails = [](auto...) { return cudaErrorLaunchFailure; };
    detail::quantile_place const median{2, 0.5};
    EXPECT_EQ(detail::quantile_of_shards(rank, {0, 5, 5}, median, &got, fails, fails), cudaErrorLaunchFailure);
    EXPECT_EQ(got, 1);
  });
}

}  // namespace
