// What grid::histogram has to give: integers by 128-bit arithmetic, floats by the three rounded operations.
#pragma once

#include <tessera/grid/histogram/even_bins.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace test {

struct counted {
  std::vector<std::uint64_t> counts;
  std::uint64_t below = 0, above = 0, nan = 0;

  bool operator==(counted const& other) const {
    return counts == other.counts && below == other.below && above == other.above && nan == other.nan;
  }
};

template <class T>
using bound_of = tessera::grid::detail::bound_t<T>;

template <class T>
counted expected_histogram(std::vector<T> const& in, std::int64_t bins, bound_of<T> lower, bound_of<T> upper,
                           bool closed = false) {
  counted out;
  out.counts.resize(static_cast<std::size_t>(bins));
  for (T const& element : in) {
    std::size_t bin = 0;
    if constexpr (std::is_integral_v<T>) {
      __extension__ typedef __int128 wide;
      wide const x = element;
      if (x < lower) {
        ++out.below;
        continue;
      }
      if (x > upper || (x == upper && !closed)) {
        ++out.above;
        continue;
      }
      bin = x == upper ? static_cast<std::size_t>(bins) - 1
                       : static_cast<std::size_t>((x - lower) * bins / (wide{upper} - lower));
    } else {
      using number = bound_of<T>;
      number const x = static_cast<number>(element);
      if (std::isnan(x)) {
        ++out.nan;
        continue;
      }
      if (x < lower) {
        ++out.below;
        continue;
      }
      if (x > upper || (x == upper && !closed)) {
        ++out.above;
        continue;
      }
      number const volatile width = upper - lower;
      number const volatile scale = static_cast<number>(bins) / width;
      number const volatile distance = x - lower;
      number const volatile place = distance * scale;
      bin = static_cast<std::size_t>(std::floor(place));
      if (bin >= static_cast<std::size_t>(bins)) bin = static_cast<std::size_t>(bins) - 1;
    }
    ++out.counts[bin];
  }
  return out;
}

/// In the bins between edges, by comparisons of T with Edge: in floats what isn't double, and integers in 128 bits.
template <class T, class Edge>
counted expected_between(std::vector<T> const& in, std::vector<Edge> const& edges, bool closed) {
  __extension__ typedef __int128 wide;
  using number = std::conditional_t<std::is_integral_v<Edge>, wide,
                                    std::conditional_t<std::is_same_v<Edge, double>, double, float>>;
  std::vector<number> sorted;
  for (Edge const& e : edges) sorted.push_back(static_cast<number>(e));
  std::size_t const bins = edges.size() - 1;
  counted out;
  out.counts.resize(bins);
  for (T const& element : in) {
    number const x = static_cast<number>(element);
    if (x != x) {
      ++out.nan;
      continue;
    }
    std::size_t low = 0, high = edges.size();  // how many edges aren't above x
    while (low < high) {
      std::size_t const middle = (low + high) / 2;
      if (sorted[middle] <= x) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (closed && x == sorted[bins]) low = bins;
    if (low == 0) {
      ++out.below;
    } else if (low > bins) {
      ++out.above;
    } else {
      ++out.counts[low - 1];
    }
  }
  return out;
}

/// Spacings of edges.
enum class spacing { even, random, squares, exponential, two_sided, equal, dense, infinite };
inline constexpr spacing all_spacings[] = {spacing::even,      spacing::random, spacing::squares, spacing::exponential,
                                           spacing::two_sided, spacing::equal,  spacing::dense,   spacing::infinite};

/// bins + 1 edges in ascending order from lower to upper.
template <class Edge>
std::vector<Edge> draw_edges(std::size_t bins, spacing how, double lower, double upper, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> even(0, 1);
  std::vector<double> at;
  for (std::size_t i = 0; i <= bins; ++i) {
    double const u = static_cast<double>(i) / static_cast<double>(bins), side = 2 * u - 1;
    at.push_back(how == spacing::random        ? even(random)
                 : how == spacing::squares     ? u * u
                 : how == spacing::exponential ? (std::exp2(20 * u) - 1) / (std::exp2(20.0) - 1)
                 : how == spacing::two_sided   ? 0.5 + 0.5 * side * side * side
                 : how == spacing::equal       ? std::floor(u * 5) / 5
                 : how == spacing::dense       ? (i % 2 == 0 ? u : 0.5 + 1e-6 * u)
                                               : u);
  }
  std::sort(at.begin(), at.end());
  std::vector<Edge> out;
  for (double u : at) {
    double x = lower + (upper - lower) * u;
    if constexpr (std::is_integral_v<Edge>) {
      double const most = static_cast<double>(std::numeric_limits<Edge>::max());
      out.push_back(x >= most ? std::numeric_limits<Edge>::max() : static_cast<Edge>(std::floor(x)));
    } else {
      out.push_back(static_cast<Edge>(static_cast<bound_of<Edge>>(x)));
    }
  }
  if constexpr (!std::is_integral_v<Edge>) {
    if (how == spacing::infinite) {
      out.front() = static_cast<Edge>(-INFINITY);
      out.back() = static_cast<Edge>(INFINITY);
    }
  }
  return out;
}

enum class spread { uniform, zipf, constant };

inline std::string name_of(spread s) {
  return s == spread::uniform ? "uniform" : s == spread::zipf ? "Zipf" : "constant";
}

/// n numbers in and, one in a hundred, around [lower, upper): drawn evenly, or most of them few, or one number only.
template <class T>
std::vector<T> draw(std::size_t n, spread how, double lower, double upper, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> even(0, 1);
  double const width = upper - lower;
  double const most = std::is_integral_v<T> ? static_cast<double>(std::numeric_limits<T>::max()) : INFINITY;
  double const least = std::is_integral_v<T> ? static_cast<double>(std::numeric_limits<T>::lowest()) : -INFINITY;
  std::vector<T> out(n);
  double const one = lower + width * even(random);
  for (T& element : out) {
    double const u = even(random);
    double const zipf = std::fmod(std::pow(1 - u, -5.0), 4096.0) / 4096.0;  // of exponent 1.2
    double x = how == spread::constant ? one : lower + width * (how == spread::zipf ? zipf : u);
    if (how != spread::constant && random() % 100 == 0) x = lower + width * (3 * u - 1);
    if (x > most) x = most;
    if (x < least) x = least;
    if constexpr (std::is_integral_v<T>) {
      element = x >= 9.2e18 || x >= most ? std::numeric_limits<T>::max() : static_cast<T>(std::floor(x));
    } else {
      element = static_cast<T>(static_cast<bound_of<T>>(x));
    }
  }
  return out;
}

}  // namespace test
