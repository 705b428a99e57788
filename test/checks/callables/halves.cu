// Collectives on 16-bit floats and their pairs, by every operator on numbers. They are compiled with the
// macros that remove the operators and conversions of halves, which PyTorch defines. See meson.build.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/reduce.cuh>
#include <tessera/grid/rows.cuh>
#include <tessera/grid/segments.cuh>
#include <tessera/tessera.hpp>

using namespace tessera;

template <class Tile, class T, class Op>
__device__ void combine(Tile const& tile, T* x, Op op) {
  T y = x[tile.thread_rank()];
  y = tessera::reduce(tile, y, op);
  y = tessera::reduce(tile, y, op, first(x == nullptr ? 0u : 3u));
  y = tessera::inclusive_scan(tile, y, op);
  y = tessera::exclusive_scan(tile, y, op, where(tile.thread_rank() > 2));
  atomic_update(x + 1, y, op);
}

template <class T>
__global__ void of_pairs(T* x) {
  auto const block = cooperative_groups::this_thread_block();
  auto const warp = tessera::tiled_partition<32>(block);
  combine(warp, x, plus{});
  combine(warp, x, multiplies{});
  combine(warp, x, minimum{});
  combine(warp, x, maximum{});
  combine(warp, x, minimum_number{});
  combine(warp, x, maximum_number{});
  T y = segmented_reduce(warp, x[threadIdx.x], by_key(threadIdx.x / 3), plus{});
  y = reduce_by_label(warp, threadIdx.x % 2, y, multiplies{});
  items<T, 2> const both = reduce_batch(warp, items<T, 2>{{y, y}}, maximum{});
  joint_inclusive_scan(warp, x, 100, x, plus{});
  x[0] = joint_reduce(warp, x, 100, minimum{});
  atomic_reduce(warp, x + 1, both[0], plus{});
  x[5] = tessera::reduce(this_block_tile<128>(block), x[threadIdx.x], plus{});
}

template <class T>
__global__ void of_halves(T* x, indexed<T>* best) {
  auto const warp = tessera::tiled_partition<8>(cooperative_groups::this_thread_block());
  x[10] = tessera::reduce(warp, tessera::inclusive_scan(warp, x[threadIdx.x], logical_and{}), logical_or{});
  auto const here = with_index(x[threadIdx.x], static_cast<int>(threadIdx.x));
  best[0] = tessera::reduce(warp, here, argmin{});
  best[1] = tessera::reduce(warp, here, argmax{}, first(3));
  auto const extremes = tessera::reduce(warp, as_min_max(x[threadIdx.x]), minmax{});
  auto const [sum, most] = tessera::reduce(warp, as_zipped(extremes.min, extremes.max), zip(plus{}, maximum{}));
  best[2] = {sum, 0};
  atomic_max(x, most);
  x[9] = shift_up(warp, match_all(warp, most) ? most : sum, 1, sum);
}

template __global__ void of_pairs(__half*);
template __global__ void of_pairs(__nv_bfloat16*);
template __global__ void of_pairs(__half2*);
template __global__ void of_pairs(__nv_bfloat162*);
template __global__ void of_halves(__half*, indexed<__half>*);
template __global__ void of_halves(__nv_bfloat16*, indexed<__nv_bfloat16>*);

// Calls for whole arrays, with an operator that the library has no kernel for.
template <class T>
cudaError_t of_arrays(T* x, std::int64_t const* offsets, T least) {
  auto const most = make_operator(maximum{}, least, commutative);
  cudaError_t const of_all = grid::reduce(x, 9, x + 9, most);
  cudaError_t const of_rows = grid::reduce_rows(grid::matrix<T>{x, 2, 3}, x + 10, most);
  cudaError_t const of_segments = grid::reduce_segments(x, offsets, 2, x + 20, most);
  return of_all != cudaSuccess ? of_all : of_rows != cudaSuccess ? of_rows : of_segments;
}
template cudaError_t of_arrays(__half*, std::int64_t const*, __half);
template cudaError_t of_arrays(__nv_bfloat16*, std::int64_t const*, __nv_bfloat16);
