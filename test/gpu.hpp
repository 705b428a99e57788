// For tests with GPU cases.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>

#include <tessera/device.hpp>

namespace test {

/// The GPU of this run, looked for once; `usable` is false where there is none.
inline const tessera::device_info& gpu() {
  static tessera::device_info const device = tessera::find_device();
  return device;
}

/// Whether a case of so many elements is worth it: of any number, but TESSERA_TEST_MOST says how many at most. A sanitizer takes
/// a thousand times as long, and what it looks for is in small arrays as well.
inline bool is_worth(std::int64_t elements) {
  char const* const given = std::getenv("TESSERA_TEST_MOST");
  return !given || elements <= std::atoll(given);
}
/// Those of some sizes that are; every third where a sanitizer takes long: where a million is too many.
inline std::vector<std::int64_t> worthwhile(std::vector<std::int64_t> const& sizes) {
  std::vector<std::int64_t> some;
  for (std::size_t i = 0; i < sizes.size(); i += is_worth(1'000'000) ? 1 : 3) {
    if (is_worth(sizes[i])) some.push_back(sizes[i]);
  }
  return some;
}

}  // namespace test

/// The first line of a case that needs a GPU (or of its fixture's SetUp).
#define SKIP_WITHOUT_GPU() \
  if (!test::gpu().usable) GTEST_SKIP() << "needs a GPU: " << test::gpu().reason
