// Sorts above a warp, in which ptxas must find no spill and no local memory. The bounds of the launch are those of the figures of
// benchmark/tile_block: of 1024 lanes with 4 items two blocks fit on a multiprocessor.
#include <tessera/sort.hpp>

#include "tiles.cuh"

namespace {

template <class T, unsigned N, unsigned K>
__device__ void sort_row(T* data) {
  items<T, K> x;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) x[i] = data[threadIdx.x + i * N];
  x = tessera::sort(block<N>(), x);
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) data[threadIdx.x + i * N] = x[i];
}
template <unsigned N, unsigned K>
__device__ void sort_pairs(unsigned* data) {
  items<unsigned, K> key, value;
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    key[i] = data[threadIdx.x + i * N];
    value[i] = data[threadIdx.x + (K + i) * N];
  }
  auto const sorted = tessera::sort_by_key(block<N>(), key, value);
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) {
    data[threadIdx.x + i * N] = sorted.keys[i];
    data[threadIdx.x + (K + i) * N] = sorted.values[i];
  }
}

}  // namespace

#define SORTS(lanes, count, blocks)                                                                     \
  extern "C" __global__ void __launch_bounds__(lanes, blocks) words_##lanes##_##count(unsigned* data) { \
    sort_row<unsigned, lanes, count>(data);                                                             \
  }                                                                                                     \
  extern "C" __global__ void __launch_bounds__(lanes, blocks) floats_##lanes##_##count(float* data) {   \
    sort_row<float, lanes, count>(data);                                                                \
  }
#define SORTS_WITH_VALUES(lanes, count, blocks)                                                               \
  extern "C" __global__ void __launch_bounds__(lanes, blocks) with_values_##lanes##_##count(unsigned* data) { \
    sort_pairs<lanes, count>(data);                                                                           \
  }

SORTS(64, 4, 1)
SORTS(128, 4, 1)
SORTS(256, 4, 1)
SORTS(1024, 4, 2)
SORTS(256, 16, 1)
SORTS_WITH_VALUES(64, 4, 1)
SORTS_WITH_VALUES(128, 4, 1)
SORTS_WITH_VALUES(256, 4, 1)
SORTS_WITH_VALUES(1024, 4, 1)  // two blocks leave a thread 32 registers, of which this would spill six
SORTS_WITH_VALUES(256, 16, 1)
