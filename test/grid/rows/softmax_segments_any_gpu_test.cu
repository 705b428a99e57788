// softmax_segments by offsets and by all that stands in their place, against softmax_rows of rows as long, and in double.
#include <tessera/grid/softmax.hpp>
#include <tessera/grid/softmax_segments.cuh>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backend.hpp"
#include "row_references.hpp"
#include "samples.hpp"
#include "segment_lengths.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridSoftmaxSegmentsAny = WithWorkspace;

template <class T>
std::vector<T> drawn_scores(std::int64_t n) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<T> x(static_cast<std::size_t>(n));
  for (auto& value : x) value = static_cast<T>(random() % 40'000) / T(1000) - T(20);
  return x;
}

#if TESSERA_TEST_HAS_PART(0)
template <class T>
void check_by_offsets(grid::workspace& memory, bool logarithms) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 4)) continue;
    auto const offsets = what.offsets<int>(3);
    auto const x = drawn_scores<T>(what.items() + 7);
    gpu_array<T> const in(x), out(x), again(x);
    gpu_array<int> const begins(offsets);
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    auto const run = [&](T* to, auto const& by) {
      return logarithms ? grid::log_softmax_segments(in.data(), by, segments, to, memory)
                        : grid::softmax_segments(in.data(), by, segments, to, memory);
    };
    ASSERT_EQ(run(out.data(), begins.data()), cudaSuccess);
    ASSERT_EQ(run(again.data(), grid::segments_between(begins.data(), begins.data() + 1)), cudaSuccess);
    auto const got = out.to_host();
    ASSERT_EQ(again.to_host(), got) << what.name;
    for (std::size_t s = 0; s < what.lengths.size(); ++s) {
      std::vector<double> const row(x.begin() + offsets[s], x.begin() + offsets[s + 1]);
      if (row.empty()) continue;
      double const max = *std::max_element(row.begin(), row.end());
      auto const want = expected_softmax(row, static_cast<std::int64_t>(row.size()), logarithms);
      for (std::size_t i = 0; i < row.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(got[static_cast<std::size_t>(offsets[s]) + i]), want[i],
                    softmax_error(want[i], max - row[i], logarithms, arithmetic_of<T>()))
            << what.name << ", segment " << s << ", element " << i;
      }
    }
    for (std::size_t i : {std::size_t{0}, std::size_t{2}, x.size() - 1}) EXPECT_EQ(got[i], x[i]) << "in no segment";
  }
}

TEST_F(GridSoftmaxSegmentsAny, Floats) {
  check_by_offsets<float>(memory, false);
  check_by_offsets<float>(memory, true);
}
TEST_F(GridSoftmaxSegmentsAny, Doubles) {
  check_by_offsets<double>(memory, false);
}
#endif

#if !TESSERA_TEST_HAS_PART(0) || TESSERA_TEST_SLICES == 1
/// In place, by lengths and by one length, of as many as the device knows; also 16-bit floats, as rows have them.
template <class T>
void check_rows(grid::workspace& memory) {
  for (int length : {1, 8, 40, 64, 100, 1000, 3000}) {
    int const rows = 100'000 / length + 2;
    std::vector<T> x;
    for (float value : drawn_scores<float>(std::int64_t{rows} * length)) x.push_back(T(value));
    gpu_array<T> const in(x), by_length(x), by_lengths(x), some(x), want(x);
    gpu_array<std::int64_t> const number(std::vector<std::int64_t>{1});
    gpu_array<int> const lengths(std::vector<int>(static_cast<std::size_t>(rows), length));
    grid::matrix<T> const m{want.data(), rows, length};
    ASSERT_EQ(grid::softmax_rows(m, m), cudaSuccess);
    ASSERT_EQ(
        grid::softmax_segments(by_length.data(), grid::segments_of_length(length), rows, by_length.data(), memory),
        cudaSuccess);
    ASSERT_EQ(grid::softmax_segments(in.data(), grid::segments_of_lengths(lengths.data()), rows, by_lengths.data()),
              cudaSuccess);
    ASSERT_EQ(grid::softmax_segments(in.data(), grid::segments_of_length(length),
                                     grid::count_on_device(number.data(), rows), some.data(), memory),
              cudaSuccess);
    auto const got = by_length.to_host(), expected = want.to_host(), got_by_lengths = by_lengths.to_host(),
               got_some = some.to_host();
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto const value = static_cast<double>(static_cast<float>(expected[i]));
      double const unit = sizeof(T) == 2 ? 0x1p-7 : 0x1p-18;
      ASSERT_NEAR(static_cast<double>(static_cast<float>(got[i])), value, unit * value + 1e-7) << length << ", " << i;
      ASSERT_EQ(static_cast<float>(got_by_lengths[i]), static_cast<float>(got[i])) << length << ", " << i;
      T const one = i < static_cast<std::size_t>(length) ? got[i] : x[i];
      ASSERT_EQ(static_cast<float>(got_some[i]), static_cast<float>(one)) << length << ", " << i;
    }
  }
}
TEST_F(GridSoftmaxSegmentsAny, AsRows) {
#if TESSERA_TEST_HAS_PART(1)
  check_rows<float>(memory);
#endif
#if TESSERA_TEST_HAS_PART(2)
  check_rows<__nv_bfloat16>(memory);
#endif
#if TESSERA_TEST_HAS_PART(3)
  check_rows<__half>(memory);
#endif
}

TEST_F(GridSoftmaxSegmentsAny, Refusals) {
  gpu_array<float> const x(std::vector<float>(10, 1.0f));
  gpu_array<int> const offsets(std::vector<int>{0, 1, 2, 3});
  int const* const nowhere = nullptr;
  EXPECT_EQ(grid::softmax_segments(x.data(), offsets.data(), -1, x.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_segments(x.data(), nowhere, 3, x.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_segments(x.data(), offsets.data(), 3, reinterpret_cast<float*>(offsets.data())),
            cudaErrorInvalidValue);
  EXPECT_EQ(grid::softmax_segments(x.data(), nowhere, 0, x.data()), cudaSuccess);
}
#endif

}  // namespace
