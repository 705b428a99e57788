// Elements for calls that read by an iterator, and the function that it applies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "samples.hpp"

namespace test {

/// x less an eighth of it.
template <class T>
struct less_an_eighth {
  TESSERA_FN T operator()(T x) const { return x * T(0.875f); }
};

/// n floats from −16 to 16, many of them equal.
inline std::vector<float> drawn_values(std::int64_t n) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<float> x(static_cast<std::size_t>(n));
  for (float& value : x) value = static_cast<float>(random() % 4000) / 125 - 16;
  return x;
}

}  // namespace test
