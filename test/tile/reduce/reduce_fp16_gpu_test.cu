// reduce on __half and __half2.
#include <cuda_fp16.h>

#include "reduce_half_cases.hpp"

namespace test {
INSTANTIATE_TYPED_TEST_SUITE_P(Fp16, ReduceHalf, testing::Types<__half>);
INSTANTIATE_TYPED_TEST_SUITE_P(Fp16Pair, ReduceHalf, testing::Types<__half2>);
}  // namespace test
