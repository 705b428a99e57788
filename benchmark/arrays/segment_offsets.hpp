// Where the segments of the benchmarks begin.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace bench {

/// The offsets of n elements in segments of this mean length. The lengths have the tail of Zipf's law with
/// exponent 2.2: one in k^1.2 segments is longer than k times the least length.
inline std::vector<int> zipf_offsets(std::int64_t n, int mean) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(1e-9, 1);
  std::vector<double> ends(static_cast<std::size_t>(n / mean));
  double end = 0;
  for (double& e : ends) e = end += std::min(std::pow(uniform(random), -1 / 1.2), 1e6);
  std::vector<int> offsets{0};
  for (double e : ends) offsets.push_back(static_cast<int>(e / end * static_cast<double>(n)));
  offsets.back() = static_cast<int>(n);
  return offsets;
}

/// A million segments of 64 elements, with a segment in the middle that is as long as all of them.
inline std::vector<int> offsets_of_a_giant(std::int64_t n) {
  std::vector<int> offsets{0};
  std::int64_t const small = n / 128;
  for (std::int64_t s = 0; s < small; ++s) {
    if (s == small / 2) offsets.push_back(offsets.back() + static_cast<int>(n / 2));
    offsets.push_back(offsets.back() + 64);
  }
  return offsets;
}

}  // namespace bench
