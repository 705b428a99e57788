// Random arrays and segments through grid::sort, argsort, sort_by_key and the sorts of segments.
#include <tessera/grid/sort.hpp>
#include <tessera/grid/sort_segments.hpp>

#include "drawn_offsets.hpp"
#include "random_gpu.hpp"
#include "sorted_reference.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using GridRandomSort = GridRandom;

/// Elements of one kind; of floats some get the other sign, NaNs too.
template <class T>
std::vector<T> drawn_keys(case_draw& from, std::int64_t n, std::string& text) {
  auto x = drawn<T>(from, n, text);
  if constexpr (is_any_float<T>) {
    for (T& value : x)
      if (from.chance(10)) value = -value;
  }
  return x;
}

template <class T>
void expect_same(std::vector<T> const& got, std::vector<T> const& expected, char const* what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_TRUE(same_bits(got[i], expected[i])) << what << ", element " << i;
}

template <class T, class Index, bool Falling>
void check_array(GridRandom& test, std::uint64_t seed) {
  using order = std::conditional_t<Falling, tessera::greater, tessera::less>;
  case_draw from(seed);
  std::int64_t const n = from.size(most_elements(from.chance(10) ? 1 << 22 : 1 << 16));
  auto const offset = static_cast<std::size_t>(from.chance(50) ? 0 : from.number(0, 40));
  std::string text = std::to_string(n) + " of " + std::to_string(sizeof(T)) + " bytes, offset " +
                     std::to_string(offset) + (Falling ? ", greater" : ", less");
  auto const x = drawn_keys<T>(from, n, text);
  SCOPED_TRACE(text);
  device_array<T> const in(x, offset), keys_out(x.size());
  auto const places = sorted_places(x, tile_order<Falling>{});
  std::vector<Index> const indices(places.begin(), places.end());
  std::vector<Index> numbers(x.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Index>(i);
  device_array<Index> const values(numbers, offset);
  auto const is = n > 0 ? pending_error::returned : pending_error::ignored;
  auto const sort = [&](T* out, grid::execution on) { return grid::stable_sort(in.data(), n, out, order{}, on); };
  auto const argsort = [&](Index* out, grid::execution on) { return grid::argsort(in.data(), n, out, order{}, on); };
  auto const sort_by_key = [&](Index* out, grid::execution on) {
    return grid::stable_sort_by_key(in.data(), values.data(), n, keys_out.data(), out, order{}, on);
  };
  expect_same(test.results<T>(n, sort, is), taken(x, places), "sort");
  expect_same(test.results<Index>(n, argsort, is), indices, "argsort");
  expect_same(test.results<Index>(n, sort_by_key, is), indices, "values");
  expect_same(keys_out.to_host(), taken(x, places), "keys");
  EXPECT_TRUE(all_same_bits(in.to_host(), x) && keys_out.guards_intact()) << "arguments have changed";
}

template <class T, class Value, class Offset, bool Falling>
void check_segments(GridRandom& test, std::uint64_t seed) {
  using order = std::conditional_t<Falling, tessera::greater, tessera::less>;
  case_draw from(seed);
  std::string text;
  auto const begins = drawn_offsets<Offset>(from, most_elements(from.chance(10) ? 1 << 22 : 1 << 16), text);
  auto const offset = static_cast<std::size_t>(from.chance(50) ? 0 : from.number(0, 40));
  auto const n = static_cast<std::int64_t>(begins.back()), segments = static_cast<std::int64_t>(begins.size()) - 1;
  text += ", " + std::to_string(sizeof(T)) + " bytes, offset " + std::to_string(offset) +
          (Falling ? ", greater" : ", less");
  auto const x = drawn_keys<T>(from, n, text);
  SCOPED_TRACE(text);
  auto const places = sorted_places(x, begins, tile_order<Falling>{});
  std::vector<Value> numbers(x.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Value>(i);
  device_array<T> const in(x, offset), keys_out(x.size());
  device_array<Value> const values(numbers, offset);
  device_array<Offset> const offsets(begins);
  auto const first = static_cast<std::size_t>(begins.front());
  auto const of_segments = [&](auto const& all) {
    return std::vector(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  };
  auto const sorted = test.results<T>(n, [&](T* out, grid::execution on) {
    return grid::sort_segments(in.data(), n, offsets.data(), segments, out, order{}, on);
  });
  auto const stable = test.results<T>(n, [&](T* out, grid::execution on) {
    return grid::stable_sort_segments(in.data(), n, offsets.data(), segments, out, order{}, on);
  });
  auto const moved = test.results<Value>(n, [&](Value* out, grid::execution on) {
    return grid::sort_segments_by_key(in.data(), values.data(), n, offsets.data(), segments, keys_out.data(), out,
                                      order{}, on);
  });
  auto const expected = taken(x, places);
  expect_same(of_segments(stable), of_segments(expected), "stable");
  expect_same(of_segments(keys_out.to_host()), of_segments(expected), "keys");
  expect_same(of_segments(moved), of_segments(taken(numbers, places)), "values");
  for (std::size_t i = first; i < sorted.size(); ++i)
    ASSERT_FALSE(tile_order<Falling>{}(sorted[i], expected[i]) || tile_order<Falling>{}(expected[i], sorted[i]))
        << "element " << i;
  EXPECT_TRUE(all_same_bits(in.to_host(), x) && keys_out.guards_intact()) << "arguments have changed";
}

TEST_F(GridRandomSort, Arrays) {
  each_random_case(0.1, [&](std::uint64_t seed) {
    switch (seed % 8) {
      case 0:
        return check_array<float, std::int32_t, false>(*this, seed);
      case 1:
        return check_array<double, std::int64_t, true>(*this, seed);
      case 2:
        return check_array<__half, std::int32_t, true>(*this, seed);
      case 3:
        return check_array<__nv_bfloat16, std::int64_t, false>(*this, seed);
      case 4:
        return check_array<std::int32_t, std::uint64_t, true>(*this, seed);
      case 5:
        return check_array<std::uint32_t, std::uint32_t, false>(*this, seed);
      case 6:
        return check_array<std::int64_t, std::int32_t, false>(*this, seed);
      default:
        return check_array<std::uint64_t, std::int64_t, true>(*this, seed);
    }
  });
}

TEST_F(GridRandomSort, Segments) {
  each_random_case(0.15, [&](std::uint64_t seed) {
    switch (seed % 8) {
      case 0:
        return check_segments<float, std::int32_t, std::int32_t, true>(*this, seed);
      case 1:
        return check_segments<double, std::int64_t, std::int64_t, false>(*this, seed);
      case 2:
        return check_segments<__half, std::int32_t, std::int32_t, false>(*this, seed);
      case 3:
        return check_segments<__nv_bfloat16, double, std::int64_t, true>(*this, seed);
      case 4:
        return check_segments<std::int32_t, float, std::int64_t, false>(*this, seed);
      case 5:
        return check_segments<std::uint32_t, std::uint64_t, std::uint32_t, true>(*this, seed);
      case 6:
        return check_segments<std::int64_t, std::int32_t, std::int32_t, true>(*this, seed);
      default:
        return check_segments<std::uint64_t, std::uint64_t, std::uint64_t, false>(*this, seed);
    }
  });
}

}  // namespace
