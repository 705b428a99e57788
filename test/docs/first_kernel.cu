// The sums of the rows of a matrix, by tiles of 8 lanes.
#include <cooperative_groups.h>
#include <cstdio>
#include <tessera/reduce.hpp>

namespace cg = cooperative_groups;

__global__ void row_sums(float const* in, float* out, int rows, int columns) {
  auto const tile = cg::tiled_partition<8>(cg::this_thread_block());
  int const row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;
  float sum = 0;
  for (int i = tile.thread_rank(); i < columns; i += tile.size())
    sum += in[row * columns + i];
  sum = tessera::reduce(tile, sum);
  if (tile.thread_rank() == 0) out[row] = sum;
}

int main() {
  constexpr int rows = 100, columns = 50, threads = 256, tiles = threads / 8;
  float *in, *out;
  if (cudaMallocManaged(&in, rows * columns * sizeof *in) != cudaSuccess)
    return std::puts("no GPU"), 77;
  if (cudaMallocManaged(&out, rows * sizeof *out) != cudaSuccess) return 1;
  for (int i = 0; i < rows * columns; ++i) in[i] = i / columns;

  row_sums<<<(rows + tiles - 1) / tiles, threads>>>(in, out, rows, columns);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("row 3 has the sum %g\n", out[3]);
  return out[3] == 150 && out[99] == 99 * 50 ? 0 : 1;
}
