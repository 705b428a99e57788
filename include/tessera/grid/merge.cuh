// Merges of sorted arrays of any type by any order: the kernel, for nvcc.
//
//   error = tessera::grid::merge(events_a, na, events_b, nb, all, happens_before{}, stream);
//
// Elements are of any trivially copyable type of up to 128 bytes. Everything else is as in merge.hpp.
#pragma once

#include <tessera/grid/detail/arguments.hpp>
#include <tessera/grid/detail/launch.cuh>
#include <tessera/grid/detail/merge_agent.hpp>
#include <tessera/grid/merge.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class T, class Before>
__global__ void __launch_bounds__(merge_tuning::threads, merge_shape<T>::blocks_per_multiprocessor)
    merge_kernel(merge_task<T, Before> task) {
  wait_for_stream();
  __shared__ merge_storage<merge_tuning::threads, T> storage;
  detail::run_merge_agent<merge_tuning::threads>(cooperative_groups::this_thread_block(), task, blockIdx.x,
                                                 gridDim.x, storage);
}

template <class T>
struct merge_launcher<T, void> {
  template <class Before>
  static cudaError_t launch(T const* a, std::int64_t na, T const* b, std::int64_t nb, T* out,
                            Before const& before, cudaStream_t stream) noexcept {
    static_assert(is_exchangeable_v<T> && sizeof(T) <= 128,
                  "grid::merge: elements are trivially copyable, of up to 128 bytes.");
    if (!detail::is_array(a, na) || !detail::is_array(b, nb) || na > INT64_MAX - nb ||
        !detail::is_array(out, na + nb) || detail::overlap(a, na, out, na + nb) ||
        detail::overlap(b, nb, out, na + nb))
      return cudaErrorInvalidValue;
    if (na + nb == 0) return cudaSuccess;
    int multiprocessors = 0;
    cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
    if (error != cudaSuccess) return error;
    std::int64_t const resident = multiprocessors * std::int64_t{merge_shape<T>::blocks_per_multiprocessor};
    std::int64_t const tiles = merge_shape<T>::tile_count(na + nb, merge_tuning::threads);
    return detail::launch<merge_kernel<T, Before>>(
        {tiles < resident ? tiles : resident, merge_tuning::threads}, stream,
        merge_task<T, Before>{a, na, b, nb, out, before});
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
