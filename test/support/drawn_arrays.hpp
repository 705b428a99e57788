// Arrays of drawn values of any type, and same_arrays to compare results with them.
#pragma once

#include <cstdint>
#include <vector>

#include "same_arrays.hpp"
#include "samples.hpp"

namespace test {

template <class T>
std::vector<T> drawn(std::int64_t n) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<T> x(static_cast<std::size_t>(n));
  for (auto& value : x) value = sample<T>(random);
  return x;
}

}  // namespace test
