// sample_rows of one row as its contract says it: by sorting, in plain loops.
#pragma once

#include <tessera/core/philox.hpp>
#include <tessera/grid/rows/row_weights.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace test {

__extension__ typedef unsigned __int128 wide_unsigned;

struct row_filters {
  float temperature = 1;
  int top_k = 0;
  float top_p = 1;
  float min_p = 0;
};

struct sampled_row {
  int column = -1;
  double log_probability = -std::numeric_limits<double>::infinity();
  std::vector<double> probabilities;
  std::size_t kept = 0;
};

/// What the filters keep of a row, and the column that has unit number u · mass, where u = random / 2^64.
inline sampled_row sample_reference(std::vector<float> row, row_filters const& by, std::uint64_t random) {
  sampled_row out;
  out.probabilities.assign(row.size(), 0.0);
  float const infinity = std::numeric_limits<float>::infinity();
  float max = -infinity;
  for (float& x : row) {
    if (std::isnan(x)) x = -infinity;
    max = std::max(max, x);
  }
  if (max == -infinity) return out;
  if (!(by.temperature > 0)) {
    out.column = static_cast<int>(std::find(row.begin(), row.end(), max) - row.begin());
    out.log_probability = 0;
    out.probabilities[static_cast<std::size_t>(out.column)] = 1;
    out.kept = 1;
    return out;
  }
  if (max == infinity) {
    for (float& x : row) x = x == infinity ? 0.0f : -infinity;
    max = 0;
  }
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (row[c] > -infinity) kept.push_back(c);
  }
  if (by.top_k > 0 || by.top_p < 1)
    std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  if (by.top_k > 0 && static_cast<std::size_t>(by.top_k) < kept.size()) kept.resize(static_cast<std::size_t>(by.top_k));
  tessera::grid::detail::row_weights const weigh(max, by.temperature);
  auto const weight = [&](std::size_t c) { return std::uint64_t{weigh(row[c])}; };
  std::uint64_t mass = 0;
  for (std::size_t c : kept) mass += weight(c);
  if (by.top_p < 1) {
    // the least integer that is not below p · mass
    long double const exact = static_cast<long double>(std::floor(static_cast<double>(by.top_p) * 0x1p32)) *
                              static_cast<long double>(mass) / 0x1p32L;
    auto const wanted = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(exact)));
    std::uint64_t sum = 0;
    std::size_t count = 0;
    while (count < kept.size() && sum < wanted) sum += weight(kept[count++]);
    kept.resize(count);
  }
  if (by.min_p > 0) {
    double const least = std::ceil(std::min(1.0, static_cast<double>(by.min_p)) * 0x1p31);
    kept.erase(
        std::remove_if(kept.begin(), kept.end(), [&](std::size_t c) { return static_cast<double>(weight(c)) < least; }),
        kept.end());
  }
  out.kept = kept.size();
  std::sort(kept.begin(), kept.end());
  mass = 0;
  double total = 0;
  auto const exact = [&](std::size_t c) {
    return std::exp((static_cast<double>(row[c]) - static_cast<double>(max)) / static_cast<double>(by.temperature));
  };
  for (std::size_t c : kept) {
    mass += weight(c);
    total += exact(c);
  }
  auto const target = static_cast<std::uint64_t>(static_cast<wide_unsigned>(mass) * random >> 64);
  std::uint64_t before = 0;
  for (std::size_t c : kept) {
    out.probabilities[c] = exact(c) / total;
    if (before <= target && target - before < weight(c)) {
      out.column = static_cast<int>(c);
      out.log_probability = std::log(exact(c) / total);
    }
    before += weight(c);
  }
  return out;
}

}  // namespace test
