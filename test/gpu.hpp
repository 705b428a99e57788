// For tests with GPU cases.
#pragma once

#include <gtest/gtest.h>

#include <tessera/device.hpp>

namespace test {

/// The GPU of this run, looked for once; `usable` is false where there is none.
inline const tessera::device_info& gpu() {
  static tessera::device_info const device = tessera::find_device();
  return device;
}

}  // namespace test

/// The first line of a case that needs a GPU (or of its fixture's SetUp).
#define SKIP_WITHOUT_GPU() \
  if (!test::gpu().usable) GTEST_SKIP() << "needs a GPU: " << test::gpu().reason
