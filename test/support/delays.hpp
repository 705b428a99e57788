// Delays of blocks, for tests of the look-back: functions of kernels that wait, and a kernel that keeps multiprocessors busy.
#pragma once

#include <tessera/grid/workspace.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "backend.hpp"

namespace test {

/// Waits on the GPU, which functions of elements, predicates and operators do with a number of their arguments.
struct delay {
  enum kind {
    never,
    now_and_then,  // some microseconds at one number in many; at which of them `seed` says
    late_start     // 20 milliseconds at number 1
  } when = never;
  unsigned seed = 0;

  TESSERA_FN void operator()([[maybe_unused]] unsigned number) const {
#if TESSERA_ARCH
    unsigned const hash = (number ^ seed) * 2654435761u;
    unsigned const chosen = hash >> 16 == 7 ? hash & 31 : 0;
    unsigned const microseconds = when == now_and_then ? chosen : when == late_start && number == 1 ? 20000 : 0;
    for (unsigned i = 0; i < microseconds; ++i) __nanosleep(1000);
#endif
  }
};

/// Waits with all of a multiprocessor's shared memory, so that no other block runs there.
static __global__ void fill_multiprocessor(unsigned const* stop) {
  while (*static_cast<unsigned const volatile*>(stop) == 0) __nanosleep(1000);
}

/// Makes calls, call(stream, &workspace), while another kernel leaves them one multiprocessor, or none before it ends: the first blocks do
/// what the others would. After each turn expect() looks at the results.
template <class Call, class Expect>
void call_beside_another_kernel(Call call, Expect expect) {
  int multiprocessors = 0, bytes = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  ASSERT_EQ(cudaFuncSetAttribute(fill_multiprocessor, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), cudaSuccess);
  cudaStream_t other = nullptr, on = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking), cudaSuccess);
  unsigned* stop = nullptr;
  ASSERT_EQ(cudaMallocHost(&stop, sizeof *stop), cudaSuccess);
  // The GPU may load a kernel, and give out memory, only while no other kernel runs.
  tessera::grid::workspace own;
  *stop = 1;
  fill_multiprocessor<<<1, 32, static_cast<unsigned>(bytes), other>>>(stop);
  ASSERT_EQ(call({on, own}), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (int left : {1, 0}) {
    *stop = 0;
    fill_multiprocessor<<<static_cast<unsigned>(multiprocessors - left), 32, static_cast<unsigned>(bytes), other>>>(
        stop);
    for (int run = 0; run < 5; ++run) EXPECT_EQ(call({on, own}), cudaSuccess);
    if (left != 0) EXPECT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    *static_cast<unsigned volatile*>(stop) = 1;
    ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    expect();
  }
  EXPECT_EQ(own.release(), cudaSuccess);
  ASSERT_EQ(cudaFreeHost(stop), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(on), cudaSuccess);
}

}  // namespace test
