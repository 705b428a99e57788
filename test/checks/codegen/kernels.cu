// Kernels in whose PTX check_instruction_counts.py counts instructions. The comment before a kernel states the number
// of each instruction. Instructions that exchange, wait, branch or access memory (the script has the list) are 0 if
// the comment doesn't name them.
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <tessera/atomic.hpp>
#include <tessera/compact.hpp>
#include <tessera/core/scratch.hpp>
#include <tessera/histogram.hpp>
#include <tessera/joint.hpp>
#include <tessera/lanes.hpp>
#include <tessera/load_store.hpp>
#include <tessera/match.hpp>
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>
#include <tessera/segmented_sort.hpp>
#include <tessera/sort.hpp>
#include <tessera/transpose.hpp>
#include <tessera/vote.hpp>

#include "tiles.cuh"

namespace {

__device__ auto& scratch_of_block() {
  __shared__ scratch<float, 256> memory;
  return memory;
}

__device__ auto group() {
  return cg::coalesced_threads();
}

struct three_words {
  int a, b, c;
};
struct eight_words {
  int a[8];
};
struct sixteen_words {
  int a[16];
};

using float_pair = zipped<float, float>;
using indexed_double = indexed<double, long long>;
using labeled_float = zipped<float, int, float>;
using four_floats = selection<float, 4>;
using attention_sum = exp_sum<float, items<float, 4>>;
using three_indexed = selection<indexed<float>, 3>;

struct add_words {
  __device__ three_words operator()(three_words x, three_words y) const { return {x.a + y.a, x.b + y.b, x.c + y.c}; }
  __device__ eight_words operator()(eight_words x, eight_words const& y) const {
    for (int i = 0; i < 8; ++i) x.a[i] += y.a[i];
    return x;
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

// ---- Sums by shuffles take log2(N) shuffles for each word, and nothing else.

// shfl.sync 5, full mask 5, add.rn.f32 5
KERNEL(float_sum_32, float, tessera::reduce(tile<32>(), x))
// shfl.sync 5, full mask 5, add.rn.f32 5
KERNEL(float_sum_32_isolated, float, tessera::reduce(tile<32>(), x, plus{}, isolated))
// shfl.sync 3, full mask 3, add.rn.f32 3
KERNEL(float_sum_8_converged, float, tessera::reduce(tile<8>(), x, plus{}, converged))
// shfl.sync 3, full mask 0, add.rn.f32 3
KERNEL(float_sum_8_isolated, float, tessera::reduce(tile<8>(), x, plus{}, isolated))
// shfl.sync 6, full mask 3, add.rn.f32 6, activemask 1, bra 2
KERNEL(float_sum_8_adaptive, float, tessera::reduce(tile<8>(), x))
// shfl.sync 0
KERNEL(float_sum_1, float, tessera::reduce(tile<1>(), x))
// shfl.sync 5, full mask 5, add.rn.f32 5
KERNEL(float_sum_32_to_leader, float, tessera::reduce(tile<32>(), x, plus{}, to_leader))
// shfl.sync 5, full mask 5, add.rn.f32 5
KERNEL(float_sum_32_first, float, tessera::reduce(tile<32>(), x, plus{}, first(n)))
// shfl.sync 10, full mask 10, add.rn.f64 5
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
// shfl.sync 5, full mask 5
KERNEL(lambda_32, float, tessera::reduce(tile<32>(), x, [](float a, float b) { return a * b + a; }))

// ---- Operators on structs take one shuffle for each word of the type, whatever the operator does.

// shfl.sync 10, full mask 10
KERNEL(zip_of_two_32, float_pair, tessera::reduce(tile<32>(), x, zip(std::plus<>{}, maximum{})))
// shfl.sync 10, full mask 10
KERNEL(zip_of_two_32_first, float_pair, tessera::reduce(tile<32>(), x, zip(plus{}, cuda::maximum<>{}), first(n)))
// shfl.sync 15, full mask 15
KERNEL(moments_32, moments<float>, tessera::reduce(tile<32>(), x, welford{}))
// shfl.sync 10, full mask 10
KERNEL(exp_sum_32, exp_sum<float>, tessera::reduce(tile<32>(), x, log_sum_exp{}))
// shfl.sync 30, full mask 30, ex2.approx.ftz.f32 5
KERNEL(exp_sum_of_four_floats_32, attention_sum, tessera::reduce(tile<32>(), x, log_sum_exp{}))
// shfl.sync 20, full mask 20
KERNEL(four_smallest_32, four_floats, tessera::reduce(tile<32>(), x, smallest{}))
// shfl.sync 30, full mask 30
KERNEL(three_largest_indexed_32, three_indexed, tessera::reduce(tile<32>(), x, largest{}))

// ---- argmin and argmax take a `redux` of values and of indices (of the second word only if needed), a vote,
// and a shuffle of each word from the best lane.

// redux.sync.min.u32 2, vote.sync 1, shfl.sync 2, full mask 2
KERNEL(argmin_32, indexed<float>, tessera::reduce(tile<32>(), x, argmin{}))
// redux.sync.min.u32 4, vote.sync 2, bra 1, shfl.sync 4, full mask 4
KERNEL(argmax_of_doubles_32, indexed_double, tessera::reduce(tile<32>(), x, argmax{}))
// redux.sync.min.u32 2, vote.sync 1, shfl.sync 3, full mask 3
KERNEL(argmax_with_payload_32, labeled_float, tessera::reduce(tile<32>(), x, argmax{}))
// shfl.sync 8, full mask 8
KERNEL(argmin_16_converged, indexed<float>, tessera::reduce(tile<16>(), x, argmin{}, converged))

// ---- Every alias of an operator becomes the same single instruction.

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

// ---- Several items per lane: a reduction combines them before it exchanges. In a batch, a lane keeps half of
// them at each exchange.

template <class T, unsigned K>
__device__ items<T, K> with_first(items<T, K> x, T first) {
  x[0] = first;
  return x;
}
__device__ float sum_of(items<float, 2> x) {
  return x[0] + x[1];
}
using bools_4 = items<bool, 4>;
using ints_2 = items<int, 2>;
using floats_2 = items<float, 2>;
using floats_8 = items<float, 8>;
using floats_32 = items<float, 32>;
using floats_64 = items<float, 64>;
using halves_32 = items<__half, 32>;
using doubles_4 = items<double, 4>;
using structs_3 = items<three_words, 3>;

// shfl.sync 5, full mask 5, add.rn.f32 12
KERNEL(float_sum_of_8_items, floats_8, with_first(x, tessera::reduce(tile<32>(), x)))
// redux.sync.add 1
KERNEL(int_sum_of_2_items, ints_2, with_first(x, tessera::reduce(tile<32>(), x)))
// vote.sync 1, popc.b32 1
KERNEL(count_of_bools_32, int, static_cast<int>(tessera::reduce(tile<32>(), x > 7)))
// redux.sync.add 1
KERNEL(count_of_4_bools_32, bools_4, with_first(x, tessera::reduce(tile<32>(), x) > 7))

// shfl.sync 31, full mask 31, add.rn.f32 31
KERNEL(batch_of_32_scattered_32, floats_32, with_first(x, reduce_batch(tile<32>(), x, plus{}, scattered)))
// shfl.sync 62, full mask 62, add.rn.f32 62
KERNEL(batch_of_64_scattered_32, floats_64, with_first(x, sum_of(reduce_batch(tile<32>(), x, plus{}, scattered))))
// shfl.sync 7, full mask 7, add.rn.f32 7
KERNEL(batch_of_8_scattered_8, floats_8, with_first(x, reduce_batch(tile<8>(), x, plus{}, scattered | converged)))
// shfl.sync 63, full mask 63, add.rn.f32 31
KERNEL(batch_of_32_to_all_32, floats_32, reduce_batch(tile<32>(), x))
// shfl.sync 17, full mask 17, add.rn.f32 9
KERNEL(batch_of_8_to_all_32, floats_8, reduce_batch(tile<32>(), x))
// shfl.sync 7, full mask 7, add.rn.f32 5
KERNEL(batch_of_2_first_32, floats_2, reduce_batch(tile<32>(), x, plus{}, first(n)))
// shfl.sync 4, full mask 4, add.rn.f32 4
KERNEL(batch_of_2_to_all_4, floats_2, reduce_batch(tile<4>(), x, plus{}, converged))
// redux.sync.add 2
KERNEL(batch_of_2_ints_to_all_32, ints_2, reduce_batch(tile<32>(), x))
// redux.sync 2
KERNEL(batch_of_2_ints_scattered_32, ints_2, with_first(x, reduce_batch(tile<32>(), x, plus{}, scattered)))
// redux.sync.add 2
KERNEL(batch_of_2_ints_hardware_32, ints_2, with_first(x, reduce_batch(tile<32>(), x, plus{}, scattered | hardware)))
// shfl.sync 16, full mask 16
KERNEL(batch_of_32_halves_scattered_32, halves_32, with_first(x, reduce_batch(tile<32>(), x, plus{}, scattered)))
// shfl.sync 14, full mask 14, add.rn.f64 3
KERNEL(batch_of_4_doubles_to_all_4, doubles_4, reduce_batch(tile<4>(), x, plus{}, converged))
// shfl.sync 18, full mask 18
KERNEL(batch_of_structs_scattered_32, structs_3, with_first(x, reduce_batch(tile<32>(), x, add_words{}, scattered)))
// vote.sync 4, popc.b32 4
KERNEL(batch_of_4_counts_32, bools_4, with_first(x, reduce_batch(tile<32>(), x, plus{}, scattered) > 7))

// ---- Votes and shuffles.

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
// shfl.sync 1, full mask 1
KERNEL(rotate_32, float, tessera::rotate(tile<32>(), x, n))
// shfl.sync 1, full mask 1
KERNEL(reverse_16, float, tessera::reverse(tile<16>(), x, converged))

// ---- Exchanges of items: items smaller than a word share words, and run-time indices don't become indexed
// memory.

using chars_4 = items<char, 4>;
using shorts_2 = items<short, 2>;
using ints_4 = items<int, 4>;
using ints_5 = items<int, 5>;
using ints_32 = items<int, 32>;
using ints_48 = items<int, 48>;
using structs_4 = items<three_words, 4>;
using chars_5 = items<char, 5>;
using chars_16 = items<char, 16>;
using chars_32 = items<char, 32>;
using shorts_32 = items<short, 32>;

// shfl.sync 1, full mask 1
KERNEL(butterfly_of_4_chars, chars_4, tessera::butterfly(tile<32>(), x, 1))
// shfl.sync 1, full mask 1
KERNEL(butterfly_of_2_shorts, shorts_2, tessera::butterfly(tile<32>(), x, 1))
// shfl.sync 4, full mask 4
KERNEL(butterfly_of_an_array, ints_4, tessera::butterfly(tile<32>(), x.item, 1))
// shfl.sync 1, full mask 1
KERNEL(reverse_of_4_chars, chars_4, tessera::reverse(tile<32>(), x))
// shfl.sync 1, full mask 1
KERNEL(exchange_of_known_items, ints_4, tessera::exchange_items(tile<32>(), x, 1, 0, 3))
// shfl.sync 1, full mask 1
KERNEL(exchange_of_unknown_items, ints_4, tessera::exchange_items(tile<32>(), x, n & 31, n >> 5 & 3, n >> 7 & 3))

// shfl.sync 80, full mask 80
KERNEL(transpose_32_by_32, ints_32, tessera::transpose(tile<32>(), x))
// shfl.sync 80, full mask 80
KERNEL(blocked_to_striped_32_by_32, ints_32, tessera::blocked_to_striped(tile<32>(), x))
// shfl.sync 5, full mask 5
KERNEL(striped_to_blocked_32_by_5, ints_5, tessera::striped_to_blocked(tile<32>(), x))
// shfl.sync 10, full mask 5, activemask 1, bra 2
KERNEL(blocked_to_striped_8_by_5, ints_5, tessera::blocked_to_striped(tile<8>(), x))
// shfl.sync 48, full mask 48
KERNEL(striped_to_blocked_32_by_48, ints_48, tessera::striped_to_blocked(tile<32>(), x))
// shfl.sync 12, full mask 12
KERNEL(transpose_of_structs, structs_4, tessera::transpose(tile<32>(), x))
// shfl.sync 5, full mask 5
KERNEL(transpose_of_5_chars, chars_5, tessera::transpose(tile<32>(), x))
// shfl.sync 8, full mask 8
KERNEL(transpose_of_16_chars, chars_16, tessera::transpose(tile<32>(), x))
// shfl.sync 15, full mask 15
KERNEL(transpose_of_32_chars, chars_32, tessera::transpose(tile<32>(), x))
// shfl.sync 6, full mask 6
KERNEL(transpose_of_32_chars_on_4_lanes, chars_32, tessera::transpose(tile<4>(), x, converged))
// shfl.sync 23, full mask 23
KERNEL(transpose_of_32_shorts, shorts_32, tessera::blocked_to_striped(tile<32>(), x))

// ---- Ranges in memory: loads of 16 bytes, four of them in flight.

// ld.global.v4 4, shfl.sync 5, full mask 5, bra any
KERNEL(range_sum_32, float, x + joint_reduce(tile<32>(), data, n))
// ld.global.v4 4, shfl.sync 3, full mask 3, bra any
KERNEL(range_sum_8_converged, float, x + joint_reduce(tile<8>(), data, n, plus{}, converged | to_leader))
// ld.global.v4 4, redux.sync.add 1, bra any
KERNEL(range_sum_of_ints_32, int, x + joint_reduce(tile<32>(), data, n))
// ld.global.v4 4, vote.sync 2, bra any
KERNEL(range_any_32, int, x + joint_any_of(tile<32>(), data, n, [](int y) { return y == 3; }))
// ld.global.v4 8, st.global.v4 4, shfl.sync 42, full mask 42, bar.warp.sync 1, bra any
KERNEL(range_scan_32, float, (joint_inclusive_scan(tile<32>(), data, n, data), x))
// ld.global.v4 8, shfl.sync 30, full mask 30, bra any
KERNEL(range_product_in_order_32, float,
       x + joint_reduce(tile<32>(), data, n, make_operator([](float a, float b) { return a * b; }, 1.0f)))

// shfl.sync 3, full mask 3, vote.sync 1, st.global.v4 5, bar.warp.sync 1, bra any
KERNEL(range_store_32, float,
       (store(tile<32>(), items<float, 8>{{x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7}}, data + 1, n), x))
// st.global.v4 6, bar.warp.sync 2, activemask 1, bra any
KERNEL(range_store_8, float,
       (store(tile<8>(), items<float, 8>{{x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7}}, data + 1, n), x))

// The code for tiles that run alone is a function: of two sorts there is one.
// shfl.sync 12, full mask 12, activemask 2, bra any, call any
KERNEL(sort_8_adaptive_twice, float, sort(tile<8>(), sort(tile<8>(), x)))
// A function that isn't inlined would put what it captures into local memory.
// shfl.sync 193, full mask 193, vote.sync 4, bar.warp.sync 4, bra any
KERNEL(range_sort_8, float, (joint_stable_sort(tile<8>(), data, n, data + n, less{}, converged), x))
// shfl.sync 386, full mask 193, vote.sync 8, bar.warp.sync 8, activemask 1, bra any
KERNEL(range_sort_8_adaptive, float, (joint_stable_sort(tile<8>(), data, n, data + n), x))

// ---- Scans take log2(N) shuffles for each word, and exclusive scans one more, except for sums of integers.
// Scans of bools take one vote.

// shfl.sync 5, full mask 5
KERNEL(scan_float_32, float, tessera::inclusive_scan(tile<32>(), x))
// shfl.sync 3, full mask 3
KERNEL(scan_float_8_converged, float, tessera::inclusive_scan(tile<8>(), x, plus{}, converged))
// shfl.sync 6, full mask 3, activemask 1, bra 2
KERNEL(scan_float_8_adaptive, float, tessera::inclusive_scan(tile<8>(), x))
// shfl.sync 6, full mask 6
KERNEL(scan_float_exclusive_32, float, tessera::exclusive_scan(tile<32>(), x))
// shfl.sync 5, full mask 5
KERNEL(scan_int_exclusive_32, int, tessera::exclusive_scan(tile<32>(), x))
// shfl.sync 6, full mask 6
KERNEL(scan_int_with_total, int, tessera::exclusive_scan(tile<32>(), x, plus{}, with_total).total)
// shfl.sync 5, full mask 5
KERNEL(scan_float_suffix, float, tessera::inclusive_scan(tile<32>(), x, plus{}, suffix))
// shfl.sync 5, full mask 5
KERNEL(scan_int_first, int, tessera::inclusive_scan(tile<32>(), x, plus{}, first(n)))
// vote.sync 1
KERNEL(scan_bool_32, unsigned, tessera::exclusive_scan(tile<32>(), x > 7))
// vote.sync 1
KERNEL(scan_bool_8_with_total, unsigned,
       tessera::exclusive_scan(tile<8>(), x > 7, plus{}, converged | with_total).total)
// shfl.sync 6, full mask 6
KERNEL(scan_four_floats, float, tessera::inclusive_scan(tile<32>(), items<float, 4>{{x, x + 1, x + 2, x + 3}})[2])
// shfl.sync 5, full mask 5
KERNEL(scan_float_with_start, float, tessera::inclusive_scan(tile<32>(), x, plus{}, 3.0f))
// shfl.sync 6, full mask 6
KERNEL(scan_four_floats_with_start, float,
       tessera::inclusive_scan(tile<32>(), items<float, 4>{{x, x + 1, x + 2, x + 3}}, plus{}, 3.0f)[2])
// vote.sync 1
KERNEL(scan_bool_with_start, unsigned, tessera::inclusive_scan(tile<32>(), x > 7, plus{}, 3u))
// shfl.sync 15, full mask 15, bar.warp.sync 1
KERNEL(scan_struct_of_12_bytes, three_words, tessera::inclusive_scan(tile<32>(), x, add_words{}))

// ---- Segmented calls take one vote more, and segments by key one shuffle more for each word of the key.

// shfl.sync 5, full mask 5, vote.sync 1, bra 6
KERNEL(segmented_scan_32, float, tessera::segmented_inclusive_scan(tile<32>(), x, x > 7))
// shfl.sync 6, full mask 6, vote.sync 1, bra 1
KERNEL(segmented_scan_by_key, int, tessera::segmented_inclusive_scan(tile<32>(), x, by_key(x & 3)))
// shfl.sync 5, full mask 5, vote.sync 1, bra 5
KERNEL(segmented_reduce_to_leader, float, tessera::segmented_reduce(tile<32>(), x, x > 7, plus{}, to_leader))
// shfl.sync 6, full mask 6, vote.sync 1, bra 5
KERNEL(segmented_reduce_to_all, float, tessera::segmented_reduce(tile<32>(), x, x > 7))
// shfl.sync 30, full mask 30, vote.sync 1, bra 1
KERNEL(segmented_sort_int, int, tessera::segmented_sort(tile<32>(), x, x > 7))
// shfl.sync 31, full mask 31, vote.sync 1, bra 1
KERNEL(segmented_sort_float_by_key, float, tessera::segmented_sort(tile<32>(), x, by_key(n / 3)))

// vote.sync 1, bar.warp.sync 1, bra any
KERNEL(compact_32, int, (tessera::compact(tile<32>(), x, x > 7, data + n), x))
// vote.sync 1, atom. 1, shfl.sync 1, full mask 1, bar.warp.sync 1, bra any
KERNEL(append_32, unsigned, tessera::compact(tile<32>(), x, x > 7, data + 64, data + n).begin)
// vote.sync 1, atom. 1, shfl.sync 2, full mask 2, bar.warp.sync 1, bra any
KERNEL(append_8_behind_64_bits, unsigned long long,
       tessera::compact(tile<8>(), x, x > 7, data + 64, data + n, converged).begin)

// ---- Matches, elections, histograms and atomics.

// match. 1
KERNEL(match_any_32, unsigned, tessera::match_any(tile<32>(), x).word())
// shfl.sync 8, full mask 8, vote.sync 1, bra any
KERNEL(match_any_8, unsigned, tessera::match_any(tile<8>(), x, converged).word())
// shfl.sync 1, full mask 1, vote.sync 1
KERNEL(match_all_32, unsigned, tessera::match_all(tile<32>(), x))
// vote.sync 0
KERNEL(elect_32, bool, tessera::elect(tile<32>()) && x)
// vote.sync 4
KERNEL(histogram_of_8_bins, unsigned, tessera::histogram<8>(tile<32>(), x, scattered))
// atom. 1
KERNEL(atomic_max_float_int_path, int, tessera::atomic_max(data + 1, x))
// atom. 1
KERNEL(exchange_floats, float, atomic_exchange(data + n, x))
// atom. 1
KERNEL(compare_exchange_doubles, double, atomic_compare_exchange(data + n, 0.0, x))
// atom. 1
KERNEL(compare_exchange_shorts, short, atomic_compare_exchange(data + n, short{0}, x))
// atom. 1
KERNEL(count_in_memory, unsigned, (tessera::aggregated_add(tile<32>(), data, x), x))

// ---- Tiles of several warps: a reduction or scan takes slots of shared memory and two barriers, or one barrier
// with a fresh scratch or if the barrier itself counts.

// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_sum_block_128, float, tessera::reduce(block<128>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_sum_block_256, float, tessera::reduce(block<256>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_sum_block_1024, float, tessera::reduce(block<1024>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_sum_first_block_1024, float, tessera::reduce(block<1024>(), x, plus{}, first(n)))
// bar.sync 2, bar.red 0, bar.warp.sync any, redux.sync 2, .shared any, ld.shared any, st.shared any, bra any
KERNEL(int_sum_block_1024, int, tessera::reduce(block<1024>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 40, full mask 40, .shared any, ld.shared any, st.shared any, bra any
KERNEL(struct_of_32_bytes_block_256, eight_words, tessera::reduce(block<256>(), x, add_words{}))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_sum_in_scratch_256, float, tessera::reduce(block<256>(), x, plus{}, shared(scratch_of_block())))
// (There is no room for a result of each warp: each warp reduces its own lanes.)
// bar.sync 2, bar.red 0, bar.warp.sync any, shfl.sync 14, full mask 14, .shared any, ld.shared any, st.shared any, bra any
KERNEL(double_sum_in_scratch_of_floats_256, double,
       tessera::reduce(block<256>(), x, plus{}, shared(scratch_of_block())))
// bar.sync 1, bar.red 0, bar.warp.sync any, shfl.sync 6, full mask 6, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_sum_in_fresh_scratch_256, float, tessera::reduce(block<256>(), x, plus{}, fresh(scratch_of_block())))
// bar.sync 2, bar.red 0, bar.warp.sync any, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(scan_float_block_128, float, tessera::inclusive_scan(block<128>(), x))
// (The first warp loads the totals before each warp.)
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(scan_float_block_512, float, tessera::inclusive_scan(block<512>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 10, full mask 10, .shared any, ld.shared any, st.shared any, bra any
KERNEL(scan_float_block_1024, float, tessera::inclusive_scan(block<1024>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 11, full mask 11, .shared any, ld.shared any, st.shared any, bra any
KERNEL(scan_float_total_block_1024, float, tessera::exclusive_scan(block<1024>(), x, plus{}, 1.0f, with_total).total)
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 11, full mask 11, .shared any, ld.shared any, st.shared any, bra any
KERNEL(scan_float_exclusive_block_1024, float, tessera::exclusive_scan(block<1024>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(scan_float_in_scratch_256, float, tessera::inclusive_scan(block<256>(), x, plus{}, shared(scratch_of_block())))
// bar.red 1, bar.sync 0, bar.warp.sync any
KERNEL(any_of_block_128, int, tessera::any_of(block<128>(), x > 7))
// bar.red 1, bar.sync 0, bar.warp.sync any
KERNEL(count_if_block_1024, unsigned, tessera::count_if(block<1024>(), x > 7))
// bar.sync 2, bar.red 0, bar.warp.sync any, .shared any, ld.shared any, st.shared any, bra any
KERNEL(broadcast_block_512, float, tessera::broadcast(block<512>(), x, n & 511))
// bar.sync 2, bar.red 0, bar.warp.sync any, .shared any, ld.shared any, st.shared any, bra any
KERNEL(shuffle_block_256, float, tessera::shuffle(block<256>(), x, n & 255))
// bar.sync 2, bar.red 0, bar.warp.sync any, .shared any, ld.shared any, st.shared any, bra any
KERNEL(rotate_block_256, double, tessera::rotate(block<256>(), x, 3))
// bar.sync 2, bar.red 0, bar.warp.sync any, .shared any, ld.shared any, st.shared any, bra any
KERNEL(transpose_block_256, ints_4, tessera::transpose(block<256>(), x))
// bar.sync 2, bar.red 0, bar.warp.sync any, vote.sync 1, redux.sync 1, .shared any, ld.shared any, st.shared any, bra any
KERNEL(int_sum_block_256, int, tessera::reduce(block<256>(), x))
// (cooperative_groups uses barrier 0 and a word of its own memory to make a tile.)
// bar.sync 2, barrier.sync 1, bar.red 0, red. 1, bar.warp.sync any, vote.sync 1, shfl.sync 5, full mask 5, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_sum_128, float, tessera::reduce(tile<128>(), x))

// ---- Coalesced groups: a branch for the whole warp; else shuffles along the ranks, whose sources are shuffled, too.

// redux.sync 1, activemask 1
KERNEL(int_sum_of_group, int, tessera::reduce(group(), x))
// redux.sync 1, activemask 1
KERNEL(float_maximum_of_group, float, tessera::reduce(group(), x, maximum{}))
// shfl.sync 15, full mask 5, activemask 1, bra any
KERNEL(float_sum_of_group, float, tessera::reduce(group(), x))
// shfl.sync 14, full mask 5, activemask 1, bra any
KERNEL(float_sum_of_group_to_leader, float, tessera::reduce(group(), x, plus{}, to_leader))
// shfl.sync 14, full mask 5, activemask 1, bra any
KERNEL(int_scan_of_group, int, tessera::inclusive_scan(group(), x))
// shfl.sync 24, full mask 10, activemask 1, bra any
KERNEL(double_scan_of_group, double, tessera::inclusive_scan(group(), x))
// vote.sync 1, activemask 1
KERNEL(any_of_group, int, tessera::any_of(group(), x > n))
// vote.sync 1, activemask 1
KERNEL(place_in_group, int, static_cast<int>(tessera::exclusive_scan(group(), x > n)))
// redux.sync 1, activemask 1
KERNEL(ballot_of_group, int, static_cast<int>(tessera::ballot(group(), x > n).word()))
// match. 1, redux.sync 1, activemask 1
KERNEL(match_in_group, int, static_cast<int>(tessera::match_any(group(), x).word()))
// shfl.sync 1, activemask 1
KERNEL(broadcast_in_group, float, tessera::broadcast(group(), x))
// shfl.sync 1, activemask 1
KERNEL(neighbor_in_group, float, tessera::shift_up(group(), x, 1))

// ---- Clusters: making the tile takes bar.sync 1, barrier.cluster 2 and 2 mbarriers; an exchange 1 st.async and 2 mbarriers, and no
// barrier of the cluster.

// st.async 1, mbarrier. 4, mapa. 2, bar.sync 3, barrier. 2, shfl.sync 6, full mask 6, vote.sync 1, ld.shared any, st.shared any, bra any
KERNEL(float_sum_of_cluster, float, tessera::reduce(cluster(), x))
// st.async 1, mbarrier. 4, mapa. 2, bar.sync 3, barrier. 2, shfl.sync 6, full mask 6, vote.sync 1, .shared any, ld.shared any, st.shared any, bra any
KERNEL(float_scan_of_cluster, float, tessera::inclusive_scan(cluster(), x))
// st.async 1, mbarrier. 4, mapa. 2, bar.sync 1, bar.red 1, barrier. 2, shfl.sync 1, full mask 1, ld.shared any, st.shared any, bra any
KERNEL(count_of_cluster, int, static_cast<int>(tessera::count_if(cluster(), x > n)))
