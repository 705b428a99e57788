// Random segments for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "random_cases.hpp"

namespace test {

/// Where so many segments begin, and where the last one ends.
template <class Offset>
std::vector<Offset> drawn_offsets(case_draw& from, std::int64_t most, std::string& text) {
  std::vector<Offset> offsets{static_cast<Offset>(from.chance(50) ? 0 : from.number(0, 9))};
  std::int64_t const longest = from.size(from.one_of<std::int64_t>({3, 40, 600, most}));
  int const empty = from.one_of({0, 10, 60, 95});
  std::int64_t left = from.size(most);
  while (left > 0 && offsets.size() < static_cast<std::size_t>(most)) {
    std::int64_t const length = from.chance(empty) ? 0 : std::min(left, from.size(std::max<std::int64_t>(longest, 1)));
    offsets.push_back(static_cast<Offset>(static_cast<std::int64_t>(offsets.back()) + length));
    left -= length + 1;
  }
  text += std::to_string(offsets.size() - 1) + " segments of up to " + std::to_string(longest) + ", " +
          std::to_string(empty) + " % empty, from " + std::to_string(static_cast<std::int64_t>(offsets[0])) + " to " +
          std::to_string(static_cast<std::int64_t>(offsets.back()));
  return offsets;
}

}  // namespace test
