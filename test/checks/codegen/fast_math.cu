// Kernels that are compiled as a program with -use_fast_math is, for check_fast_math.py: none has an instruction that takes subnormals
// for 0.
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/scan.hpp>
#include <tessera/search.hpp>
#include <tessera/sort.hpp>
#include <tessera/top_k.hpp>
#include <tessera/vote.hpp>

#include "tiles.cuh"

#define KERNEL(name, ...)                        \
  extern "C" __global__ void name(float* data) { \
    float const x = data[threadIdx.x];           \
    unsigned const r = threadIdx.x;              \
    data[threadIdx.x + r] = __VA_ARGS__;         \
  }

KERNEL(sum, tessera::reduce(tile<32>(), x))
KERNEL(sum_above_a_warp, tessera::reduce(block<64>(), x))
KERNEL(product, tessera::reduce(tile<8>(), x, multiplies{}))
KERNEL(least, tessera::reduce(tile<32>(), x, minimum{}))
KERNEL(least_by_shuffles, tessera::reduce(tile<32>(), x, minimum{}, shuffles))
KERNEL(greatest_number, tessera::reduce(tile<8>(), x, maximum_number{}))
KERNEL(least_with_index, tessera::reduce(tile<8>(), with_index(x, r), argmin{}).value)
KERNEL(greatest_with_index, tessera::reduce(tile<32>(), with_index(x, r), argmax{}).value)
KERNEL(all_not_zero, tessera::reduce(tile<32>(), x, logical_and{}))
KERNEL(any_not_zero, tessera::reduce(tile<8>(), x, logical_or{}, shuffles))
KERNEL(mean, tessera::reduce(tile<8>(), as_moments(x), welford{}).mean)
KERNEL(variance, tessera::reduce(tile<8>(), as_moments(x), welford{}).variance())
KERNEL(recurrence, tessera::inclusive_scan(tile<8>(), as_affine(x, x), affine{}).b)
KERNEL(running_sum, tessera::inclusive_scan(tile<32>(), x))
KERNEL(running_sum_before, tessera::exclusive_scan(tile<32>(), x, plus{}, suffix))
KERNEL(sums, tessera::reduce_batch(tile<8>(), items<float, 2>{x, 1}, plus{})[0])
KERNEL(sorted, tessera::sort(tile<8>(), x))
KERNEL(sorted_stable, tessera::stable_sort(tile<8>(), x, greater{}))
KERNEL(best, tessera::top_k<2>(tile<8>(), x)[0])
KERNEL(best_with_index, tessera::top_k<2>(tile<8>(), with_index(x, r))[0].value)
