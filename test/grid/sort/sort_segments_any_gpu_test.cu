// Sorts of segments of any type in any order (sort_segments.cuh).
#include <tessera/grid/sort_segments.cuh>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

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

}  // namespace
