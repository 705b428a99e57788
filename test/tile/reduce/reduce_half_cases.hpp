// The table of reduce for 16-bit floats and pairs of them, on host tiles and on the GPU. Only nvcc compiles
// it.
#pragma once

#include "host_backend.hpp"
#include "reduce_cases.hpp"

namespace test {

template <class T>
struct ReduceHalf : testing::Test {};

/// Host tiles have fewer operators, because the compiler is slow.
template <class Backend>
constexpr bool takes_all = !std::is_same_v<Backend, host_backend>;

template <class T, class Backend>
void check_half_sums() {
  check_reduce_rounding<T, Backend>(tessera::plus{});
  if constexpr (takes_all<Backend>) check_reduce_rounding<T, Backend>(tessera::multiplies{});
}

template <class T, class Backend>
void check_half_extremes() {
  for (auto* sample_one : {sample<T>, sample_special<T>}) {
    check_reduce<T, Backend>(tessera::maximum{}, sample_one);
    check_reduce<T, Backend>(tessera::minimum_number{}, sample_one);
    if constexpr (takes_all<Backend>) {
      check_reduce<T, Backend>(tessera::minimum{}, sample_one);
      check_reduce<T, Backend>(tessera::maximum_number{}, sample_one);
    }
  }
}

TYPED_TEST_SUITE_P(ReduceHalf);

TYPED_TEST_P(ReduceHalf, SumsAndProductsOnHostTiles) {
  check_half_sums<TypeParam, host_backend>();
}
TYPED_TEST_P(ReduceHalf, ExtremesOnHostTiles) {
  check_half_extremes<TypeParam, host_backend>();
}
TYPED_TEST_P(ReduceHalf, SumsAndProductsOnTheGpu) {
  SKIP_WITHOUT_GPU();
  check_half_sums<TypeParam, gpu_backend>();
}
TYPED_TEST_P(ReduceHalf, ExtremesOnTheGpu) {
  SKIP_WITHOUT_GPU();
  check_half_extremes<TypeParam, gpu_backend>();
}

REGISTER_TYPED_TEST_SUITE_P(ReduceHalf, SumsAndProductsOnHostTiles, ExtremesOnHostTiles, SumsAndProductsOnTheGpu,
                            ExtremesOnTheGpu);

}  // namespace test
