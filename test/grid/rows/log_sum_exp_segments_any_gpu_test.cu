// log_sum_exp_segments by offsets and by all that stands in their place, from memory and by an iterator.
#include <thrust/iterator/transform_iterator.h>

#include <tessera/grid/cross_entropy.cuh>
#include <tessera/grid/log_sum_exp_segments.cuh>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backend.hpp"
#include "cross_entropy_references.hpp"
#include "read_elements.hpp"
#include "segment_lengths.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridLogSumExpSegmentsAny = WithWorkspace;

template <class T>
using number_of = grid::detail::arithmetic_t<T>;

template <class T>
void check_by_offsets(grid::workspace& memory) {
  for (auto const& what : all_segment_lengths()) {
    if (!is_worth(what.size() / 2)) continue;
    auto const offsets = what.offsets<int>(3);
    auto const segments = static_cast<std::int64_t>(what.lengths.size());
    std::vector<T> x;
    for (float value : drawn_values(what.items() + 7)) x.push_back(T(value));
    for (std::size_t s = 0; s < what.lengths.size(); s += 5) {  // −∞, and one without anything else
      for (int i = offsets[s]; i < offsets[s + 1] && (s == 5 || i < offsets[s] + 2); ++i)
        x[static_cast<std::size_t>(i)] = T(-std::numeric_limits<float>::infinity());
    }
    gpu_array<T> const in(x);
    gpu_array<int> const begins(offsets);
    gpu_array<number_of<T>> const out(what.lengths.size()), again(what.lengths.size()), eighths(what.lengths.size());
    ASSERT_EQ(grid::log_sum_exp_segments(in.data(), begins.data(), segments, out.data(), memory), cudaSuccess);
    auto const between = grid::segments_between(begins.data(), begins.data() + 1);
    ASSERT_EQ(grid::log_sum_exp_segments(in.data(), between, segments, again.data(), memory), cudaSuccess);
    auto const read = thrust::make_transform_iterator(static_cast<T const*>(in.data()), less_an_eighth<T>{});
    ASSERT_EQ(grid::log_sum_exp_segments(read, begins.data(), segments, eighths.data()), cudaSuccess);
    auto const got = out.to_host(), of_eighths = eighths.to_host();
    ASSERT_EQ(again.to_host(), got) << what.name;
    for (std::size_t s = 0; s < what.lengths.size(); ++s) {
      std::vector<double> row, less;
      for (int i = offsets[s]; i < offsets[s + 1]; ++i) {
        T const value = x[static_cast<std::size_t>(i)];
        row.push_back(static_cast<double>(static_cast<number_of<T>>(value)));
        less.push_back(static_cast<double>(static_cast<number_of<T>>(less_an_eighth<T>{}(value))));
      }
      auto const of_row = expected_loss(row, 0, {}, arithmetic_of<number_of<T>>()).lse(),
                 of_less = expected_loss(less, 0, {}, arithmetic_of<number_of<T>>()).lse();
      ASSERT_TRUE(of_row.allows(static_cast<double>(got[s])))
          << what.name << ", segment " << s << ": " << got[s] << ", not " << of_row.value;
      ASSERT_TRUE(of_less.allows(static_cast<double>(of_eighths[s])))
          << what.name << ", segment " << s << " by an iterator: " << of_eighths[s] << ", not " << of_less.value;
    }
  }
}

#if TESSERA_TEST_HAS_PART(0)
TEST_F(GridLogSumExpSegmentsAny, Floats) {
  check_by_offsets<float>(memory);
}
#endif
#if TESSERA_TEST_HAS_PART(1)
TEST_F(GridLogSumExpSegmentsAny, Doubles) {
  check_by_offsets<double>(memory);
}
#endif

/// By lengths and by one length, of as many as the device knows, at another address; with +∞ and NaN as rows have them.
template <class T>
void check_rows(grid::workspace& memory) {
  using number = number_of<T>;
  for (int length : {1, 8, 40, 64, 100, 1000, 3000, 50'000}) {
    int const rows = 200'000 / length + 4;
    std::vector<T> x{T(0.0f)};
    for (float value : drawn_values(std::int64_t{rows} * length)) x.push_back(T(value));
    x[1] = T(std::numeric_limits<float>::infinity());
    x[static_cast<std::size_t>(length) + 1] = T(std::numeric_limits<float>::quiet_NaN());
    gpu_array<T> const all(x), moved(std::vector<T>(x.begin() + 1, x.end()));
    auto const count = static_cast<std::size_t>(rows);
    gpu_array<number> const of_rows(count), by_length(count), by_lengths(count),
        some(std::vector<number>(count, number(77)));
    gpu_array<std::int64_t> const known(std::vector<std::int64_t>{2});
    gpu_array<int> const lengths(std::vector<int>(count, length));
    T const* const in = all.data() + 1;
    auto const one_length = grid::segments_of_length(length);
    ASSERT_EQ(grid::log_sum_exp_rows(grid::matrix<T const>{in, rows, length}, of_rows.data()), cudaSuccess);
    ASSERT_EQ(grid::log_sum_exp_segments(in, one_length, rows, by_length.data(), memory), cudaSuccess);
    ASSERT_EQ(
        grid::log_sum_exp_segments(moved.data(), grid::segments_of_lengths(lengths.data()), rows, by_lengths.data()),
        cudaSuccess);
    ASSERT_EQ(
        grid::log_sum_exp_segments(in, one_length, grid::count_on_device(known.data(), rows), some.data(), memory),
        cudaSuccess);
    auto const want = of_rows.to_host(), got = by_length.to_host(), listed = by_lengths.to_host(),
               first = some.to_host();
    for (std::size_t r = 0; r < count; ++r) {
      auto const where = ::testing::Message() << "row " << r << " of length " << length;
      ASSERT_EQ(std::isnan(want[r]), std::isnan(got[r])) << where;
      if (std::isinf(want[r])) {
        ASSERT_EQ(got[r], want[r]) << where;
      } else if (!std::isnan(want[r])) {
        double const unit = sizeof(number) == 8 ? 0x1p-46 : 0x1p-16;
        ASSERT_NEAR(static_cast<double>(got[r]), static_cast<double>(want[r]), unit * (1 + std::abs(want[r]))) << where;
      }
      if (std::isnan(got[r])) continue;
      ASSERT_EQ(listed[r], got[r]) << where;
      ASSERT_EQ(first[r], r < 2 ? got[r] : number(77)) << where;
    }
  }
}
TEST_F(GridLogSumExpSegmentsAny, AsRows) {
#if TESSERA_TEST_HAS_PART(0)
  check_rows<float>(memory);
#endif
#if TESSERA_TEST_HAS_PART(1)
  check_rows<double>(memory);
#endif
#if TESSERA_TEST_HAS_PART(2)
  check_rows<__half>(memory);
  check_rows<__nv_bfloat16>(memory);
#endif
}

TEST_F(GridLogSumExpSegmentsAny, Refusals) {
  gpu_array<float> const x(std::vector<float>(10, 1.0f)), out(3);
  gpu_array<int> const offsets(std::vector<int>{0, 1, 2, 3});
  int const* const nowhere = nullptr;
  float* const no_output = nullptr;
  auto const run = [&](int const* by, std::int64_t segments, float* to) {
    return grid::log_sum_exp_segments(x.data(), by, segments, to, memory);
  };
  EXPECT_EQ(run(offsets.data(), -1, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(nowhere, 3, out.data()), cudaErrorInvalidValue);
  EXPECT_EQ(run(offsets.data(), 3, no_output), cudaErrorInvalidValue);
  EXPECT_EQ(run(offsets.data(), 3, reinterpret_cast<float*>(offsets.data())), cudaErrorInvalidValue);
  EXPECT_EQ(run(nowhere, 0, no_output), cudaSuccess);
}

}  // namespace
