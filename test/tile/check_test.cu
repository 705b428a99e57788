// TESSERA_CHECK on the GPU. A broken `converged` promise, or a scratch that is too small for a tile, prints
// the source line and traps. A kept promise and a scratch that is large enough print nothing.
#define TESSERA_CHECK
#include <tessera/core/scratch.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "backend.hpp"

namespace {

using namespace test;

constexpr unsigned promise_line = __LINE__ + 7;
struct promise {
  unsigned leaving;  // the number of threads of each block that exit before the call
  template <class Block>
  __device__ float operator()(Block const& block) const {
    auto const tile = tessera::tiled_partition<8>(block);
    if (block.thread_rank() < leaving) return 0;
    return tessera::reduce(tile, 1.0f, tessera::plus{}, tessera::converged);
  }
};

TEST(Check, AKeptPromisePrintsNothing) {
  SKIP_WITHOUT_GPU();
  for (unsigned threads : {8u, 32u, 48u, 1024u}) {
    for (float sum : gpu_backend::run_block<float>(threads, promise{0})) ASSERT_EQ(sum, 8);
  }
  // A warp that has exited as a whole doesn't break the promise of the others.
  auto const out = gpu_backend::run_block<float>(64, promise{32});
  for (unsigned i = 0; i < 64; ++i) ASSERT_EQ(out[i], i < 32 ? 0 : 8);
}

// Each of these runs in a process of its own, because the process can't use the GPU after a trap.
void break_promise() {
  dup2(STDERR_FILENO, STDOUT_FILENO);  // where kernels print
  gpu_array<float> const out(64);
  run_block_kernel<<<1, 64>>>(out.data(), promise{40});
  cudaError_t const status = cudaDeviceSynchronize();
  std::exit(status == cudaErrorLaunchFailure || status == cudaErrorAssert ? 3 : 4);
}

TEST(CheckDeathTest, ABrokenPromisePrintsTheLineAndTraps) {
  SKIP_WITHOUT_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(break_promise(), testing::ExitedWithCode(3),
              "broken promise: reduce.*check_test.cu:" + std::to_string(promise_line) +
                  " in tile 5 of 8 lanes, block \\(0, 0, 0\\).*0xffffff00");
}

constexpr unsigned scratch_line = __LINE__ + 6;
struct sum_in_scratch {
  template <class Block>
  __device__ float operator()(Block const& block) const {
    __shared__ tessera::scratch<float, 64> scratch;
    auto const tile = tessera::tiled_partition<64>(block);
    return tessera::reduce(tile, 1.0f, tessera::plus{}, tessera::shared(scratch));
  }
};

TEST(Check, AScratchOfTheBlocksSizePrintsNothing) {
  SKIP_WITHOUT_GPU();
  for (float sum : gpu_backend::run_block<float>(64, sum_in_scratch{})) ASSERT_EQ(sum, 64);
}

void overflow_scratch() {
  dup2(STDERR_FILENO, STDOUT_FILENO);  // where kernels print
  gpu_array<float> const out(128);
  run_block_kernel<<<1, 128>>>(out.data(), sum_in_scratch{});
  cudaError_t const status = cudaDeviceSynchronize();
  std::exit(status == cudaErrorLaunchFailure || status == cudaErrorAssert ? 3 : 4);
}

TEST(CheckDeathTest, AScratchThatIsTooSmallPrintsTheLineAndTraps) {
  SKIP_WITHOUT_GPU();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(overflow_scratch(), testing::ExitedWithCode(3),
              "scratch too small: reduce.*check_test.cu:" + std::to_string(scratch_line) +
                  " in tile 1 of 64 lanes, block \\(0, 0, 0\\): the scratch is for 64 threads; write "
                  "scratch<T, 128>");
}

}  // namespace
