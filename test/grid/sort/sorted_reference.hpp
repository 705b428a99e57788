// What sorts of whole arrays and of segments must give: the order of tiles, by std::stable_sort.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "numbers.hpp"

namespace test {

/// The order of tessera::less or, if `Falling`, tessera::greater: NaNs last and equal, −0 equal to +0.
template <bool Falling>
struct tile_order {
  template <class T>
  bool operator()(T const& a, T const& b) const {
    if constexpr (is_any_float<T>) {
      double const x = as_double(a), y = as_double(b);
      if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
      return Falling ? x > y : x < y;
    } else {
      return Falling ? a > b : a < b;
    }
  }
};

/// The indices of elements in order; equal ones as they are.
template <class T, class Before>
std::vector<std::int64_t> sorted_places(std::vector<T> const& x, Before before) {
  std::vector<std::int64_t> places(x.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t i, std::int64_t j) {
    return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
  });
  return places;
}
/// The same within each segment.
template <class T, class Offset, class Before>
std::vector<std::int64_t> sorted_places(std::vector<T> const& x, std::vector<Offset> const& offsets, Before before) {
  std::vector<std::int64_t> places(x.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    std::stable_sort(places.begin() + static_cast<std::ptrdiff_t>(offsets[s]),
                     places.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]), [&](std::int64_t i, std::int64_t j) {
                       return before(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
                     });
  return places;
}

/// Keys of which many are equal: of floats also NaNs of both signs, zeros of both, and infinities.
template <class T>
std::vector<T> keys_to_sort(std::int64_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& value : x) {
    auto const bits = random();
    if constexpr (is_any_float<T>) {
      double const special[] = {0.0, -0.0, INFINITY, -INFINITY, std::nan(""), -std::nan(""), 1.0, -1.0};
      value = bits % 4 == 0   ? rounded<T>(special[bits / 4 % 8])
              : bits % 4 == 1 ? rounded<T>(static_cast<double>(bits / 4 % 64) - 32)
                              : rounded<T>(std::uniform_real_distribution<double>(-1000, 1000)(random));
    } else {
      value = bits % 3 == 0 ? static_cast<T>(bits / 3 % 50) : static_cast<T>(random());
    }
  }
  return x;
}

template <class T>
std::vector<T> taken(std::vector<T> const& x, std::vector<std::int64_t> const& places) {
  std::vector<T> out;
  out.reserve(places.size());
  for (std::int64_t place : places) out.push_back(x[static_cast<std::size_t>(place)]);
  return out;
}

}  // namespace test
