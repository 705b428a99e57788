// Workspaces and where their memory comes from: with a CUDA of its own, so that no GPU is needed, nor a second one (fake_cuda.hpp).
#include <gtest/gtest.h>

#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/workspace.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <type_traits>

#include "fake_cuda.hpp"

namespace {

namespace grid = tessera::grid;

/// Converts to its stream, as the streams of other libraries do.
struct stream_owner {
  cudaStream_t stream;
  operator cudaStream_t() const { return stream; }
};
grid::execution given(grid::execution on = {}) {
  return on;
}

TEST(GridExecution, IsAStreamAWorkspaceBothOrNeither) {
  auto const expect = [](grid::execution got, cudaStream_t stream, grid::workspace* memory) {
    EXPECT_EQ(got.stream, stream);
    EXPECT_EQ(got.memory, memory);
  };
  cudaStream_t const stream = cudaStreamLegacy;
  stream_owner const owner{cudaStreamPerThread};
  grid::workspace memory;
  expect(given(), nullptr, nullptr);
  expect(given({}), nullptr, nullptr);
  expect(given(nullptr), nullptr, nullptr);
  expect(given(stream), stream, nullptr);
  expect(given(owner), owner.stream, nullptr);
  expect(given(memory), nullptr, &memory);
  expect(given({memory}), nullptr, &memory);
  expect(given({stream, memory}), stream, &memory);
  expect(given({owner, memory}), owner.stream, &memory);
  expect(given({nullptr, memory}), nullptr, &memory);
  static_assert(!std::is_convertible_v<grid::workspace*, grid::execution>, "write {stream, memory}");
  static_assert(!std::is_convertible_v<grid::workspace, grid::execution>, "it would end before the call's kernel");
}

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
  return grid::detail::workspace_memory::allocate(memory, 100, nullptr, 0, true);
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

/// A fake device that the library keeps workspaces of, in a context that no other test has.
void keep_workspaces() {
  static unsigned long long contexts = 1000;
  fake = {};
  fake.context = ++contexts;
  fake.numbers_streams = true;
}
cudaStream_t stream_number(std::uintptr_t i) {
  return reinterpret_cast<cudaStream_t>(16 + i);
}
/// The counters of a call without a workspace, which leaves them 0; null if it failed.
void* call_on(cudaStream_t stream, std::size_t bytes = 100, std::size_t words = 0) {
  grid::detail::pooled_workspace const scratch(stream, bytes, words);
  if (scratch.error() != cudaSuccess) return nullptr;
  std::memset(scratch.data(), 0xff, bytes);
  EXPECT_GE(scratch.tagged_size(), words);
  for (std::size_t i = 0; i < grid::workspace::zero_bytes / sizeof(unsigned); ++i) EXPECT_EQ(scratch.counters()[i], 0u);
  return scratch.counters();
}

TEST(KeptWorkspace, ServesTheNextCallOfItsStream) {
  keep_workspaces();
  void* const first = call_on(stream_number(0));
  EXPECT_EQ(fake.allocated, 1);
  EXPECT_EQ(call_on(stream_number(0)), first);
  EXPECT_EQ(call_on(stream_number(0), 50), first);
  EXPECT_EQ(fake.allocated, 1);
  EXPECT_NE(call_on(stream_number(1)), first) << "two streams at once need two";
  EXPECT_EQ(fake.allocated, 2);
  (void)call_on(stream_number(0), 5000, 100);
  EXPECT_EQ(fake.allocated, 3) << "it grows";
  EXPECT_EQ(fake.allocations, 2) << "and frees what it had";
  EXPECT_EQ(fake.waits, 0);
}

TEST(KeptWorkspace, IsLentToOneCallAtATime) {
  keep_workspaces();
  grid::detail::pooled_workspace const outer(stream_number(0), 100);
  grid::detail::pooled_workspace const inner(stream_number(0), 100);
  ASSERT_EQ(outer.error(), cudaSuccess);
  ASSERT_EQ(inner.error(), cudaSuccess);
  EXPECT_NE(outer.counters(), inner.counters());
}

TEST(KeptWorkspace, OfTwoThreadsIsNeverShared) {
  keep_workspaces();
  std::atomic<int> users{0};
  auto const calls = [&] {
    for (int i = 0; i < 1000; ++i) {
      grid::workspace* const lent = grid::detail::borrow_workspace(stream_number(0), 0, 0);
      if (lent == nullptr) continue;  // The other thread has it.
      EXPECT_EQ(users.fetch_add(1), 0);
      EXPECT_EQ(users.fetch_sub(1), 1);
      grid::detail::return_workspace(lent);
    }
  };
  std::thread other(calls);
  calls();
  other.join();
}

TEST(KeptWorkspace, IsNotUsedWhereItsStreamIsCaptured) {
  keep_workspaces();
  void* const first = call_on(stream_number(0));
  fake.is_captured = true;
  EXPECT_NE(call_on(stream_number(0)), first);
  EXPECT_EQ(fake.allocated_by, "cudaMallocAsync") << "the graph's memory";
  fake.is_captured = false;
  EXPECT_EQ(call_on(stream_number(0)), first);
}

TEST(KeptWorkspace, TakesNothingOfTheCallersPool) {
  keep_workspaces();
  fake.caller_has_pool = true;
  (void)call_on(stream_number(0));
  EXPECT_EQ(fake.allocations, 0);
  fake.caller_has_pool = false;
  void* const kept = call_on(stream_number(0));
  EXPECT_EQ(fake.allocations, 1);
  fake.caller_has_pool = true;
  EXPECT_EQ(call_on(stream_number(0)), kept) << "what it has serves further calls";
  (void)call_on(stream_number(0), 5000);
  EXPECT_EQ(fake.allocated_by, "cudaMallocAsync");
  EXPECT_EQ(fake.allocations, 1);
}

TEST(KeptWorkspace, HasALimitOfBytes) {
  keep_workspaces();
  constexpr std::size_t most = grid::workspace::kept_bytes;
  (void)call_on(stream_number(0), most + 1);
  (void)call_on(stream_number(0), most, 1);
  EXPECT_EQ(fake.allocations, 0);
  (void)call_on(stream_number(0), most);
  EXPECT_EQ(fake.allocations, 1);
  (void)call_on(stream_number(1), 100, most / 2 / sizeof(std::uint64_t));
  int const before = fake.allocated;
  (void)call_on(stream_number(1), most);
  EXPECT_EQ(fake.allocated, before + 1) << "with its words it would be larger";
  EXPECT_EQ(fake.allocations, 2);
}

TEST(KeptWorkspace, IsThereForALimitedNumberOfStreams) {
  keep_workspaces();
  constexpr unsigned most = grid::workspace::kept_streams;
  for (unsigned i = 0; i < most + 10; ++i) EXPECT_NE(call_on(stream_number(i)), nullptr);
  EXPECT_EQ(fake.allocations, static_cast<int>(most));
  ++fake.context;
  (void)call_on(stream_number(0));
  EXPECT_EQ(fake.allocations, static_cast<int>(most) + 1) << "after a reset";
}

/// A call that fails leaves no workspace lent.
TEST(KeptWorkspace, ComesBackFromCallsThatFail) {
  keep_workspaces();
  for (int failing = 1; failing < 10; ++failing) {
    fake.calls = 0;
    fake.failing = failing;
    (void)call_on(stream_number(static_cast<std::uintptr_t>(failing)));
    fake.failing = 0;
    void* const kept = call_on(stream_number(static_cast<std::uintptr_t>(failing)));
    EXPECT_NE(kept, nullptr);
    EXPECT_EQ(call_on(stream_number(static_cast<std::uintptr_t>(failing))), kept) << fake.failed;
    EXPECT_EQ(fake.last, cudaSuccess) << fake.failed;
  }
}

/// Memory of the caller's, and what is after it.
struct given_memory {
  static constexpr std::size_t most = 256 * 1024;
  alignas(256) unsigned char bytes[most];

  given_memory() { std::memset(bytes, 0xcd, most); }
  bool is_untouched_from(std::size_t end) const {
    for (std::size_t i = end; i < most; ++i) {
      if (bytes[i] != 0xcd) return false;
    }
    return true;
  }
};

/// The counters of a call in this workspace that finds all of it 0, uses its data and leaves the tagged words changed.
void* call_in(grid::workspace& memory, std::size_t bytes, std::size_t words, cudaError_t status = cudaSuccess) {
  grid::detail::pooled_workspace const scratch(memory, bytes, words);
  EXPECT_EQ(scratch.error(), status);
  if (scratch.error() != cudaSuccess) return nullptr;
  for (std::size_t i = 0; i < grid::workspace::zero_bytes / sizeof(unsigned); ++i) EXPECT_EQ(scratch.counters()[i], 0u);
  EXPECT_GE(scratch.tagged_size(), words);
  std::memset(scratch.data(), 0xff, bytes);
  for (std::size_t i = 0; i < words; ++i) {
    EXPECT_NE(scratch.tagged()[i], 0xffffffffffffffffu) << "data of an earlier call in the words";
    scratch.tagged()[i] = 7;
  }
  return scratch.counters();
}

TEST(GivenWorkspace, IsInMemoryOfTheCallers) {
  using layout = grid::detail::workspace_layout;
  fake = {};
  given_memory given;
  constexpr std::size_t bytes = layout::total(40, 1000);
  {
    grid::workspace memory(given.bytes, bytes);
    EXPECT_EQ(memory.data(), nullptr) << "before the first call";
    EXPECT_EQ(call_in(memory, 1000, 40), given.bytes);
    EXPECT_EQ(memory.size(), 1000u);
    (void)call_in(memory, 1001, 40, cudaErrorInvalidValue);
    (void)call_in(memory, 1000, 65, cudaErrorInvalidValue);
    EXPECT_EQ(call_in(memory, 1000, 40), given.bytes) << "after a call that had no room";
  }
  EXPECT_TRUE(given.is_untouched_from(bytes));
  EXPECT_EQ(fake.allocated, 0);
  EXPECT_EQ(fake.waits, 0);
}

TEST(GivenWorkspace, HasTheRoomOfTheGreatestCall) {
  using layout = grid::detail::workspace_layout;
  fake = {};
  given_memory given;
  grid::workspace memory(given.bytes, layout::total(4096, 0));
  EXPECT_EQ(call_in(memory, 0, 4096), given.bytes);
  EXPECT_EQ(call_in(memory, 4096 * sizeof(std::uint64_t), 0), given.bytes) << "where the words were";
  EXPECT_EQ(call_in(memory, 0, 4096), given.bytes) << "where data was";
  EXPECT_TRUE(given.is_untouched_from(layout::total(4096, 0)));
}

TEST(GivenWorkspace, IsClearedByTheFirstCallAndByThoseOfGraphs) {
  fake = {};
  given_memory given;
  auto const clears = [&](grid::workspace& memory) {
    std::memset(given.bytes, 0, grid::workspace::zero_bytes);
    given.bytes[0] = 1;
    grid::detail::pooled_workspace const scratch(memory, 100, 10);
    EXPECT_EQ(scratch.error(), cudaSuccess);
    bool const is_clear = given.bytes[0] == 0;
    given.bytes[0] = 0;
    return is_clear;
  };
  grid::workspace memory(given.bytes, given.most);
  EXPECT_TRUE(clears(memory));
  EXPECT_FALSE(clears(memory));
  fake.is_captured = true;
  EXPECT_TRUE(clears(memory));
  EXPECT_TRUE(clears(memory)) << "others may have used the memory before the graph runs again";
  fake.is_captured = false;
  EXPECT_TRUE(clears(memory)) << "the graph may not have run";
  EXPECT_FALSE(clears(memory));
  EXPECT_EQ(memory.release(), cudaSuccess);
  EXPECT_TRUE(clears(memory));
  grid::workspace moved(static_cast<grid::workspace&&>(memory));
  EXPECT_FALSE(clears(moved));
  EXPECT_EQ(fake.allocated, 0);
}

TEST(GivenWorkspace, NeverAllocates) {
  fake = {};
  given_memory given;
  for (bool const captured : {false, true}) {
    fake.is_captured = captured;
    grid::workspace none(nullptr, 0), null(nullptr, given.most), small(given.bytes, grid::workspace::zero_bytes - 1),
        askew(given.bytes + 128, given.most - 128);
    for (grid::workspace* memory : {&none, &null, &small, &askew}) (void)call_in(*memory, 0, 0, cudaErrorInvalidValue);
  }
  EXPECT_EQ(fake.allocated, 0);
  EXPECT_TRUE(given.is_untouched_from(0));
}

TEST(GivenWorkspace, BelongsToADeviceUntilItIsReleased) {
  fake = {};
  given_memory given;
  grid::workspace memory(given.bytes, given.most);
  EXPECT_NE(call_in(memory, 0, 0), nullptr);
  fake.device = 1;
  (void)call_in(memory, 0, 0, cudaErrorInvalidDevice);
  EXPECT_EQ(memory.release(), cudaSuccess);
  EXPECT_NE(call_in(memory, 0, 0), nullptr);
}

/// Each CUDA call fails once; the next call finds the memory 0 all the same.
TEST(GivenWorkspace, ServesAfterCallsThatFail) {
  given_memory given;
  for (int failing = 1; failing < 4; ++failing) {
    fake = {};
    std::memset(given.bytes, 0xcd, given.most);
    grid::workspace memory(given.bytes, given.most);
    fake.failing = failing;
    (void)grid::detail::pooled_workspace(memory, 100, 10);
    EXPECT_NE(call_in(memory, 100, 10), nullptr) << fake.failed;
    EXPECT_EQ(fake.last, cudaSuccess) << fake.failed;
  }
}

}  // namespace
