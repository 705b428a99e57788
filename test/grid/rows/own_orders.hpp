// Elements in orders of the tests' own, with many equal ones.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace test {

struct item {
  std::int32_t weight, number;
};
inline bool operator==(item const& a, item const& b) {
  return a.weight == b.weight && a.number == b.number;
}
struct heavier {
  TESSERA_FN bool operator()(item const& a, item const& b) const { return a.weight > b.weight; }
};

/// An order of numbers that has no sort keys.
struct by_last_digit {
  TESSERA_FN bool operator()(std::int32_t a, std::int32_t b) const { return a % 10 < b % 10; }
};

/// 20 bytes.
struct parcel {
  item content;
  std::int32_t rest[3];
};
inline bool operator==(parcel const& a, parcel const& b) {
  return a.content == b.content && a.rest[0] == b.rest[0] && a.rest[1] == b.rest[1] && a.rest[2] == b.rest[2];
}
/// An order with state: those of weights from `least` on come first, and are equal.
struct heavy_enough {
  std::int32_t least;

  TESSERA_FN bool operator()(parcel const& a, parcel const& b) const {
    return a.content.weight >= least && b.content.weight < least;
  }
};

inline item made(item*, unsigned random, std::int32_t i) {
  return {static_cast<std::int32_t>(random % 50), i};
}
inline std::int32_t made(std::int32_t*, unsigned random, std::int32_t) {
  return static_cast<std::int32_t>(random % 1000);
}
inline parcel made(parcel*, unsigned random, std::int32_t i) {
  return {made(static_cast<item*>(nullptr), random, i), {i, ~i, 3}};
}

/// n elements.
template <class T>
std::vector<T> drawn_elements(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> out;
  for (std::int32_t i = 0; i < n; ++i)
    out.push_back(made(static_cast<T*>(nullptr), static_cast<unsigned>(random()), i));
  return out;
}

}  // namespace test
