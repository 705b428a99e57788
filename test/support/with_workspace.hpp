// A fixture of tests that need a GPU and a workspace.
#pragma once

#include <tessera/grid/workspace.hpp>

#include <gtest/gtest.h>

#include "gpu.hpp"

namespace test {

struct WithWorkspace : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  tessera::grid::workspace memory;
};

}  // namespace test
