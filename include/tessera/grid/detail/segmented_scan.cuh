// The launcher that scans by key and scans of segments have in common, and its kernel.
#pragma once

#include <tessera/grid/detail/arguments.hpp>
#include <tessera/grid/detail/launch_tiles.cuh>
#include <tessera/grid/detail/segmented_scan_agent.hpp>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/scan_by_key.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <bool Small, class T, class R, class Op, class Convert, class Source>
__global__ void __launch_bounds__((segmented_scan_shape<T, R, Source, Small>::warps + 1) * 32,
                                  (segmented_scan_shape<T, R, Source, Small>::blocks_per_multiprocessor))
    segmented_scan_kernel(segmented_scan_task<T, R, Op, Convert, Source> task, look_back_memory memory) {
  using shape = segmented_scan_shape<T, R, Source, Small>;
  using block_t = cooperative_groups::thread_block;
  using task_t = segmented_scan_task<T, R, Op, Convert, Source>;
  using storage_t = typename segmented_scan_agent<shape, shape::warps, block_t, task_t>::storage_t;
  extern __shared__ __align__(16) unsigned char shared[];
  run_segmented_scan_agent<shape, shape::warps>(cooperative_groups::this_thread_block(), task, memory,
                                                gridDim.x, *reinterpret_cast<storage_t*>(shared));
}

/// Whether n results may be stored at `out` while n elements are read at `in`.
template <class T>
bool are_scannable_in_place(T const* in, std::int64_t n, T const* out) noexcept {
  return is_array(in, n) && is_array(out, n) && (in == out || !overlap(in, n, out, n));
}

/// Scans in large tiles or in small ones, if they are others.
template <class T, class R, class Op, class Convert, class Source>
cudaError_t scan_segmented_tiles(segmented_scan_task<T, R, Op, Convert, Source> const& task,
                                 cudaStream_t stream, workspace* memory) noexcept {
  using task_t = segmented_scan_task<T, R, Op, Convert, Source>;
  using block_t = cooperative_groups::thread_block;
  auto const run = [&](auto small) {
    using shape = segmented_scan_shape<T, R, Source, decltype(small)::value>;
    using storage_t = typename segmented_scan_agent<shape, shape::warps, block_t, task_t>::storage_t;
    constexpr auto* kernel = segmented_scan_kernel<decltype(small)::value, T, R, Op, Convert, Source>;
    return detail::launch_tiles<kernel, open_run<R>, shape, storage_t>(
        shape::tile_count(task.n, shape::warps), task, stream, memory);
  };
  using large = segmented_scan_shape<T, R, Source, false>;
  using small = segmented_scan_shape<T, R, Source, true>;
  if constexpr (large::rows != small::rows || large::warps != small::warps) {
    using storage_t = typename segmented_scan_agent<large, large::warps, block_t, task_t>::storage_t;
    if (!has_small_tiles<storage_t>(task.n, large::element_bytes)) return run(stl::false_type{});
  }
  return run(stl::true_type{});
}

/// Scans the segments of n > 0 elements.
template <class T, class R, class Op, class Source>
cudaError_t scan_segmented_array(T const* in, std::int64_t n, T* out, Source const& source, Op const& op,
                                 segmented_scan_request<R> const& what, cudaStream_t stream,
                                 workspace* memory) noexcept {
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<R>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  using convert = stl::conditional_t<stl::is_same_v<R, T>, tessera::detail::as_it_is, as_float>;
  auto const start = what.start ? optional_value<R>::some(*what.start) : optional_value<R>::none();
  segmented_scan_task<T, R, Op, convert, Source> const task{in, out,       n,     source,
                                                            op, convert{}, start, what.exclusive};
  return scan_segmented_tiles(task, stream, memory);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
