// Sorts of arrays of any type in any order (sort.cuh), and CUB's DeviceRadixSort beside them.
#include <cub/device/device_radix_sort.cuh>

#include <tessera/grid/sort.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "sorted_types.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSortAny = WithWorkspace;

std::int64_t const sizes[] = {0, 1, 2, 33, 1000, 4095, 4097, 65537, 600011};

/// An array, and what a stable sort makes of it.
template <class T, class Before>
struct sorted_array {
  std::vector<T> x, expected;
  std::vector<std::int64_t> places;  // which element comes first, and so on

  sorted_array(std::int64_t n, Before before) : places(static_cast<std::size_t>(n)) {
    random_engine random(static_cast<std::uint64_t>(n));
    for (std::int64_t i = 0; i < n; ++i) x.push_back(drawn_one<T>(random, static_cast<int>(i)));
    std::iota(places.begin(), places.end(), std::int64_t{0});
    std::stable_sort(places.begin(), places.end(), [&](std::int64_t i, std::int64_t j) {
      return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
    });
    for (auto place : places) expected.push_back(x[static_cast<std::size_t>(place)]);
  }
};
/// Calls check(sorted_array, n) for arrays of many sizes.
template <class T, class Before, class Check>
void for_sorted_arrays(Before before, Check check) {
  for (std::int64_t n : sizes) {
    if (is_worth(n)) check(sorted_array<T, Before>(n, before), n);
  }
}

template <class T, class Before>
void check_sort(grid::workspace& memory, Before before) {
  for_sorted_arrays<T>(before, [&](auto const& a, std::int64_t n) {
    array_of<T> const in(a.x), out(a.x), own(a.x);
    ASSERT_EQ(grid::stable_sort(in.data(), n, out.data(), before, memory), cudaSuccess);
    ASSERT_EQ(grid::sort(own.data(), n, own.data(), before), cudaSuccess);
    auto const bytes = bytes_of(a.expected.data(), a.expected.size());
    EXPECT_EQ(out.to_host(), bytes) << n;
    EXPECT_EQ(own.to_host(), bytes) << n;
  });
}
template <class T, class Before>
void check_argsort(grid::workspace& memory, Before before) {
  for_sorted_arrays<T>(before, [&](auto const& a, std::int64_t n) {
    array_of<T> const in(a.x);
    gpu_array<std::int64_t> const indices(a.places.size());
    ASSERT_EQ(grid::argsort(in.data(), n, indices.data(), before, memory), cudaSuccess);
    EXPECT_EQ(indices.to_host(), a.places) << n;
  });
}
template <class T, class Before>
void check_sort_by_key(grid::workspace& memory, Before before) {
  for_sorted_arrays<T>(before, [&](auto const& a, std::int64_t n) {
    array_of<T> const in(a.x), keys_out(a.x);
    std::vector<row<12>> rows(a.x.size());
    for (std::size_t i = 0; i < rows.size(); ++i) std::memcpy(&rows[i], &i, sizeof(i));
    gpu_array<row<12>> const values(rows), values_out(rows);
    ASSERT_EQ(grid::stable_sort_by_key(in.data(), values.data(), n, keys_out.data(), values_out.data(), before, memory),
              cudaSuccess);
    EXPECT_EQ(keys_out.to_host(), bytes_of(a.expected.data(), a.expected.size())) << n;
    auto const moved = values_out.to_host();
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_EQ(std::memcmp(&moved[i], &rows[static_cast<std::size_t>(a.places[i])], 12), 0) << n;
  });
}

#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridSortAny, StructsOfThreeBytes) {
  check_sort<name>(memory, in_the_alphabet{});
}
/// Floats without NaN: to the bit what CUB gives, with -0 and +0 in their order.
TEST_F(GridSortAny, AsCub) {
  for (std::int64_t n : sizes) {
    if (!is_worth(n)) continue;
    auto const size = static_cast<std::size_t>(n);
    random_engine random(6);
    std::vector<float> x(size);
    for (auto& value : x) value = random() % 8 == 0 ? (random() % 2 == 0 ? 0.0f : -0.0f) : sample<float>(random);
    gpu_array<float> const in(x), ours(size), cubs(size);
    std::size_t bytes = 0;
    ASSERT_EQ(cub::DeviceRadixSort::SortKeys(nullptr, bytes, in.data(), cubs.data(), n), cudaSuccess);
    gpu_array<char> const scratch(bytes + 1);
    ASSERT_EQ(cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, in.data(), cubs.data(), n), cudaSuccess);
    ASSERT_EQ(grid::stable_sort(in.data(), n, ours.data(), tessera::less{}, memory), cudaSuccess);
    auto const a = ours.to_host(), b = cubs.to_host();
    EXPECT_TRUE(n == 0 || std::memcmp(a.data(), b.data(), size * sizeof(float)) == 0) << n;
  }
}
#endif

// By CUB's merge sort:
#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridSortAny, Structs) {
  check_sort<city>(memory, larger_city{});
  check_argsort<city>(memory, larger_city{});
  check_sort_by_key<city>(memory, larger_city{});
}
#endif
// By its radix sort:
#if TESSERA_TEST_HAS_PART(2)
TEST_F(GridSortAny, Shorts) {
  check_sort<std::int16_t>(memory, tessera::greater{});
  check_argsort<std::int16_t>(memory, tessera::greater{});
}
#endif
#if TESSERA_TEST_HAS_PART(3)
TEST_F(GridSortAny, Bytes) {
  check_sort<std::uint8_t>(memory, tessera::less{});
  check_sort_by_key<std::uint8_t>(memory, tessera::less{});
}
#endif

}  // namespace
