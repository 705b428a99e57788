// The look-back of scans under stress: blocks that are delayed, and a GPU that another kernel fills.
#include <tessera/grid/scan.cuh>

#include <cstdint>
#include <vector>

#include "../backend.hpp"
#include "../samples.hpp"

namespace {

using namespace test;
namespace grid = tessera::grid;

struct GridLookBack : testing::Test {
  void SetUp() override { SKIP_WITHOUT_GPU(); }
  grid::workspace memory;
};

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

__global__ void fill_gpu(unsigned const* stop) {
  while (*static_cast<unsigned const volatile*>(stop) == 0) __nanosleep(1000);
}

TEST_F(GridLookBack, DelayedBlocks) {
  std::int64_t const n = is_worth(4000037) ? 4000037 : 100003;
  std::vector<unsigned> x(static_cast<std::size_t>(n));
  random_engine random(3);
  for (auto& value : x) value = sample<unsigned>(random);
  gpu_array<unsigned> const in(x), out(x.size());
  for (unsigned run = 0; run < (is_worth(4000037) ? 200u : 5u); ++run) {
    ASSERT_EQ(grid::transform_inclusive_scan(in.data(), n, out.data(), tessera::plus{}, now_and_then{run},
                                             nullptr, &memory),
              cudaSuccess);
    if (run % 20 != 0) continue;
    auto const got = out.to_host();
    unsigned sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], sum += x[i]) << i << ", run " << run;
  }
}

/// Other kernels leave room for a few blocks of the scan at a time.
TEST_F(GridLookBack, BesideAnotherKernel) {
  constexpr std::int64_t n = 4000037;
  if (!is_worth(n)) GTEST_SKIP() << "a sanitizer runs one kernel after the other";
  std::vector<unsigned> x(static_cast<std::size_t>(n), 3);
  gpu_array<unsigned> const in(x), out(x.size());
  int multiprocessors = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  cudaStream_t other = nullptr, on = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&on, cudaStreamNonBlocking), cudaSuccess);
  unsigned* stop = nullptr;
  ASSERT_EQ(cudaMallocHost(&stop, sizeof *stop), cudaSuccess);
  for (unsigned blocks_per_multiprocessor : {1u, 3u}) {  // the scan has one multiprocessor left, or none
    *stop = 0;
    fill_gpu<<<static_cast<unsigned>(multiprocessors) * blocks_per_multiprocessor - 1, 512, 0, other>>>(stop);
    grid::workspace own;
    for (int run = 0; run < 5; ++run)
      ASSERT_EQ(grid::inclusive_scan(in.data(), n, out.data(), tessera::plus{}, on, &own), cudaSuccess);
    if (blocks_per_multiprocessor == 1) ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    *static_cast<unsigned volatile*>(stop) = 1;
    ASSERT_EQ(cudaStreamSynchronize(on), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    auto const got = out.to_host();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], 3 * (i + 1));
    EXPECT_EQ(own.release(), cudaSuccess);
  }
  ASSERT_EQ(cudaFreeHost(stop), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(on), cudaSuccess);
}

}  // namespace
