// Arrays of drawn values of any type, and how results are compared with them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "../samples.hpp"

namespace test {

template <class T>
std::vector<T> drawn(std::int64_t n) {
  random_engine random(static_cast<std::uint64_t>(n));
  std::vector<T> x(static_cast<std::size_t>(n));
  for (auto& value : x) value = sample<T>(random);
  return x;
}

template <class T>
bool same_arrays(std::vector<T> const& got, std::vector<T> const& expected) {
  return got.size() >= expected.size() &&
         (expected.empty() || std::memcmp(got.data(), expected.data(), expected.size() * sizeof(T)) == 0);
}

}  // namespace test
