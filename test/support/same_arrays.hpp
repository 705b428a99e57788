// How arrays of results are compared with those that are expected.
#pragma once

#include <cstring>
#include <vector>

namespace test {

/// Whether `got` begins with all that is expected, bit for bit.
template <class T>
bool same_arrays(std::vector<T> const& got, std::vector<T> const& expected) {
  return got.size() >= expected.size() &&
         (expected.empty() || std::memcmp(got.data(), expected.data(), expected.size() * sizeof(T)) == 0);
}

}  // namespace test
