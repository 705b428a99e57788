// Scans of arrays of any type by any operator: the kernel, for nvcc.
//
//   // A struct by an operator of one's own, which needs no identity, and need not commute:
//   error = tessera::grid::inclusive_scan(parts, n, products, join{}, {stream, memory});
//   // Offsets of what is above a threshold, by any function of the elements:
//   error = tessera::grid::transform_exclusive_scan(in, n, offsets, tessera::plus{},
//                                                   [=] __host__ __device__(float x) { return x > t ? 1 : 0; }, 0);
//   // The next chunk of a sequence, after the total that the chunk before has left on the device:
//   error = tessera::grid::inclusive_scan(in, n, out, tessera::plus{}, carry, {false, so_far}, {stream, memory});
//
// Elements and results are of any trivially copyable types of up to 4096 bytes; those of 1 KiB take minutes to
// compile. Everything else is as in scan.hpp. Lambdas need nvcc's --extended-lambda.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch_tiles.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/scan.hpp>
#include <tessera/grid/scan/scan_agent.hpp>
#include <tessera/grid/start_on_device.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class R, class Given>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks_per_multiprocessor)
    scan_kernel(Given task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_scan_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                *reinterpret_cast<scan_storage<R, Shape>*>(shared));
}

/// True if a scan may write n elements at `out` while it reads those at `in`, and the total.
template <class In, class Out, class R>
bool are_scannable(In const& in, std::int64_t n, Out const& out, R const* total) noexcept {
  bool in_place = false;
  if constexpr (stl::is_pointer_v<In> && stl::is_pointer_v<Out>)
    in_place = static_cast<void const*>(in) == static_cast<void const*>(out) && sizeof(*in) == sizeof(*out);
  return detail::is_array(in, n) && detail::is_array(out, n) && detail::is_array(total, 0) &&
         (in_place || !detail::overlap(in, n, out, n)) &&
         (total == nullptr || (!detail::overlap(in, n, total, 1) && !detail::overlap(out, n, total, 1)));
}

template <class Shape, class R, class Given>
cudaError_t scan_in_tiles(Given const& task, std::int64_t n, unsigned warps, execution on) noexcept {
  using storage = scan_storage<R, Shape>;
  constexpr auto* kernel = &scan_kernel<Shape, R, Given>;
  std::int64_t const tiles = Shape::tile_count(n, warps);
  if constexpr (Shape::is_each) {
    return detail::launch_tile_each<kernel, R, storage>(tiles, task, on);
  } else {
    return detail::launch_tile_loop<kernel, R, Shape, storage>(tiles, warps, task, on);
  }
}

template <class In, class Out, class R, class Op, class F, class Suffix, class N>
cudaError_t scan_in_direction(scan_task<In, Out, R, Op, F, Suffix> const& task, N const& n, execution on) noexcept {
  using T = value_of<In>;
  using large = scan_shape<T, R, tile_kind::large>;
  using small_tile = scan_shape<T, R, kind_of_small>;
  if constexpr (!is_on_device<N>) {
    using each = scan_shape<T, R, tile_kind::each>;
    if (each::tile_count(task.n, each::warps) <= most_tiles_each<each::warps>)
      return detail::scan_in_tiles<each, R>(detail::with_count(task, n), task.n, each::warps, on);
  }
  // Longer arrays have large tiles: of 2^22 floats those take 13.1 µs, small ones 13.7 (H100).
  return detail::run_in_tiles<storage_of<scan_storage, R>::template with, large, small_tile>(
      false, [&](auto shape, unsigned warps) {
        return detail::scan_in_tiles<decltype(shape), R>(detail::with_count(task, n), task.n, warps, on);
      });
}

/// Scans f of the elements.
template <class In, class N, class Out, class R, class Op, class F>
cudaError_t scan_elements(In const& in, N const& count, Out const& out, Op const& op, F const& f,
                          scan_request<R> const& what, execution on) noexcept {
  using T = value_of<In>;
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<R> && sizeof(T) <= tile_tuning::most_scanned_bytes &&
                    sizeof(R) <= tile_tuning::most_scanned_bytes,
                "Elements and results are trivially copyable, of up to 4096 bytes; or specialize "
                "tessera::is_exchangeable.");
  tessera::detail::require_assignable<R>();
  if constexpr (tessera::detail::is_contiguous_writer<R, Out>) {
    return detail::scan_elements(in, count, tessera::detail::address_of(out), op, f, what, on);
  } else {
    std::int64_t const n = detail::most_of(count);
    if (!detail::are_scannable(in, n, out, what.options.total) || !detail::is_count(count, out, n) ||
        !detail::is_count(count, what.options.total, 1))
      return cudaErrorInvalidValue;
    if (n == 0 && what.options.total == nullptr) return cudaSuccess;
    auto const start = what.start ? optional_value<R>::some(*what.start) : optional_value<R>::none();
    auto const run = [&](auto suffix) {
      scan_task<In, Out, R, Op, F, decltype(suffix)> const task{
          in, out, n, op, f, start, what.options.total, what.exclusive, suffix};
      return detail::scan_in_direction(task, count, on);
    };
    return what.options.suffix ? run(detail::direction<Op, R, true>()) : run(detail::direction<Op, R, false>());
  }
}

template <class T>
struct scan_launcher<T, void> {
  template <class In, class N, class Out, class Op, class R>
  static cudaError_t launch(In const& in, N const& n, Out const& out, Op const& op, scan_request<R> const& what,
                            execution on) noexcept {
    auto const combine = tessera::detail::normalize<R>(op);
    if constexpr (tessera::detail::transforms_memory<In> && stl::is_same_v<R, T>) {
      return detail::scan_elements(tessera::detail::reader_of(in.base()), n, out, combine,
                                   tessera::detail::function_of(in), what, on);
    } else if constexpr (stl::is_same_v<R, T>) {
      return detail::scan_elements(in, n, out, combine, tessera::detail::as_it_is{}, what, on);
    } else {
      return detail::scan_elements(in, n, out, combine, as_result<R>{}, what, on);
    }
  }
};

/// A scan whose n or start is on the device.
template <class In, class N, class Out, class Op, class R>
cudaError_t scan_counted(In const& in, N const& n, Out const& out, Op const& op, scan_request<R> const& what,
                         execution on) noexcept {
  using T = value_of<In>;
  if constexpr (!scans_into<T, Out>()) {
    return cudaErrorNotSupported;
  } else if constexpr (can_combine<tessera::detail::normalized_t<Op, T>, T>()) {
    return detail::scan_launcher<T>::launch(tessera::detail::reader_of(in), n, out, op, what, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// The type that f makes of an element of T, and the one that Op combines it in.
template <class T, class F>
using term_t =
    decltype(tessera::detail::apply<std::int64_t>(stl::declval<F const&>(), stl::declval<T const&>(), std::int64_t{}));
template <class T, class Op, class F>
using scanned_term_t = tessera::detail::range_result_t<Op, term_t<T, F>, std::int64_t>;

template <class In, class N, class Out, class Op, class F, class R>
cudaError_t transform_scan(In const& in, N const& n, Out const& out, Op const& op, F const& f,
                           scan_request<R> const& what, execution on) noexcept {
  using T = value_of<In>;
  static_assert(!tessera::detail::are_swapped<std::int64_t, T, Op, F>(),
                "grid::transform_inclusive_scan, transform_exclusive_scan: op comes before f, as in "
                "std::transform_inclusive_scan: write transform_inclusive_scan(in, n, out, op, f).");
  static_assert(tessera::detail::takes_element<std::int64_t, T, F>,
                "f(x) or f(x, index) takes an element, and its index as a std::int64_t, and can be called "
                "while const; op comes before it. A lambda is __host__ __device__: the host asks it for the "
                "type of its result.");
  using combine = tessera::detail::normalized_t<Op, term_t<T, F>>;
  if constexpr (can_combine<combine, R>()) {
    return detail::scan_elements(in, n, out, tessera::detail::normalize<term_t<T, F>>(op), f, what, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// The number of a scan's elements, and its start on the device, of type R.
template <class R, class N, class S>
auto carried_from(N const& n, device_start<S> const& start) noexcept {
  static_assert(stl::is_same_v<R, S>,
                "A start on the device has the type of the scan's total, in which values are combined: the type of the "
                "elements (float for sums of halves), or of f's results.");
  auto const count = detail::count_as_given(n);
  return carried<stl::remove_const_t<decltype(count)>, R>{count, reinterpret_cast<R const*>(start.value)};
}

/// A scan of f's results from a start: a value, or one on the device.
template <class R, class In, class N, class Out, class Op, class F, class Start>
cudaError_t transform_scan_after(In const& in, N const& n, Out const& out, Op const& op, F const& f, bool exclusive,
                                 Start const& start, scan_options<R> const& options, execution on) noexcept {
  tessera::detail::require_start<Start, R>();
  R const first = static_cast<R>(start);
  return detail::transform_scan(in, n, out, op, f, scan_request<R>{exclusive, TESSERA_ADDRESS_OF(first), options}, on);
}
template <class R, class In, class N, class Out, class Op, class F, class S>
cudaError_t transform_scan_after(In const& in, N const& n, Out const& out, Op const& op, F const& f, bool exclusive,
                                 device_start<S> const& start, scan_options<R> const& options, execution on) noexcept {
  return detail::transform_scan(in, detail::carried_from<R>(n, start), out, op, f,
                                scan_request<R>{exclusive, nullptr, options}, on);
}

/// True if Start is what a scan of a function's results begins with.
template <class Start, class R>
using if_any_start = stl::enable_if_t<!is_execution<Start> && !stl::is_same_v<Start, scan_options<R>>, bool>;

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[i] = f(in[0]) op … op f(in[i]). For any trivially copyable elements and results of up to 4096 bytes.
///
/// op    any operator; it needs no identity, and need not commute.
/// f     f(x), or f(x, index) with a std::int64_t: a function object or a lambda, in CUDA `__host__ __device__`. It
///       is called once for each element; more often for the last one, if a tile reaches beyond the array; and twice
///       for the elements of a tile whose block has waited too long for others, since another block then scans it.
/// out   elements of the type that f's results are combined in, or of one that it converts to. It may be `in` if they
///       have the same size.
template <class In, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_inclusive_scan(
    In in, std::int64_t n, Out out, Op op, F f,
    scan_options<detail::scanned_term_t<detail::value_of<In>, Op, F>> options, execution on = {}) noexcept {
  using result = detail::scanned_term_t<detail::value_of<In>, Op, F>;
  return detail::transform_scan(tessera::detail::reader_of(in), n, out, op, f,
                                detail::scan_request<result>{false, nullptr, options}, on);
}
template <class In, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_inclusive_scan(In in, std::int64_t n, Out out, Op op, F f,
                                                   execution on = {}) noexcept {
  return grid::transform_inclusive_scan(in, n, out, op, f,
                                        scan_options<detail::scanned_term_t<detail::value_of<In>, Op, F>>{}, on);
}

/// out[i] = start op f(in[0]) op … op f(in[i]). `start` is a value, or start_on_device(value).
template <class In, class N, class Out, class Op, class F, class Start,
          detail::if_any_start<Start, detail::scanned_term_t<detail::value_of<In>, Op, F>> = true>
[[nodiscard]] cudaError_t transform_inclusive_scan(
    In in, N n, Out out, Op op, F f, Start const& start,
    scan_options<detail::scanned_term_t<detail::value_of<In>, Op, F>> options, execution on = {}) noexcept {
  using result = detail::scanned_term_t<detail::value_of<In>, Op, F>;
  return detail::transform_scan_after<result>(tessera::detail::reader_of(in), detail::count_as_given(n), out, op, f,
                                              false, start, options, on);
}
template <class In, class N, class Out, class Op, class F, class Start,
          detail::if_any_start<Start, detail::scanned_term_t<detail::value_of<In>, Op, F>> = true>
[[nodiscard]] cudaError_t transform_inclusive_scan(In in, N n, Out out, Op op, F f, Start const& start,
                                                   execution on = {}) noexcept {
  return grid::transform_inclusive_scan(in, n, out, op, f, start,
                                        scan_options<detail::scanned_term_t<detail::value_of<In>, Op, F>>{}, on);
}

/// out[i] = start op f(in[0]) op … op f(in[i − 1]); out[0] = start, a value, or start_on_device(value).
template <class In, class Out, class Op, class F, class Start>
[[nodiscard]] cudaError_t transform_exclusive_scan(
    In in, std::int64_t n, Out out, Op op, F f, Start const& start,
    scan_options<detail::scanned_term_t<detail::value_of<In>, Op, F>> options, execution on = {}) noexcept {
  using result = detail::scanned_term_t<detail::value_of<In>, Op, F>;
  return detail::transform_scan_after<result>(tessera::detail::reader_of(in), n, out, op, f, true, start, options, on);
}
template <class In, class Out, class Op, class F, class Start>
[[nodiscard]] cudaError_t transform_exclusive_scan(In in, std::int64_t n, Out out, Op op, F f, Start const& start,
                                                   execution on = {}) noexcept {
  return grid::transform_exclusive_scan(in, n, out, op, f, start,
                                        scan_options<detail::scanned_term_t<detail::value_of<In>, Op, F>>{}, on);
}

/// Scans with n on the device (count_on_device.hpp). Options are those of scan.hpp.
template <class In, class Out, class Op = plus>
[[nodiscard]] cudaError_t inclusive_scan(In in, device_count n, Out out, Op op = {}, execution on = {}) noexcept {
  return detail::scan_counted(in, n, out, op, detail::scan_request<detail::scanned_of<In, Op>>{false, nullptr, {}}, on);
}
template <class In, class Out, class Op>
[[nodiscard]] cudaError_t inclusive_scan(In in, device_count n, Out out, Op op,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  return detail::scan_counted(in, n, out, op, detail::scan_request<detail::scanned_of<In, Op>>{false, nullptr, options},
                              on);
}

/// Exclusive scans with n on the device.
template <class In, class Out, class Op, class Start, class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan(In in, device_count n, Out out, Op op, Start const& start,
                                         scan_options<detail::scanned_of<In, Op>> options = {},
                                         execution on = {}) noexcept {
  tessera::detail::require_start<Start, detail::scanned_of<In, Op>>();
  auto const first = static_cast<detail::scanned_of<In, Op>>(start);
  return detail::scan_counted(
      in, n, out, op, detail::scan_request<detail::scanned_of<In, Op>>{true, TESSERA_ADDRESS_OF(first), options}, on);
}
template <class In, class Out, class Op, class Start, class = detail::is_start<Start, detail::scanned_of<In, Op>>>
[[nodiscard]] cudaError_t exclusive_scan(In in, device_count n, Out out, Op op, Start const& start,
                                         execution on) noexcept {
  return grid::exclusive_scan(in, n, out, op, start, scan_options<detail::scanned_of<In, Op>>{}, on);
}

/// Scans of a function's results with n on the device.
template <class In, class Out, class Op, class F>
[[nodiscard]] cudaError_t transform_inclusive_scan(In in, device_count n, Out out, Op op, F f,
                                                   execution on = {}) noexcept {
  using result = detail::scanned_term_t<detail::value_of<In>, Op, F>;
  return detail::transform_scan(tessera::detail::reader_of(in), n, out, op, f,
                                detail::scan_request<result>{false, nullptr, {}}, on);
}
template <class In, class Out, class Op, class F, class Start>
[[nodiscard]] cudaError_t transform_exclusive_scan(In in, device_count n, Out out, Op op, F f, Start const& start,
                                                   execution on = {}) noexcept {
  using result = detail::scanned_term_t<detail::value_of<In>, Op, F>;
  return detail::transform_scan_after<result>(tessera::detail::reader_of(in), n, out, op, f, true, start, {}, on);
}

/// Scans from a start on the device (start_on_device.hpp). The total may be stored in the start's place, which chains
/// chunks. n may be count_on_device(count, at_most).
template <class In, class N, class Out, class Op, class S>
[[nodiscard]] cudaError_t inclusive_scan(In in, N n, Out out, Op op, device_start<S> start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  using R = detail::scanned_of<In, Op>;
  return detail::scan_counted(tessera::detail::reader_of(in), detail::carried_from<R>(n, start), out, op,
                              detail::scan_request<R>{false, nullptr, options}, on);
}
template <class In, class N, class Out, class Op, class S>
[[nodiscard]] cudaError_t inclusive_scan(In in, N n, Out out, Op op, device_start<S> start,
                                         execution on = {}) noexcept {
  return grid::inclusive_scan(in, n, out, op, start, scan_options<detail::scanned_of<In, Op>>{}, on);
}
template <class In, class N, class Out, class Op, class S>
[[nodiscard]] cudaError_t exclusive_scan(In in, N n, Out out, Op op, device_start<S> start,
                                         scan_options<detail::scanned_of<In, Op>> options, execution on = {}) noexcept {
  using R = detail::scanned_of<In, Op>;
  return detail::scan_counted(tessera::detail::reader_of(in), detail::carried_from<R>(n, start), out, op,
                              detail::scan_request<R>{true, nullptr, options}, on);
}
template <class In, class N, class Out, class Op, class S>
[[nodiscard]] cudaError_t exclusive_scan(In in, N n, Out out, Op op, device_start<S> start,
                                         execution on = {}) noexcept {
  return grid::exclusive_scan(in, n, out, op, start, scan_options<detail::scanned_of<In, Op>>{}, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
