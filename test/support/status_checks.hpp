// What each call of a table must do with a CUDA that launches nothing and fails as it is told (fake_cuda.hpp).
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/workspace.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "fake_cuda.hpp"

namespace test {

struct status_call {
  char const* name;
  std::function<cudaError_t(tessera::grid::execution)> run;
};

/// Rows that nobody reads.
inline tessera::grid::matrix<float> fake_rows(std::int64_t rows, std::int64_t columns, std::uintptr_t at = 1) {
  return {somewhere<float>(at), rows, columns};
}

/// Whether a call may do without this one of CUDA's: it asks about the device, or frees memory.
inline bool may_do_without(std::string const& name) {
  return may_fail(name) || name == "cudaGetDevice" || name == "cudaDeviceGetAttribute";
}

/// Each of CUDA's calls fails once. The call returns that, or does without it and launches all. It leaves neither an error
/// nor memory behind.
inline void check_failures(char const* name, std::function<cudaError_t(tessera::grid::execution)> const& run) {
  fake = {};
  (void)run({});
  int const launches = fake.launches;
  EXPECT_GE(launches, 1) << name;
  for (int failing = 1;; ++failing) {
    fake = {};
    fake.failing = failing;
    cudaError_t const status = run({});
    if (fake.failed.empty()) break;
    if (status == cudaSuccess && may_do_without(fake.failed)) {
      EXPECT_EQ(fake.launches, launches) << name << ": " << fake.failed << " fails";
    } else {
      EXPECT_EQ(status, fake.failure) << name << ": " << fake.failed << " fails";
    }
    EXPECT_EQ(fake.last, cudaSuccess) << name << ": " << fake.failed << " fails";
    EXPECT_EQ(fake.allocations, 0) << name << ": " << fake.failed << " fails";
  }
}

/// An error that was there before stays, and is no reason to launch less. Nothing waits.
inline void check_earlier_error(char const* name, std::function<cudaError_t(tessera::grid::execution)> const& run) {
  constexpr cudaError_t of_the_caller = cudaErrorInvalidPitchValue;
  fake = {};
  fake.last = of_the_caller;
  EXPECT_EQ(run({}), cudaSuccess) << name;
  EXPECT_EQ(fake.last, of_the_caller) << name;
  EXPECT_GE(fake.launches, 1) << name;
  EXPECT_EQ(fake.allocations, 0) << name;
  EXPECT_EQ(fake.waits, 0) << name;
}

/// A workspace that has served the call serves it again, also while it is captured, and allocates at most once.
inline void check_workspace(char const* name, std::function<cudaError_t(tessera::grid::execution)> const& run) {
  fake = {};
  tessera::grid::workspace memory;
  EXPECT_EQ(run(memory), cudaSuccess) << name;
  int const allocated = fake.allocated, launches = fake.launches;
  EXPECT_LE(allocated, 1) << name;
  fake.is_captured = true;
  EXPECT_EQ(run(memory), cudaSuccess) << name;
  EXPECT_EQ(fake.allocated, allocated) << name;
  EXPECT_EQ(fake.launches, 2 * launches) << name;
}

}  // namespace test
