// Calls a function of the elements of arrays, of any type: the kernels, for nvcc.
//
//   a               1 2 3 4
//   b               5 6 7 8
//   transform       5 12 21 32        f(a, b) = a * b
//   tabulate        0 2 4 6           f(index) = 2 * index
//   for_each        f(1) f(2) f(3) f(4), whose results are dropped
//
//   error = tessera::grid::transform(in, n, out, square{}, stream);     // out[i] = f(in[i])
//   error = tessera::grid::transform(a, b, n, out, times{}, stream);    // out[i] = f(a[i], b[i])
//   error = tessera::grid::transform(tessera::grid::inputs(a, b, c), n, out, blend{}, stream);
//   error = tessera::grid::tabulate(out, n, twice_index{}, stream);     // out[i] = f(i)
//   error = tessera::grid::for_each(in, n, visit{sum}, stream);         // f(in[i])
//   error = tessera::grid::for_each(n, visit_index{count}, stream);     // f(i)
//
// Elements and results are of any trivially copyable types; f's results convert to those of `out`. f is a function
// object or a lambda, in CUDA `__host__ __device__`; lambdas need nvcc's --extended-lambda. It is called by threads in
// any order, and may take the index as one more argument, a std::int64_t: f(x, index), f(a, b, index). Inputs and
// outputs may be iterators (core/iterators.hpp). All calls here also take a count_on_device as n.
//
// Source: std::transform, std::for_each; CUB's DeviceTransform and DeviceFor; Thrust's tabulate.
#pragma once

#include <tessera/grid/count_on_device.hpp>
#include <tessera/grid/execution.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/transform/transform_agent.hpp>

#include <cooperative_groups.h>
#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Task>
__global__ void __launch_bounds__(transform_tuning::threads, Task::shape::blocks_per_multiprocessor)
    transform_kernel(Task task) {
  wait_for_stream();
  detail::run_transform_agent(cooperative_groups::this_thread_block(), task, blockDim.x, blockIdx.x);
}
template <class Task>
__global__ void __launch_bounds__(transform_tuning::threads, Task::shape::blocks_per_multiprocessor)
    for_each_kernel(Task task) {
  wait_for_stream();
  detail::run_for_each_agent(cooperative_groups::this_thread_block(), task, blockDim.x, blockIdx.x);
}
template <class Task>
__global__ void __launch_bounds__(transform_tuning::threads, Task::shape::blocks_per_multiprocessor)
    counted_transform_kernel(counted_task<Task> counted) {
  wait_for_stream();
  Task const task = detail::task_now(counted);
  if (!detail::has_elements(task, blockDim.x, blockIdx.x)) return;
  detail::run_transform_agent(cooperative_groups::this_thread_block(), task, blockDim.x, blockIdx.x);
}
template <class Task>
__global__ void __launch_bounds__(transform_tuning::threads, Task::shape::blocks_per_multiprocessor)
    counted_for_each_kernel(counted_task<Task> counted) {
  wait_for_stream();
  Task const task = detail::task_now(counted);
  if (!detail::has_elements(task, blockDim.x, blockIdx.x)) return;
  detail::run_for_each_agent(cooperative_groups::this_thread_block(), task, blockDim.x, blockIdx.x);
}
template <class Given>
__global__ void __launch_bounds__(transform_tuning::threads) for_each_index_kernel(aligned<Given> given) {
  wait_for_stream();
  auto const& task = detail::task_now(given.value);
  detail::run_index_agent(cooperative_groups::this_thread_block(), task, blockDim.x, blockIdx.x);
}

/// The blocks for n elements, if a thread has `of_thread` of them. Blocks are small if there are few elements.
inline launch_shape blocks_of_transform(std::int64_t n, std::int64_t of_thread) noexcept {
  using tuning = transform_tuning;
  auto const count = [&](unsigned threads) { return n == 0 ? 0 : (n - 1) / (of_thread * threads) + 1; };
  unsigned const threads = count(tuning::threads) <= tuning::few_tiles ? tuning::threads_of_short : tuning::threads;
  return {count(threads), threads};
}

/// True if out[i] can be stored once in[i] is loaded: `out` is `in`, with elements of the same size, or apart from it.
template <class In, class Out>
bool may_become(In const& in, std::int64_t n, Out const& out) noexcept {
  if constexpr (stl::is_pointer_v<In> && stl::is_pointer_v<Out>) {
    if (sizeof(*in) == sizeof(*out) && static_cast<void const*>(in) == static_cast<void const*>(out)) return true;
  }
  return !detail::overlap(in, n, out, n);
}
template <class Out>
bool are_inputs_of(input_arrays<> const&, std::int64_t, Out const&) noexcept {
  return true;
}
template <class Out, class In, class... More>
bool are_inputs_of(input_arrays<In, More...> const& in, std::int64_t n, Out const& out) noexcept {
  return detail::is_array(in.first, n) && detail::may_become(in.first, n, out) &&
         detail::are_inputs_of(in.more, n, out);
}

/// True if F is a function of elements of these types, whose results are stored by an Out.
template <class Out, class F, class... T>
constexpr bool can_transform() {
  constexpr bool takes = takes_elements<F, T const&...>;
  constexpr bool stores = !stl::is_const_v<stl::remove_pointer_t<Out>>;
  static_assert(takes,
                "grid::transform, tabulate: f takes an element of each input, or also their index as a std::int64_t, "
                "and can be called while const; it comes after out, then the execution. A lambda is __host__ "
                "__device__: the host asks it for the type of its result.");
  static_assert(stores, "grid::transform, tabulate: results are stored, so out is not const.");
  static_assert((true && ... && is_exchangeable_v<T>),
                "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
  return takes && stores;
}

/// N is a std::int64_t or a device_count.
template <class Out, class F, class N, class... In>
cudaError_t transform_arrays(input_arrays<In...> const& in, N const& number, Out const& out, F const& f,
                             execution on) noexcept {
  if constexpr (can_transform<Out, F, value_of<In>...>()) {
    using task = transform_task<Out, F, In...>;
    static_assert(is_exchangeable_v<typename task::result>,
                  "Elements and results are trivially copyable; or specialize tessera::is_exchangeable.");
    std::int64_t const n = detail::most_of(number);
    if (!detail::is_array(out, n) || !detail::are_inputs_of(in, n, out) || !detail::is_count(number, out, n))
      return cudaErrorInvalidValue;
    auto const shape = detail::blocks_of_transform(n, task::shape::tile_elements(1));
    task const what{in, n, out, f};
    if constexpr (is_on_device<N>) {
      return detail::launch<counted_transform_kernel<task>>(shape, on.stream, counted_task<task>{what, number});
    } else {
      return detail::launch<transform_kernel<task>>(shape, on.stream, what);
    }
  } else {
    return cudaErrorNotSupported;
  }
}

template <class In, class N, class F>
cudaError_t for_each_element(In const& in, N const& number, F const& f, execution on) noexcept {
  using task = for_each_task<In, F>;
  std::int64_t const n = detail::most_of(number);
  if (!detail::is_array(in, n) || !detail::is_count(number, in, task::changes ? n : 0)) return cudaErrorInvalidValue;
  auto const shape = detail::blocks_of_transform(n, task::shape::tile_elements(1));
  task const what{in, n, f};
  if constexpr (is_on_device<N>) {
    return detail::launch<counted_for_each_kernel<task>>(shape, on.stream, counted_task<task>{what, number});
  } else {
    return detail::launch<for_each_kernel<task>>(shape, on.stream, what);
  }
}

/// f of each index.
template <class N, class F>
cudaError_t visit_indices(N const& number, F const& f, execution on) noexcept {
  constexpr bool takes = stl::is_invocable_v<F const&, std::int64_t>;
  static_assert(takes,
                "grid::for_each(n, f): f takes an index, a std::int64_t, and can be called while const. A lambda is "
                "__host__ __device__.");
  if constexpr (takes) {
    using task = index_task<F>;
    std::int64_t const n = detail::most_of(number);
    if (n < 0 || !detail::is_count(number, static_cast<char*>(nullptr), 0)) return cudaErrorInvalidValue;
    return detail::launch<for_each_index_kernel<given_task<task, N>>>(
        detail::blocks_of_transform(n, transform_tuning::indices), on.stream, detail::with_count(task{n, f}, number));
  } else {
    return cudaErrorNotSupported;
  }
}

/// f of each element, which it may change.
template <class In, class N, class F>
cudaError_t visit_elements(In const& in, N const& n, F const& f, execution on) noexcept {
  using element = value_of<In>;
  constexpr bool is_changeable = stl::is_pointer_v<In> && !stl::is_const_v<stl::remove_pointer_t<In>>;
  constexpr bool reads = is_changeable ? takes_elements<F, element> : takes_elements<F, element const&>;
  static_assert(is_exchangeable_v<element>, "Elements are trivially copyable; or specialize tessera::is_exchangeable.");
  if constexpr (reads) {
    return detail::for_each_element(tessera::detail::reader_of(in), n, f, on);
  } else if constexpr (is_changeable && takes_elements<F, element&>) {
    return detail::for_each_element(in, n, f, on);
  } else {
    static_assert(reads,
                  "grid::for_each: f takes an element, or an element and its index as a std::int64_t, and can be "
                  "called while const; the execution comes after it. A lambda is __host__ __device__.");
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// Several arrays as the inputs of a transform. They have n elements each, of any types.
template <class... In>
[[nodiscard]] auto inputs(In const&... first) noexcept {
  return detail::arrays_of(first...);
}

/// out[i] = f(in[i]): std::transform.
///
/// in        n ≥ 0 elements in memory that the GPU can address.
/// out       n results. It may be an input whose elements have the size of the results, or overlaps none.
/// f         f(x), or f(x, index). Where the last tile reaches beyond the array, it is called with copies of the last
///           element and its index, too, and in place with elements that have become results; these calls' results are
///           dropped.
/// Returns   as all calls on arrays: docs/reference/arrays.md.
/// Cost      one launch, one read of each element, and one write of each result. No workspace.
template <class In, class Out, class F>
[[nodiscard]] cudaError_t transform(In in, std::int64_t n, Out out, F f, execution on = {}) noexcept {
  return detail::transform_arrays(detail::arrays_of(in), n, tessera::detail::address_of(out), f, on);
}

/// out[i] = f(a[i], b[i]), or f(a[i], b[i], i).
template <class A, class B, class Out, class F>
[[nodiscard]] cudaError_t transform(A a, B b, std::int64_t n, Out out, F f, execution on = {}) noexcept {
  return detail::transform_arrays(detail::arrays_of(a, b), n, tessera::detail::address_of(out), f, on);
}

/// out[i] = f(a[i], b[i], c[i] …) of all arrays of inputs(a, b, c …).
template <class... In, class Out, class F>
[[nodiscard]] cudaError_t transform(detail::input_arrays<In...> in, std::int64_t n, Out out, F f,
                                    execution on = {}) noexcept {
  return detail::transform_arrays(in, n, tessera::detail::address_of(out), f, on);
}

/// out[i] = f(i): indices, constants, random numbers by a counter.
template <class Out, class F>
[[nodiscard]] cudaError_t tabulate(Out out, std::int64_t n, F f, execution on = {}) noexcept {
  return detail::transform_arrays(detail::arrays_of(), n, tessera::detail::address_of(out), f, on);
}

/// Calls f(in[i]), or f(in[i], i), once for each element: std::for_each.
///
/// f         Its results are dropped; it stores what it finds by itself, for example by atomics. If it takes a T&, and
///           `in` is a pointer, it changes a copy in registers, which is stored as the element after the call.
/// Cost      one launch, one read of each element, and one write if f takes a T&. No workspace.
template <class In, class F>
[[nodiscard]] cudaError_t for_each(In in, std::int64_t n, F f, execution on = {}) noexcept {
  return detail::visit_elements(in, n, f, on);
}

/// Calls f(i) once for each index below n.
template <class F>
[[nodiscard]] cudaError_t for_each(std::int64_t n, F f, execution on = {}) noexcept {
  return detail::visit_indices(n, f, on);
}

// ---- With n on the device (count_on_device.hpp)

template <class In, class Out, class F>
[[nodiscard]] cudaError_t transform(In in, device_count n, Out out, F f, execution on = {}) noexcept {
  return detail::transform_arrays(detail::arrays_of(in), n, tessera::detail::address_of(out), f, on);
}
template <class A, class B, class Out, class F>
[[nodiscard]] cudaError_t transform(A a, B b, device_count n, Out out, F f, execution on = {}) noexcept {
  return detail::transform_arrays(detail::arrays_of(a, b), n, tessera::detail::address_of(out), f, on);
}
template <class... In, class Out, class F>
[[nodiscard]] cudaError_t transform(detail::input_arrays<In...> in, device_count n, Out out, F f,
                                    execution on = {}) noexcept {
  return detail::transform_arrays(in, n, tessera::detail::address_of(out), f, on);
}
template <class Out, class F>
[[nodiscard]] cudaError_t tabulate(Out out, device_count n, F f, execution on = {}) noexcept {
  return detail::transform_arrays(detail::arrays_of(), n, tessera::detail::address_of(out), f, on);
}
template <class In, class F>
[[nodiscard]] cudaError_t for_each(In in, device_count n, F f, execution on = {}) noexcept {
  return detail::visit_elements(in, n, f, on);
}
template <class F>
[[nodiscard]] cudaError_t for_each(device_count n, F f, execution on = {}) noexcept {
  return detail::visit_indices(n, f, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
