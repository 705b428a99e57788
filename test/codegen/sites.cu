// Every collective with a promise that a GPU build with TESSERA_CHECK verifies. Its report must name the call's line in
// this file. check_sites.py looks for the names of other files in the PTX.
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;

__device__ auto tile() {
  return tessera::tiled_partition<8>(cooperative_groups::this_thread_block());
}

}  // namespace

#define KERNEL(name, ...)                               \
  extern "C" __global__ void at_##name(float* data) {   \
    auto const t = tile();                              \
    [[maybe_unused]] float const x = data[threadIdx.x]; \
    data[threadIdx.x] = __VA_ARGS__;                    \
  }

KERNEL(reduce, tessera::reduce(t, x, plus{}, converged))
KERNEL(reduce_batch, reduce_batch(t, items<float, 2>{{x, x}}, plus{}, converged)[0])
KERNEL(inclusive_scan, tessera::inclusive_scan(t, x, plus{}, converged))
KERNEL(exclusive_scan, tessera::exclusive_scan(t, x, plus{}, converged))
KERNEL(exclusive_scan_from, tessera::exclusive_scan(t, x, plus{}, 3.0f, converged))
KERNEL(segmented_inclusive_scan, segmented_inclusive_scan(t, x, true, plus{}, converged))
KERNEL(segmented_exclusive_scan, segmented_exclusive_scan(t, x, true, plus{}, converged))
KERNEL(segmented_reduce, segmented_reduce(t, x, true, plus{}, converged))
KERNEL(ballot, ballot(t, x > 3, converged).word())
KERNEL(any_of, any_of(t, x > 3, converged))
KERNEL(all_of, all_of(t, x > 3, converged))
KERNEL(none_of, none_of(t, x > 3, converged))
KERNEL(count_if, count_if(t, x > 3, converged))
KERNEL(elect, elect(t, converged))
KERNEL(invoke_one, tessera::invoke_one(
                       t, [&] { return x; }, converged))
KERNEL(match_any, match_any(t, x, converged).word())
KERNEL(match_all, match_all(t, x, converged))
KERNEL(peers, peers(t, x, converged).rank)
KERNEL(reduce_by_label, reduce_by_label(t, 1, x, plus{}, converged))
KERNEL(histogram, histogram<4>(t, int(x), converged)[0])
KERNEL(aggregated_add, (aggregated_add(t, data, 1, x, converged), x))
KERNEL(aggregated_count, (aggregated_add(t, data, 1, converged), x))
KERNEL(partition, tessera::partition(t, x > 1, converged).position)
KERNEL(scatter, tessera::scatter(t, x, threadIdx.x % 4, converged))
KERNEL(radix_rank, radix_rank<2>(t, static_cast<int>(x), converged).rank)
KERNEL(unique, tessera::unique(t, x, equal_to{}, converged).position)
KERNEL(run_length_encode, run_length_encode(t, x, equal_to{}, converged).length)
KERNEL(run_length_decode, run_length_decode(t, x, 2u, 1u, converged).offset)
KERNEL(compact, tessera::compact(t, x, x > 1, data, converged))
KERNEL(compact_append, tessera::compact(t, x, x > 1, data + 1, reinterpret_cast<int*>(data), converged).begin)
KERNEL(inclusive_scan_from, tessera::inclusive_scan(t, x, plus{}, 1, converged))
KERNEL(atomic_reduce, (atomic_reduce(t, data, x, plus{}, converged), x))
KERNEL(shuffle, shuffle(t, x, 1, converged))
KERNEL(broadcast, broadcast(t, x, 1, converged))
KERNEL(shift_up, shift_up(t, x, 1, converged))
KERNEL(shift_up_fill, shift_up(t, x, 1, 0.0f, converged))
KERNEL(shift_down, shift_down(t, x, 1, converged))
KERNEL(shift_down_fill, shift_down(t, x, 1, 0.0f, converged))
KERNEL(rotate, rotate(t, x, 1, converged))
KERNEL(reverse, reverse(t, x, converged))
KERNEL(butterfly, butterfly(t, x, 1, converged))
KERNEL(exchange_items, exchange_items(t, items<float, 2>{{x, x}}, 1, 0, 1, converged)[0])
KERNEL(transpose, transpose(t, items<float, 2>{{x, x}}, converged)[0])
KERNEL(blocked_to_striped, blocked_to_striped(t, items<float, 2>{{x, x}}, converged)[0])
KERNEL(striped_to_blocked, striped_to_blocked(t, items<float, 2>{{x, x}}, converged)[0])
KERNEL(adjacent_difference, tessera::adjacent_difference(t, x, minus{}, converged))
KERNEL(is_sorted, is_sorted(t, x, less{}, converged))
KERNEL(sort, tessera::sort(t, x, less{}, converged))
KERNEL(stable_sort, tessera::stable_sort(t, x, less{}, converged))
KERNEL(sort_by_key, tessera::sort_by_key(t, x, x, less{}, converged).values)
KERNEL(stable_sort_by_key, tessera::stable_sort_by_key(t, x, x, less{}, converged).values)
KERNEL(merge, tessera::merge(t, x, x, less{}, converged)[1])
KERNEL(merge_by_key, tessera::merge_by_key(t, x, x, x, x, less{}, converged).values[1])
KERNEL(top_k, tessera::top_k<8>(t, x, tessera::greater{}, converged)[7])
KERNEL(top_k_push, (top_k_queue<8, float, greater, 8>().push(t, x, converged), x))
KERNEL(top_k_best, (top_k_queue<8, float, greater, 8>().best(t, converged)[7] + x))
KERNEL(nth_element, tessera::nth_element(t, x, 3, less{}, converged))
KERNEL(load, load<2>(t, data, 5, converged)[1] + x)
KERNEL(store, (store(t, x, data, 5, converged), x))
KERNEL(joint_merge, (joint_merge(t, data, 5, data + 5, 5, data + 10, less{}, converged), x))
KERNEL(joint_sort, (joint_sort(t, data, 5, data + 5, less{}, converged), x))
KERNEL(joint_stable_sort, (joint_stable_sort(t, data, 5, data + 5, less{}, converged), x))
KERNEL(joint_reduce, joint_reduce(t, data, 5, plus{}, converged) + x)
KERNEL(joint_top_k, joint_top_k<4>(t, data, 5, greater{}, converged)[3] + x)
KERNEL(joint_transform_top_k, (joint_transform_top_k<4>(
                                   t, data, 5, greater{}, [](float y) { return -y; }, converged)[3] +
                               x))
KERNEL(joint_any_of, (joint_any_of(
                          t, data, 5, [](float y) { return y > 1; }, converged)
                          ? x
                          : 0))
KERNEL(joint_all_of, (joint_all_of(
                          t, data, 5, [](float y) { return y > 1; }, converged)
                          ? x
                          : 0))
KERNEL(joint_none_of, (joint_none_of(
                           t, data, 5, [](float y) { return y > 1; }, converged)
                           ? x
                           : 0))
KERNEL(joint_transform_reduce, joint_transform_reduce(
                                   t, data, 5, plus{}, [](float y) { return 2 * y; }, converged))
KERNEL(lower_bound, lower_bound(t, data, 5, x, less{}, converged) + x)
KERNEL(upper_bound, upper_bound(t, data, 5, x, less{}, converged) + x)
KERNEL(find_if, find_if(
                    t, data, 5, [](float y) { return y > 1; }, converged) +
                    x)
KERNEL(joint_inclusive_scan, (joint_inclusive_scan(t, data, 5, data, plus{}, converged), x))
KERNEL(joint_inclusive_scan_from, (joint_inclusive_scan(t, data, 5, data, plus{}, 1, converged), x))
KERNEL(joint_transform_inclusive_scan, (joint_transform_inclusive_scan(
                                            t, data, 5, data, plus{}, [](float y) { return 2 * y; }, converged),
                                        x))
KERNEL(joint_transform_exclusive_scan_from,
       (joint_transform_exclusive_scan(
            t, data, 5, data, plus{}, [](float y) { return 2 * y; }, 1, converged),
        x))
KERNEL(joint_transform_exclusive_scan, (joint_transform_exclusive_scan(
                                            t, data, 5, data, plus{}, [](float y) { return 2 * y; }, converged),
                                        x))
KERNEL(joint_exclusive_scan, (joint_exclusive_scan(t, data, 5, data, plus{}, converged), x))
KERNEL(joint_exclusive_scan_from, (joint_exclusive_scan(t, data, 5, data, plus{}, 1, converged), x))
