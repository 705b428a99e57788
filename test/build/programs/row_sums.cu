// Adds up four rows of eight numbers, each by a tile of eight threads. Needs the headers alone.
#include <cooperative_groups.h>
#include <tessera/reduce.hpp>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void row_sums(float* sums) {
  auto const row = cg::tiled_partition<8>(cg::this_thread_block());
  float const sum = tessera::reduce(row, static_cast<float>(threadIdx.x));
  if (row.thread_rank() == 0) sums[row.meta_group_rank()] = sum;
}

int main() {
  int gpus = 0;
  if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) return std::puts("there is no GPU"), 77;

  float* sums = nullptr;
  if (cudaMallocManaged(&sums, 4 * sizeof(float)) != cudaSuccess) return 1;
  row_sums<<<1, 32>>>(sums);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("sums: %g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
  bool const right = sums[0] == 28 && sums[1] == 92 && sums[2] == 156 && sums[3] == 220;
  return cudaFree(sums) == cudaSuccess && right ? 0 : 1;
}
