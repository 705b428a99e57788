// The kernels of docs/ that only nvcc compiles: shared memory, named barriers, and tiles of cooperative_groups.
#define TESSERA_FIRST_BARRIER 3  // the kernel's own barriers are 1 and 2
#include <tessera/tessera.hpp>

#include "gpu.hpp"

namespace {

namespace cg = cooperative_groups;

// ---- docs/tutorial/above-a-warp.md

// [tessera/core/scratch.hpp]
__global__ void softmax_rows(float const* in, float* out) {
  __shared__ tessera::scratch<float, 256> scratch;
  auto const tile = tessera::this_block_tile<256>(cg::this_thread_block());
  float const x = in[256 * blockIdx.x + threadIdx.x];
  float const top =
      tessera::reduce(tile, x, tessera::maximum{}, tessera::shared(scratch));
  float const sum = tessera::reduce(tile, expf(x - top), tessera::plus{},
                                    tessera::shared(scratch));
  out[256 * blockIdx.x + threadIdx.x] = expf(x - top) / sum;
}
// [end]

// ---- docs/how-to/named-barriers.md

/// Warps 0 and 1 pass values to warps 2 and 3 by the kernel's own barrier; tiles use others.
__global__ void pipeline(float* out) {
  __shared__ float values[64];
  auto const tile = cg::tiled_partition<64>(cg::this_thread_block());
  if (threadIdx.x < 64) {
    values[threadIdx.x] = static_cast<float>(threadIdx.x);
    asm volatile("bar.arrive 1, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
  }
  float const x = threadIdx.x < 64 ? 1.0f : values[threadIdx.x - 64];
  out[threadIdx.x] = tessera::reduce(tile, x);
}

// ---- docs/how-to/coalesced-groups.md

/// Appends the positive numbers to `out`: one atomic for those of a warp.
__global__ void keep_positive(float const* in, float* out, unsigned* count) {
  float const x = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (x > 0) {
    auto const group = cg::coalesced_threads();
    tessera::compact(group, x, true, out, count);
  }
}

// ---- docs/how-to/clusters.md

/// Launches a kernel in clusters of 8 blocks of 128 threads.
template <class... Args>
cudaError_t launch_clusters(unsigned clusters, void (*kernel)(Args...),
                            Args... args) {
  cudaLaunchAttribute shape{};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim.x = 8;
  shape.val.clusterDim.y = 1;
  shape.val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(8 * clusters);
  launch.blockDim = dim3(128);
  launch.attrs = &shape;
  launch.numAttrs = 1;
  return cudaLaunchKernelEx(&launch, kernel, args...);
}

__global__ void sum_of_cluster([[maybe_unused]] float* out) {
#if TESSERA_ARCH >= 900
  auto const tile = tessera::this_cluster_tile<1024, 128>(cg::this_cluster());
  float const sum = tessera::reduce(tile, static_cast<float>(tile.thread_rank()));
  if (tile.thread_rank() == 1023) *out = sum;
#endif
}

/// The lines of scratch.hpp's head.
__global__ void lines_of_scratch(float* out) {
  __shared__ tessera::scratch<float, 256> scratch;
  auto const tile = tessera::this_block_tile<256>(cg::this_thread_block());
  float const x = 1;
  {
    float const sum =
        tessera::reduce(tile, x, tessera::plus{}, tessera::shared(scratch));
    out[threadIdx.x] = sum;
  }
  {
    float const sum =
        tessera::reduce(tile, x, tessera::plus{}, tessera::fresh(scratch));
    out[threadIdx.x] += sum;
  }
}

/// The result of a kernel of one block.
template <class Kernel>
std::vector<float> run(Kernel kernel, unsigned threads) {
  float* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, threads * sizeof(float)), cudaSuccess);
  kernel<<<1, threads>>>(memory);
  std::vector<float> out(threads);
  EXPECT_EQ(cudaMemcpy(out.data(), memory, threads * sizeof(float),
                       cudaMemcpyDeviceToHost),
            cudaSuccess);
  cudaFree(memory);
  return out;
}

TEST(DocsKernels, NamedBarriers) {
  SKIP_WITHOUT_GPU();
  auto const sums = run(pipeline, 128);
  EXPECT_EQ(sums[0], 64.0f);
  EXPECT_EQ(sums[127], 63.0f * 32);
}

TEST(DocsKernels, CoalescedGroups) {
  SKIP_WITHOUT_GPU();
  std::vector<float> in(128);
  for (int i = 0; i < 128; ++i) in[i] = static_cast<float>(i % 5 - 2);
  float* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 257 * sizeof(float)), cudaSuccess);
  ASSERT_EQ(
      cudaMemcpy(memory, in.data(), 128 * sizeof(float), cudaMemcpyHostToDevice),
      cudaSuccess);
  auto* const count = reinterpret_cast<unsigned*>(memory + 256);
  ASSERT_EQ(cudaMemset(count, 0, sizeof(unsigned)), cudaSuccess);
  keep_positive<<<1, 128>>>(memory, memory + 128, count);
  unsigned kept = 0;
  ASSERT_EQ(cudaMemcpy(&kept, count, sizeof kept, cudaMemcpyDeviceToHost),
            cudaSuccess);
  ASSERT_EQ(kept, 50u);
  std::vector<float> out(kept);
  ASSERT_EQ(cudaMemcpy(out.data(), memory + 128, kept * sizeof(float),
                       cudaMemcpyDeviceToHost),
            cudaSuccess);
  float sum = 0;
  for (float x : out) sum += x;
  EXPECT_EQ(sum, 25.0f * 1 + 25.0f * 2);
  cudaFree(memory);
}

TEST(DocsKernels, Clusters) {
  SKIP_WITHOUT_GPU();
  if (test::gpu().arch < 90) GTEST_SKIP() << "needs a GPU with clusters";
  float* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, sizeof(float)), cudaSuccess);
  ASSERT_EQ(launch_clusters(1, sum_of_cluster, out), cudaSuccess);
  float sum = 0;
  ASSERT_EQ(cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(sum, 1023.0f * 512);
  cudaFree(out);
}

TEST(DocsKernels, Scratch) {
  SKIP_WITHOUT_GPU();
  for (float sum : run(lines_of_scratch, 256)) ASSERT_EQ(sum, 512.0f);
  float* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 512 * sizeof(float)), cudaSuccess);
  ASSERT_EQ(cudaMemset(memory, 0, 512 * sizeof(float)), cudaSuccess);
  softmax_rows<<<1, 256>>>(memory, memory + 256);
  float share = 0;
  ASSERT_EQ(cudaMemcpy(&share, memory + 300, sizeof share, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(share, 1.0f / 256);
  cudaFree(memory);
}

}  // namespace
