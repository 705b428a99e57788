// Kernels whose PTX is counted by check.py. The comment before a kernel says how many of each instruction it has; those
// that exchange, wait, branch or touch other memory (see check.py) are 0 where it doesn't name them.
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/vote.hpp>

namespace {

namespace cg = cooperative_groups;
using namespace tessera;

template <unsigned N>
__device__ auto tile() {
  return tessera::tiled_partition<N>(cg::this_thread_block());
}

struct three_words {
  int a, b, c;
};
struct sixteen_words {
  int a[16];
};

struct add_words {
  __device__ three_words operator()(three_words x, three_words y) const {
    return {x.a + y.a, x.b + y.b, x.c + y.c};
  }
  __device__ sixteen_words operator()(sixteen_words x, sixteen_words const& y) const {
    for (int i = 0; i < 16; ++i) x.a[i] += y.a[i];
    return x;
  }
};

}  // namespace

#define KERNEL(name, type, ...)                                         \
  extern "C" __global__ void name(type* data, [[maybe_unused]] int n) { \
    type const x = data[threadIdx.x];                                   \
    data[threadIdx.x] = __VA_ARGS__;                                    \
  }

// ---- Sums by shuffles: log2(N) of each word, and nothing else.

// shfl.sync 5, full mask 5, add.f32 5
KERNEL(float_sum_32, float, tessera::reduce(tile<32>(), x))
// shfl.sync 5, full mask 5, add.f32 5
KERNEL(float_sum_32_isolated, float, tessera::reduce(tile<32>(), x, plus{}, isolated))
// shfl.sync 3, full mask 3, add.f32 3
KERNEL(float_sum_8_converged, float, tessera::reduce(tile<8>(), x, plus{}, converged))
// shfl.sync 3, full mask 0, add.f32 3
KERNEL(float_sum_8_isolated, float, tessera::reduce(tile<8>(), x, plus{}, isolated))
// shfl.sync 6, full mask 3, add.f32 6, activemask 1, bra 2
KERNEL(float_sum_8_adaptive, float, tessera::reduce(tile<8>(), x))
// shfl.sync 0
KERNEL(float_sum_1, float, tessera::reduce(tile<1>(), x))
// shfl.sync 5, full mask 5, add.f32 5
KERNEL(float_sum_32_to_leader, float, tessera::reduce(tile<32>(), x, plus{}, to_leader))
// shfl.sync 5, full mask 5, add.f32 5
KERNEL(float_sum_32_first, float, tessera::reduce(tile<32>(), x, plus{}, first(n)))
// shfl.sync 10, full mask 10, add.f64 5
KERNEL(double_sum_32, double, tessera::reduce(tile<32>(), x))
// shfl.sync 5, full mask 5
KERNEL(half_sum_32, __half, tessera::reduce(tile<32>(), x))
// shfl.sync 5, full mask 5
KERNEL(bfloat16_sum_32, __nv_bfloat16, tessera::reduce(tile<32>(), x))
// shfl.sync 5, full mask 5
KERNEL(half2_sum_32, __half2, tessera::reduce(tile<32>(), x))
// shfl.sync 4, full mask 4
KERNEL(short_sum_16_converged, short, tessera::reduce(tile<16>(), x, plus{}, converged))
// shfl.sync 15, full mask 15
KERNEL(struct_of_12_bytes_32, three_words, tessera::reduce(tile<32>(), x, add_words{}))
// shfl.sync 80, full mask 80
KERNEL(struct_of_64_bytes_32, sixteen_words, tessera::reduce(tile<32>(), x, add_words{}))
// shfl.sync 10, full mask 10
KERNEL(argmin_32, indexed<float>, tessera::reduce(tile<32>(), x, argmin{}))
// shfl.sync 5, full mask 5
KERNEL(lambda_32, float, tessera::reduce(tile<32>(), x, [](float a, float b) { return a * b + a; }))

// ---- One instruction, however the operator is spelled.

// redux.sync.add 1
KERNEL(int_sum, int, tessera::reduce(tile<32>(), x))
// redux.sync.add 1
KERNEL(int_sum_tessera, int, tessera::reduce(tile<32>(), x, plus{}))
// redux.sync.add 1
KERNEL(int_sum_cg, int, tessera::reduce(tile<32>(), x, cg::plus<int>()))
// redux.sync.add 1
KERNEL(int_sum_cuda_std, int, tessera::reduce(tile<32>(), x, cuda::std::plus<>()))
// redux.sync.add 1
KERNEL(int_sum_cuda_std_int, int, tessera::reduce(tile<32>(), x, cuda::std::plus<int>()))
// redux.sync.add 1
KERNEL(int_sum_std, int, tessera::reduce(tile<32>(), x, std::plus<>()))
// redux.sync.add 1
KERNEL(int_sum_std_int, int, tessera::reduce(tile<32>(), x, std::plus<int>()))
// redux.sync.min 1
KERNEL(int_min_tessera, int, tessera::reduce(tile<32>(), x, minimum{}))
// redux.sync.min 1
KERNEL(int_min_cg, int, tessera::reduce(tile<32>(), x, cg::less<int>()))
// redux.sync.min 1
KERNEL(int_min_cuda, int, tessera::reduce(tile<32>(), x, cuda::minimum<>()))
// redux.sync.min 1
KERNEL(unsigned_min_tessera, unsigned, tessera::reduce(tile<32>(), x, minimum{}))
// redux.sync.max 1
KERNEL(int_max_tessera, int, tessera::reduce(tile<32>(), x, maximum{}))
// redux.sync.max 1
KERNEL(int_max_cg, int, tessera::reduce(tile<32>(), x, cg::greater<int>()))
// redux.sync.max 1
KERNEL(int_max_cuda, int, tessera::reduce(tile<32>(), x, cuda::maximum<int>()))
// redux.sync.and 1
KERNEL(int_and_tessera, int, tessera::reduce(tile<32>(), x, bit_and{}))
// redux.sync.and 1
KERNEL(int_and_cg, int, tessera::reduce(tile<32>(), x, cg::bit_and<int>()))
// redux.sync.and 1
KERNEL(int_and_cuda_std, int, tessera::reduce(tile<32>(), x, cuda::std::bit_and<>()))
// redux.sync.and 1
KERNEL(int_and_std, int, tessera::reduce(tile<32>(), x, std::bit_and<>()))
// redux.sync.or 1
KERNEL(int_or_tessera, int, tessera::reduce(tile<32>(), x, bit_or{}))
// redux.sync.or 1
KERNEL(int_or_cg, int, tessera::reduce(tile<32>(), x, cg::bit_or<int>()))
// redux.sync.or 1
KERNEL(int_or_cuda_std, int, tessera::reduce(tile<32>(), x, cuda::std::bit_or<>()))
// redux.sync.or 1
KERNEL(int_or_std, int, tessera::reduce(tile<32>(), x, std::bit_or<int>()))
// redux.sync.xor 1
KERNEL(int_xor_tessera, int, tessera::reduce(tile<32>(), x, bit_xor{}))
// redux.sync.xor 1
KERNEL(int_xor_cg, int, tessera::reduce(tile<32>(), x, cg::bit_xor<int>()))
// redux.sync.xor 1
KERNEL(int_xor_cuda_std, int, tessera::reduce(tile<32>(), x, cuda::std::bit_xor<int>()))
// redux.sync.xor 1
KERNEL(int_xor_std, int, tessera::reduce(tile<32>(), x, std::bit_xor<>()))

// redux.sync.add 1
extern "C" __global__ void int_sum_const(int* data) {
  const plus op;
  int const x = data[threadIdx.x];
  data[threadIdx.x] = tessera::reduce(tile<32>(), x, op);
}
// redux.sync.add 1
extern "C" __global__ void int_sum_cg_const(int* data) {
  const cg::plus<int> op;
  data[threadIdx.x] = tessera::reduce(tile<32>(), data[threadIdx.x], op);
}
// redux.sync.add 1
extern "C" __global__ void int_sum_std_const(int* data) {
  const std::plus<> op;
  data[threadIdx.x] = tessera::reduce(tile<32>(), data[threadIdx.x], op);
}

// redux.sync.add 1
KERNEL(short_sum_32, short, tessera::reduce(tile<32>(), x))
// redux.sync.add 1
KERNEL(int_sum_first, int, tessera::reduce(tile<32>(), x, plus{}, first(n)))
// redux.sync.or 2
KERNEL(long_or, unsigned long long, tessera::reduce(tile<32>(), x, bit_or{}))
// redux.sync.min 1
KERNEL(float_min_32, float, tessera::reduce(tile<32>(), x, minimum{}))
// shfl.sync 3, full mask 3
KERNEL(int_sum_8_converged, int, tessera::reduce(tile<8>(), x, plus{}, converged))
// redux.sync.add 1
KERNEL(int_sum_8_hardware, int, tessera::reduce(tile<8>(), x, plus{}, converged | hardware))
// shfl.sync 5, full mask 5
KERNEL(int_sum_32_shuffles, int, tessera::reduce(tile<32>(), x, plus{}, shuffles))

// ---- Votes and movement.

// vote.sync 1
KERNEL(bool_and_8, bool, tessera::reduce(tile<8>(), x, logical_and{}, converged))
// vote.sync 1
KERNEL(ballot_32, unsigned, tessera::ballot(tile<32>(), x > 7).word())
// vote.sync 1
KERNEL(count_if_8, unsigned, tessera::count_if(tile<8>(), x > 7, converged | first(n)))
// vote.sync 1
KERNEL(any_of_32, bool, tessera::any_of(tile<32>(), x))
// shfl.sync 1, full mask 1
KERNEL(shift_up_16, float, tessera::shift_up(tile<16>(), x, 2, 0.0f, converged))
// shfl.sync 3, full mask 3
KERNEL(broadcast_12_bytes, three_words, tessera::broadcast(tile<32>(), x, 5))
