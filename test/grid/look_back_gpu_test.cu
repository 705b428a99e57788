// The look-back of scans under stress: blocks that are delayed, and a GPU that another kernel fills.
#include <tessera/grid/scan.cuh>

#include <cstdint>
#include <vector>

#include "../backend.hpp"
#include "drawn_arrays.hpp"
#include "with_workspace.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

using GridLookBack = WithWorkspace;

/// Waits for some microseconds at one element in many.
struct now_and_then {
  unsigned seed;
  TESSERA_FN unsigned operator()(unsigned x, [[maybe_unused]] std::int64_t index) const {
#if TESSERA_ARCH
    unsigned const hash = (static_cast<unsigned>(index) ^ seed) * 2654435761u;
    if (hash >> 16 == 7) {
      for (unsigned i = 0; i < (hash & 31); ++i) __nanosleep(1000);
    }
#endif
    return x;
  }
};

/// Of a tile for each block, of small tiles, and of large ones.
constexpr std::int64_t some_sizes[] = {1000003, 4400037, 8000009};

/// Waits for 20 milliseconds at the first element.
struct late_beginning {
  TESSERA_FN unsigned operator()(unsigned x, [[maybe_unused]] std::int64_t index) const {
#if TESSERA_ARCH
    if (index == 0) {
      for (unsigned i = 0; i < 20000; ++i) __nanosleep(1000);
    }
#endif
    return x;
  }
};

void expect_sums(std::vector<unsigned> const& got, std::vector<unsigned> const& x) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], sum += x[i]) << i << " of " << x.size();
}

TEST_F(GridLookBack, DelayedBlocks) {
  for (std::int64_t most : some_sizes) {
    std::int64_t const n = is_worth(most) ? most : 100003;
    auto const x = drawn<unsigned>(n);
    gpu_array<unsigned> const in(x), out(x.size());
    for (unsigned run = 0; run < (is_worth(most) ? 100u : 5u); ++run) {
      SCOPED_TRACE(run);
      ASSERT_EQ(grid::transform_inclusive_scan(in.data(), n, out.data(), tessera::plus{}, now_and_then{run},
                                               nullptr, &memory),
                cudaSuccess);
      if (run % 20 == 0) expect_sums(out.to_host(), x);
    }
  }
}

/// The first block is late: all others leave their tiles to the last one that leaves the kernel. In place, too, and with the same workspace
/// afterwards.
TEST_F(GridLookBack, LateTiles) {
  for (std::int64_t n : {20000, 100003, 2000037}) {
    if (!is_worth(n)) continue;
    auto const x = drawn<unsigned>(n);
    gpu_array<unsigned> const in(x), out(x.size());
    ASSERT_EQ(grid::transform_inclusive_scan(in.data(), n, out.data(), tessera::plus{}, late_beginning{},
                                             nullptr, &memory),
              cudaSuccess);
    expect_sums(out.to_host(), x);
    ASSERT_EQ(grid::transform_inclusive_scan(in.data(), n, in.data(), tessera::plus{}, late_beginning{},
                                             nullptr, &memory),
              cudaSuccess);
    expect_sums(in.to_host(), x);
    gpu_array<unsigned> const again(x);
    ASSERT_EQ(grid::inclusive_scan(again.data(), n, out.data(), tessera::plus{}, nullptr, &memory),
              cudaSuccess);
    expect_sums(out.to_host(), x);
  }
}

/// Waits with all of a multiprocessor's shared memory, so that no other block runs there.
__global__ void fill_multiprocessor(unsigned const* stop) {
  while (*static_cast<unsigned const volatile*>(stop) == 0) __nanosleep(1000);
}

/// Another kernel leaves one multiprocessor to the scan, or none before it ends: the first blocks do what the others would.
TEST_F(GridLookBack, BesideAnotherKernel) {
  if (!is_worth(some_sizes[2])) GTEST_SKIP() << "a sanitizer runs one kernel after the other";
  int multiprocessors = 0, bytes = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  ASSERT_EQ(cudaFuncSetAttribute(fill_multiprocessor, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
            cudaSuccess);
  cudaStream_t other = nullptr, on = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking), cudaSuccess);
  unsigned* stop = nullptr;
  ASSERT_EQ(cudaMallocHost(&stop, sizeof *stop), cudaSuccess);
  for (std::int64_t n : some_sizes) {
    auto const x = drawn<unsigned>(n);
    gpu_array<unsigned> const in(x), out(x.size());
    // The GPU may load a kernel, and give out memory, only while no other kernel runs.
    grid::workspace own;
    *stop = 1;
    fill_multiprocessor<<<1, 32, static_cast<unsigned>(bytes), other>>>(stop);
    ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, on, &own), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int left : {1, 0}) {
      *stop = 0;
      fill_multiprocessor<<<static_cast<unsigned>(multiprocessors - left), 32, static_cast<unsigned>(bytes),
                            other>>>(stop);
      for (int run = 0; run < 5; ++run)
        ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, on, &own), cudaSuccess);
      if (left != 0) ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
      *static_cast<unsigned volatile*>(stop) = 1;
      ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
      ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
      expect_sums(out.to_host(), x);
    }
    EXPECT_EQ(own.release(), cudaSuccess);
  }
  ASSERT_EQ(cudaFreeHost(stop), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(on), cudaSuccess);
}

}  // namespace
