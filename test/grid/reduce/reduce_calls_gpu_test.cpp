// Calls of grid::reduce and its kin: bad arguments, streams, graphs, and what calls leave behind.
#include <tessera/grid/reduce.hpp>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "device_array.hpp"
#include "gpu.hpp"
#include "numbers.hpp"
#include "stream.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;
using tessera::indexed;

using GridReduceCalls = WithWorkspace;

TEST_F(GridReduceCalls, BadArgumentsTouchNothing) {
  device_array<float> const in(std::vector<float>(100, 1.0f)), out(1);
  float* const odd = reinterpret_cast<float*>(reinterpret_cast<char*>(out.data()) + 2);
  auto const fails = [&](float const* from, std::int64_t n, float* to) {
    return grid::reduce(from, n, to, tessera::plus{}, memory) == cudaErrorInvalidValue;
  };
  EXPECT_TRUE(fails(nullptr, 1, out.data()));
  EXPECT_TRUE(fails(in.data(), -1, out.data()));
  EXPECT_TRUE(fails(in.data(), INT64_MAX, out.data()));
  EXPECT_TRUE(fails(in.data(), 100, nullptr));
  EXPECT_TRUE(fails(in.data(), 0, nullptr));
  EXPECT_TRUE(fails(in.data(), 100, odd));
  EXPECT_TRUE(fails(odd, 100, out.data()));
  EXPECT_TRUE(fails(in.data(), 100, in.data() + 99));
  EXPECT_FALSE(fails(in.data(), 99, in.data() + 99));
  float const* const none = nullptr;
  EXPECT_EQ(grid::argmax(none, 1, static_cast<indexed<float, std::int64_t>*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argmin(none, 1, static_cast<indexed<float, std::int64_t>*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argmin(none, 1, static_cast<indexed<float, std::int64_t>*>(nullptr), grid::ties::last),
            cudaErrorInvalidValue);
  device_array<std::int64_t> const index(1);
  std::int64_t* const nowhere = nullptr;
  float* const within = out.data();
  EXPECT_EQ(grid::argmin(in.data(), 99, out.data(), nowhere), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argmax(in.data(), 99, in.data() + 3, index.data()), cudaErrorInvalidValue);
  EXPECT_EQ(grid::argmax(in.data(), 99, within, reinterpret_cast<std::int64_t*>(within)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::minmax(none, 1, static_cast<tessera::min_max<float>*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_EQ(grid::moments(none, 1, static_cast<tessera::moments<double>*>(nullptr)), cudaErrorInvalidValue);
  EXPECT_TRUE(out.untouched());
  EXPECT_EQ(memory.size(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridReduceCalls, TwoStreamsAtOnce) {
  std::int64_t const n = test::is_worth(3000017) ? 3000017 : 100003;
  auto const x = random_numbers<std::uint32_t>(n, 0, 0, 1), y = random_numbers<std::uint32_t>(n, 0, 0, 2);
  std::uint32_t sums[2] = {};
  for (auto value : x) sums[0] += value;
  for (auto value : y) sums[1] += value;
  device_array<std::uint32_t> const in[] = {device_array<std::uint32_t>(x), device_array<std::uint32_t>(y)};
  device_array<std::uint32_t> const out(200);
  stream const streams[2];
  grid::workspace memories[2];
  for (int i = 0; i < 200; ++i)
    ASSERT_EQ(grid::reduce(in[i % 2].data(), n, out.data() + i, tessera::plus{},
                           i < 100 ? grid::execution(streams[i % 2], memories[i % 2]) : streams[i % 2]),
              cudaSuccess);
  for (cudaStream_t on : streams) check(cudaStreamSynchronize(on));
  auto const got = out.to_host();
  for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(got[i], sums[i % 2]) << i;
  for (auto& m : memories) EXPECT_EQ(m.release(), cudaSuccess);
}

TEST_F(GridReduceCalls, InAGraph) {
  std::int64_t const n = 1000003;
  device_array<float> const in(random_numbers<float>(n, -1, 1, 4)), out(2);
  stream const on;
  grid::workspace used, empty;
  ASSERT_EQ(grid::reduce(in.data(), n, out.data(), tessera::plus{}, {on, used}), cudaSuccess);
  graph const captured(on, [&] {
    EXPECT_EQ(grid::reduce(in.data(), n, out.data() + 1, tessera::plus{}, {on, used}), cudaSuccess);
    EXPECT_EQ(grid::reduce(in.data(), n, out.data(), tessera::plus{}, {on, empty}), cudaErrorStreamCaptureUnsupported);
  });
  EXPECT_EQ(captured.nodes(), 1u);
  for (int i = 0; i < 3; ++i) {
    captured.replay();
    check(cudaStreamSynchronize(on));
    auto const sums = out.to_host();
    EXPECT_TRUE(same_bits(sums[0], sums[1]));
  }
  EXPECT_EQ(used.release(), cudaSuccess);
}

TEST_F(GridReduceCalls, SameBitsEachTime) {
  std::int64_t const n = test::is_worth(5000011) ? 5000011 : 100003;
  device_array<float> const in(random_numbers<float>(n, -1, 1, 8)), out(64);
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(grid::reduce(in.data(), n, out.data() + i, tessera::plus{}, memory), cudaSuccess);
  auto const sums = out.to_host();
  for (float sum : sums) ASSERT_TRUE(same_bits(sum, sums[0]));
}

TEST_F(GridReduceCalls, CallsLeakNothing) {
  device_array<int> const in(std::vector<int>(20000, 1)), out(1);
  std::uint64_t const before = pool_bytes();
  for (int i = 0; i < many_calls(); ++i)
    ASSERT_EQ(grid::reduce(in.data(), 20000, out.data(), tessera::plus{}), cudaSuccess);
  EXPECT_EQ(pool_bytes(), before);
}

/// The thread that ends a workspace isn't the one in whose stream its last call still waits.
TEST_F(GridReduceCalls, WorkspaceOfAnotherThreadsStream) {
  device_array<int> const in(std::vector<int>(50000, 1)), out(1);
  grid::workspace moved;
  std::thread([&] {
    auto const sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
    grid::workspace own;
    check(cudaLaunchHostFunc(cudaStreamPerThread, sleep, nullptr));
    EXPECT_EQ(grid::reduce(in.data(), 50000, out.data(), tessera::plus{}, {cudaStreamPerThread, own}), cudaSuccess);
    moved = static_cast<grid::workspace&&>(own);
  }).join();
  EXPECT_EQ(moved.release(), cudaSuccess);
  stream const on;
  int sum = 0;
  check(cudaMemcpyAsync(&sum, out.data(), sizeof sum, cudaMemcpyDeviceToHost, on));
  check(cudaStreamSynchronize(on));
  EXPECT_EQ(sum, 50000) << "the memory was freed before the call had run";
}

TEST_F(GridReduceCalls, WorkspaceOfAnotherDevice) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "needs two GPUs";
  device_array<int> const in(std::vector<int>(50000, 1)), out(1);
  ASSERT_EQ(grid::reduce(in.data(), 50000, out.data(), tessera::plus{}, memory), cudaSuccess);
  int here = 0;
  check(cudaGetDevice(&here));
  check(cudaSetDevice(here == 0 ? 1 : 0));
  EXPECT_EQ(memory.reserve(100, nullptr), cudaErrorInvalidDevice);
  EXPECT_EQ(memory.release(), cudaSuccess);
  check(cudaSetDevice(here));
  EXPECT_EQ(out.to_host()[0], 50000);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(GridReduceCalls, WorkspaceThatCannotGrow) {
  device_array<int> const in(std::vector<int>(50000, 1)), out(1);
  std::uint64_t const before = pool_bytes();
  EXPECT_EQ(memory.reserve(std::size_t{1} << 50, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_EQ(pool_bytes(), before);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(grid::reduce(in.data(), 50000, out.data(), tessera::plus{}, memory), cudaSuccess);
  EXPECT_EQ(memory.reserve(std::size_t{1} << 50, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(grid::reduce(in.data(), 50000, out.data(), tessera::plus{}, memory), cudaSuccess);
  EXPECT_EQ(out.to_host()[0], 50000);
}

}  // namespace
