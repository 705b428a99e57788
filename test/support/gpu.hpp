// Functions for tests with GPU cases.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tessera/device.hpp>

// Which of several programs this is: the build divides what takes long to compile (`slices` in meson.build).
#ifndef TESSERA_TEST_SLICES
#define TESSERA_TEST_SLICE 0
#define TESSERA_TEST_SLICES 1
#endif
// How many of them have one part each, the first ones, as users compile them (`slices_as_users` in meson.build).
#ifndef TESSERA_TEST_SLICES_AS_USERS
#define TESSERA_TEST_SLICES_AS_USERS 1
#endif
/// Whether a program has part p of a file that `#if` divides into parts: the first programs have one each, the others
/// take turns.
#define TESSERA_TEST_PROGRAM_OF(p, first) \
  ((p) < (first) ? (p) : (first) + ((p) - (first)) % (TESSERA_TEST_SLICES - (first)))
#define TESSERA_TEST_HAS_PART(p) \
  (TESSERA_TEST_SLICES == 1 || TESSERA_TEST_PROGRAM_OF(p, TESSERA_TEST_SLICES_AS_USERS) == TESSERA_TEST_SLICE)

namespace test {

/// The GPU of this run, which the first case that needs one searches for and prints: it takes more than a second where other
/// tests do the same. If there is none, `usable` is false.
inline const tessera::device_info& gpu() {
  static tessera::device_info const device = [] {
    tessera::device_info const found = tessera::find_device();
    if (found.usable)
      std::printf("GPU %d: %s, sm_%d\n", found.index, found.name, found.arch);
    else
      std::printf("GPU cases are skipped: %s\n", found.reason);
    return found;
  }();
  return device;
}

/// Whether to run a case of so many elements. TESSERA_TEST_MOST sets the greatest number; without it every
/// case runs. A sanitizer takes a thousand times as long, and small arrays suffice for the errors that it
/// finds.
inline bool is_worth(std::int64_t elements) {
  char const* const given = std::getenv("TESSERA_TEST_MOST");
  return !given || elements <= std::atoll(given);
}
/// The most elements of a case: fewer under a sanitizer.
inline std::int64_t most_elements(std::int64_t most) {
  while (most > 1 && !is_worth(most)) most /= 2;
  return most;
}

/// The sizes for which to run cases. If a million elements are too many, as under a sanitizer, this is
/// every third of them.
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
