// The kernel of log_sum_exp_segments on host tiles: segments of all lengths, infinities and NaN.
#include <gtest/gtest.h>

#include <tessera/grid/rows/segment_fold.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cross_entropy_references.hpp"
#include "laid_out_segments.hpp"
#include "oracle/halves.hpp"
#include "run_each_segment.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

/// Runs the kernel on elements from in[0] on, in so many blocks.
template <class T>
auto reduced(T const* in, std::vector<int> const& begins, std::vector<int> const& ends, unsigned blocks,
             unsigned capacity) {
  using number = detail::arithmetic_t<T>;
  std::vector<number> out(begins.size(), number(77));
  detail::segment_log_sum_exp<T, T const*> const body{{in, {}, {out.data()}, 0}};
  run_each_segment(tessera::grid::segments_between(begins.data(), ends.data()),
                   static_cast<std::int64_t>(begins.size()), blocks, capacity, blocks, body);
  return out;
}

/// T's are made from numbers of Drawn.
template <class T, class Drawn>
void check(unsigned seed) {
  std::vector<int> begins, ends;
  int elements = 0;
  lay_out(some_lengths(seed), begins, ends, elements);
  std::vector<T> x;
  for (Drawn const score : scores_of_segments<Drawn>(begins, ends, elements, seed))
    x.push_back(tessera::detail::convert<T>(score));
  auto const got = reduced(x.data(), begins, ends, 1 + seed % 3, seed % 2 * 100);
  for (std::size_t s = 0; s < begins.size(); ++s) {
    std::vector<double> row;
    for (int i = begins[s]; i < ends[s]; ++i)
      row.push_back(static_cast<double>(tessera::detail::convert<Drawn>(x[static_cast<std::size_t>(i)])));
    expected_loss const expected(row, 0, {}, arithmetic_of<detail::arithmetic_t<T>>());
    ASSERT_TRUE(expected.lse().allows(static_cast<double>(got[s])))
        << "segment " << s << " of " << row.size() << ": " << got[s] << ", not " << expected.lse().value
        << " to within " << expected.lse().error;
  }
  // The same bits at another address, in other blocks, without room for pieces.
  x.insert(x.begin(), x.front());
  auto const again = reduced(x.data() + 1, begins, ends, 3, 1);
  EXPECT_EQ(std::memcmp(again.data(), got.data(), got.size() * sizeof(got[0])), 0);
}

TEST(GridLogSumExpSegmentsOnHost, Floats) {
  check<float, float>(1);
}
TEST(GridLogSumExpSegmentsOnHost, Doubles) {
  check<double, double>(2);
}
TEST(GridLogSumExpSegmentsOnHost, Halves) {
  check<__half, float>(3);
}
TEST(GridLogSumExpSegmentsOnHost, BrainFloats) {
  check<__nv_bfloat16, float>(4);
}

}  // namespace
