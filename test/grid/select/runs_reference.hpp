// What a loop finds of runs of equal keys: NaNs are equal to each other.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace test {

template <class T>
bool are_equal_keys(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return true;
  }
  return a == b;
}

/// The first key and value of each run, the sum of its values, and its length.
template <class T, class V>
struct runs_reference {
  std::vector<T> heads;
  std::vector<V> firsts, sums;
  std::vector<std::int64_t> lengths;

  runs_reference(std::vector<T> const& keys, std::vector<V> const& values) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (i == 0 || !are_equal_keys(keys[i - 1], keys[i])) {
        heads.push_back(keys[i]);
        firsts.push_back(values[i]);
        sums.push_back(V(0));
        lengths.push_back(0);
      }
      ++lengths.back();
      sums.back() = static_cast<V>(sums.back() + values[i]);
    }
  }
};

}  // namespace test
