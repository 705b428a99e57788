// Random scans by key and of segments, bounds and merges through the library's plain C++ interface. (The tests of each call have
// floats; integers are exact in any order.)
#include <tessera/grid/merge.hpp>
#include <tessera/grid/scan_by_key.hpp>
#include <tessera/grid/scan_segments.hpp>
#include <tessera/grid/search.hpp>

#include <algorithm>

#include "random_gpu.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomSearches = GridRandom;

/// Lengths of so many elements in all, none of them 0.
std::vector<std::int64_t> drawn_lengths(case_draw& from, std::int64_t n, std::string& text) {
  std::int64_t const longest = from.one_of<std::int64_t>({1, 3, 40, 600, 100000, n});
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = n; left > 0; left -= lengths.back())
    lengths.push_back(std::min(left, std::max<std::int64_t>(1, from.size(longest))));
  text += std::to_string(n) + " elements in runs of up to " + std::to_string(longest);
  return lengths;
}

template <class T>
std::vector<T> scanned(std::vector<T> const& x, std::size_t begin, std::vector<std::int64_t> const& lengths,
                       bool exclusive, T start) {
  using U = std::make_unsigned_t<T>;
  std::vector<T> out(x);
  std::size_t i = begin;
  for (std::int64_t length : lengths) {
    T sum = exclusive ? start : T(0);
    for (std::int64_t k = 0; k < length; ++k, ++i) {
      T const before = sum;
      sum = static_cast<T>(static_cast<U>(sum) + static_cast<U>(x[i]));
      out[i] = exclusive ? before : sum;
    }
  }
  return out;
}

template <class T, class Key>
void check_keys(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  std::string text;
  std::int64_t const n = from.size(most_elements(from.chance(20) ? 1 << 21 : 1 << 16));
  auto const lengths = drawn_lengths(from, n, text);
  auto const x = drawn<T>(from, n, text);
  std::vector<Key> keys;
  for (std::int64_t length : lengths)
    keys.insert(keys.end(), static_cast<std::size_t>(length),
                static_cast<Key>(keys.empty() ? from.bits() : keys.back() + 1 + from.bits() % 5));
  auto const offset = static_cast<std::size_t>(from.chance(50) ? 0 : from.number(0, 9));
  T const start = static_cast<T>(from.number(0, 100));
  bool const exclusive = from.chance(50);
  SCOPED_TRACE(text + ", offset " + std::to_string(offset) + (exclusive ? ", exclusive" : ""));
  device_array<T> const in(x, offset);
  device_array<Key> const all_keys(keys, offset / 2);
  auto const got = test.results<T>(n, [&](T* out, grid::execution on) {
    return exclusive ? grid::exclusive_scan_by_key(all_keys.data(), in.data(), n, out, tessera::plus{}, start, on)
                     : grid::inclusive_scan_by_key(all_keys.data(), in.data(), n, out, tessera::plus{}, on);
  });
  EXPECT_TRUE(got == scanned(x, 0, lengths, exclusive, start));
  EXPECT_TRUE(in.to_host() == x && all_keys.to_host() == keys) << "arguments have changed";
}

template <class T, class Offset>
void check_segments(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  std::string text;
  std::int64_t const count = from.size(most_elements(from.chance(20) ? 1 << 21 : 1 << 16));
  auto const lengths = drawn_lengths(from, count, text);
  int const empty = from.one_of({0, 10, 95});
  std::vector<Offset> begins;
  Offset end = static_cast<Offset>(from.chance(50) ? 0 : from.number(0, 9));
  auto const first = static_cast<std::size_t>(end);
  for (std::int64_t length : lengths) {
    do begins.push_back(end);
    while (from.chance(empty) && begins.size() < std::size_t{1} << 20);
    end = static_cast<Offset>(end + length);
  }
  begins.push_back(end);
  std::int64_t const n = static_cast<std::int64_t>(end) + from.number(0, 5);
  auto const x = drawn<T>(from, n, text);
  bool const exclusive = from.chance(50);
  SCOPED_TRACE(text + ", " + std::to_string(empty) + " % empty" + (exclusive ? ", exclusive" : ""));
  device_array<T> const in(x, first % 3);
  device_array<Offset> const offsets(begins);
  auto const segments = static_cast<std::int64_t>(begins.size()) - 1;
  device_array<T> const out(x, 1), again(x, 2);
  T const start = static_cast<T>(from.number(0, 100));
  test.run_twice([&](int i, grid::execution on) {
    T* const to = i == 0 ? out.data() : again.data();
    return exclusive
               ? grid::exclusive_scan_segments(in.data(), n, offsets.data(), segments, to, tessera::plus{}, start, on)
               : grid::inclusive_scan_segments(in.data(), n, offsets.data(), segments, to, tessera::plus{}, on);
  });
  auto const expected = scanned(x, first, lengths, exclusive, start);
  EXPECT_TRUE(out.to_host() == expected && again.to_host() == expected);
  EXPECT_TRUE(out.guards_intact() && again.guards_intact());
}

template <class T>
void check_sorted(GridRandom& test, std::uint64_t seed) {
  case_draw from(seed);
  std::string text;
  auto a = drawn<T>(from, from.size(most_elements(1 << 19)), text);
  auto b = drawn<T>(from, from.size(most_elements(1 << 19)), text);
  tessera::less const before;
  std::stable_sort(a.begin(), a.end(), before);
  auto const needles = b;
  std::stable_sort(b.begin(), b.end(), before);
  SCOPED_TRACE(std::to_string(a.size()) + " and " + std::to_string(b.size()) + text);
  auto const na = static_cast<std::int64_t>(a.size()), nb = static_cast<std::int64_t>(b.size());
  device_array<T> const first(a, static_cast<std::size_t>(from.number(0, 5))),
      second(b, static_cast<std::size_t>(from.number(0, 5))), some(needles);
  auto const merged = test.results<T>(na + nb, [&](T* out, grid::execution on) {
    return grid::merge(first.data(), na, second.data(), nb, out, before, on);
  });
  std::vector<T> expected(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), before);
  EXPECT_TRUE(all_same_bits(merged, expected));
  auto const lower = test.results<int>(nb, [&](int* out, grid::execution on) {
    return grid::lower_bound(first.data(), na, some.data(), nb, out, before, on);
  });
  auto const upper = test.results<std::int64_t>(nb, [&](std::int64_t* out, grid::execution on) {
    return grid::upper_bound(first.data(), na, some.data(), nb, out, before, on);
  });
  for (std::size_t i = 0; i < needles.size() && !testing::Test::HasFailure(); ++i) {
    auto const range = std::equal_range(a.begin(), a.end(), needles[i], before);
    EXPECT_EQ(lower[i], range.first - a.begin()) << "needle " << i;
    EXPECT_EQ(upper[i], range.second - a.begin()) << "needle " << i;
  }
}

TEST_F(GridRandomSearches, ScansByKey) {
  each_random_case(0.1, [&](std::uint64_t seed) {
    switch (seed % 4) {
      case 0:
        return check_keys<std::uint32_t, std::int32_t>(*this, seed);
      case 1:
        return check_keys<std::int64_t, std::uint32_t>(*this, seed);
      case 2:
        return check_keys<std::uint32_t, std::int64_t>(*this, seed);
      default:
        return check_keys<std::uint64_t, std::uint64_t>(*this, seed);
    }
  });
}
TEST_F(GridRandomSearches, ScansOfSegments) {
  each_random_case(0.1, [&](std::uint64_t seed) {
    switch (seed % 4) {
      case 0:
        return check_segments<std::uint32_t, std::int32_t>(*this, seed);
      case 1:
        return check_segments<std::int32_t, std::uint64_t>(*this, seed);
      case 2:
        return check_segments<std::uint64_t, std::int64_t>(*this, seed);
      default:
        return check_segments<std::int64_t, std::uint32_t>(*this, seed);
    }
  });
}
TEST_F(GridRandomSearches, BoundsAndMerges) {
  each_random_case(0.1, [&](std::uint64_t seed) {
    switch (seed % 6) {
      case 0:
        return check_sorted<float>(*this, seed);
      case 1:
        return check_sorted<double>(*this, seed);
      case 2:
        return check_sorted<std::int32_t>(*this, seed);
      case 3:
        return check_sorted<std::uint32_t>(*this, seed);
      case 4:
        return check_sorted<std::int64_t>(*this, seed);
      default:
        return check_sorted<std::uint64_t>(*this, seed);
    }
  });
}

}  // namespace
