// Searches of arrays of any types: the first element with a predicate, how many have it, and bounds by any order: for
// nvcc.
//
//   auto const is_large = [=] __host__ __device__(float x) { return x > t; };
//   error = tessera::grid::find_if(in, n, is_large, first, {stream, memory});      // std::int64_t* first
//   error = tessera::grid::count_if(in, n, is_large, count, {stream, memory});     // std::int64_t* count
//   error = tessera::grid::mismatch(a, b, n, first, tessera::equal_to{}, {stream, memory});
//   error = tessera::grid::equal(a, b, n, are_equal, tessera::equal_to{}, {stream, memory});  // bool* are_equal
//   error = tessera::grid::lower_bound(rows, n, columns, m, out, starts_before{}, stream);
//
// Needles may be of another type than the elements. Everything else is as in search.hpp. Lambdas need nvcc's
// --extended-lambda.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/search.hpp>
#include <tessera/grid/search/bounds_agent.hpp>
#include <tessera/grid/search/find_agent.hpp>
#include <tessera/grid/search/mistaken_search.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <bool Upper, class Count, class T, class Given>
__global__ void __launch_bounds__(search_tuning::bounds_threads) bounds_kernel(Given given, unsigned levels) {
  wait_for_stream();
  __shared__ bounds_storage<T, search_tuning::sample_bytes> storage;
  auto const& task = detail::task_now(given);
  if constexpr (is_counted<Given>) {
    if (task.count == 0) return;
    while (levels > 0 && task.n >> levels == 0) --levels;
  }
  detail::run_bounds_agent<search_tuning::bounds_threads, search_tuning::needles, Upper, Count>(
      cooperative_groups::this_thread_block(), blockIdx.x, gridDim.x, task, levels, storage);
}

/// The number of levels of samples of n elements, by which many needles are searched for; 0: there are none.
template <class T>
unsigned sample_levels(std::int64_t n, std::int64_t count) noexcept {
  unsigned levels = 0;
  if (count < search_tuning::least_sampling) return levels;
  while (levels < bounds_storage<T, search_tuning::sample_bytes>::most_levels && n >> (levels + 1) > 0) ++levels;
  return levels;
}

template <class T>
struct bounds_launcher<T, void> {
  template <bool Upper, class Sorted, class Needles, class Out, class Before, class N = std::int64_t,
            class M = std::int64_t>
  static cudaError_t launch(Sorted const& sorted, N const& number, Needles const& needles, M const& number_of_needles,
                            Out const& out, Before const& before, execution on) noexcept {
    std::int64_t const n = detail::most_of(number), count = detail::most_of(number_of_needles);
    using Index = tessera::detail::written_t<Out, std::int64_t>;
    static_assert(is_exchangeable_v<T> && is_exchangeable_v<value_of<Needles>>,
                  "Elements and needles are trivially copyable; or specialize tessera::is_exchangeable.");
    if (!detail::is_array(sorted, detail::read_for(count, n)) || !detail::is_array(needles, count) ||
        !detail::is_array(out, count) || !detail::fits_index<Index>(n) || detail::overlap(sorted, n, out, count) ||
        detail::overlap(needles, count, out, count) || !detail::is_count(number, out, count) ||
        !detail::is_count(number_of_needles, out, count))
      return cudaErrorInvalidValue;
    constexpr unsigned threads = search_tuning::bounds_threads, each = search_tuning::needles;
    std::int64_t blocks = detail::ceiling_divide(count, std::int64_t{threads} * each);
    unsigned const levels = detail::sample_levels<T>(n, count);
    if (levels > 0) {
      int multiprocessors = 0;
      cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
      if (error != cudaSuccess) return error;
      std::int64_t const resident = multiprocessors * std::int64_t{search_tuning::sampling_blocks};
      if (blocks > resident) blocks = resident;
    }
    launch_shape const shape{blocks, threads};
    using task_t = bounds_task<Sorted, Needles, Out, Before>;
    auto const task = detail::with_counts(task_t{sorted, n, needles, count, out, before}, number, number_of_needles);
    using given = stl::remove_const_t<decltype(task)>;
    if constexpr (sizeof(Index) > 4) {  // Others hold no greater index.
      if (n > UINT32_MAX)
        return detail::launch<bounds_kernel<Upper, std::uint64_t, T, given>>(shape, on.stream, task, levels);
    }
    return detail::launch<bounds_kernel<Upper, std::uint32_t, T, given>>(shape, on.stream, task, levels);
  }
};

/// Bounds by iterators, or with numbers on the device.
template <bool Upper, class Sorted, class N, class Needles, class M, class Out, class Before>
cudaError_t bounds_by(Sorted const& sorted, N const& n, Needles const& needles, M const& count, Out const& out,
                      Before const& before, execution on) noexcept {
  using T = value_of<Sorted>;
  using Key = value_of<Needles>;
  constexpr bool orders = Upper ? stl::is_invocable_v<Before const&, Key const&, T const&>
                                : stl::is_invocable_v<Before const&, T const&, Key const&>;
  using Index = tessera::detail::written_t<decltype(tessera::detail::address_of(out)), std::int64_t>;
  constexpr bool possible = orders && tessera::detail::is_integer<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8);
  static_assert(possible || !orders, "grid::lower_bound, upper_bound: out has integers of 32 or 64 bits.");
  static_assert(orders,
                "grid::lower_bound, upper_bound: before(element, needle), for upper_bound before(needle, element), "
                "says whether the first comes before the second, and can be called while const.");
  if constexpr (tessera::detail::has_address<Sorted> && tessera::detail::has_address<Needles> &&
                tessera::detail::has_address<Out> && !is_on_device<N> && !is_on_device<M>) {
    return detail::bounds_of<Upper>(tessera::detail::reader_of(sorted), n, tessera::detail::reader_of(needles), count,
                                    tessera::detail::address_of(out), before, on);
  } else if constexpr (possible) {
    return detail::bounds_launcher<T>::template launch<Upper>(tessera::detail::reader_of(sorted), n,
                                                              tessera::detail::reader_of(needles), count,
                                                              tessera::detail::address_of(out), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

template <class Given>
__global__ void __launch_bounds__(find_threads<typename task_of<Given>::shape>,
                                  task_of<Given>::shape::blocks_per_multiprocessor)
    find_kernel(Given given, find_memory memory) {
  wait_for_stream();
  __shared__ find_storage storage;
  auto const& task = detail::task_now(given);
  detail::run_find_agent<find_threads<typename task_of<Given>::shape>>(cooperative_groups::this_thread_block(), task,
                                                                       memory, gridDim.x, storage);
}

template <class T, class Pred>
constexpr bool can_ask() {
  constexpr bool possible = tessera::detail::takes_element<std::int64_t, T, Pred>;
  static_assert(possible,
                "grid::find_if, count_if: pred(x) or pred(x, index) takes an element, and its index as a "
                "std::int64_t, and can be called while const; out comes after it: find_if(in, n, pred, out). A "
                "lambda is __host__ __device__: the host asks it for the type of its result.");
  static_assert(is_exchangeable_v<T>, "Elements are trivially copyable; or specialize tessera::is_exchangeable.");
  return possible;
}

/// Launches the kernel. The arguments are right.
template <class Task, class N>
cudaError_t run_find(Task const& task, N const& n, execution on) noexcept {
  using shape = typename Task::shape;
  constexpr unsigned threads = find_threads<shape>;
  int multiprocessors = 0;
  cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  std::int64_t const tiles = shape::tile_count(task.n, threads);
  if (tiles > INT32_MAX) return cudaErrorInvalidValue;
  std::int64_t const resident = multiprocessors * std::int64_t{shape::blocks_per_multiprocessor};
  auto const run = [&](std::int64_t blocks, find_memory const& shared) {
    return detail::launch<find_kernel<given_task<Task, N>>>({blocks, threads}, on.stream, detail::with_count(task, n),
                                                            shared);
  };
  if (tiles <= 1) return run(1, {nullptr, nullptr});
  pooled_workspace const scratch(on, 0);
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run(tiles < resident ? tiles : resident, {scratch.counters(), scratch.slot_words()});
}

template <class In, class N, class Pred>
cudaError_t find_in_array(In const& in, N const& number, Pred const& pred, std::int64_t* out, execution on) noexcept {
  std::int64_t const n = detail::most_of(number);
  if (!detail::are_apart(in, n, out) || !detail::is_count(number, out, 1)) return cudaErrorInvalidValue;
  return detail::run_find(find_task<In, Pred>{in, n, pred, out}, number, on);
}

template <class A, class B, class N, class Equal, class Out>
cudaError_t find_mismatch(A const& a, B const& b, N const& number, Equal const& equal, Out* out,
                          execution on) noexcept {
  constexpr bool compares = stl::is_invocable_v<Equal const&, value_of<A> const&, value_of<B> const&>;
  static_assert(compares,
                "grid::equal, mismatch: equal(a, b) says whether two elements are equal, and can be called while "
                "const; it comes after out, then the execution: equal(a, b, n, out, tessera::equal_to{}, stream).");
  static_assert(is_exchangeable_v<value_of<A>> && is_exchangeable_v<value_of<B>>,
                "Elements are trivially copyable; or specialize tessera::is_exchangeable.");
  if constexpr (compares) {
    std::int64_t const n = detail::most_of(number);
    if (!detail::are_apart(a, n, out) || !detail::are_apart(b, n, out) || !detail::is_count(number, out, 1))
      return cudaErrorInvalidValue;
    return detail::run_find(mismatch_task<A, B, Equal, Out>{a, b, n, equal, out}, number, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// *out: the index of the first element that has `pred`; n if none has. The array need not be sorted.
///
/// in        n ≥ 0 elements of any trivially copyable type in memory that the GPU can address, at any multiple of
///           their size.
/// pred      pred(x), or pred(x, index) with a std::int64_t: a function object or a lambda, in CUDA `__host__
///           __device__`. It is also called with some elements after the first that has it.
/// out       in memory that the GPU can address, not within `in`.
/// Returns   as all calls on arrays: docs/reference/arrays.md.
/// Cost      one launch, which reads the array up to the element, and after it at most a tile for each resident block:
///           64 KiB, or 256 elements if these are more.
template <class In, class Pred>
[[nodiscard]] cudaError_t find_if(In in, std::int64_t n, Pred pred, std::int64_t* out, execution on = {}) noexcept {
  if constexpr (detail::can_ask<detail::value_of<In>, Pred>()) {
    return detail::find_in_array(tessera::detail::reader_of(in), n, pred, out, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// *out: how many elements have `pred`, which is called once with each. Otherwise as find_if.
///
/// Cost      that of grid::transform_reduce: one read of the array.
template <class In, class Pred>
[[nodiscard]] cudaError_t count_if(In in, std::int64_t n, Pred pred, std::int64_t* out, execution on = {}) noexcept {
  if constexpr (detail::can_ask<detail::value_of<In>, Pred>()) {
    return grid::transform_reduce(in, n, out, plus{}, detail::as_count<Pred>{pred}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// find_if and count_if with n on the device (count_on_device.hpp). find_if stores that n if no element has pred.
template <class In, class Pred>
[[nodiscard]] cudaError_t find_if(In in, device_count n, Pred pred, std::int64_t* out, execution on = {}) noexcept {
  if constexpr (detail::can_ask<detail::value_of<In>, Pred>()) {
    return detail::find_in_array(tessera::detail::reader_of(in), n, pred, out, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class Pred>
[[nodiscard]] cudaError_t count_if(In in, device_count n, Pred pred, std::int64_t* out, execution on = {}) noexcept {
  if constexpr (detail::can_ask<detail::value_of<In>, Pred>()) {
    return grid::transform_reduce(in, n, out, plus{}, detail::as_count<Pred>{pred}, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// *out: the first index at which two arrays' elements aren't equal; n if all are equal: std::mismatch.
///
/// a, b      n ≥ 0 elements each, of any trivially copyable types, in memory that the GPU can address.
/// out       as find_if's.
/// equal     equal(a, b): equal_to, by which NaNs are equal to each other, and −0 to +0, or any function. It is also
///           called with some elements after the first that differ.
/// Cost      one launch, which reads both arrays up to the elements that differ, and after them at most a tile for each
///           resident block: 64 KiB of both together, or 256 elements of each if these are more.
template <class A, class B, class Equal = equal_to>
[[nodiscard]] cudaError_t mismatch(A a, B b, std::int64_t n, std::int64_t* out, Equal equal = {},
                                   execution on = {}) noexcept {
  return detail::find_mismatch(tessera::detail::reader_of(a), tessera::detail::reader_of(b), n, equal, out, on);
}

/// *out: whether two arrays have equal elements, a bool on the GPU; true if n is 0: std::equal. Otherwise as mismatch.
template <class A, class B, class Equal = equal_to>
[[nodiscard]] cudaError_t equal(A a, B b, std::int64_t n, bool* out, Equal equal = {}, execution on = {}) noexcept {
  return detail::find_mismatch(tessera::detail::reader_of(a), tessera::detail::reader_of(b), n, equal, out, on);
}

/// mismatch and equal with n on the device.
template <class A, class B, class Equal = equal_to>
[[nodiscard]] cudaError_t mismatch(A a, B b, device_count n, std::int64_t* out, Equal equal = {},
                                   execution on = {}) noexcept {
  return detail::find_mismatch(tessera::detail::reader_of(a), tessera::detail::reader_of(b), n, equal, out, on);
}
template <class A, class B, class Equal = equal_to>
[[nodiscard]] cudaError_t equal(A a, B b, device_count n, bool* out, Equal equal = {}, execution on = {}) noexcept {
  return detail::find_mismatch(tessera::detail::reader_of(a), tessera::detail::reader_of(b), n, equal, out, on);
}

/// lower_bound of search.hpp by iterators (core/iterators.hpp). Places are written as std::int64_t if `out` isn't
/// contiguous.
template <class Sorted, class Needles, class Out, class Before = less,
          detail::if_any_iterator<Sorted, Needles, Out> = true>
[[nodiscard]] cudaError_t lower_bound(Sorted sorted, std::int64_t n, Needles needles, std::int64_t count, Out out,
                                      Before before = {}, execution on = {}) noexcept {
  return detail::bounds_by<false>(sorted, n, needles, count, out, before, on);
}
/// upper_bound of search.hpp by iterators, as lower_bound.
template <class Sorted, class Needles, class Out, class Before = less,
          detail::if_any_iterator<Sorted, Needles, Out> = true>
[[nodiscard]] cudaError_t upper_bound(Sorted sorted, std::int64_t n, Needles needles, std::int64_t count, Out out,
                                      Before before = {}, execution on = {}) noexcept {
  return detail::bounds_by<true>(sorted, n, needles, count, out, before, on);
}

// ---- With numbers on the device (count_on_device.hpp): n, count, or both

template <class Sorted, class N, class Needles, class M, class Out, class Before = less,
          detail::if_any_on_device<N, M> = true>
[[nodiscard]] cudaError_t lower_bound(Sorted sorted, N n, Needles needles, M count, Out out, Before before = {},
                                      execution on = {}) noexcept {
  return detail::bounds_by<false>(sorted, detail::count_as_given(n), needles, detail::count_as_given(count), out,
                                  before, on);
}
template <class Sorted, class N, class Needles, class M, class Out, class Before = less,
          detail::if_any_on_device<N, M> = true>
[[nodiscard]] cudaError_t upper_bound(Sorted sorted, N n, Needles needles, M count, Out out, Before before = {},
                                      execution on = {}) noexcept {
  return detail::bounds_by<true>(sorted, detail::count_as_given(n), needles, detail::count_as_given(count), out, before,
                                 on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
