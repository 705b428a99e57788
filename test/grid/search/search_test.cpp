// The kernels of searches and of adjacent differences on host tiles: blocks in any order, a few threads each.
#include <gtest/gtest.h>

#include <tessera/adjacent_difference.hpp>
#include <tessera/core/comparators.hpp>
#include <tessera/grid/search/adjacent_difference_agent.hpp>
#include <tessera/grid/search/bounds_agent.hpp>
#include <tessera/grid/search/find_agent.hpp>
#include <tessera/host/launch.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "samples.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;
constexpr unsigned threads = 64;

// ---- The first element with a predicate

template <class T, class Pred>
std::int64_t find(T const* in, std::int64_t n, Pred const& pred, unsigned blocks, unsigned seed) {
  std::int64_t out = -1;
  unsigned counters[2] = {};
  std::uint64_t best = 0;
  bool const is_single = detail::find_shape<T>::tile_count(n, threads) <= 1;
  detail::find_memory const memory{is_single ? nullptr : counters, is_single ? nullptr : &best};
  detail::find_storage storage{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(is_single ? 1 : blocks, threads, how, [&](tessera::host::block block) {
    detail::run_find_agent<threads>(block, detail::find_task<T const*, Pred>{in, n, pred, &out}, memory,
                                    is_single ? 1 : blocks, storage);
  });
  EXPECT_EQ(counters[0] + counters[1], 0u);
  EXPECT_EQ(best, 0u);
  return out;
}

template <class T>
void check_find(std::int64_t n, unsigned seed) {
  random_engine random(static_cast<std::uint64_t>(n) + seed);
  std::vector<T> memory(static_cast<std::size_t>(n) + seed % 5);
  T const* const in = memory.data() + seed % 5;
  auto const is_marked = [](T const& x) { return reinterpret_cast<unsigned char const&>(x) != 0; };
  EXPECT_EQ(find(in, n, is_marked, 1 + seed % 3, seed), n);
  for (unsigned trial = 0; trial < 4 && n > 0; ++trial) {
    std::size_t const at = static_cast<std::size_t>(
        trial == 0 ? n - 1 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)));
    reinterpret_cast<unsigned char&>(memory[seed % 5 + at]) = 1;
    std::int64_t expected = 0;
    while (!is_marked(in[expected])) ++expected;
    ASSERT_EQ(find(in, n, is_marked, 1 + seed % 3, seed), expected) << n << ", " << sizeof(T) << " bytes";
  }
}

TEST(GridFindOnHost, FirstElement) {
  for (std::int64_t n : {0, 1, 31, 1023, 1024, 1025, 5000, 30000})
    for (unsigned seed = 0; seed < 3; ++seed) {
      check_find<float>(n, seed);
      check_find<char>(n, seed);
      check_find<double>(n, seed);
      if (n < 10000) check_find<row<12>>(n, seed);
      if (n < 10000) check_find<row<17>>(n, seed);
    }
}

/// The predicate also takes the index; and blocks stop after what was found.
TEST(GridFindOnHost, StopsEarly) {
  std::vector<int> const x(50000);
  std::int64_t asked = 0, furthest = 0;
  auto const pred = [&](int, std::int64_t index) {
    ++asked;
    furthest = std::max(furthest, index);
    return index >= 3000;
  };
  EXPECT_EQ(find(x.data(), 50000, pred, 3, 1), 3000);
  EXPECT_LT(asked, 6000);
  EXPECT_LT(furthest, 6000);
}

// ---- The first elements that differ

template <class A, class B>
void check_mismatch(std::int64_t n, unsigned seed) {
  random_engine random(static_cast<std::uint64_t>(n) + seed);
  std::vector<A> a(static_cast<std::size_t>(n) + seed % 5);
  std::vector<B> b(static_cast<std::size_t>(n) + seed % 3);
  auto const is_same = [](A const& x, B const& y) {
    return reinterpret_cast<unsigned char const&>(x) == reinterpret_cast<unsigned char const&>(y);
  };
  for (unsigned trial = 0; trial < 4; ++trial) {
    std::int64_t expected = n;
    if (trial > 0 && n > 0) {
      expected = trial == 1 ? n - 1 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
      reinterpret_cast<unsigned char&>(b[seed % 3 + static_cast<std::size_t>(expected)]) = 1;
      expected = 0;
      while (
          is_same(a[seed % 5 + static_cast<std::size_t>(expected)], b[seed % 3 + static_cast<std::size_t>(expected)]))
        ++expected;
    }
    std::int64_t index = -1;
    bool are_equal = expected != n;
    unsigned counters[2] = {};
    std::uint64_t best = 0;
    auto const run = [&](auto* out) {
      using task_t = detail::mismatch_task<A const*, B const*, decltype(is_same), std::remove_pointer_t<decltype(out)>>;
      bool const is_single = task_t::shape::tile_count(n, threads) <= 1;
      detail::find_memory const memory{is_single ? nullptr : counters, is_single ? nullptr : &best};
      detail::find_storage storage{};
      task_t const task{a.data() + seed % 5, b.data() + seed % 3, n, is_same, out};
      unsigned const blocks = is_single ? 1 : 1 + seed % 3;
      tessera::host::options how;
      how.seed = seed;
      tessera::host::launch_grid(blocks, threads, how, [&](tessera::host::block block) {
        detail::run_find_agent<threads>(block, task, memory, blocks, storage);
      });
    };
    run(&index);
    run(&are_equal);
    ASSERT_EQ(index, expected) << n << ", " << sizeof(A) << " and " << sizeof(B) << " bytes";
    ASSERT_EQ(are_equal, expected == n);
  }
}

TEST(GridFindOnHost, Mismatch) {
  for (std::int64_t n : {0, 1, 31, 511, 512, 513, 5000})
    for (unsigned seed = 0; seed < 3; ++seed) {
      check_mismatch<float, float>(n, seed);
      check_mismatch<char, double>(n, seed);
      check_mismatch<row<12>, char>(n, seed);
    }
}

// ---- Bounds of many needles

template <bool Upper, class Count, class T, class Key, class Index, class Before>
std::vector<Index> bounds(std::vector<T> const& sorted, std::vector<Key> const& needles, Before const& before,
                          unsigned seed) {
  std::vector<Index> out(needles.size() + 1, Index{-7});
  auto const count = static_cast<std::int64_t>(needles.size());
  constexpr unsigned each = 3;
  auto const n = static_cast<std::int64_t>(sorted.size());
  detail::bounds_task<T const*, Key const*, Index*, Before> const task{sorted.data(), n,          needles.data(),
                                                                       count,         out.data(), before};
  // Samples of no level, of some, or of the most that n or the storage has; a block for each of the needles' tiles, or fewer.
  using storage_t = detail::bounds_storage<T, 256>;
  unsigned most = 0;
  while (most < storage_t::most_levels && n >> (most + 1) > 0) ++most;
  unsigned const levels = seed % 3 == 0 ? 0 : seed % 3 == 1 ? most : most / 2;
  std::int64_t const tiles = (count + threads * each - 1) / (threads * each);
  std::int64_t const blocks = levels > 0 && tiles > 2 ? tiles / 2 : tiles;
  storage_t storage{};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(static_cast<unsigned>(blocks), threads, how, [&](tessera::host::block block) {
    std::int64_t const which = block.group_index().x;
    detail::run_bounds_agent<threads, each, Upper, Count>(block, which, blocks, task, levels, storage);
  });
  EXPECT_EQ(out.back(), Index{-7});
  out.pop_back();
  return out;
}

template <class T, class Index, class Count>
void check_bounds(std::size_t n, std::size_t count, unsigned seed) {
  random_engine random(n * 3 + count + seed);
  std::vector<T> sorted(n), needles(count);
  auto const draw = [&] {
    if constexpr (std::is_floating_point_v<T>) {
      if (random() % 9 == 0) return std::numeric_limits<T>::quiet_NaN();
    }
    return random() % 2 ? sample<T>(random) : static_cast<T>(random() % 50);
  };
  for (auto& x : sorted) x = draw();
  for (auto& x : needles) x = draw();
  tessera::less const before;
  std::sort(sorted.begin(), sorted.end(), before);
  auto const lower = bounds<false, Count, T, T, Index>(sorted, needles, before, seed);
  auto const upper = bounds<true, Count, T, T, Index>(sorted, needles, before, seed);
  for (std::size_t i = 0; i < count; ++i) {
    auto const range = std::equal_range(sorted.begin(), sorted.end(), needles[i], before);
    ASSERT_EQ(lower[i], range.first - sorted.begin()) << i << " of " << count << " in " << n;
    ASSERT_EQ(upper[i], range.second - sorted.begin()) << i << " of " << count << " in " << n;
  }
}

TEST(GridBoundsOnHost, Numbers) {
  for (std::size_t n : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 100u, 1023u, 5000u})
    for (std::size_t count : {1u, 191u, 192u, 1000u}) {
      for (unsigned seed = 0; seed < 3; ++seed) {
        check_bounds<float, std::int64_t, std::uint32_t>(n, count, seed);
        check_bounds<double, std::int32_t, std::uint64_t>(n, count, seed + 1);
        check_bounds<int, std::int32_t, std::uint32_t>(n, count, seed + 2);
        check_bounds<std::uint64_t, std::int64_t, std::uint64_t>(n, count, seed + 3);
      }
    }
}

/// Needles of another type than the elements, by an order of both.
struct interval {
  int begin, end;
};
struct starts_before {
  bool operator()(interval const& a, int b) const { return a.begin < b; }
  bool operator()(int a, interval const& b) const { return a < b.begin; }
};
TEST(GridBoundsOnHost, OtherNeedles) {
  std::vector<interval> sorted;
  for (int i = 0; i < 300; ++i) sorted.push_back({i / 3 * 4, i});
  std::vector<int> needles;
  for (int i = -5; i < 450; ++i) needles.push_back(i);
  auto const lower = bounds<false, std::uint32_t, interval, int, int>(sorted, needles, starts_before{}, 1);
  auto const upper = bounds<true, std::uint32_t, interval, int, int>(sorted, needles, starts_before{}, 1);
  for (std::size_t i = 0; i < needles.size(); ++i) {
    EXPECT_EQ(lower[i], std::lower_bound(sorted.begin(), sorted.end(), needles[i], starts_before{}) - sorted.begin());
    EXPECT_EQ(upper[i], std::upper_bound(sorted.begin(), sorted.end(), needles[i], starts_before{}) - sorted.begin());
  }
}

// ---- Adjacent differences

template <class T, class Out, class Op>
void check_adjacent(std::int64_t n, Op const& op, unsigned seed) {
  random_engine random(static_cast<std::uint64_t>(n) + seed);
  std::vector<T> memory(static_cast<std::size_t>(n) + seed % 5);
  for (auto& value : memory) value = sample<T>(random);
  T const* const in = memory.data() + seed % 5;
  Out const untouched = tessera::detail::convert<Out>(sample<T>(random));
  std::vector<Out> out(static_cast<std::size_t>(n) + 2, untouched);
  auto const tiles = static_cast<unsigned>(detail::difference_shape<T>::tile_count(n, threads));
  detail::adjacent_task<T const*, Out*, Op> const task{in, n, out.data() + 1, op};
  tessera::host::options how;
  how.seed = seed;
  tessera::host::launch_grid(tiles, threads, how, [&](tessera::host::block block) {
    std::int64_t const which = block.group_index().x;
    detail::run_adjacent_agent<threads>(block, task, which);
  });
  ASSERT_TRUE(same_bits(out.front(), untouched) && same_bits(out.back(), untouched));
  for (std::int64_t i = 0; i < n; ++i) {
    Out const expected =
        i == 0 ? tessera::detail::convert<Out>(in[0]) : tessera::detail::convert<Out>(op(in[i], in[i - 1]));
    ASSERT_TRUE(same_bits(out[static_cast<std::size_t>(i) + 1], expected)) << i << " of " << n;
  }
}

struct differ {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    return a != b;
  }
};

TEST(GridAdjacentDifferenceOnHost, AllSizes) {
  for (std::int64_t n : {1, 2, 63, 1023, 1024, 1025, 9000})
    for (unsigned seed = 0; seed < 4; ++seed) {
      check_adjacent<float, float>(n, tessera::minus{}, seed);
      check_adjacent<double, double>(n, tessera::minus{}, seed);
      check_adjacent<std::uint64_t, std::uint64_t>(n, tessera::minus{}, seed);
      check_adjacent<unsigned char, unsigned>(n, tessera::minus{}, seed);
      check_adjacent<int, char>(n, differ{}, seed);
      check_adjacent<row<6>, row<6>>(n, compose_rows<6>{}, seed);
      check_adjacent<row<64>, row<64>>(n, compose_rows<64>{}, seed);
    }
}

}  // namespace
