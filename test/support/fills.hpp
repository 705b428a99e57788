// Arrays in the GPU's memory are filled in the order of the default stream, for which other streams don't wait.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <atomic>

namespace test {

/// How many fills each device has begun, and how many of them somebody has waited for.
inline std::atomic<unsigned> fills_begun[64], fills_waited_for[64];

inline int current_device() {
  int device = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  return device;
}

/// After a fill on the current device.
inline void note_fill() {
  ++fills_begun[current_device()];
}

/// Waits for them, once for all: it takes milliseconds while other tests run on the GPU. An array does this before it tells its address,
/// and a graph before its capture, in which nobody may wait. It doesn't wait for other streams, in which a rank on the same GPU may wait
/// for this one.
inline void wait_for_fills(int device = current_device()) {
  unsigned const begun = fills_begun[device];
  if (fills_waited_for[device] == begun) return;
  EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  fills_waited_for[device] = begun;
}

}  // namespace test
