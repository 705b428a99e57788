// Arrays in the GPU's memory are filled in the order of the default stream, for which other streams don't wait.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace test {

/// Whether arrays were filled since somebody waited for the GPU.
inline bool fills_are_pending = false;

/// Waits for them, once for all: it takes milliseconds while other tests run on the GPU. An array does this before it tells its address,
/// and a graph before its capture, in which nobody may wait.
inline void wait_for_fills() {
  if (!fills_are_pending) return;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  fills_are_pending = false;
}

}  // namespace test
