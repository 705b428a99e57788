// Searches of known ranges; the oracle has types, policies and sequences of calls.
#include <tessera/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "all_true.hpp"

namespace {

using namespace test;

/// A sorted range: each element occurs three times, but the first one once.
struct sorted_range {
  static constexpr int length = 1000;
  int at[length];

  constexpr sorted_range() : at() {
    for (int i = 0; i < length; ++i) at[i] = (i + 2) / 3;
  }
};
#if TESSERA_CUDA
__device__
#endif
    constexpr sorted_range thirds;

/// Searches for keys before, in and after the range: every result as a plain loop has it.
struct finds_all {
  template <class Tile>
  TESSERA_FN unsigned operator()(Tile const& tile, unsigned) const {
    int const* const range = thirds.at;
    bool right = true;
    for (int n : {0, 1, 2, 5, 31, 33, 100, 1000}) {
      for (int key : {-1, 0, 1, 7, n / 3, 400}) {
        int lower = 0, upper = 0;
        for (int i = 0; i < n; ++i) lower += range[i] < key ? 1 : 0, upper += range[i] <= key ? 1 : 0;
        right = right && tessera::lower_bound(tile, range, n, key) == lower;
        right = right && tessera::upper_bound(tile, range, n, key) == upper;
        right = right && tessera::lower_bound(range, n, key) == lower;
        right = right && tessera::upper_bound(range, n, key) == upper;
        auto const equal = tessera::equal_range(tile, range, n, key);
        right = right && equal.begin == lower && equal.end == upper;
        right = right && tessera::binary_search(tile, range, n, key) == (lower < upper);
        auto const own = tessera::equal_range(range, n, key);
        right = right && own.begin == lower && own.end == upper;
        right = right && tessera::binary_search(range, n, key) == (lower < upper);
        right = right && tessera::find_first(tile, range, n, key) == (lower < upper ? lower : n);
        right = right && tessera::find_if(tile, range, n, [=](int x) { return x > key; }) == upper;
      }
    }
    return right ? 1u : 0u;
  }
};

template <unsigned... N>
void check_finds_all() {
  for_each_size(sizes<N...>{}, [](auto n) { check_all_true_in_block<decltype(n)::value>(finds_all{}); });
}
TEST(Search, AsAPlainLoop) {
  SKIP_WITHOUT_BACKEND();
  check_finds_all<1, 2, 8, 32, 64, 256>();
}

TEST(Search, MergePathTakesEqualElementsFromTheFirstRange) {
  int const a[] = {1, 3, 3, 5}, b[] = {2, 3, 9};
  int const of_a[] = {0, 1, 1, 2, 3, 3, 4, 4};
  for (int diagonal = 0; diagonal <= 7; ++diagonal) {
    EXPECT_EQ(tessera::merge_path(a, 4, b, 3, diagonal), of_a[diagonal]) << diagonal;
    EXPECT_EQ(tessera::merge_path(a, 0, b, 3, diagonal < 3 ? diagonal : 3), 0);
    EXPECT_EQ(tessera::merge_path(a, 4, b, 0, diagonal < 4 ? diagonal : 4), diagonal < 4 ? diagonal : 4);
  }
}

/// Elements with the same tens are equal.
struct less_tens {
  TESSERA_FN bool operator()(int a, int b) const { return a / 10 < b / 10; }
};

/// A key a lane beside std::equal_range and std::binary_search, in ranges with many elements that are equal by `before`.
template <class Integer, class Before>
void check_keys_of_lanes(Before before) {
  std::mt19937 random{20261125};
  for (int const n : {-3, 0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 127}) {
    for (int const kinds : {1, 2, 5, 1000}) {
      std::vector<int> range(static_cast<std::size_t>(n > 0 ? n : 0));
      for (int& x : range) x = static_cast<int>(random() % static_cast<unsigned>(kinds));
      std::sort(range.begin(), range.end(), before);
      int const* const first = range.data();
      Integer const length = static_cast<Integer>(std::is_signed<Integer>::value || n > 0 ? n : 0);
      for (int key = -1; key <= kinds; key += 1 + kinds / 100) {
        SCOPED_TRACE(::testing::Message() << "n " << n << ", kinds " << kinds << ", key " << key);
        auto const [begin, end] = std::equal_range(range.begin(), range.end(), key, before);
        auto const found = tessera::equal_range(first, length, key, before);
        static_assert(std::is_same<decltype(found.begin), Integer>::value, "the type of n");
        ASSERT_EQ(static_cast<std::ptrdiff_t>(found.begin), begin - range.begin());
        ASSERT_EQ(static_cast<std::ptrdiff_t>(found.end), end - range.begin());
        ASSERT_EQ(tessera::binary_search(first, length, key, before),
                  std::binary_search(range.begin(), range.end(), key, before));
      }
    }
  }
}
TEST(Search, KeysOfLanesAsTheStandardLibrary) {
  auto const check = [](auto before) {
    check_keys_of_lanes<int>(before);
    check_keys_of_lanes<std::int8_t>(before);
    check_keys_of_lanes<unsigned>(before);
    check_keys_of_lanes<std::int64_t>(before);
  };
  check(tessera::less{});
  check(tessera::greater{});
  check(std::less<int>{});
  check(less_tens{});
}

struct above {
  TESSERA_FN bool operator()(double x, int key) const { return x > key; }
};
/// Both orders of the arguments, which calls with two comparisons need.
struct above_or_below : above {
  using above::operator();
  TESSERA_FN bool operator()(int key, double x) const { return key > x; }
};
TEST(Search, FallingRangesAndKeysOfAnotherType) {
  double const falling[] = {9, 7.5, 7.5, 3};
  EXPECT_EQ(tessera::lower_bound(falling, 4, 7.5, tessera::greater{}), 1);
  EXPECT_EQ(tessera::upper_bound(falling, 4, 7.5, tessera::greater{}), 3);
  EXPECT_EQ(tessera::lower_bound(falling, 4, 8, above{}), 1);
  EXPECT_EQ(tessera::equal_range(falling, 4, 9, above_or_below{}).end, 1);
  EXPECT_EQ(tessera::equal_range(falling, 4, 7, above_or_below{}).begin, 3);
  EXPECT_TRUE(tessera::binary_search(falling, 4, 3, above_or_below{}));
  EXPECT_FALSE(tessera::binary_search(falling, 4, 7, above_or_below{}));
}
/// less, greater and equal_to compare numbers of two types: integers by their values, whatever their signs.
TEST(Search, KeysAreOfAnyTypeOfNumbers) {
  double const rising[] = {1, 2, 2.5, 4};
  EXPECT_EQ(tessera::lower_bound(rising, 4, 2.5f), 2);
  EXPECT_EQ(tessera::upper_bound(rising, 4, 2), 2);
  EXPECT_TRUE(tessera::binary_search(rising, 4, 4u));
  int const signs[] = {-7, -1, 3};
  EXPECT_EQ(tessera::lower_bound(signs, 3, 0u), 2);
  EXPECT_EQ(tessera::lower_bound(signs, 3, ~0ull), 3);
  unsigned const high[] = {5, 0x80000000u, 0xffffffffu};
  EXPECT_EQ(tessera::upper_bound(high, 3, -1), 0);
  EXPECT_EQ(tessera::lower_bound(high, 3, static_cast<signed char>(6)), 1);
  EXPECT_TRUE(tessera::less{}(-1, 1u) && !tessera::less{}(1u, -1) && tessera::greater{}(1u, -1));
  EXPECT_TRUE(tessera::equal_to{}(1, 1.0) && !tessera::equal_to{}(-1, ~0u));
  float const nan = __builtin_nanf("");
  EXPECT_TRUE(tessera::less{}(1, nan) && !tessera::less{}(nan, 1) && tessera::equal_to{}(nan, double{nan}));
}

/// std::less means this library's less, by which a sort puts NaNs last.
TEST(Search, NansComeLast) {
  float const nan = __builtin_nanf(""), a[] = {1, 5, nan}, b[] = {2, nan};
  int const of_a[] = {0, 1, 1, 2, 3, 3};
  for (int diagonal = 0; diagonal <= 5; ++diagonal)
    EXPECT_EQ(tessera::merge_path(a, 3, b, 2, diagonal, std::less<>{}), of_a[diagonal]) << diagonal;
  EXPECT_EQ(tessera::lower_bound(a, 3, nan, std::less<float>{}), 2);
  EXPECT_EQ(tessera::upper_bound(a, 3, 7.0f, std::less<>{}), 2);
  EXPECT_EQ(tessera::equal_range(a, 3, nan).begin, 2);
  EXPECT_EQ(tessera::equal_range(a, 3, nan, std::less<>{}).end, 3);
  EXPECT_TRUE(tessera::binary_search(a, 3, nan));
  EXPECT_FALSE(tessera::binary_search(a, 3, 7.0f));
}

/// All lengths that an index type has, up to the greatest ones of short.
template <class Integer>
void check_lengths() {
  int const most = std::numeric_limits<Integer>::max();
  std::vector<int> a, b;
  for (int i = 0; i < most; ++i) {
    a.push_back(2 * i);
    b.push_back(2 * i + 1);
  }
  for (int n = most > 1000 ? most - 5 : 0; n <= most; ++n) {
    auto const length = static_cast<Integer>(n);
    for (int at : {0, n / 2, n - 1, n}) {
      if (at < 0) continue;
      EXPECT_EQ(tessera::lower_bound(a.data(), length, 2 * at), at) << n;
      EXPECT_EQ(tessera::upper_bound(a.data(), length, 2 * at - 1), at) << n;
      auto const diagonal = static_cast<Integer>(at);
      EXPECT_EQ(tessera::merge_path(a.data(), length, b.data(), length, diagonal), (at + 1) / 2) << n;
      EXPECT_EQ(tessera::merge_path(b.data(), length, a.data(), length, diagonal), at / 2) << n;
    }
  }
}
TEST(Search, ShortIndices) {
  check_lengths<signed char>();
  check_lengths<unsigned char>();
  check_lengths<short>();
  check_lengths<unsigned short>();
}

}  // namespace
