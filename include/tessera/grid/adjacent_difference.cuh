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
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/search/adjacent_difference_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T, class Given>
__global__ void __launch_bounds__(search_tuning::difference_threads, difference_shape<T>::blocks_per_multiprocessor)
    adjacent_kernel(Given given) {
  wait_for_stream();
  auto const& task = detail::task_now(given);
  if constexpr (is_counted<Given>) {
    if (task.n == 0 || blockIdx.x >= difference_shape<T>::tile_count(task.n, search_tuning::difference_threads)) return;
  }
  detail::run_adjacent_agent<search_tuning::difference_threads>(cooperative_groups::this_thread_block(), task,
                                                                blockIdx.x);
}

template <class T>
struct adjacent_difference_launcher<T, void> {
  template <class In, class Out, class Op, class N = std::int64_t>
  static cudaError_t launch(In const& in, N const& number, Out const& out, Op const& op, execution on) noexcept {
    std::int64_t const n = detail::most_of(number);
    static_assert(is_exchangeable_v<T> && is_exchangeable_v<tessera::detail::written_t<Out, T>>,
                  "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
    if (!detail::is_array(in, n) || !detail::is_array(out, n) || detail::overlap(in, n, out, n) ||
        !detail::is_count(number, out, n))
      return cudaErrorInvalidValue;
    constexpr unsigned threads = search_tuning::difference_threads;
    using task_t = adjacent_task<In, Out, Op>;
    return detail::launch<adjacent_kernel<T, given_task<task_t, N>>>(
        {difference_shape<T>::tile_count(n, threads), threads}, on.stream,
        detail::with_count(task_t{in, n, out, op}, number));
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

/// adjacent_difference with n on the device (count_on_device.hpp).
template <class In, class Out, class Op = minus>
[[nodiscard]] cudaError_t adjacent_difference(In in, device_count n, Out out, Op op = {}, execution on = {}) noexcept {
  using T = detail::value_of<In>;
  constexpr bool possible = stl::is_invocable_v<Op const&, T const&, T const&>;
  static_assert(possible,
                "grid::adjacent_difference: op(own, predecessor) takes two elements, and can be called while const; "
                "the execution comes after it.");
  if constexpr (possible) {
    return detail::adjacent_difference_launcher<T>::launch(tessera::detail::reader_of(in), n,
                                                           tessera::detail::address_of(out), op, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
