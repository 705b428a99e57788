// The kernel of softmax_segments on host tiles: segments of all lengths, in place, infinities and NaN.
#include <gtest/gtest.h>

#include <tessera/grid/rows/segment_softmax.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "row_references.hpp"
#include "run_each_segment.hpp"
#include "samples.hpp"

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

/// Segments in any order, with gaps between; some at multiples of 16 bytes.
void lay_out(std::vector<int> const& lengths, std::vector<int>& begins, std::vector<int>& ends, int& elements) {
  int at = 0;
  for (int length : lengths) {
    at += length % 3;
    begins.insert(begins.begin(), at);
    ends.insert(ends.begin(), at += length);
  }
  elements = at + 5;
}

template <class T>
void check(std::vector<int> const& lengths, bool logarithms, unsigned seed) {
  std::vector<int> begins, ends;
  int elements = 0;
  lay_out(lengths, begins, ends, elements);
  random_engine random(seed);
  std::vector<T> x(static_cast<std::size_t>(elements));
  for (auto& value : x) value = static_cast<T>(random() % 40'000) / T(1000) - T(20);
  T const infinite = std::numeric_limits<T>::infinity();
  for (std::size_t s = 0; s < begins.size(); ++s) {
    auto const begin = static_cast<std::size_t>(begins[s]), end = static_cast<std::size_t>(ends[s]);
    if (begin == end) continue;
    if (s % 7 == 1) x[begin + random() % (end - begin)] = infinite;
    if (s % 7 == 2) x[begin + random() % (end - begin)] = std::numeric_limits<T>::quiet_NaN();
    if (s % 7 == 3)
      for (std::size_t i = begin; i < end; ++i) x[i] = -infinite;
  }
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

std::vector<int> some_lengths(unsigned seed) {
  random_engine random(seed);
  std::vector<int> lengths{0,    1,    2,      3,      7,      8,      9,      63,     64,    65,
                           66,   500,  511,    512,    513,    1024,   2047,   2048,   2049,  4095,
                           4097, 9000, 16'384, 16'385, 40'000, 33'000, 20'001, 17'000, 50'000};
  for (int i = 0; i < 300; ++i) lengths.push_back(static_cast<int>(random() % 70));
  return lengths;
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
