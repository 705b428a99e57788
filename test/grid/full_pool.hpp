// Calls on arrays where no stream-ordered memory is left.
#pragma once

#include <tessera/grid/execution.hpp>
#include <tessera/grid/workspace.hpp>

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device_array.hpp"

#if CUDART_VERSION >= 12030  // pools of a given size

namespace test {

/// While it lives, all stream-ordered memory comes from a pool of a few MB, and that is taken.
class full_pool {
 public:
  full_pool() {
    check(cudaGetDevice(&device_));
    check(cudaDeviceGetMemPool(&before_, device_));
    cudaMemPoolProps what{};
    what.allocType = cudaMemAllocationTypePinned;
    what.location.type = cudaMemLocationTypeDevice;
    what.location.id = device_;
    what.maxSize = std::size_t{8} << 20;
    check(cudaMemPoolCreate(&pool_, &what));
    check(cudaDeviceSetMemPool(device_, pool_));
    for (std::size_t bytes = what.maxSize; bytes >= 256;) {
      void* some = nullptr;
      if (cudaMallocAsync(&some, bytes, nullptr) == cudaSuccess) {
        taken_.push_back(some);
      } else {
        (void)cudaGetLastError();
        bytes /= 2;
      }
    }
  }
  full_pool(full_pool const&) = delete;
  full_pool& operator=(full_pool const&) = delete;
  ~full_pool() {
    empty();
    (void)cudaDeviceSetMemPool(device_, before_);
    (void)cudaMemPoolDestroy(pool_);
  }

  void empty() {
    for (void* some : taken_) (void)cudaFreeAsync(some, nullptr);
    taken_.clear();
    (void)cudaStreamSynchronize(nullptr);
  }
  std::uint64_t bytes_in_use() const {
    std::uint64_t bytes = 0;
    check(cudaStreamSynchronize(nullptr));
    check(cudaMemPoolGetAttribute(pool_, cudaMemPoolAttrUsedMemCurrent, &bytes));
    return bytes;
  }

 private:
  int device_ = 0;
  cudaMemPool_t before_ = nullptr, pool_ = nullptr;
  std::vector<void*> taken_;
};

/// That call(out, execution) fails as it should, and works once there is memory.
template <class Out, class Call>
void check_call(std::size_t results, Call call) {
  device_array<Out> const out(results);
  full_pool pool;
  std::uint64_t const before = pool.bytes_in_use();
  ASSERT_GT(before, 0u);
  tessera::grid::workspace memory;
  EXPECT_EQ(call(out.data(), nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(call(out.data(), memory), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the error is no later call's";
  EXPECT_EQ(pool.bytes_in_use(), before);
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_TRUE(out.untouched());
  pool.empty();
  EXPECT_EQ(call(out.data(), nullptr), cudaSuccess);
  EXPECT_EQ(call(out.data(), memory), cudaSuccess);
  EXPECT_FALSE(out.untouched());
  EXPECT_EQ(memory.release(), cudaSuccess);
  EXPECT_EQ(pool.bytes_in_use(), 0u);
}

/// That call(out, execution) works where there is no memory, and takes none.
template <class Out, class Call>
void check_call_without_memory(std::size_t results, Call call) {
  device_array<Out> const out(results);
  full_pool const pool;
  std::uint64_t const before = pool.bytes_in_use();
  tessera::grid::workspace memory;
  EXPECT_EQ(call(out.data(), nullptr), cudaSuccess);
  EXPECT_EQ(call(out.data(), memory), cudaSuccess);
  EXPECT_FALSE(out.untouched());
  EXPECT_EQ(pool.bytes_in_use(), before);
  EXPECT_EQ(memory.data(), nullptr);
}

}  // namespace test

#endif
