// Adjacent differences of arrays of any types by any function: the kernel, for nvcc.
//
//   error = tessera::grid::adjacent_difference(keys, n, starts, differ{}, stream);  // 1 where keys differ
//
// Elements and results are of any trivially copyable types; op's results and elements of `in` convert to those of
// `out`. op is any function of two elements, marked `__device__` at least; it need not be associative. Where the last
// tile reaches beyond the array, it is called with copies of the last element. Everything else is as in
// adjacent_difference.hpp.
#pragma once

#include <tessera/grid/adjacent_difference.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/search/adjacent_difference_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class T, class Out, class Op>
__global__ void __launch_bounds__(search_tuning::threads, reading_shape<T>::blocks_per_multiprocessor)
    adjacent_kernel(adjacent_task<T, Out, Op> task) {
  wait_for_stream();
  detail::run_adjacent_agent<search_tuning::threads>(cooperative_groups::this_thread_block(), task, blockIdx.x);
}

template <class T>
struct adjacent_difference_launcher<T, void> {
  template <class Out, class Op>
  static cudaError_t launch(T const* in, std::int64_t n, Out* out, Op const& op, execution on) noexcept {
    static_assert(is_exchangeable_v<T> && is_exchangeable_v<Out>,
                  "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
    if (!detail::is_array(in, n) || !detail::is_array(out, n) || detail::overlap(in, n, out, n))
      return cudaErrorInvalidValue;
    constexpr unsigned threads = search_tuning::threads;
    return detail::launch<adjacent_kernel<T, Out, Op>>({reading_shape<T>::tile_count(n, threads), threads}, on.stream,
                                                       adjacent_task<T, Out, Op>{in, n, out, op});
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
