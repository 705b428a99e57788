// Each element of an array and its predecessor, combined, by one kernel launch: for nvcc.
//
//   in                          3 1 4 1 5
//   adjacent_difference         3 -2 3 -3 4
//
//   error = tessera::grid::adjacent_difference(in, n, out);                          // out[i] = in[i] − in[i − 1]; out[0] = in[0]
//   error = tessera::grid::adjacent_difference(keys, n, starts, differ{}, stream);    // 1 where neighbors differ; starts[0] = keys[0]
//
// Source: std::adjacent_difference; CUB's DeviceAdjacentDifference::SubtractLeftCopy.
#pragma once

#include <tessera/adjacent_difference.hpp>
#include <tessera/grid/detail/adjacent_difference_agent.hpp>
#include <tessera/grid/detail/arguments.hpp>
#include <tessera/grid/detail/launch.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T, class Out, class Op>
__global__ void __launch_bounds__(search_tuning::threads, reading_shape<T>::blocks_per_multiprocessor)
    adjacent_kernel(adjacent_task<T, Out, Op> task) {
  wait_for_stream();
  run_adjacent_agent<search_tuning::threads>(cooperative_groups::this_thread_block(), task, blockIdx.x);
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] = op(in[i], in[i − 1]); out[0] = in[0].
///
/// in, out   n ≥ 0 elements each in memory that the GPU can address, at any multiple of an element's size. `out` is apart from
///           `in`: not in place. Any trivially copyable types; op's results and elements of `in` convert to those of `out`.
/// op        any function of two elements, marked `__device__` at least; it need not be associative. `minus` by default. Where
///           the last tile reaches beyond the array, it is called with copies of the last element.
/// Returns   cudaErrorInvalidValue, before anything is launched, if n is negative, a pointer is null with n > 0 or misaligned,
///           or the arrays overlap; else what the launch returned. It never throws, waits or prints, and graphs can capture it.
///           CUDA's last error stays as it was: see reduce.hpp.
/// Cost      one launch, one read and one write of each element. No workspace.
template <class T, class Out, class Op = minus>
[[nodiscard]] cudaError_t adjacent_difference(T const* in, std::int64_t n, Out* out, Op op = {},
                                              cudaStream_t stream = nullptr) noexcept {
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<Out>,
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  constexpr bool possible = stl::is_invocable_v<Op const&, T const&, T const&>;
  static_assert(
      possible,
      "grid::adjacent_difference: op(own, predecessor) takes two elements, and can be called while const; "
      "the stream comes behind it: adjacent_difference(in, n, out, tessera::minus{}, stream).");
  if constexpr (possible) {
    if (!detail::is_array(in, n) || !detail::is_array(out, n) || detail::overlap(in, n, out, n))
      return cudaErrorInvalidValue;
    constexpr unsigned threads = detail::search_tuning::threads;
    return detail::launch<detail::adjacent_kernel<T, Out, Op>>(
        {detail::reading_shape<T>::tile_count(n, threads), threads}, stream,
        detail::adjacent_task<T, Out, Op>{in, n, out, op});
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
