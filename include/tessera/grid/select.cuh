// Selections and partitions by predicates, of any type: the kernels, for nvcc.
//
//   auto const is_near = [=] __host__ __device__(point p) { return p.x * p.x + p.y * p.y < limit; };
//   auto const is_below = [=] __host__ __device__(float d) { return d < limit; };
//   error = tessera::grid::select(points, n, out, count, is_near, {stream, memory});
//   // By another array:
//   error = tessera::grid::select(points, distances, n, out, count, is_below, {stream, memory});
//   error = tessera::grid::partition(points, n, out, count, is_near, {stream, memory});
//   // Into three arrays, whose first two are counted:
//   error = tessera::grid::three_way_partition(points, n, a, b, others, counts, is_near, is_left, {stream, memory});
//
// pred is pred(x), or pred(x, index) with a std::int64_t: a function object or a lambda, in CUDA `__host__
// __device__`. It returns a bool, always the same one for an element. It is called once for each element; twice in a
// partition of one array; and more often for the last element, if a tile reaches beyond the array. A stencil is an
// array of n elements of any type: pred is called with those.
//
// Elements are of any trivially copyable type of up to 1024 bytes. Everything else is as in select.hpp. Lambdas need
// nvcc's --extended-lambda.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch_tiles.cuh>
#include <tessera/grid/reduce.cuh>
#include <tessera/grid/select.hpp>
#include <tessera/grid/select/select_agent.hpp>
#include <tessera/grid/select/three_way_agent.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class Given>
__global__ void __launch_bounds__((Shape::warps + 1) * 32)
    select_kernel(Given task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_select_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                  *reinterpret_cast<select_storage<task_of<Given>, Shape>*>(shared));
}

template <class Shape, class Given>
__global__ void __launch_bounds__((Shape::warps + 1) * 32)
    three_way_kernel(Given task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_three_way_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                     *reinterpret_cast<three_way_storage<task_of<Given>, Shape>*>(shared));
}

/// run(Shape{}, warps) of the kernel for a selection (launch_tiles.cuh).
template <class T, class Mark, class Paired, class In, class Out, class Run>
cudaError_t run_in_select_tiles(select_task<T, Mark, Paired, In, Out> const& task, Run run) noexcept {
  using traits = select_traits<T, Mark, Paired>;
  using large = typename traits::template shape<tile_kind::large>;
  using small_tile = typename traits::template shape<kind_of_small>;
  bool const is_short = task.n * large::element_bytes <= tile_tuning::short_array;
  return detail::run_in_tiles<storage_of<select_storage, select_task<T, Mark, Paired, In, Out>>::template with, large,
                              small_tile>(is_short, run);
}

/// Launches the kernel. The arguments are right.
template <class T, class Mark, class Paired, class In, class Out, class N = std::int64_t>
cudaError_t run_select(select_task<T, Mark, Paired, In, Out> const& task, execution on, N const& n = {}) noexcept {
  using task_t = select_task<T, Mark, Paired, In, Out>;
  auto const& given = detail::with_count(task, n);
  static_assert(is_exchangeable_v<T> && sizeof(T) <= 1024,
                "Elements are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  return detail::run_in_select_tiles(task, [&](auto shape, unsigned warps) {
    using shape_t = decltype(shape);
    return detail::launch_tile_loop<select_kernel<shape_t, given_task<task_t, N>>, std::uint64_t, shape_t,
                                    select_storage<task_t, shape_t>>(shape_t::tile_count(task.n, warps), warps, given,
                                                                     on);
  });
}

/// True if n elements can be selected into `out`, and counted.
template <class In, class Out>
bool are_selectable(In const& in, std::int64_t n, Out const& out, std::int64_t const* count) noexcept {
  return detail::are_countable(in, n, out, count) &&
         (detail::is_in_place(in, out) || !detail::begins_within(out, in, n));
}

/// True if the outputs are apart from the array of a mark, if it has one.
template <class Pred, class Out>
bool are_apart_from_mark(if_element<Pred> const&, std::int64_t, Out const&, std::int64_t const*) noexcept {
  return true;
}
template <class Equal, class Out>
bool are_apart_from_mark(if_head<Equal> const&, std::int64_t, Out const&, std::int64_t const*) noexcept {
  return true;
}
template <class S, class Pred, class In, class Out>
bool are_apart_from_mark(if_stencil<S, Pred, In> const& mark, std::int64_t n, Out const& out,
                         std::int64_t const* count) noexcept {
  return detail::is_array(mark.stencil, n) && !detail::begins_within(out, mark.stencil, n) &&
         !detail::overlap(mark.stencil, n, count, 1);
}

/// True if what decides which elements are selected overlaps the output: a partition reads it twice.
template <class Mark, class Out>
bool overlaps_mark(Mark const&, std::int64_t, Out const&) noexcept {
  return false;
}
template <class S, class Pred, class In, class Out>
bool overlaps_mark(if_stencil<S, Pred, In> const& mark, std::int64_t n, Out const& out) noexcept {
  return detail::overlap(mark.stencil, n, out, n);
}

/// If `Paired` is paired_others, the kernel is that of a partition.
template <class Paired = unpaired, class In, class N, class Out, class Mark>
cudaError_t select_array(In const& in, N const& number, Out const& out, std::int64_t* count, Mark const& mark,
                         execution on) noexcept {
  using T = value_of<In>;
  if constexpr (tessera::detail::is_contiguous_writer<T, Out>) {
    return detail::select_array<Paired>(in, number, tessera::detail::address_of(out), count, mark, on);
  } else {
    std::int64_t const n = detail::most_of(number);
    if (!detail::are_selectable(in, n, out, count) || !detail::are_apart_from_mark(mark, n, out, count) ||
        !detail::is_count_beside(number, out, count))
      return cudaErrorInvalidValue;
    return detail::run_select(
        select_task<T, Mark, Paired, In, Out>{in, n, out, count, mark, {}, detail::is_in_place(in, out)}, on, number);
  }
}

/// False if two outputs of n elements begin at one address.
template <class A, class B>
bool are_different([[maybe_unused]] A const& a, [[maybe_unused]] B const& b, [[maybe_unused]] std::int64_t n) noexcept {
  if constexpr (stl::is_pointer_v<A> && stl::is_pointer_v<B>) {
    return n == 0 || static_cast<void const*>(a) != static_cast<void const*>(b);
  } else {
    return true;
  }
}

template <class In, class N, class Selected, class Others, class Mark>
cudaError_t partition_copy_array(In const& in, N const& number, Selected const& selected, Others const& others,
                                 std::int64_t* count, Mark const& mark, execution on) noexcept {
  using T = value_of<In>;
  std::int64_t const n = detail::most_of(number);
  bool const may_be_stored =
      detail::are_selectable(in, n, selected, count) && detail::are_selectable(in, n, others, count) &&
      detail::are_apart_from_mark(mark, n, selected, count) && detail::are_apart_from_mark(mark, n, others, count);
  if (!may_be_stored || !detail::is_count_beside(number, selected, count) ||
      !detail::is_count_beside(number, others, count) || !detail::are_different(selected, others, n) ||
      (n > 0 && (detail::is_in_place(in, selected) || detail::is_in_place(in, others))))
    return cudaErrorInvalidValue;
  return detail::run_select(
      select_task<T, Mark, paired_others<T, Others>, In, Selected>{
          in, n, selected, count, mark, {others, nullptr}, false},
      on, number);
}

template <class In, class N, class Pred>
cudaError_t count_marked(In const& in, N const& n, std::int64_t* count, if_element<Pred> const& mark,
                         execution on) noexcept {
  return detail::transform_array(in, n, count, plus{}, as_count<Pred>{mark.pred}, order::this_device, on);
}
template <class In, class N, class S, class Pred, class Stencil>
cudaError_t count_marked(In const&, N const& n, std::int64_t* count, if_stencil<S, Pred, Stencil> const& mark,
                         execution on) noexcept {
  return detail::transform_array(mark.stencil, n, count, plus{}, as_count<Pred>{mark.pred}, order::this_device, on);
}

/// Counts first, so that the place of the others is known. A single tile counts by itself.
template <class In, class N, class Out, class Mark>
cudaError_t partition_array(In const& in, N const& number, Out const& out, std::int64_t* count, Mark const& mark,
                            execution on) noexcept {
  using T = value_of<In>;
  using paired = paired_others<T, Out>;
  std::int64_t const n = detail::most_of(number);
  if (!detail::is_count(number, out, n) || !detail::is_count(number, count, 1) ||
      !detail::are_selectable(in, n, out, count) || !detail::are_apart_from_mark(mark, n, out, count) ||
      detail::overlap(in, n, out, n) || detail::overlaps_mark(mark, n, out) || detail::overlap(out, n, count, 1))
    return cudaErrorInvalidValue;
  select_task<T, Mark, paired, In, Out> task{in, n, out, nullptr, mark, {out, count}, false};
  bool is_single = false;
  cudaError_t error = detail::run_in_select_tiles(task, [&](auto shape, unsigned warps) {
    is_single = decltype(shape)::tile_count(n, warps) == 1;
    return cudaSuccess;
  });
  if (is_single) {
    task.count = count;
  } else {
    error = detail::count_marked(in, number, count, mark, on);
  }
  return error == cudaSuccess ? detail::run_select(task, on, number) : error;
}

/// The paired arrays of selections, so that they share a kernel with partitions, if they can.
template <class T>
using selected_beside = stl::conditional_t<others_are_optional<T>, paired_others<T>, unpaired>;

template <class T, class Mark>
cudaError_t compact_array(T const* in, std::int64_t n, T* out, T* others, std::int64_t* count, Mark const& mark,
                          compaction_kind kind, execution on) noexcept {
  switch (kind) {
    case compaction_kind::select:
      return detail::select_array<selected_beside<T>>(in, n, out, count, mark, on);
    case compaction_kind::partition:
      return detail::partition_array(in, n, out, count, mark, on);
    default:
      return detail::partition_copy_array(in, n, out, others, count, mark, on);
  }
}

template <class T>
struct select_launcher<T, void> {
  template <class Flag>
  static cudaError_t launch(T const* in, Flag const* flags, std::int64_t n, T* out, T* others, std::int64_t* count,
                            compaction_kind kind, execution on) noexcept {
    return detail::compact_array(in, n, out, others, count, if_stencil<Flag, is_not_zero>{flags, {}}, kind, on);
  }
};

/// Launches the kernel of a partition into three arrays, if the arguments are right.
template <class In, class N, class First, class Second, class Others, class InFirst, class InSecond>
cudaError_t part_in_three(In const& in, N const& number, First const& first, Second const& second, Others const& others,
                          std::int64_t* counts, InFirst const& in_first, InSecond const& in_second,
                          execution on) noexcept {
  using T = value_of<In>;
  using task = three_way_task<In, InFirst, InSecond, First, Second, Others>;
  static_assert(is_exchangeable_v<T> && sizeof(T) <= 1024,
                "Elements are trivially copyable, of up to 1024 bytes; or specialize tessera::is_exchangeable.");
  std::int64_t const n = detail::most_of(number);
  auto const is_right = [&](auto const& out) {
    return detail::are_countable(in, n, out, counts) && !detail::begins_within(out, in, n) &&
           !detail::begins_within(out, counts, 2) && detail::is_count(number, out, detail::sure_results(n));
  };
  if (counts == nullptr || detail::overlap(in, n, counts, 2) || !detail::is_count(number, counts, 2) ||
      !is_right(first) || !is_right(second) || !is_right(others) || !detail::are_different(first, second, n) ||
      !detail::are_different(first, others, n) || !detail::are_different(second, others, n))
    return cudaErrorInvalidValue;
  using large = typename task::template shape<tile_kind::large>;
  using small_tile = typename task::template shape<kind_of_small>;
  bool const is_short = n * large::element_bytes <= tile_tuning::short_array;
  return detail::run_in_tiles<storage_of<three_way_storage, task>::template with, large, small_tile>(
      is_short, [&](auto shape, unsigned warps) {
        using shape_t = decltype(shape);
        return detail::launch_tile_loop<three_way_kernel<shape_t, given_task<task, N>>, two_counts, shape_t,
                                        three_way_storage<task, shape_t>>(
            shape_t::tile_count(n, warps), warps,
            detail::with_count(task{in, n, first, second, others, counts, in_first, in_second}, number), on);
      });
}

/// An execution in the predicate's place is that of a call with flags.
template <class Pred>
using if_no_execution = stl::enable_if_t<!is_execution<Pred>, bool>;

/// For partitions by flags that select.hpp doesn't have: it takes pointers, and n on the host.
template <class N, class... Arrays>
using if_partition_by_flags = stl::enable_if_t<(... && tessera::detail::is_reader<Arrays>)&&(
                                                   is_on_device<N> || (stl::is_convertible_v<N, std::int64_t> &&
                                                                       !(... && stl::is_pointer_v<Arrays>))),
                                               bool>;

/// True if Pred is a predicate of elements of S.
template <class S, class Pred>
constexpr bool is_predicate() {
  constexpr bool takes = tessera::detail::takes_element<std::int64_t, S, Pred>;
  static_assert(takes,
                "grid::select, partition, partition_copy: pred(x) or pred(x, index) takes an element, and its "
                "index as a std::int64_t, and can be called while const; it comes after the count, then the "
                "execution. A lambda is __host__ __device__.");
  return takes;
}

/// Calls run(mark) if the predicate is one.
template <class T, class Pred, class Run>
cudaError_t with_predicate(Pred const& pred, Run run) noexcept {
  if constexpr (is_predicate<T, Pred>()) {
    return run(if_element<Pred>{pred});
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class Pred, class Run>
cudaError_t with_stencil(In const& stencil, Pred const& pred, Run run) noexcept {
  using S = value_of<In>;
  if constexpr (is_predicate<S, Pred>()) {
    return run(if_stencil<S, Pred, In>{stencil, pred});
  } else {
    return cudaErrorNotSupported;
  }
}

/// three_way_partition of a reader's elements.
template <class In, class N, class First, class Second, class Others, class InFirst, class InSecond>
cudaError_t part_readable(In const& in, N const& n, First const& first, Second const& second, Others const& others,
                          std::int64_t* counts, InFirst const& in_first, InSecond const& in_second,
                          execution on) noexcept {
  using element = value_of<In>;
  if constexpr (is_predicate<element, InFirst>() && is_predicate<element, InSecond>()) {
    return detail::part_in_three(in, n, detail::writer_of<element>(first), detail::writer_of<element>(second),
                                 detail::writer_of<element>(others), counts, in_first, in_second, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out[0], out[1] …: the elements for which pred holds, in order. `out` is `in` itself, or apart from it.
template <class T, class Pred>
[[nodiscard]] cudaError_t select(T const* in, std::int64_t n, T* out, std::int64_t* count, Pred pred,
                                 execution on = {}) noexcept {
  return detail::with_predicate<T>(pred,
                                   [&](auto const& mark) { return detail::select_array(in, n, out, count, mark, on); });
}

/// The elements for whose counterparts in `stencil` pred holds.
template <class T, class S, class Pred, detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t select(T const* in, S const* stencil, std::int64_t n, T* out, std::int64_t* count, Pred pred,
                                 execution on = {}) noexcept {
  return detail::with_stencil(stencil, pred,
                              [&](auto const& mark) { return detail::select_array(in, n, out, count, mark, on); });
}

/// out[0] … out[n − 1]: the elements for which pred holds, and after them the others, both in order:
/// std::stable_partition. Beyond the first tile it reads the elements twice; partition_copy reads them once.
template <class T, class Pred>
[[nodiscard]] cudaError_t partition(T const* in, std::int64_t n, T* out, std::int64_t* count, Pred pred,
                                    execution on = {}) noexcept {
  return detail::with_predicate<T>(
      pred, [&](auto const& mark) { return detail::partition_array(in, n, out, count, mark, on); });
}

/// Partitions by a stencil, which is read twice.
template <class T, class S, class Pred, detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition(T const* in, S const* stencil, std::int64_t n, T* out, std::int64_t* count,
                                    Pred pred, execution on = {}) noexcept {
  return detail::with_stencil(stencil, pred,
                              [&](auto const& mark) { return detail::partition_array(in, n, out, count, mark, on); });
}

/// Partitions into two arrays, by one launch and one read: std::partition_copy.
template <class T, class Pred>
[[nodiscard]] cudaError_t partition_copy(T const* in, std::int64_t n, T* selected, T* others, std::int64_t* count,
                                         Pred pred, execution on = {}) noexcept {
  return detail::with_predicate<T>(
      pred, [&](auto const& mark) { return detail::partition_copy_array(in, n, selected, others, count, mark, on); });
}

/// Partitions into two arrays by a stencil.
template <class T, class S, class Pred, detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition_copy(T const* in, S const* stencil, std::int64_t n, T* selected, T* others,
                                         std::int64_t* count, Pred pred, execution on = {}) noexcept {
  return detail::with_stencil(stencil, pred, [&](auto const& mark) {
    return detail::partition_copy_array(in, n, selected, others, count, mark, on);
  });
}

/// Partitions into three arrays, in order, by one launch and one read: first[0] … has the elements for which in_first
/// holds, second[0] … those others for which in_second holds, and others[0] … the rest.
///
/// counts                   On the GPU: two std::int64_t, how many elements `first` and `second` have.
/// in_first, in_second      Predicates as for select. Each is called once for each element.
/// first, second, others    memory for the elements of each, which overlaps neither another nor `in`; or iterators that
///                          write them.
template <class In, class First, class Second, class Others, class InFirst, class InSecond>
[[nodiscard]] cudaError_t three_way_partition(In in, std::int64_t n, First first, Second second, Others others,
                                              std::int64_t* counts, InFirst in_first, InSecond in_second,
                                              execution on = {}) noexcept {
  return detail::part_readable(tessera::detail::reader_of(in), n, first, second, others, counts, in_first, in_second,
                               on);
}

// ---- By iterators (core/iterators.hpp): they read `in`, flags and stencils, and write what is selected.

template <class In, class Out, class Pred, detail::if_any_iterator<In, Out> = true>
[[nodiscard]] cudaError_t select(In in, std::int64_t n, Out out, std::int64_t* count, Pred pred,
                                 execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::select_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class Stencil, class Out, class Pred, detail::if_any_iterator<In, Stencil, Out> = true,
          detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t select(In in, Stencil stencil, std::int64_t n, Out out, std::int64_t* count, Pred pred,
                                 execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::select_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class Flags, class Out, detail::if_any_iterator<In, Flags, Out> = true>
[[nodiscard]] cudaError_t select(In in, Flags flags, std::int64_t n, Out out, std::int64_t* count,
                                 execution on = {}) noexcept {
  return grid::select(in, flags, n, out, count, detail::is_not_zero{}, on);
}

template <class In, class T, class Pred, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t partition(In in, std::int64_t n, T* out, std::int64_t* count, Pred pred,
                                    execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::partition_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class Stencil, class T, class Pred, detail::if_any_iterator<In, Stencil> = true,
          detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition(In in, Stencil stencil, std::int64_t n, T* out, std::int64_t* count, Pred pred,
                                    execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::partition_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class T, class Pred, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t partition_copy(In in, std::int64_t n, T* selected, T* others, std::int64_t* count, Pred pred,
                                         execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::partition_copy_array(tessera::detail::reader_of(in), n, selected, others, count, mark, on);
  });
}
template <class In, class Stencil, class T, class Pred, detail::if_any_iterator<In, Stencil> = true,
          detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition_copy(In in, Stencil stencil, std::int64_t n, T* selected, T* others,
                                         std::int64_t* count, Pred pred, execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::partition_copy_array(tessera::detail::reader_of(in), n, selected, others, count, mark, on);
  });
}

// ---- With n on the device (count_on_device.hpp)

template <class In, class Out, class Pred>
[[nodiscard]] cudaError_t select(In in, device_count n, Out out, std::int64_t* count, Pred pred,
                                 execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::select_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class Stencil, class Out, class Pred, detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t select(In in, Stencil stencil, device_count n, Out out, std::int64_t* count, Pred pred,
                                 execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::select_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class Flags, class Out>
[[nodiscard]] cudaError_t select(In in, Flags flags, device_count n, Out out, std::int64_t* count,
                                 execution on = {}) noexcept {
  return grid::select(in, flags, n, out, count, detail::is_not_zero{}, on);
}

template <class In, class T, class Pred>
[[nodiscard]] cudaError_t partition(In in, device_count n, T* out, std::int64_t* count, Pred pred,
                                    execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::partition_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class Stencil, class T, class Pred, detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition(In in, Stencil stencil, device_count n, T* out, std::int64_t* count, Pred pred,
                                    execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::partition_array(tessera::detail::reader_of(in), n, out, count, mark, on);
  });
}
template <class In, class T, class Pred>
[[nodiscard]] cudaError_t partition_copy(In in, device_count n, T* selected, T* others, std::int64_t* count, Pred pred,
                                         execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::partition_copy_array(tessera::detail::reader_of(in), n, selected, others, count, mark, on);
  });
}
template <class In, class Stencil, class T, class Pred, detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition_copy(In in, Stencil stencil, device_count n, T* selected, T* others,
                                         std::int64_t* count, Pred pred, execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::partition_copy_array(tessera::detail::reader_of(in), n, selected, others, count, mark, on);
  });
}
template <class In, class First, class Second, class Others, class InFirst, class InSecond>
[[nodiscard]] cudaError_t three_way_partition(In in, device_count n, First first, Second second, Others others,
                                              std::int64_t* counts, InFirst in_first, InSecond in_second,
                                              execution on = {}) noexcept {
  return detail::part_readable(tessera::detail::reader_of(in), n, first, second, others, counts, in_first, in_second,
                               on);
}

// ---- Partitions into iterators; n may be on the device

template <class In, class N, class Out, class Pred, detail::if_any_writer<Out> = true>
[[nodiscard]] cudaError_t partition(In in, N n, Out out, std::int64_t* count, Pred pred, execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::partition_array(tessera::detail::reader_of(in), detail::count_as_given(n),
                                   detail::writer_of<detail::value_of<In>>(out), count, mark, on);
  });
}
template <class In, class Stencil, class N, class Out, class Pred, detail::if_any_writer<Out> = true,
          detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition(In in, Stencil stencil, N n, Out out, std::int64_t* count, Pred pred,
                                    execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::partition_array(tessera::detail::reader_of(in), detail::count_as_given(n),
                                   detail::writer_of<detail::value_of<In>>(out), count, mark, on);
  });
}
template <class In, class N, class Selected, class Others, class Pred, detail::if_any_writer<Selected, Others> = true>
[[nodiscard]] cudaError_t partition_copy(In in, N n, Selected selected, Others others, std::int64_t* count, Pred pred,
                                         execution on = {}) noexcept {
  return detail::with_predicate<detail::value_of<In>>(pred, [&](auto const& mark) {
    return detail::partition_copy_array(tessera::detail::reader_of(in), detail::count_as_given(n),
                                        detail::writer_of<detail::value_of<In>>(selected),
                                        detail::writer_of<detail::value_of<In>>(others), count, mark, on);
  });
}
template <class In, class Stencil, class N, class Selected, class Others, class Pred,
          detail::if_any_writer<Selected, Others> = true, detail::if_no_execution<Pred> = true>
[[nodiscard]] cudaError_t partition_copy(In in, Stencil stencil, N n, Selected selected, Others others,
                                         std::int64_t* count, Pred pred, execution on = {}) noexcept {
  return detail::with_stencil(tessera::detail::reader_of(stencil), pred, [&](auto const& mark) {
    return detail::partition_copy_array(tessera::detail::reader_of(in), detail::count_as_given(n),
                                        detail::writer_of<detail::value_of<In>>(selected),
                                        detail::writer_of<detail::value_of<In>>(others), count, mark, on);
  });
}

// ---- Partitions by flags, of which an array is an iterator or the number on the device

template <class In, class Flags, class N, class Out, detail::if_partition_by_flags<N, In, Flags, Out> = true>
[[nodiscard]] cudaError_t partition(In in, Flags flags, N n, Out out, std::int64_t* count, execution on = {}) noexcept {
  return grid::partition(in, flags, n, out, count, detail::is_not_zero{}, on);
}
template <class In, class Flags, class N, class Selected, class Others,
          detail::if_partition_by_flags<N, In, Flags, Selected, Others> = true>
[[nodiscard]] cudaError_t partition_copy(In in, Flags flags, N n, Selected selected, Others others, std::int64_t* count,
                                         execution on = {}) noexcept {
  return grid::partition_copy(in, flags, n, selected, others, count, detail::is_not_zero{}, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
