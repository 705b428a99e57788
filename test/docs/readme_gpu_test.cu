// The kernels of README.md, which test/docs/pages_test.py compares with this file, line by line.
#include <tessera/tessera.hpp>

#include <vector>

#include "gpu.hpp"

namespace {

namespace before {
// clang-format off
__global__ void row_sums(float const* in, float* out, int rows, int columns) {
  int const lane = threadIdx.x % 8, row = blockIdx.x * blockDim.x / 8 + threadIdx.x / 8;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < columns; i += 8) sum += in[row * columns + i];
  unsigned const mask = 0xffu << (threadIdx.x % 32 / 8 * 8);  // the lanes of this row, or it hangs
  for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(mask, sum, step);
  if (lane == 0) out[row] = sum;
}
// clang-format on
}  // namespace before

namespace after {
// clang-format off
__global__ void row_sums(float const* in, float* out, int rows, int columns) {
  auto const tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  int const row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;
  float const sum = tessera::joint_reduce(tile, in + row * columns, columns);
  if (tile.thread_rank() == 0) out[row] = sum;
}
// clang-format on
}  // namespace after

/// The sums of 64 rows by one of the kernels above.
template <class Kernel>
std::vector<float> sums_by(Kernel kernel, std::vector<float> const& in,
                           int columns) {
  std::size_t const rows = in.size() / static_cast<std::size_t>(columns);
  float* memory = nullptr;
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory),
                       (in.size() + rows) * sizeof(float)),
            cudaSuccess);
  cudaMemcpy(memory, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  kernel<<<3, 256>>>(memory, memory + in.size(), static_cast<int>(rows), columns);
  std::vector<float> out(rows);
  cudaMemcpy(out.data(), memory + in.size(), rows * sizeof(float),
             cudaMemcpyDeviceToHost);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  return out;
}

TEST(Readme, KernelsBeforeAndAfterAddTheSameRows) {
  SKIP_WITHOUT_GPU();
  constexpr int columns = 37;
  std::vector<float> in(64 * columns);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i % 11);  // sums are exact
  std::vector<float> expected(64);
  for (std::size_t i = 0; i < in.size(); ++i) expected[i / columns] += in[i];
  EXPECT_EQ(sums_by(before::row_sums, in, columns), expected);
  EXPECT_EQ(sums_by(after::row_sums, in, columns), expected);
}

}  // namespace
