#include <cuda_runtime_api.h>

#include <tessera/device.hpp>

#include "gpu.hpp"

// What find_device() tried is not what the caller's next check finds, with or without a GPU.
TEST(device, leaves_no_error_behind) {
  cudaError_t const before = cudaGetLastError();  // without a driver even this one fails
  (void)tessera::find_device();
  EXPECT_EQ(cudaGetLastError(), before);
}

TEST(device, leaves_the_current_device_alone) {
  SKIP_WITHOUT_GPU();
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(count - 1), cudaSuccess);
  (void)tessera::find_device();
  int current = -1;
  EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
  EXPECT_EQ(current, count - 1);
}
