// Sorts of segments of any type in any order (sort_segments.cuh).
#include <tessera/grid/sort_segments.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>

#include "memory_of_caller.hpp"
#include "segment_lengths.hpp"
#include "sorted_types.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSortSegmentsAny = WithWorkspace;

template <class T, class Before>
void check_segments(grid::workspace& memory, Before before) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size())) continue;
    auto const offsets = what.offsets<int>(1);
    auto const size = static_cast<std::size_t>(offsets.back()) + 1;
    auto const n = static_cast<std::int64_t>(size), segments = static_cast<std::int64_t>(what.lengths.size());
    random_engine random(5);
    std::vector<T> x;
    for (std::size_t i = 0; i < size; ++i) x.push_back(drawn_one<T>(random, static_cast<int>(i)));
    std::vector<std::int64_t> places(size);
    std::iota(places.begin(), places.end(), std::int64_t{0});
    for (std::size_t s = 0; s < what.lengths.size(); ++s)
      std::stable_sort(places.begin() + offsets[s], places.begin() + offsets[s + 1],
                       [&](std::int64_t i, std::int64_t j) {
                         return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
                       });
    std::vector<T> expected;
    for (auto place : places) expected.push_back(x[static_cast<std::size_t>(place)]);
    std::vector<std::int64_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    array_of<T> const in(x), out(x), keys_out(x);
    gpu_array<std::int64_t> const values(numbers), values_out(numbers);
    gpu_array<int> const begins(offsets);
    ASSERT_EQ(grid::sort_segments(in.data(), n, begins.data(), segments, out.data(), before, memory), cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(in.data(), values.data(), n, begins.data(), segments, keys_out.data(),
                                         values_out.data(), before, memory),
              cudaSuccess);
    auto const bytes = bytes_of(expected.data(), size);
    EXPECT_EQ(out.to_host(), bytes) << what.name;
    EXPECT_EQ(keys_out.to_host(), bytes) << what.name;
    EXPECT_EQ(values_out.to_host(), places) << what.name;
  }
}

TEST_F(GridSortSegmentsAny, Structs) {
  check_segments<city>(memory, larger_city{});
}
TEST_F(GridSortSegmentsAny, OddSizes) {
  check_segments<name>(memory, in_the_alphabet{});
}

/// Segments by begins and ends, the last one first and a gap after each; by lengths; in place and with values.
TEST_F(GridSortSegmentsAny, AsTheyCome) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size()) || what.lengths.empty()) continue;
    random_engine random(7);
    std::vector<float> with_gaps, packed;
    std::vector<int> begins, ends;
    for (std::int64_t length : what.lengths) {
      begins.push_back(static_cast<int>(with_gaps.size()));
      for (std::int64_t i = 0; i < length; ++i) packed.push_back(static_cast<float>(random() % 1000));
      with_gaps.insert(with_gaps.end(), packed.end() - length, packed.end());
      ends.push_back(static_cast<int>(with_gaps.size()));
      with_gaps.push_back(-5.0f);
    }
    packed.push_back(-5.0f);
    auto const count = static_cast<std::int64_t>(what.lengths.size());
    auto const offsets = what.offsets<int>(0);
    auto const numbered = [](std::size_t n) {
      std::vector<int> numbers(n);
      std::iota(numbers.begin(), numbers.end(), 0);
      return numbers;
    };
    auto expected = with_gaps, expected_packed = packed;
    auto places = numbered(with_gaps.size());
    for (std::size_t s = 0; s < begins.size(); ++s) {
      std::stable_sort(places.begin() + begins[s], places.begin() + ends[s], [&](int i, int j) {
        return with_gaps[static_cast<std::size_t>(i)] < with_gaps[static_cast<std::size_t>(j)];
      });
      for (int i = begins[s]; i < ends[s]; ++i) {
        float const value = with_gaps[static_cast<std::size_t>(places[static_cast<std::size_t>(i)])];
        expected[static_cast<std::size_t>(i)] = value;
        expected_packed[static_cast<std::size_t>(offsets[s] + i - begins[s])] = value;
      }
    }
    std::reverse(begins.begin(), begins.end());
    std::reverse(ends.begin(), ends.end());
    gpu_array<int> const first(begins), last(ends), values(numbered(places.size())),
        values_out(numbered(places.size()));
    gpu_array<std::int64_t> const lengths(what.lengths);
    gpu_array<float> const in(with_gaps), out(with_gaps), keys_out(with_gaps), in_place(packed);
    auto const n = static_cast<std::int64_t>(with_gaps.size());
    auto const windows = grid::segments_between(first.data(), last.data());
    ASSERT_EQ(grid::sort_segments(in.data(), n, windows, count, out.data(), tessera::less{}, memory), cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(in.data(), values.data(), n, windows, count, keys_out.data(),
                                         values_out.data(), tessera::less{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::stable_sort_segments(in_place.data(), static_cast<std::int64_t>(packed.size()),
                                         grid::segments_of_lengths(lengths.data()), count, in_place.data()),
              cudaSuccess);
    EXPECT_EQ(out.to_host(), expected) << what.name;
    EXPECT_EQ(keys_out.to_host(), expected) << what.name;
    EXPECT_EQ(values_out.to_host(), places) << what.name;
    EXPECT_EQ(in_place.to_host(), expected_packed) << what.name;
  }
}

/// As many segments as the device knows; the others stay as they are.
TEST_F(GridSortSegmentsAny, NumbersOnTheDevice) {
  std::vector<std::int64_t> const all{30, 0, 5000, 7, 1, 100, 64};
  segment_lengths const what{"few", all};
  auto const offsets = what.offsets<int>(2);
  auto const n = static_cast<std::int64_t>(offsets.back()) + 3, most = static_cast<std::int64_t>(all.size());
  std::vector<int> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 10007);
  gpu_array<int> const in(x), places(offsets), out(x), values_out(x), packed(x);
  gpu_array<std::int64_t> const lengths(all);
  for (std::int64_t count : {0, 3, 7, 9}) {
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{count});
    auto const some = grid::count_on_device(number.data(), most);
    auto expected = x, expected_packed = x;
    for (std::int64_t s = 0; s < std::min(count, most); ++s) {
      std::sort(expected.begin() + offsets[static_cast<std::size_t>(s)],
                expected.begin() + offsets[static_cast<std::size_t>(s) + 1]);
      std::sort(expected_packed.begin() + offsets[static_cast<std::size_t>(s)] - 2,
                expected_packed.begin() + offsets[static_cast<std::size_t>(s) + 1] - 2);
    }
    ASSERT_EQ(cudaMemcpy(out.data(), in.data(), x.size() * sizeof(int), cudaMemcpyDeviceToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(values_out.data(), in.data(), x.size() * sizeof(int), cudaMemcpyDeviceToDevice), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(packed.data(), in.data(), x.size() * sizeof(int), cudaMemcpyDeviceToDevice), cudaSuccess);
    ASSERT_EQ(grid::sort_segments_by_key(in.data(), in.data(), n, places.data(), some, out.data(), values_out.data(),
                                         tessera::less{}, memory),
              cudaSuccess);
    ASSERT_EQ(grid::sort_segments(packed.data(), n, grid::segments_of_lengths(lengths.data()), some, packed.data()),
              cudaSuccess);
    EXPECT_EQ(out.to_host(), expected) << count;
    EXPECT_EQ(values_out.to_host(), expected) << count;
    EXPECT_EQ(packed.to_host(), expected_packed) << count;
  }
}

TEST_F(GridSortSegmentsAny, InMemoryOfTheCallers) {
  constexpr std::int64_t segments = 10'000, sorted = 9000;
  std::vector<std::int64_t> all(segments, 4);
  all[7] = 5000;
  auto const offsets = segment_lengths{"short and long", all}.offsets<int>(0);
  std::int64_t const n = offsets.back();
  std::vector<int> x(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 10007);
  auto expected = x;
  for (std::size_t s = 0; s < sorted; ++s)
    std::sort(expected.begin() + offsets[s], expected.begin() + offsets[s + 1], std::greater<>{});
  gpu_array<int> const in(x), out(x), values_out(x);
  gpu_array<std::int64_t> const lengths(all), number(std::vector<std::int64_t>{sorted});
  using namespace grid::detail;
  check_in_memory_of_caller(
      located_scratch(segments, gathered_scratch(n, segments, sizeof(int), sizeof(int))).total(),
      [&](grid::execution on) {
        return grid::sort_segments_by_key(in.data(), in.data(), n, grid::segments_of_lengths(lengths.data()),
                                          grid::count_on_device(number.data(), segments), out.data(), values_out.data(),
                                          tessera::greater{}, on);
      },
      [&](char const* how) {
        EXPECT_EQ(out.to_host(), expected) << how;
        EXPECT_EQ(values_out.to_host(), expected) << how;
        for (int* const written : {out.data(), values_out.data()})
          check(cudaMemcpy(written, in.data(), x.size() * sizeof(int), cudaMemcpyDeviceToDevice));
      });
}

TEST_F(GridSortSegmentsAny, OfOneLength) {
  for (std::int64_t length : {0, 1, 30, 3000}) {
    std::vector<int> x(9000);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int>(i * 7919 % 10007);
    std::int64_t const n = 9000, count = length == 0 ? 5 : n / length;
    gpu_array<int> const in(x), out(x);
    ASSERT_EQ(grid::sort_segments(in.data(), n, grid::segments_of_length(length), count, out.data(), tessera::greater{},
                                  memory),
              cudaSuccess);
    for (std::int64_t s = 0; s < count; ++s)
      std::sort(x.begin() + s * length, x.begin() + (s + 1) * length, std::greater<>{});
    EXPECT_EQ(out.to_host(), x) << length;
    EXPECT_EQ(grid::sort_segments(in.data(), -1, grid::segments_of_length(length), count, out.data()),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::sort_segments(in.data(), n, grid::segments_of_length(-1), count, out.data()),
              cudaErrorInvalidValue);
    EXPECT_EQ(grid::sort_segments(in.data(), n, grid::segments_of_length(length), count, in.data() + 1),
              cudaErrorInvalidValue);
  }
}

}  // namespace
