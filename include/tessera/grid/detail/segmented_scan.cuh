// The launcher that scans by key and scans of segments have in common, and its kernel.
#pragma once

#include <tessera/grid/detail/arguments.hpp>
#include <tessera/grid/detail/launch.cuh>
#include <tessera/grid/detail/pooled_workspace.hpp>
#include <tessera/grid/detail/segmented_scan_agent.hpp>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/scan_by_key.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class T, class R, class Op, class Convert, class Source>
__global__ void __launch_bounds__((segmented_scan_shape<T, R, Source>::threads),
                                  (segmented_scan_shape<T, R, Source>::blocks_per_multiprocessor))
    segmented_scan_kernel(segmented_scan_task<T, R, Op, Convert, Source> task, look_back_memory memory) {
  constexpr unsigned threads = segmented_scan_shape<T, R, Source>::threads;
  using block_t = cooperative_groups::thread_block;
  using task_t = segmented_scan_task<T, R, Op, Convert, Source>;
  __shared__ typename segmented_scan_agent<threads, block_t, task_t>::storage_t storage;
  run_segmented_scan_agent<threads>(cooperative_groups::this_thread_block(), task, memory, gridDim.x,
                                    storage);
}

/// Whether n results may be stored at `out` while n elements are read at `in`.
template <class T>
bool are_scannable_in_place(T const* in, std::int64_t n, T const* out) noexcept {
  return is_array(in, n) && is_array(out, n) && (in == out || !overlap(in, n, out, n));
}

/// Scans the segments of n > 0 elements.
template <class T, class R, class Op, class Source>
cudaError_t scan_segmented_array(T const* in, std::int64_t n, T* out, Source const& source, Op const& op,
                                 segmented_scan_request<R> const& what, cudaStream_t stream,
                                 workspace* memory) noexcept {
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<R>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  using convert = stl::conditional_t<stl::is_same_v<R, T>, tessera::detail::as_it_is, as_float>;
  using task_t = segmented_scan_task<T, R, Op, convert, Source>;
  using shape = segmented_scan_shape<T, R, Source>;
  int multiprocessors = 0;
  cudaError_t const error = query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  std::int64_t const tiles = shape::tile_count(n, shape::threads);
  if (tiles > INT32_MAX) return cudaErrorInvalidValue;
  auto const start = what.start ? optional_value<R>::some(*what.start) : optional_value<R>::none();
  task_t const task{in, out, n, source, op, convert{}, start, what.exclusive};
  std::int64_t const resident = multiprocessors * std::int64_t{shape::blocks_per_multiprocessor};
  auto const run = [&](look_back_memory const& words) {
    return launch(segmented_scan_kernel<T, R, Op, convert, Source>,
                  {tiles < resident ? tiles : resident, shape::threads}, stream, task, words);
  };
  if (tiles == 1) return run({nullptr, 0});
  pooled_workspace const scratch(memory, 0, stream, look_back_words<open_run<R>>(tiles));
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run({scratch.tagged(), scratch.tagged_size()});
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
