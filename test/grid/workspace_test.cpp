// Workspaces and where their memory comes from: with a CUDA of its own, so that no GPU is needed, nor a second one (fake_cuda.hpp).
#include <gtest/gtest.h>

#include <tessera/grid/workspace.hpp>

#include <set>
#include <string>
#include <thread>

#include "fake_cuda.hpp"

namespace {

namespace grid = tessera::grid;

TEST(GridWorkspace, BelongsToADevice) {
  fake = {};
  fake.device = 1;
  grid::workspace memory;
  ASSERT_EQ(memory.reserve(100, nullptr), cudaSuccess);
  fake.device = 0;
  EXPECT_EQ(memory.reserve(100, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(memory.reserve(1000, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(memory.release(), cudaSuccess);
  EXPECT_EQ(fake.freed_from_another_device, 0) << "freed in another device's default stream";
  EXPECT_EQ(fake.device, 0);
  EXPECT_EQ(memory.reserve(1000, nullptr), cudaSuccess) << "released, it serves any device";
  EXPECT_EQ(memory.release(), cudaSuccess);
  EXPECT_EQ(fake.allocations, 0);
}

TEST(GridWorkspace, IsMovedWithItsDeviceAndStream) {
  fake = {};
  fake.device = 1;
  {
    grid::workspace memory;
    ASSERT_EQ(memory.reserve(100, cudaStreamLegacy), cudaSuccess);
    grid::workspace moved(static_cast<grid::workspace&&>(memory));
    fake.device = 0;
  }
  EXPECT_EQ(fake.freed_from_another_device, 0);
  EXPECT_EQ(fake.streams, std::set<cudaStream_t>{cudaStreamLegacy});
  EXPECT_EQ(fake.allocations, 0);
}

TEST(GridWorkspace, WaitsForTheStreamOfAnotherThread) {
  for (cudaStream_t const stream : {cudaStreamPerThread, cudaStreamLegacy}) {
    fake = {};
    grid::workspace memory, own;
    ASSERT_EQ(own.reserve(100, stream), cudaSuccess);
    std::thread([&] { ASSERT_EQ(memory.reserve(100, stream), cudaSuccess); }).join();
    EXPECT_EQ(own.release(), cudaSuccess);
    EXPECT_EQ(fake.waits, 0);
    EXPECT_EQ(memory.release(), cudaSuccess);
    EXPECT_EQ(fake.waits, stream == cudaStreamPerThread ? 1 : 0);
    EXPECT_EQ(fake.allocations, 0);
  }
}

cudaError_t allocate_without_workspace() {
  grid::workspace memory;
  return memory.allocate(100, nullptr);
}

TEST(GridMemory, ComesFromAPoolThatKeepsIt) {
  fake = {};
  EXPECT_EQ(allocate_without_workspace(), cudaSuccess);
  EXPECT_EQ(fake.allocated_by, "cudaMallocFromPoolAsync");
  EXPECT_EQ(fake.waits, 0);
  fake.caller_has_pool = true;
  EXPECT_EQ(allocate_without_workspace(), cudaSuccess);
  EXPECT_EQ(fake.allocated_by, "cudaMallocAsync") << "the caller's pool";
  fake.caller_has_pool = false;
  fake.is_captured = true;
  EXPECT_EQ(allocate_without_workspace(), cudaSuccess);
  EXPECT_EQ(fake.allocated_by, "cudaMallocAsync") << "the graph's memory";
  EXPECT_EQ(fake.allocations, 0);
}

TEST(GridMemory, IsThereWithoutPools) {
  fake = {};
  fake.has_pools = false;
  EXPECT_EQ(allocate_without_workspace(), cudaSuccess);
  EXPECT_EQ(fake.allocated_by, "cudaMalloc");
  EXPECT_EQ(fake.waits, 1) << "the kernel may still run";
  EXPECT_EQ(fake.allocations, 0);
  fake.is_captured = true;
  EXPECT_EQ(allocate_without_workspace(), cudaErrorStreamCaptureUnsupported);
}

/// After a device's reset its pool is gone. Each call of the making of the next one fails once.
TEST(GridMemory, ThePoolIsMadeOnceInEachContext) {
  for (int failing = 0; failing < 10; ++failing) {
    fake = {};
    fake.context = 100u + static_cast<unsigned>(failing);
    fake.failing = failing;
    cudaError_t const status = allocate_without_workspace();
    bool const fails = !fake.failed.empty() && !may_fail(fake.failed) && fake.failed != "cudaGetDevice";
    EXPECT_EQ(status, fails || failing == 1 ? fake.failure : cudaSuccess) << fake.failed;
    EXPECT_EQ(fake.last, cudaSuccess) << fake.failed;
    EXPECT_EQ(fake.allocations, 0) << fake.failed;
    if (fake.failed == "cudaMemPoolCreate" || fake.failed == "cudaMemPoolSetAttribute") {
      EXPECT_EQ(fake.allocated_by, "cudaMallocAsync");
    }
  }
}

}  // namespace
