// Merges of sorted arrays of any type by any order: the kernel, for nvcc.
//
//   error = tessera::grid::merge(events_a, na, events_b, nb, all, happens_before{}, stream);
//
// Elements are of any trivially copyable type of up to 128 bytes. Everything else is as in merge.hpp.
#pragma once

#include <tessera/grid/merge.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/sort/merge_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class T, class Given>
__global__ void __launch_bounds__(merge_tuning::threads, merge_shape<T>::blocks_per_multiprocessor)
    merge_kernel(Given given, bool are_found) {
  wait_for_stream();
  auto const& task = detail::task_now(given);
  if constexpr (is_counted<Given>) {
    std::int64_t const n = task.in.na + task.in.nb;
    if (n == 0 || blockIdx.x >= merge_shape<T>::tile_count(n, merge_tuning::threads)) return;
  }
  __shared__ merge_storage<merge_tuning::threads, T> storage;
  detail::run_merge_agent<merge_tuning::threads>(cooperative_groups::this_thread_block(), task, blockIdx.x, are_found,
                                                 storage);
}

template <class Task>
__global__ void __launch_bounds__(merge_tuning::threads_of_ends) merge_ends_kernel(Task task) {
  wait_for_stream();
  __shared__ std::int64_t found[2];
  detail::find_merge_ends<merge_tuning::threads, merge_tuning::lanes_of_end>(cooperative_groups::this_thread_block(),
                                                                             task, found);
}

template <class T>
struct merge_launcher<T, void> {
  template <class A, class B, class Out, class Before, class NA = std::int64_t, class NB = std::int64_t>
  static cudaError_t launch(A const& a, NA const& number_a, B const& b, NB const& number_b, Out const& out,
                            Before const& before, execution on) noexcept {
    constexpr bool counted = is_on_device<NA> || is_on_device<NB>;
    std::int64_t const na = detail::most_of(number_a), nb = detail::most_of(number_b);
    using task_t = merge_task<T, Before, A, B, Out>;
    static_assert(is_exchangeable_v<T> && sizeof(T) <= 128,
                  "grid::merge: elements are trivially copyable, of up to 128 bytes.");
    if (!detail::is_array(a, na) || !detail::is_array(b, nb) || na > INT64_MAX - nb ||
        !detail::is_array(out, na + nb) || detail::overlap(a, na, out, na + nb) ||
        detail::overlap(b, nb, out, na + nb) || !detail::is_count(number_a, out, na + nb) ||
        !detail::is_count(number_b, out, na + nb))
      return cudaErrorInvalidValue;
    if (na + nb == 0) return cudaSuccess;
    task_t const task{{a, na, b, nb, before}, out};
    std::int64_t const tiles = merge_shape<T>::tile_count(na + nb, merge_tuning::threads);
    bool const are_found = task_t::keeps_ends && !counted && tiles > merge_tuning::own_ends;
    if constexpr (task_t::keeps_ends && !counted) {
      if (are_found) {
        constexpr unsigned ends_of_block = merge_tuning::threads_of_ends / merge_tuning::lanes_of_end;
        cudaError_t const error = detail::launch<merge_ends_kernel<task_t>>(
            {tiles / ends_of_block + 1, merge_tuning::threads_of_ends}, on.stream, task);
        if (error != cudaSuccess) return error;
      }
    }
    auto const given = detail::with_counts(task, number_a, number_b);
    return detail::launch<merge_kernel<T, stl::remove_const_t<decltype(given)>>>({tiles, merge_tuning::threads},
                                                                                 on.stream, given, are_found);
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// merge of merge.hpp, with na, nb or both on the device (count_on_device.hpp). Blocks search for their tiles' ends
/// themselves, also for long arrays.
template <class A, class NA, class B, class NB, class Out, class Before = less, detail::if_any_on_device<NA, NB> = true>
[[nodiscard]] cudaError_t merge(A a, NA na, B b, NB nb, Out out, Before before = {}, execution on = {}) noexcept {
  using T = detail::value_of<A>;
  constexpr bool possible =
      stl::is_same_v<T, detail::value_of<B>> && stl::is_invocable_v<Before const&, T const&, T const&>;
  static_assert(possible,
                "grid::merge: both arrays have elements of one type, and before(x, y) takes two of them, says whether "
                "x comes before y, and can be called while const; the execution comes after it.");
  if constexpr (possible) {
    return detail::merge_launcher<T>::launch(tessera::detail::reader_of(a), detail::count_as_given(na),
                                             tessera::detail::reader_of(b), detail::count_as_given(nb),
                                             detail::writer_of<T>(out), before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// merge of merge.hpp, by iterators (core/iterators.hpp).
///
/// a, b  any iterators, of one value_type.
/// Cost  If `out` isn't contiguous, blocks search for their tiles' ends themselves, also for long arrays.
template <class A, class B, class Out, class Before = less, detail::if_any_iterator<A, B, Out> = true>
[[nodiscard]] cudaError_t merge(A a, std::int64_t na, B b, std::int64_t nb, Out out, Before before = {},
                                execution on = {}) noexcept {
  using T = detail::value_of<A>;
  constexpr bool alike = stl::is_same_v<T, detail::value_of<B>>;
  static_assert(alike, "grid::merge: both arrays have elements of one type.");
  constexpr bool possible = alike && stl::is_invocable_v<Before const&, T const&, T const&>;
  static_assert(possible || !alike,
                "grid::merge: before(x, y) takes two elements and says whether x comes before y, and can be called "
                "while const; the execution comes after it.");
  if constexpr (tessera::detail::is_contiguous_writer<T, Out>) {
    return grid::merge(a, na, b, nb, tessera::detail::address_of(out), before, on);
  } else if constexpr (possible && !tessera::detail::is_computed<A> && !tessera::detail::is_computed<B> &&
                       stl::is_pointer_v<Out>) {
    return grid::merge(tessera::detail::reader_of(a), na, tessera::detail::reader_of(b), nb, out, before, on);
  } else if constexpr (possible) {
    return detail::merge_launcher<T>::launch(tessera::detail::reader_of(a), na, tessera::detail::reader_of(b), nb, out,
                                             before, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
