// top_k_segments on the GPU, against a stable sort of each segment: by offsets and by all that stands in their place; ties,
// orders, a k for each segment; bad arguments.
#include <tessera/grid/top_k_segments.cuh>

#include <cstdint>
#include <string>
#include <vector>

#include "backend.hpp"
#include "segment_lengths.hpp"
#include "top_k_rows_reference.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridTopKSegmentsAny = WithWorkspace;

/// The results of segments by offsets.
template <class T>
top_k_rows_result<T> expected_of_segments(std::vector<T> const& x, std::vector<int> const& offsets, top_k_rows_case c,
                                          std::int32_t const* k_of_segment, T nothing) {
  top_k_rows_result<T> all;
  c.rows = 1;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    c.columns = offsets[s + 1] - offsets[s];
    auto const one = expected_top_k_rows<T>(x.data() + offsets[s], c, k_of_segment ? k_of_segment + s : nullptr,
                                            nullptr, nullptr, nothing);
    all.values.insert(all.values.end(), one.values.begin(), one.values.end());
    all.indices.insert(all.indices.end(), one.indices.begin(), one.indices.end());
  }
  return all;
}

/// The arrays of results.
template <class T, class Index>
struct top_k_results {
  gpu_array<T> values;
  gpu_array<Index> indices;

  top_k_results(std::int64_t segments, top_k_rows_case const& c, T nothing)
      : values(std::vector<T>(static_cast<std::size_t>(segments * (c.k + c.value_gap)), nothing)),
        indices(std::vector<Index>(static_cast<std::size_t>(segments * (c.k + c.index_gap)), Index(-7))) {}

  void expect(top_k_rows_result<T> const& want, std::string const& where) const {
    std::vector<Index> const indices_want(want.indices.begin(), want.indices.end());
    ASSERT_EQ(first_difference(indices.to_host(), indices_want), -1) << where;
    ASSERT_EQ(first_difference(values.to_host(), want.values), -1) << where;
  }
};

template <class T, class Index>
void check_by_offsets(grid::workspace& memory) {
  unsigned seed = 0;
  for (auto const& what : all_segment_lengths()) {
    for (std::int64_t k : {1, 8, 50, 100, 300}) {
      auto const segments = static_cast<std::int64_t>(what.lengths.size());
      std::int64_t const work = what.size() + segments * k;
      if (!is_worth(work) || work > 8'000'000 || (work > 1'000'000 && k != 8 && k != 300)) continue;
      ++seed;
      top_k_rows_case const c{segments,      0, k, 0, 0, seed % 3 != 0, seed % 5 == 0, static_cast<int>(seed % 8),
                              seed % 4 == 1, 1, 2};
      auto const offsets = what.offsets<int>(3);
      auto const x = top_k_numbers<T>(what.items() + 7, c.kind, seed);
      auto const drawn = drawn_for_rows(segments, k, seed);
      T const nothing = top_k_number<T>(77);
      gpu_array<T> const in(x);
      gpu_array<int> const begins(offsets);
      gpu_array<std::int32_t> const k_of_segment(drawn);
      grid::top_k_rows_options options;
      options.ties = c.higher_column ? grid::top_k_ties::higher_column : grid::top_k_ties::lower_column;
      options.k_of_row = c.per_row ? k_of_segment.data() : nullptr;
      options.value_stride = k + c.value_gap;
      options.index_stride = k + c.index_gap;
      auto const run = [&](auto const& by, top_k_results<T, Index> const& to) {
        return c.falling ? grid::top_k_segments(in.data(), by, segments, k, to.values.data(), to.indices.data(),
                                                tessera::greater{}, options, memory)
                         : grid::top_k_segments(in.data(), by, segments, k, to.values.data(), to.indices.data(),
                                                tessera::less{}, options, memory);
      };
      auto const want = expected_of_segments(x, offsets, c, c.per_row ? drawn.data() : nullptr, nothing);
      top_k_results<T, Index> const by_offsets(segments, c, nothing), between(segments, c, nothing);
      ASSERT_EQ(run(begins.data(), by_offsets), cudaSuccess);
      by_offsets.expect(want, what.name + c.text());
      ASSERT_EQ(run(grid::segments_between(begins.data(), begins.data() + 1), between), cudaSuccess);
      between.expect(want, what.name + " between" + c.text());
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridTopKSegmentsAny, Floats) {
  check_by_offsets<float, std::int32_t>(memory);
}
TEST_F(GridTopKSegmentsAny, Bytes) {
  check_by_offsets<std::uint8_t, std::int32_t>(memory);
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridTopKSegmentsAny, Doubles) {
  check_by_offsets<double, std::int64_t>(memory);
}
TEST_F(GridTopKSegmentsAny, Halves) {
  check_by_offsets<__half, std::int64_t>(memory);
}

/// By lengths and by one length, of as many as the device knows; one of the outputs.
TEST_F(GridTopKSegmentsAny, OtherLists) {
  for (int length : {1, 30, 300, 10'000, 40'000}) {
    for (std::int64_t k : {5, 70}) {
      std::int64_t const segments = 60'000 / length + 3;
      auto const count = static_cast<std::size_t>(segments);
      top_k_rows_case const c{segments, length, k};
      auto const x = top_k_numbers<float>(segments * length, 0, 7);
      gpu_array<float> const in(x);
      gpu_array<std::int64_t> const known(std::vector<std::int64_t>{2});
      gpu_array<int> const lengths(std::vector<int>(count, length));
      top_k_results<float, std::int64_t> const listed(segments, c, 77.0f), some(segments, c, 77.0f);
      auto const rows = grid::segments_of_length(length);
      ASSERT_EQ(grid::top_k_segments(in.data(), grid::segments_of_lengths(lengths.data()), segments, k,
                                     listed.values.data(), listed.indices.data()),
                cudaSuccess);
      ASSERT_EQ(grid::top_k_segments(in.data(), rows, grid::count_on_device(known.data(), segments), k,
                                     some.values.data(), nullptr),
                cudaSuccess);
      ASSERT_EQ(grid::top_k_segments(in.data(), rows, grid::count_on_device(known.data(), segments), k, nullptr,
                                     some.indices.data()),
                cudaSuccess);
      auto want = expected_top_k_rows<float>(x.data(), c, nullptr, nullptr, nullptr, 77.0f);
      listed.expect(want, "lengths" + c.text());
      for (std::size_t i = 2 * static_cast<std::size_t>(k); i < want.values.size(); ++i) {
        want.values[i] = 77.0f;
        want.indices[i] = -7;
      }
      some.expect(want, "of one length" + c.text());
    }
  }
}

TEST_F(GridTopKSegmentsAny, Refusals) {
  gpu_array<float> const x(std::vector<float>(10, 1.0f)), values(6);
  gpu_array<int> const offsets(std::vector<int>{0, 1, 2, 3}), indices(6);
  int const* const nowhere = nullptr;
  float* const none = nullptr;
  auto const run = [&](int const* by, std::int64_t segments, std::int64_t k, float* v, int* i,
                       grid::top_k_rows_options const& options = {}) {
    return grid::top_k_segments(x.data(), by, segments, k, v, i, tessera::greater{}, options, memory);
  };
  EXPECT_EQ(run(offsets.data(), 3, 2, values.data(), indices.data()), cudaSuccess);
  EXPECT_EQ(run(offsets.data(), -1, 2, values.data(), indices.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(offsets.data(), 3, -1, values.data(), indices.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(nowhere, 3, 2, values.data(), indices.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(offsets.data(), 3, 2, none, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(run(offsets.data(), 3, 2, values.data(), offsets.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(offsets.data(), 3, 2, reinterpret_cast<float*>(indices.data()), indices.data()), cudaErrorInvalidValue);
  grid::top_k_rows_options options;
  options.lengths = indices.data();
  EXPECT_EQ(run(offsets.data(), 3, 2, values.data(), nullptr, options), cudaErrorInvalidValue);
  EXPECT_EQ(run(nowhere, 0, 2, values.data(), indices.data()), cudaSuccess);
  EXPECT_EQ(run(nowhere, 3, 0, values.data(), indices.data()), cudaSuccess);
}
#endif

}  // namespace
