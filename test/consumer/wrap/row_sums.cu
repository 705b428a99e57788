#include <cooperative_groups.h>
#include <cuda_runtime_api.h>

#include <tessera/reduce.hpp>

namespace cg = cooperative_groups;

namespace {

__global__ void row_sums(float const* in, float* out) {
  auto const row = cg::tiled_partition<8>(cg::this_thread_block());
  float const sum = tessera::reduce(row, in[threadIdx.x]);
  if (row.thread_rank() == 0) out[row.meta_group_rank()] = sum;
}

}  // namespace

// Computes the sums of rows of eight numbers: 1 … 8, 9 … 16, and so on.
bool row_sums_are_right() {
  constexpr unsigned rows = 4;
  float in[8 * rows];
  for (unsigned i = 0; i < 8 * rows; ++i) in[i] = static_cast<float>(i + 1);

  float* memory = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&memory), sizeof in + rows * sizeof(float)) != cudaSuccess)
    return false;
  float out[rows] = {};
  cudaMemcpy(memory, in, sizeof in, cudaMemcpyHostToDevice);
  row_sums<<<1, 8 * rows>>>(memory, memory + 8 * rows);
  cudaMemcpy(out, memory + 8 * rows, sizeof out, cudaMemcpyDeviceToHost);
  bool right = cudaFree(memory) == cudaSuccess;
  for (unsigned row = 0; row < rows; ++row)
    right = right && out[row] == 36.0f + 64.0f * static_cast<float>(row);
  return right;
}
