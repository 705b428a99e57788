// Sums and products of halves that meet others, for check_contraction.py: each instruction says how it rounds, so ptxas contracts none.
// `contracted` shows that it might.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/adjacent_difference.hpp>
#include <tessera/operators.hpp>

#define KERNEL(name, T, ...)                                  \
  extern "C" __global__ void name(T* out, T a, T b, T c) {    \
    using tessera::plus, tessera::minus, tessera::multiplies; \
    *out = __VA_ARGS__;                                       \
  }

KERNEL(contracted, __half, __hadd(__hmul(a, b), c))

KERNEL(sum, __half, plus{}(multiplies{}(a, b), c))
KERNEL(difference, __half, minus{}(multiplies{}(a, b), c))
KERNEL(sum_of_pairs, __half2, plus{}(multiplies{}(a, b), c))
KERNEL(difference_of_pairs, __half2, minus{}(multiplies{}(a, b), c))
KERNEL(sum_of_bfloats, __nv_bfloat16, plus{}(multiplies{}(a, b), c))
KERNEL(difference_of_bfloats, __nv_bfloat16, minus{}(multiplies{}(a, b), c))
KERNEL(sum_of_bfloat_pairs, __nv_bfloat162, plus{}(multiplies{}(a, b), c))
KERNEL(difference_of_bfloat_pairs, __nv_bfloat162, minus{}(multiplies{}(a, b), c))
KERNEL(sum_of_floats, float, plus{}(multiplies{}(a, b), c))
KERNEL(sum_of_doubles, double, plus{}(multiplies{}(a, b), c))
