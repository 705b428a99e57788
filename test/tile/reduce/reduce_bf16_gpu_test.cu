// reduce on __nv_bfloat16 and __nv_bfloat162.
#include <cuda_bf16.h>

#include "reduce_half_cases.hpp"

namespace test {
INSTANTIATE_TYPED_TEST_SUITE_P(Bf16, ReduceHalf, testing::Types<__nv_bfloat16>);
INSTANTIATE_TYPED_TEST_SUITE_P(Bf16Pair, ReduceHalf, testing::Types<__nv_bfloat162>);
}  // namespace test
