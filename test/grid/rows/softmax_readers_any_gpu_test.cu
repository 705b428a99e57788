// Softmax of segments by iterators, read and written: against the calls by pointers to the same elements in memory.
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <tessera/grid/softmax_segments.cuh>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend.hpp"
#include "iterators.hpp"
#include "read_elements.hpp"
#include "row_references.hpp"
#include "samples.hpp"
#include "segment_lengths.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSoftmaxReadersAny = WithWorkspace;

/// Segments by offsets, into a proxy's array. T's are transformed as they are read.
template <class T, class More>
void check_softmax(grid::workspace& memory, More const& check_more) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(2 * what.size())) continue;
    auto const offsets = what.offsets<int>(3);
    auto const n = static_cast<std::int64_t>(offsets.back()) + 5,
               segments = static_cast<std::int64_t>(what.lengths.size());
    std::vector<T> x;
    for (float value : drawn_values(n)) x.push_back(T(value));
    gpu_array<T> const in(x), out(std::vector<T>(2 * x.size(), T(5.0f)));
    gpu_array<int> const begins(offsets);
    auto const read = thrust::make_transform_iterator(static_cast<T const*>(in.data()), less_an_eighth<T>{});
    ASSERT_EQ(grid::softmax_segments(read, begins.data(), segments, strided<T, 2>{out.data()}, memory), cudaSuccess);
    auto const strided_out = out.to_host();
    std::vector<T> got;
    for (std::size_t i = 0; i < x.size(); ++i) {
      got.push_back(strided_out[2 * i]);
      ASSERT_EQ(strided_out[2 * i + 1], T(5.0f));
    }
    for (std::size_t s = 0; s < what.lengths.size(); ++s) {
      std::vector<double> row;
      for (int i = offsets[s]; i < offsets[s + 1]; ++i)
        row.push_back(static_cast<double>(less_an_eighth<T>{}(x[static_cast<std::size_t>(i)])));
      if (row.empty()) continue;
      double const max = *std::max_element(row.begin(), row.end());
      auto const want = expected_softmax(row, static_cast<std::int64_t>(row.size()), false);
      for (std::size_t i = 0; i < row.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(got[static_cast<std::size_t>(offsets[s]) + i]), want[i],
                    softmax_error(want[i], max - row[i], false, arithmetic_of<T>()))
            << what.name << ", segment " << s << ", element " << i;
      }
    }
    for (std::size_t i : {std::size_t{0}, std::size_t{2}, x.size() - 1}) EXPECT_EQ(got[i], T(5.0f)) << "in no segment";
    check_more(offsets, segments, x, got);
  }
}
/// In place, and into nothing.
TEST_F(GridSoftmaxReadersAny, Floats) {
  check_softmax<float>(memory, [&](std::vector<int> const& offsets, std::int64_t segments, std::vector<float> const& x,
                                   std::vector<float> const& expected) {
    gpu_array<float> const in_place(x);
    gpu_array<int> const begins(offsets);
    auto const own =
        thrust::make_transform_iterator(static_cast<float const*>(in_place.data()), less_an_eighth<float>{});
    auto const between = grid::segments_between(begins.data(), begins.data() + 1);
    ASSERT_EQ(grid::softmax_segments(own, between, segments, in_place.data(), memory), cudaSuccess);
    auto const got = in_place.to_host();
    auto const first = static_cast<std::size_t>(offsets.front()), end = static_cast<std::size_t>(offsets.back());
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], i >= first && i < end ? expected[i] : x[i]) << i;
    ASSERT_EQ(grid::log_softmax_segments(own, between, segments, thrust::make_discard_iterator()), cudaSuccess);
    EXPECT_EQ(in_place.to_host(), got);
  });
}
TEST_F(GridSoftmaxReadersAny, Doubles) {
  check_softmax<double>(memory, [](auto const&...) {});
}

TEST_F(GridSoftmaxReadersAny, Refusals) {
  gpu_array<float> const x(std::vector<float>(64, 1.0f));
  gpu_array<int> const offsets(std::vector<int>{0, 1, 2, 3});
  auto const read = thrust::make_transform_iterator(static_cast<float const*>(x.data()), less_an_eighth<float>{});
  int const* const nowhere = nullptr;
  float* const no_output = nullptr;
  auto* const numbers = reinterpret_cast<float*>(offsets.data());
  EXPECT_EQ(grid::softmax_segments(read, offsets.data(), -1, x.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_segments(read, nowhere, 3, x.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_segments(read, offsets.data(), 3, numbers), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_segments(read, nowhere, 0, no_output), cudaSuccess);
}

}  // namespace
