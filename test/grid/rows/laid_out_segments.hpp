// Segments and scores for tests of softmax and log-sum-exp of segments.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "samples.hpp"

namespace test {

/// Segments in any order, with gaps between; some at multiples of 16 bytes.
inline void lay_out(std::vector<int> const& lengths, std::vector<int>& begins, std::vector<int>& ends, int& elements) {
  int at = 0;
  for (int length : lengths) {
    at += length % 3;
    begins.insert(begins.begin(), at);
    ends.insert(ends.begin(), at += length);
  }
  elements = at + 5;
}

/// Lengths about those at which other kernels or lanes take over, and short ones.
inline std::vector<int> some_lengths(unsigned seed) {
  random_engine random(seed);
  std::vector<int> lengths{0,    1,    2,    3,    7,      8,      9,      63,     64,     65,     66,    247,
                           248,  249,  255,  256,  257,    500,    511,    512,    513,    1024,   2047,  2048,
                           2049, 4095, 4097, 9000, 16'384, 16'385, 40'000, 33'000, 20'001, 17'000, 50'000};
  for (int i = 0; i < 300; ++i) lengths.push_back(static_cast<int>(random() % 70));
  return lengths;
}

/// Scores from −20 to 20. Of every seven segments one has a +∞, one a NaN, and one has −∞ only.
template <class T>
std::vector<T> scores_of_segments(std::vector<int> const& begins, std::vector<int> const& ends, int elements,
                                  unsigned seed) {
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
  return x;
}

}  // namespace test
