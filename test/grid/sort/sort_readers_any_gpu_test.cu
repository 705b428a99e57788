// Sorts of segments by iterators: against the calls by pointers to the same elements in memory.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <tessera/grid/scratch_bytes.hpp>
#include <tessera/grid/sort_segments.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "backend.hpp"
#include "iterators.hpp"
#include "memory_of_caller.hpp"
#include "read_elements.hpp"
#include "samples.hpp"
#include "segment_lengths.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSortReadersAny = WithWorkspace;

bool same_bytes(std::vector<float> const& a, std::vector<float> const& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// What a call by pointers gives of elements that a kernel has stored.
struct stored_elements {
  std::vector<float> x, transformed;

  explicit stored_elements(std::int64_t n) : x(drawn_values(n)) {
    for (float value : x) transformed.push_back(less_an_eighth<float>{}(value));
  }
};

TEST_F(GridSortReadersAny, Sorts) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size())) continue;
    auto const offsets = what.offsets<int>(2);
    std::int64_t const n = offsets.back() + 1, segments = static_cast<std::int64_t>(what.lengths.size());
    stored_elements const elements(n);
    std::vector<int> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    auto const size = static_cast<std::size_t>(n);
    std::vector<float> const before(size, -99.0f);
    gpu_array<int> const begins(offsets), values(numbers), values_out(numbers), want_values(numbers);
    gpu_array<float> const in(elements.x), stored(elements.transformed), out(before), stable(before), keys_out(before),
        want(before), want_keys(before);
    auto const by = begins.data();
    auto const read = thrust::make_transform_iterator(static_cast<float const*>(in.data()), less_an_eighth<float>{});
    thrust::counting_iterator<int> const counted(0);
    tessera::greater const falling;
    ASSERT_EQ(grid::stable_sort_segments(stored.data(), n, by, segments, want.data(), falling), cudaSuccess);
    ASSERT_EQ(
        grid::sort_segments_by_key(stored.data(), values.data(), n, by, segments, want_keys.data(), want_values.data()),
        cudaSuccess);
    ASSERT_EQ(grid::sort_segments(read, n, by, segments, out.data(), falling, memory), cudaSuccess);
    ASSERT_EQ(grid::stable_sort_segments(read, n, by, segments, stable.data(), falling, memory), cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(read, counted, n, by, segments, keys_out.data(), values_out.data(),
                                         tessera::less{}, memory),
              cudaSuccess);
    EXPECT_TRUE(same_bytes(stable.to_host(), want.to_host())) << what.name;
    EXPECT_EQ(out.to_host(), want.to_host()) << what.name;
    EXPECT_TRUE(same_bytes(keys_out.to_host(), want_keys.to_host())) << what.name;
    EXPECT_EQ(values_out.to_host(), want_values.to_host()) << what.name;
    // By begins and ends; of as many as the device knows; values alone, keys alone by an iterator.
    auto const between = grid::segments_between(begins.data(), begins.data() + 1);
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{segments});
    gpu_array<float> const listed(before), known(before), keys_of_memory(before), keys_in_place(before);
    gpu_array<int> const values_listed(numbers), values_known(numbers), values_in_place(numbers);
    ASSERT_EQ(grid::stable_sort_segments(read, n, between, segments, listed.data(), falling, memory), cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(stored.data(), counted, n, between, segments, keys_of_memory.data(),
                                         values_listed.data(), tessera::less{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(read, values.data(), n, by, grid::count_on_device(number.data(), segments),
                                         known.data(), values_known.data(), tessera::less{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(read, values_in_place.data(), n, by, segments, keys_in_place.data(),
                                         values_in_place.data(), tessera::less{}, memory),
              cudaSuccess);
    EXPECT_TRUE(same_bytes(listed.to_host(), want.to_host())) << what.name;
    for (auto const* got : {&known, &keys_of_memory, &keys_in_place})
      EXPECT_TRUE(same_bytes(got->to_host(), want_keys.to_host())) << what.name;
    for (auto const* got : {&values_known, &values_listed, &values_in_place})
      EXPECT_EQ(got->to_host(), want_values.to_host()) << what.name;
  }
}

struct city {
  int people, number;
};
struct larger {
  TESSERA_FN bool operator()(city const& a, city const& b) const { return a.people > b.people; }
};
struct city_of {
  TESSERA_FN city operator()(int i) const { return {i * 7919 % 1000, i}; }
};
/// Structs that nobody stores, from the last to the first; by a contiguous iterator; in segments of one length.
TEST_F(GridSortReadersAny, SortsOfOtherIterators) {
  int const count = 500, length = 123, n = count * length;
  auto const cities = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), city_of{});
  thrust::reverse_iterator const backwards(cities + n);
  gpu_array<city> const out(static_cast<std::size_t>(n));
  auto const segments = grid::segments_of_length(length);
  ASSERT_EQ(grid::sort_segments(backwards, n, segments, count, out.data(), larger{}, memory), cudaSuccess);
  auto const got = out.to_host();
  std::vector<city> expected;
  for (int i = n - 1; i >= 0; --i) expected.push_back(city_of{}(i));
  for (int s = 0; s < count; ++s)
    std::stable_sort(expected.begin() + s * length, expected.begin() + (s + 1) * length, larger{});
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(got[i].number, expected[i].number) << i;

  thrust::device_vector<float> x(static_cast<std::size_t>(n));
  auto const numbers = drawn_values(n);
  thrust::copy(numbers.begin(), numbers.end(), x.begin());
  gpu_array<float> const by_iterator(static_cast<std::size_t>(n)), by_pointer(static_cast<std::size_t>(n));
  float const* const pointer = thrust::raw_pointer_cast(x.data());
  ASSERT_EQ(grid::sort_segments(x.begin(), n, segments, count, by_iterator.data(), tessera::less{}, memory),
            cudaSuccess);
  ASSERT_EQ(grid::sort_segments(pointer, n, segments, count, by_pointer.data(), tessera::less{}, memory), cudaSuccess);
  EXPECT_TRUE(same_bytes(by_iterator.to_host(), by_pointer.to_host()));
  thrust::device_vector<float> sorted(x.size()), stable(x.size()), keys_out(x.size());
  thrust::device_vector<int> places(x.size());
  thrust::counting_iterator<int> const counted(0);
  ASSERT_EQ(grid::sort_segments(x.begin(), n, segments, count, sorted.begin(), tessera::less{}, memory), cudaSuccess);
  ASSERT_EQ(grid::stable_sort_segments(pointer, n, segments, count, stable.begin()), cudaSuccess);
  ASSERT_EQ(grid::sort_segments_by_key(x.begin(), counted, n, segments, count, keys_out.begin(), places.begin()),
            cudaSuccess);
  std::vector<float> const want = by_pointer.to_host();
  std::vector<float> got_sorted(want.size());
  std::vector<int> at(want.size());
  for (auto const* from : {&sorted, &stable, &keys_out}) {
    thrust::copy(from->begin(), from->end(), got_sorted.begin());
    EXPECT_TRUE(same_bytes(got_sorted, want));
  }
  thrust::copy(places.begin(), places.end(), at.begin());
  for (std::size_t i = 0; i < want.size(); ++i)
    ASSERT_EQ(std::memcmp(&numbers[static_cast<std::size_t>(at[i])], &want[i], sizeof(float)), 0) << i;
}

TEST_F(GridSortReadersAny, MemoryOfTheCaller) {
  std::int64_t const n = 100'000;
  gpu_array<float> const in(drawn_values(n)), out(static_cast<std::size_t>(n));
  gpu_array<int> const offsets(std::vector<int>{0, 5, 70, 50'000, 50'000, 100'000});
  auto const read = thrust::make_transform_iterator(static_cast<float const*>(in.data()), less_an_eighth<float>{});
  ASSERT_EQ(grid::sort_segments(read, n, offsets.data(), 5, out.data()), cudaSuccess);
  auto const want = out.to_host();
  check_in_memory_of_caller(
      grid::scratch_bytes(grid::call::sort_segments, n, sizeof(float)),
      [&](grid::execution on) {
        return grid::sort_segments(read, n, offsets.data(), 5, out.data(), tessera::less{}, on);
      },
      [&](char const* how) {
        EXPECT_TRUE(same_bytes(out.to_host(), want)) << how;
        check(cudaMemset(out.data(), 0, static_cast<std::size_t>(n) * sizeof(float)));
      });
}

TEST_F(GridSortReadersAny, Refusals) {
  gpu_array<float> const x(std::vector<float>(64, 1.0f));
  gpu_array<int> const offsets(std::vector<int>{0, 1, 2, 3});
  auto const read = thrust::make_transform_iterator(static_cast<float const*>(x.data()), less_an_eighth<float>{});
  int const* const nowhere = nullptr;
  float* const no_output = nullptr;
  auto* const numbers = reinterpret_cast<float*>(offsets.data());
  EXPECT_EQ(grid::sort_segments(read, -1, offsets.data(), 3, x.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_segments(read, 64, offsets.data(), -3, x.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_segments(read, 64, nowhere, 3, x.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_segments(read, 64, offsets.data(), 3, no_output), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_segments(read, 2, offsets.data(), 3, numbers), cudaErrorInvalidValue);
  EXPECT_EQ(grid::sort_segments(read, 0, nowhere, 3, no_output), cudaSuccess);
  thrust::counting_iterator<int> const counted(0);
  EXPECT_EQ(
      grid::sort_segments_by_key(read, counted, 64, offsets.data(), 3, x.data(), reinterpret_cast<int*>(x.data()) + 3),
      cudaErrorInvalidValue);
}

}  // namespace
