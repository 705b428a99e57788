// Adjacent differences of arrays of any types by any function: the kernel, for nvcc.
//
//   error = tessera::grid::adjacent_difference(keys, n, starts, differ{}, stream);  // 1 where keys differ
//
// Elements and results are of any trivially copyable types; op's results and elements of `in` convert to those of
// `out`. op is any function of two elements, marked `__device__` at least; it need not be associative. If the last tile
// reaches beyond the array, op is also called with copies of the last element. Everything else is as in
// adjacent_difference.hpp.
#pragma once

#include <tessera/grid/adjacent_difference.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/search/adjacent_difference_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T, class Task>
__global__ void __launch_bounds__(search_tuning::threads, reading_shape<T>::blocks_per_multiprocessor)
    adjacent_kernel(Task task) {
  wait_for_stream();
  detail::run_adjacent_agent<search_tuning::threads>(cooperative_groups::this_thread_block(), task, blockIdx.x);
}

template <class T>
struct adjacent_difference_launcher<T, void> {
  template <class In, class Out, class Op>
  static cudaError_t launch(In const& in, std::int64_t n, Out const& out, Op const& op, execution on) noexcept {
    static_assert(is_exchangeable_v<T> && is_exchangeable_v<tessera::detail::written_t<Out, T>>,
                  "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
    if (!detail::is_array(in, n) || !detail::is_array(out, n) || detail::overlap(in, n, out, n))
      return cudaErrorInvalidValue;
    constexpr unsigned threads = search_tuning::threads;
    using task_t = adjacent_task<In, Out, Op>;
    return detail::launch<adjacent_kernel<T, task_t>>({reading_shape<T>::tile_count(n, threads), threads}, on.stream,
                                                      task_t{in, n, out, op});
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// adjacent_difference of adjacent_difference.hpp, by iterators (core/iterators.hpp).
template <class In, class Out, class Op = minus, detail::if_any_iterator<In, Out> = true>
[[nodiscard]] cudaError_t adjacent_difference(In in, std::int64_t n, Out out, Op op = {}, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  constexpr bool possible = stl::is_invocable_v<Op const&, T const&, T const&>;
  static_assert(possible,
                "grid::adjacent_difference: op(own, predecessor) takes two elements, and can be called while const; "
                "the execution comes after it.");
  if constexpr (!tessera::detail::is_computed<In> && tessera::detail::has_address<Out>) {
    return grid::adjacent_difference(tessera::detail::reader_of(in), n, tessera::detail::address_of(out), op, on);
  } else if constexpr (possible) {
    return detail::adjacent_difference_launcher<T>::launch(tessera::detail::reader_of(in), n,
                                                           tessera::detail::address_of(out), op, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
