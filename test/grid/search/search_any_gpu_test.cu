// find_if, count_if, bounds and merges by any order, and adjacent differences, of arrays of any type.
#include <tessera/grid/adjacent_difference.cuh>
#include <tessera/grid/merge.cuh>
#include <tessera/grid/search.cuh>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "backend.hpp"
#include "samples.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSearchAny = WithWorkspace;

struct is_marked {
  template <class T>
  TESSERA_FN bool operator()(T const& x) const {
    return reinterpret_cast<unsigned char const&>(x) != 0;
  }
};

struct same_first_byte {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    return is_marked{}(a) == is_marked{}(b);
  }
};

/// With elements marked at these places; the first of them is found, and all are counted.
template <class T>
void check_find(grid::workspace& memory, std::int64_t n, std::vector<std::int64_t> const& places, std::size_t offset) {
  std::vector<T> x(static_cast<std::size_t>(n) + offset);
  std::memset(x.data(), 0, x.size() * sizeof(T));
  std::int64_t first = n, count = 0;
  for (std::int64_t at : places) {
    if (at < 0 || at >= n) continue;
    auto& byte = reinterpret_cast<unsigned char&>(x[static_cast<std::size_t>(at) + offset]);
    count += byte == 0;
    byte = 1;
    first = std::min(first, at);
  }
  gpu_array<T> const in(x);
  gpu_array<std::int64_t> const out(2);
  for (int turn = 0; turn < 3; ++turn) {
    grid::execution const on = turn == 1 ? nullptr : grid::execution(memory);
    ASSERT_EQ(grid::find_if(in.data() + offset, n, is_marked{}, out.data(), on), cudaSuccess);
    ASSERT_EQ(grid::count_if(in.data() + offset, n, is_marked{}, out.data() + 1, on), cudaSuccess);
    ASSERT_EQ(out.to_host(), (std::vector<std::int64_t>{first, count})) << n << ", " << sizeof(T) << " bytes";
  }
}

TEST_F(GridSearchAny, FindAndCount) {
  for (std::int64_t n : {0, 1, 31, 4095, 4096, 4097, 100003, 30000001}) {
    if (!is_worth(n)) continue;
    for (std::size_t offset : {0, 1, 3}) {
      check_find<float>(memory, n, {}, offset);
      check_find<float>(memory, n, {n - 1}, offset);
      check_find<float>(memory, n, {n / 2, n / 2 + 1, n - 1, n / 3 * 2}, offset);
      check_find<char>(memory, n, {n / 2, n / 7, n - 1}, offset);
      check_find<double>(memory, n, {0}, offset);
      if (n < 1000000) check_find<row<12>>(memory, n, {n / 2, n - 1}, offset);
      if (n < 1000000) check_find<row<64>>(memory, n, {n - 1}, offset);
    }
  }
}

template <class T>
void check_mismatch(grid::workspace& memory, std::int64_t n, std::int64_t at, std::size_t offset) {
  std::vector<T> x(static_cast<std::size_t>(n) + offset);
  std::memset(x.data(), 0, x.size() * sizeof(T));
  gpu_array<T> const a(x);
  if (at < n) reinterpret_cast<unsigned char&>(x[static_cast<std::size_t>(at) + offset]) = 1;
  gpu_array<T> const b(x);
  gpu_array<std::int64_t> const index(1);
  gpu_array<unsigned char> const same(1);
  auto const is_same = same_first_byte{};
  ASSERT_EQ(grid::mismatch(a.data() + offset, b.data() + offset, n, index.data(), is_same, memory), cudaSuccess);
  ASSERT_EQ(grid::equal(a.data() + offset, b.data() + offset, n, reinterpret_cast<bool*>(same.data()), is_same),
            cudaSuccess);
  EXPECT_EQ(index.to_host()[0], at < n ? at : n) << n << ", " << sizeof(T) << " bytes";
  EXPECT_EQ(same.to_host()[0], at < n ? 0 : 1);
}
TEST_F(GridSearchAny, EqualAndMismatch) {
  for (std::int64_t n : worthwhile({0, 1, 31, 4095, 4097, 100003, 30000001}))
    for (std::int64_t at : {n, n - 1, n / 2, std::int64_t{0}}) {
      if (at < 0) continue;
      check_mismatch<float>(memory, n, at, 0);
      check_mismatch<char>(memory, n, at, 3);
      if (n < 1000000) check_mismatch<row<12>>(memory, n, at, 1);
    }
  float const nan = std::numeric_limits<float>::quiet_NaN();
  gpu_array<float> const a(std::vector<float>{1, nan, 0.0f, 2}), b(std::vector<float>{1, nan, -0.0f, 3});
  gpu_array<std::int64_t> const index(1);
  ASSERT_EQ(grid::mismatch(a.data(), b.data(), 4, index.data()), cudaSuccess);
  EXPECT_EQ(index.to_host()[0], 3) << "NaNs are equal, as are both zeros";
  std::int64_t* const nowhere = nullptr;
  EXPECT_EQ(grid::mismatch(a.data(), b.data(), 4, nowhere), cudaErrorInvalidValue);
  EXPECT_EQ(grid::mismatch(a.data(), b.data(), -1, index.data()), cudaErrorInvalidValue);
}

struct at_least {
  std::int64_t least;
  template <class T>
  TESSERA_FN bool operator()(T const&, std::int64_t index) const {
    return index >= least;
  }
};
TEST_F(GridSearchAny, PredicatesOfIndices) {
  gpu_array<int> const in(std::vector<int>(200000, 1));
  gpu_array<std::int64_t> const out(2);
  ASSERT_EQ(grid::find_if(in.data(), 200000, at_least{123456}, out.data(), memory), cudaSuccess);
  ASSERT_EQ(grid::count_if(in.data(), 200000, at_least{123456}, out.data() + 1, memory), cudaSuccess);
  EXPECT_EQ(out.to_host(), (std::vector<std::int64_t>{123456, 200000 - 123456}));
}

/// Structs by one of their members, and needles of that member's type.
struct event {
  int time, number;
  unsigned char more[8];
};
struct happens_before {
  TESSERA_FN bool operator()(event const& a, event const& b) const { return a.time < b.time; }
  TESSERA_FN bool operator()(event const& a, int b) const { return a.time < b; }
  TESSERA_FN bool operator()(int a, event const& b) const { return a < b.time; }
};
std::vector<event> drawn_events(std::int64_t n, std::uint64_t seed) {
  random_engine random(seed);
  std::vector<event> events(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < events.size(); ++i)
    events[i] = {static_cast<int>(random() % 5000), static_cast<int>(i + seed * 1000000), {}};
  std::stable_sort(events.begin(), events.end(), happens_before{});
  return events;
}

TEST_F(GridSearchAny, BoundsByMembers) {
  auto const events = drawn_events(20000, 1);
  std::vector<int> needles;
  for (int i = 0; i < 1 << 20; ++i) needles.push_back(i % 5006 - 3);  // so many that blocks load samples
  gpu_array<event> const sorted(events);
  gpu_array<int> const some(needles), out(needles.size());
  auto const count = static_cast<std::int64_t>(needles.size());
  ASSERT_EQ(grid::upper_bound(sorted.data(), 20000, some.data(), count, out.data(), happens_before{}), cudaSuccess);
  auto const got = out.to_host();
  for (std::size_t i = 0; i < needles.size(); ++i)
    ASSERT_EQ(got[i], std::upper_bound(events.begin(), events.end(), needles[i], happens_before{}) - events.begin());
}

TEST_F(GridSearchAny, StableMerges) {
  for (std::int64_t na : {0, 1, 5000, 300000})
    for (std::int64_t nb : {1, 767, 768, 100000}) {
      if (!is_worth(na + nb)) continue;
      auto const a = drawn_events(na, 1), b = drawn_events(nb, 2);
      std::vector<event> expected(a.size() + b.size());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), happens_before{});
      gpu_array<event> const first(a), second(b), out(expected.size());
      ASSERT_EQ(grid::merge(first.data(), na, second.data(), nb, out.data(), happens_before{}), cudaSuccess);
      auto const got = out.to_host();
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i].number, expected[i].number) << i;
    }
}

template <class T, class Out, class Op>
void check_adjacent(std::int64_t n, std::size_t offset, Op op) {
  random_engine random(7);
  std::vector<T> x(static_cast<std::size_t>(n) + offset);
  for (auto& value : x) value = sample<T>(random);
  gpu_array<T> const in(x);
  gpu_array<Out> const out(x.size());
  ASSERT_EQ(grid::adjacent_difference(in.data() + offset, n, out.data() + offset, op), cudaSuccess);
  auto const got = out.to_host();
  for (std::size_t i = offset; i < x.size(); ++i) {
    Out const expected = static_cast<Out>(i == offset ? x[i] : op(x[i], x[i - 1]));
    ASSERT_EQ(std::memcmp(&got[i], &expected, sizeof(Out)), 0) << i << " of " << n << ", offset " << offset;
  }
}
struct differ {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    return a != b;
  }
};
TEST_F(GridSearchAny, AdjacentDifferences) {
  for (std::int64_t n : {1, 31, 4095, 4096, 4097, 1000003}) {
    if (!is_worth(n)) continue;
    for (std::size_t offset : {0, 1, 2}) {
      check_adjacent<float, float>(n, offset, tessera::minus{});
      check_adjacent<std::int64_t, std::int64_t>(n, offset, tessera::minus{});
      check_adjacent<unsigned char, int>(n, offset, differ{});
      check_adjacent<row<12>, row<12>>(n, offset, compose_rows<12>{});
    }
  }
}

TEST_F(GridSearchAny, BadArgumentsTouchNothing) {
  gpu_array<int> const in(std::vector<int>(100, 1));
  gpu_array<std::int64_t> const place(1);
  int const* const none = nullptr;
  std::int64_t* const nowhere = nullptr;
  EXPECT_EQ(grid::find_if(none, 3, is_marked{}, place.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::find_if(in.data(), -1, is_marked{}, place.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::find_if(in.data(), 3, is_marked{}, nowhere), cudaErrorInvalidValue);
  EXPECT_EQ(grid::find_if(in.data(), 3, is_marked{}, reinterpret_cast<std::int64_t*>(in.data())),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::count_if(in.data(), -1, is_marked{}, place.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::adjacent_difference(in.data(), 50, in.data()), cudaErrorInvalidValue) << "not in place";
  EXPECT_EQ(grid::adjacent_difference(none, 5, in.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::adjacent_difference(none, 0, in.data()), cudaSuccess);
}

}  // namespace
