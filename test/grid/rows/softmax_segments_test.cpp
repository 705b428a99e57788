// The kernel of softmax_segments on host tiles: segments of all lengths, in place, infinities and NaN.
#include <gtest/gtest.h>

#include <tessera/grid/rows/segment_softmax.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "laid_out_segments.hpp"
#include "row_references.hpp"
#include "run_each_segment.hpp"

namespace {

using namespace test;
namespace detail = tessera::grid::detail;

/// Runs the kernel on x, in place or not, in so many blocks.
template <class T>
std::vector<T> mapped(std::vector<T> const& x, std::vector<int> const& begins, std::vector<int> const& ends,
                      bool logarithms, bool in_place, unsigned blocks, unsigned capacity) {
  std::vector<T> in = x, out(x.size(), T(77));
  auto const segments = tessera::grid::segments_between(begins.data(), ends.data());
  detail::segment_softmax<T> const body{in.data(), in_place ? in.data() : out.data(), {logarithms}};
  run_each_segment(segments, static_cast<std::int64_t>(begins.size()), blocks, capacity, blocks, body);
  return in_place ? in : out;
}

template <class T>
void check(std::vector<int> const& lengths, bool logarithms, unsigned seed) {
  std::vector<int> begins, ends;
  int elements = 0;
  lay_out(lengths, begins, ends, elements);
  auto const x = scores_of_segments<T>(begins, ends, elements, seed);
  auto const got = mapped(x, begins, ends, logarithms, false, 1 + seed % 3, seed % 2 * 100);
  auto const in_place = mapped(x, begins, ends, logarithms, true, 2, 1);
  std::vector<T> expected = got;
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = got[i] == T(77) ? x[i] : got[i];
  ASSERT_EQ(std::memcmp(in_place.data(), expected.data(), x.size() * sizeof(T)), 0);
  std::vector<bool> in_segment(x.size(), false);
  for (std::size_t s = 0; s < begins.size(); ++s) {
    std::vector<double> const row(x.begin() + begins[s], x.begin() + ends[s]);
    double max = -std::numeric_limits<double>::infinity();
    for (double value : row) max = std::max(max, value);
    auto const want = expected_softmax(row, static_cast<std::int64_t>(row.size()), logarithms);
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::size_t const at = static_cast<std::size_t>(begins[s]) + i;
      in_segment[at] = true;
      auto const result = static_cast<double>(got[at]);
      if (std::isnan(want[i])) {
        ASSERT_TRUE(std::isnan(result)) << "segment " << s << " of " << row.size() << ", element " << i;
      } else if (std::isinf(want[i])) {
        ASSERT_EQ(result, want[i]) << "segment " << s << " of " << row.size() << ", element " << i;
      } else {
        double const apart = std::isinf(max) ? 0 : max - row[i];
        ASSERT_NEAR(result, want[i], softmax_error(want[i], apart, logarithms, arithmetic_of<T>()))
            << "segment " << s << " of " << row.size() << ", element " << i;
      }
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_TRUE(in_segment[i] || got[i] == T(77)) << "element " << i << " is in no segment";
  }
}

TEST(GridSoftmaxSegmentsOnHost, Floats) {
  check<float>(some_lengths(1), false, 1);
  check<float>(some_lengths(2), true, 2);
}
TEST(GridSoftmaxSegmentsOnHost, Doubles) {
  check<double>(some_lengths(3), false, 3);
  check<double>(some_lengths(4), true, 4);
}

}  // namespace
