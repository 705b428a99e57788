// What grid::histogram has to give: integers by 128-bit arithmetic, floats by the three rounded operations.
#pragma once

#include <tessera/grid/histogram/even_bins.hpp>

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
counted expected_histogram(std::vector<T> const& in, std::int64_t bins, bound_of<T> lower, bound_of<T> upper) {
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
      if (x >= upper) {
        ++out.above;
        continue;
      }
      bin = static_cast<std::size_t>((x - lower) * bins / (wide{upper} - lower));
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
      if (x >= upper) {
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
