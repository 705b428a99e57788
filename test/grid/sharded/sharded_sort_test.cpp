// Sorts over several ranks, which are threads here: the agents on host tiles. The local steps are sequential.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/core/iterators.hpp>
#include <tessera/grid/sharded/sort_shards.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
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

/// A merge doesn't write what it reads.
template <class T>
void check_apart(T const* in, std::int64_t n, T const* out, std::int64_t of_out) {
  EXPECT_TRUE(n == 0 || in + n <= out || out + of_out <= in);
}

/// Every element is in its place, and equal ones keep their order.
template <bool Falling, class T, class Before>
void check_sort_of(std::vector<T> const& x, Before const& before) {
  auto const total = static_cast<std::int64_t>(x.size());
  std::vector<T> expected = x;
  std::stable_sort(expected.begin(), expected.end(), before);
  using run = detail::key_run<T>;
  for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
    auto const n = static_cast<std::size_t>(part.count);
    std::vector<T> out(n + 1, T(7));
    auto const sort = [&](run to) {
      std::copy_n(x.begin() + part.begin, n, to.keys);
      std::stable_sort(to.keys, to.keys + n, before);
      return cudaSuccess;
    };
    auto const merge = [&](run a, std::int64_t na, run b, std::int64_t nb, run to) {
      check_apart(a.keys, na, to.keys, na + nb);
      check_apart(b.keys, nb, to.keys, na + nb);
      std::merge(a.keys, a.keys + na, b.keys, b.keys + nb, to.keys, before);
      return cudaSuccess;
    };
    EXPECT_EQ(detail::sort_shards<Falling>(rank, part, run{out.data()}, sort, merge), cudaSuccess);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(same_bits(out[i], expected[static_cast<std::size_t>(part.begin) + i]))
          << i << " of rank " << rank.index() << " of " << rank.count() << ", " << total << " elements";
    EXPECT_TRUE(same_bits(out[n], T(7)));
  });
}
/// The same of what is drawn: few values, or all, with NaNs and both zeros.
template <bool Falling, class T, class Before>
void check_sort(std::int64_t total, unsigned kinds, Before const& before) {
  check_sort_of<Falling>(drawn_elements<T>(total, kinds), before);
}

/// A value that is longer than its alignment, and knows where it was.
struct tagged {
  std::int32_t place;
  unsigned char more[5];
};
bool operator==(tagged const& a, tagged const& b) {
  return a.place == b.place && std::equal(std::begin(a.more), std::end(a.more), b.more);
}
template <class Value>
Value value_at(std::int64_t place) {
  if constexpr (std::is_same_v<Value, tagged>) {
    Value x{static_cast<std::int32_t>(place), {}};
    for (unsigned char& byte : x.more) byte = static_cast<unsigned char>(place * 7);
    return x;
  } else {
    return static_cast<Value>(place);
  }
}

/// Each value follows its key, those of equal keys in their order.
template <bool Falling, class Key, class Value, class Before>
void check_sort_by_key(std::int64_t total, unsigned kinds, Before const& before) {
  std::vector<Key> const x = drawn_elements<Key>(total, kinds);
  auto const key_at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
  auto const sorted_places = [&](std::int64_t begin, std::int64_t count) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(count));
    std::iota(places.begin(), places.end(), begin);
    std::stable_sort(places.begin(), places.end(), [&](auto a, auto b) { return before(key_at(a), key_at(b)); });
    return places;
  };
  auto const expected = sorted_places(0, total);
  using run = detail::pair_run<Key, Value>;
  for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
    auto const n = static_cast<std::size_t>(part.count);
    std::vector<Key> keys(n + 1, Key(7));
    std::vector<Value> values(n + 1, value_at<Value>(7));
    auto const sort = [&](run to) {
      auto const places = sorted_places(part.begin, part.count);
      for (std::size_t i = 0; i < n; ++i) {
        to.keys[i] = key_at(places[i]);
        to.values[i] = value_at<Value>(places[i]);
      }
      return cudaSuccess;
    };
    auto const merge = [&](run a, std::int64_t na, run b, std::int64_t nb, run to) {
      using readers = detail::keyed_places<Key>;
      EXPECT_EQ(b.keys - a.keys, b.values - a.values);
      merge_read(readers{a.keys, 0}, na, readers{a.keys, 0} + (b.keys - a.keys), nb,
                 detail::values_by_place<Key, Value>{a.values, to.keys, to.values}, detail::key_before<Before>{before});
      return cudaSuccess;
    };
    EXPECT_EQ(detail::sort_shards<Falling>(rank, part, run{keys.data(), values.data()}, sort, merge), cudaSuccess);
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t const place = expected[static_cast<std::size_t>(part.begin) + i];
      ASSERT_TRUE(same_bits(keys[i], key_at(place)) && values[i] == value_at<Value>(place))
          << i << " of rank " << rank.index() << " of " << rank.count() << ", " << total << " elements";
    }
    EXPECT_TRUE(same_bits(keys[n], Key(7)) && values[n] == value_at<Value>(7));
  });
}

TEST(ShardedSortOnHost, Sorts) {
  for (std::int64_t total : {0, 1, 5, 64, 1000}) {
    for (unsigned kinds : {1u, 3u, 1000u}) {
      check_sort<false, float>(total, kinds, tessera::less{});
      check_sort<true, double>(total, kinds, tessera::greater{});
      check_sort<false, int>(total, kinds, tessera::less{});
    }
    check_sort<true, std::uint64_t>(total, 1000, tessera::greater{});
    check_sort<false, signed char>(total, 1000, tessera::less{});
    check_sort<true, short>(total, 1000, tessera::greater{});
  }
}

/// Shards that are in order already, in the opposite order, and with nearly all elements in one rank's places: ranks
/// get some runs without elements, and runs that are whole shards.
TEST(ShardedSortOnHost, SortsWhatIsOrdered) {
  for (std::int64_t total : {7, 1000}) {
    std::vector<int> rising(static_cast<std::size_t>(total)), falling, skewed;
    std::iota(rising.begin(), rising.end(), 0);
    falling.assign(rising.rbegin(), rising.rend());
    for (int x : rising) skewed.push_back(x % 16 == 0 ? x : 5);
    for (auto const& x : {rising, falling, skewed}) check_sort_of<false>(x, tessera::less{});
  }
}

TEST(ShardedSortOnHost, ValuesFollowTheirKeys) {
  for (std::int64_t total : {0, 5, 300}) {
    for (unsigned kinds : {1u, 3u, 1000u}) check_sort_by_key<false, float, tagged>(total, kinds, tessera::less{});
  }
  check_sort_by_key<true, double, std::int64_t>(200, 3, tessera::greater{});
  check_sort_by_key<true, std::uint32_t, unsigned short>(200, 5, tessera::greater{});
  check_sort_by_key<false, signed char, tagged>(200, 1000, tessera::less{});
}

/// An error of a local step is the call's.
TEST(ShardedSortOnHost, Errors) {
  host_ranks all(1);
  all.run([&](host_ranks::rank const& rank) {
    float key = 1;
    auto const fails = [](auto...) { return cudaErrorLaunchFailure; };
    EXPECT_EQ(detail::sort_shards<false>(rank, {0, 1, 1}, detail::key_run<float>{&key}, fails, fails),
              cudaErrorLaunchFailure);
    EXPECT_EQ(key, 1);
  });
}

/// Shards that aren't those of one array are an error on all ranks, which then exchange nothing.
TEST(ShardedSortOnHost, ShardsOfOtherArrays) {
  host_ranks all(2);
  all.run([&](host_ranks::rank const& rank) {
    std::vector<float> out(4, 7.0f);
    auto const sort = [](detail::key_run<float> to) {
      std::iota(to.keys, to.keys + 4, 0.0f);
      return cudaSuccess;
    };
    auto const merge = [](auto...) { return cudaErrorLaunchFailure; };
    EXPECT_EQ(detail::sort_shards<false>(rank, {0, 4, 8}, detail::key_run<float>{out.data()}, sort, merge),
              cudaErrorInvalidValue);
    EXPECT_EQ(out, std::vector<float>(4, 7.0f));
  });
}

TEST(ShardedSortOnHost, FindsPartitionPoints) {
  for (std::int64_t n : {0, 1, 7, 8, 9, 63, 64, 65, 1000}) {
    for (std::int64_t point = 0; point <= n; ++point) {
      auto const is_left = [&](std::int64_t i) {
        EXPECT_TRUE(i >= 0 && i < n);
        return i < point;
      };
      EXPECT_EQ(detail::partition_point_by_parts(n, is_left), point) << n;
    }
  }
}

/// A rank's memory holds what it gets, also if each other rank's piece begins 31 places after a multiple.
TEST(ShardedSortOnHost, PlansFit) {
  for (int ranks : {2, 3, 8}) {
    for (std::int64_t n : {0, 1, 31, 32, 1000}) {
      detail::exchange_plan const plan(1, ranks, n);
      detail::shard_cuts cuts{ranks};
      for (int r = 0; r < ranks; ++r) {
        std::int64_t const share = r == 0 ? n - n / ranks * (ranks - 1) : n / ranks;
        for (int b = 0; b <= ranks; ++b)
          cuts.before[static_cast<std::size_t>(r * (ranks + 1) + b)] = 31 + (b > 1 ? share : 0);
      }
      EXPECT_TRUE(plan.fits(cuts));
      EXPECT_LE(n, plan.received());
      auto const runs = plan.runs(cuts);
      auto const& last = runs[ranks == 2 ? 0 : static_cast<std::size_t>(ranks) - 1];
      EXPECT_LE(last.begin + last.count, plan.merged());
      EXPECT_LE(plan.merged() + (ranks > 2 ? n : 0), plan.elements());
    }
  }
}

}  // namespace
