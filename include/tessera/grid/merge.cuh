// Merges of sorted arrays of any type by any order: the kernel, for nvcc.
//
//   error = tessera::grid::merge(events_a, na, events_b, nb, all, happens_before{}, stream);
//
// Elements are of any trivially copyable type of up to 128 bytes. Everything else is as in merge.hpp.
#pragma once

#include <tessera/grid/merge.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/sort/merge_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class T, class Before>
__global__ void __launch_bounds__(merge_tuning::threads, merge_shape<T>::blocks_per_multiprocessor)
    merge_kernel(merge_task<T, Before> task, bool are_found) {
  wait_for_stream();
  __shared__ merge_storage<merge_tuning::threads, T> storage;
  detail::run_merge_agent<merge_tuning::threads>(cooperative_groups::this_thread_block(), task, blockIdx.x, are_found,
                                                 storage);
}

template <unsigned Lanes, class T, class Before>
__global__ void __launch_bounds__(merge_tuning::threads_of_ends) merge_ends_kernel(merge_task<T, Before> task) {
  wait_for_stream();
  detail::find_merge_ends<merge_tuning::threads>(
      tessera::tiled_partition<Lanes>(cooperative_groups::this_thread_block()), task,
      (blockIdx.x * std::int64_t{merge_tuning::threads_of_ends} + threadIdx.x) / Lanes);
}

template <unsigned Lanes, class T, class Before>
cudaError_t find_ends(merge_task<T, Before> const& task, std::int64_t tiles, cudaStream_t stream) noexcept {
  constexpr unsigned ends_of_block = merge_tuning::threads_of_ends / Lanes;
  return detail::launch<merge_ends_kernel<Lanes, T, Before>>({tiles / ends_of_block + 1, merge_tuning::threads_of_ends},
                                                             stream, task);
}

template <class T>
struct merge_launcher<T, void> {
  template <class Before>
  static cudaError_t launch(T const* a, std::int64_t na, T const* b, std::int64_t nb, T* out, Before const& before,
                            execution on) noexcept {
    static_assert(is_exchangeable_v<T> && sizeof(T) <= 128,
                  "grid::merge: elements are trivially copyable, of up to 128 bytes.");
    if (!detail::is_array(a, na) || !detail::is_array(b, nb) || na > INT64_MAX - nb ||
        !detail::is_array(out, na + nb) || detail::overlap(a, na, out, na + nb) || detail::overlap(b, nb, out, na + nb))
      return cudaErrorInvalidValue;
    if (na + nb == 0) return cudaSuccess;
    merge_task<T, Before> const task{{a, na, b, nb, before}, out};
    std::int64_t const tiles = merge_shape<T>::tile_count(na + nb, merge_tuning::threads);
    bool const are_found = tiles > merge_tuning::own_ends;
    if (are_found) {
      cudaError_t const error = tiles > merge_tuning::ends_by_4_lanes ? detail::find_ends<2>(task, tiles, on.stream)
                                                                      : detail::find_ends<4>(task, tiles, on.stream);
      if (error != cudaSuccess) return error;
    }
    return detail::launch<merge_kernel<T, Before>>({tiles, merge_tuning::threads}, on.stream, task, are_found);
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
