// That a call of CUDA's returns no error.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

namespace test {

inline void check(cudaError_t status) {
  ASSERT_EQ(status, cudaSuccess) << cudaGetErrorString(status);
}

}  // namespace test
