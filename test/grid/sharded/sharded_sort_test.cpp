// Sorts over several ranks, which are threads here: the agents on host tiles. The local steps are sequential.
#include <gtest/gtest.h>

#include <tessera/core/comparators.hpp>
#include <tessera/grid/sharded/sort_shards.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "host_ranks.hpp"
#include "host_shards.hpp"
#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
using tessera::grid::shard;

/// Every element is in its place, and equal ones keep their order, whatever is drawn: few values, NaNs, both zeros.
template <bool Falling, class T, class Before>
void check_sort(std::int64_t total, unsigned kinds, Before const& before) {
  std::vector<T> x(static_cast<std::size_t>(total));
  random_engine random(static_cast<std::uint64_t>(total) * 7 + kinds);
  for (T& value : x) value = kinds > 9 ? sample_special<T>(random) : static_cast<T>(random() % kinds);
  std::vector<T> expected = x;
  std::stable_sort(expected.begin(), expected.end(), before);
  for_all_cuts(total, [&](host_ranks::rank const& rank, shard const& part) {
    auto const n = static_cast<std::size_t>(part.count);
    std::vector<T> out(n + 1, T(7));
    auto const sort = [&](T* to) {
      std::copy_n(x.begin() + part.begin, n, to);
      std::stable_sort(to, to + n, before);
      return cudaSuccess;
    };
    auto const merge = [&](T const* a, std::int64_t na, T const* b, std::int64_t nb, T* to) {
      std::merge(a, a + na, b, b + nb, to, before);
      return cudaSuccess;
    };
    EXPECT_EQ(detail::sort_shards<Falling>(rank, part, out.data(), sort, merge), cudaSuccess);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(same_bits(out[i], expected[static_cast<std::size_t>(part.begin) + i]))
          << i << " of rank " << rank.index() << " of " << rank.count() << ", " << total << " elements";
    EXPECT_TRUE(same_bits(out[n], T(7)));
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

}  // namespace
