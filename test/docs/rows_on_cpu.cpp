// The sums of a matrix's rows, on the GPU or on CPU lanes: the kernel's body is one template.
#include <cstdio>
#include <tessera/host/launch.hpp>
#include <tessera/reduce.hpp>
#include <vector>

template <class Block>
TESSERA_FN void row_sums(Block const& block, float const* in, float* out,
                         int columns) {
  auto const tile = tessera::tiled_partition<8>(block);
  int const row =
      block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
  float sum = 0;
  for (int i = tile.thread_rank(); i < columns; i += tile.size())
    sum += in[row * columns + i];
  sum = tessera::reduce(tile, sum);
  if (tile.thread_rank() == 0) out[row] = sum;
}

#if TESSERA_CUDA
__global__ void row_sums_kernel(float const* in, float* out, int columns) {
  row_sums(cooperative_groups::this_thread_block(), in, out, columns);
}
#endif

int main() {
  constexpr int rows = 64, columns = 50, threads = 256, blocks = rows * 8 / threads;
  std::vector<float> in(rows * columns), out(rows);
  for (int i = 0; i < rows * columns; ++i) in[i] = static_cast<float>(i / columns);

  tessera::host::launch_grid(blocks, threads, [&](tessera::host::block block) {
    row_sums(block, in.data(), out.data(), columns);
  });
  std::printf("row 3 has the sum %g\n", out[3]);
  return out[3] == 150 && out[63] == 63 * 50 ? 0 : 1;
}
