// The launcher and the kernel of scans by key and of scans of segments.
#pragma once

#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/as_result.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch_tiles.cuh>
#include <tessera/grid/segments/segmented_scan_agent.hpp>
#include <tessera/grid/segments/segmented_scan_request.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class Given>
__global__ void __launch_bounds__((Shape::warps + 1) * 32, Shape::blocks_per_multiprocessor)
    segmented_scan_kernel(Given task, look_back_memory memory, tile_cut cut) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::run_segmented_scan_agent<Shape>(cooperative_groups::this_thread_block(), task, memory, cut, gridDim.x,
                                          *reinterpret_cast<segmented_scan_storage<task_of<Given>, Shape>*>(shared));
}

/// True if n results may be stored at `out` while n elements are read at `in`.
template <class In, class Out>
bool are_scannable_in_place(In const& in, std::int64_t n, Out const& out) noexcept {
  return detail::is_array(in, n) && detail::is_array(out, n) &&
         (detail::is_in_place(in, out) || !detail::overlap(in, n, out, n));
}

template <class Shape, class R, class Task, class N>
cudaError_t scan_segments_in_tiles(Task const& task, N const& n, unsigned warps, execution on) noexcept {
  return detail::launch_tile_loop<segmented_scan_kernel<Shape, given_task<Task, N>>, open_run<R>, Shape,
                                  segmented_scan_storage<Task, Shape>>(Shape::tile_count(task.n, warps), warps,
                                                                       detail::with_count(task, n), on);
}

/// Scans the segments of an array of `number` elements, a std::int64_t or a count on the device. Its bound is above 0.
template <class In, class N, class Out, class R, class Op, class Source>
cudaError_t scan_segmented_array(In const& in, N const& number, Out const& out, Source const& source, Op const& op,
                                 segmented_scan_request<R> const& what, execution on) noexcept {
  using T = value_of<In>;
  static_assert(is_exchangeable_v<T> && is_exchangeable_v<R> && sizeof(T) <= tile_tuning::most_scanned_bytes &&
                    sizeof(R) <= tile_tuning::most_scanned_bytes,
                "Elements and results are trivially copyable, of up to 4096 bytes; or specialize "
                "tessera::is_exchangeable.");
  using convert = stl::conditional_t<stl::is_same_v<R, T>, tessera::detail::as_it_is, as_result<R>>;
  std::int64_t const n = detail::most_of(number);
  auto const start = what.start ? optional_value<R>::some(*what.start) : optional_value<R>::none();
  using small_tile = segmented_scan_shape<T, R, Source, kind_of_small>;
  auto const in_tiles = [&](auto shape, unsigned warps, auto exclusive, auto const& heads) {
    using heads_t = stl::remove_cv_t<stl::remove_reference_t<decltype(heads)>>;
    segmented_scan_task<T, R, Op, convert, heads_t, decltype(exclusive), In, Out> const task{
        in, out, n, heads, op, convert{}, start, exclusive};
    return detail::scan_segments_in_tiles<decltype(shape), R>(task, number, warps, on);
  };
  // A kernel for small tiles alone has enough registers to decide at run time, without more instantiations.
  auto const run = [&](auto exclusive, auto const& heads) {
    using heads_t = stl::remove_cv_t<stl::remove_reference_t<decltype(heads)>>;
    using large = segmented_scan_shape<T, R, heads_t, tile_kind::large>;
    using large_task = segmented_scan_task<T, R, Op, convert, heads_t, decltype(exclusive), In, Out>;
    return detail::run_in_tiles<storage_of<segmented_scan_storage, large_task>::template with, large, small_tile>(
        n * large::element_bytes <= tile_tuning::short_array, [&](auto shape, unsigned warps) {
          if constexpr (stl::is_same_v<decltype(shape), large>) {
            return in_tiles(shape, warps, exclusive, heads);
          } else {
            return in_tiles(shape, warps, what.exclusive, source);
          }
        });
  };
  if constexpr (Source::has_marks && tessera::detail::reads_elements<In>) {
    return in_tiles(small_tile{}, small_tile::warps, what.exclusive, source);  // Large tiles have too few registers.
  } else if constexpr (!Source::has_marks || !segmented_scan_shape<T, R, Source, tile_kind::large>::is_apart) {
    return run(what.exclusive, source);
  } else {
    // In large tiles one kernel for both widths of offsets would take a seventh longer than one for each.
    auto const by_width = [&](auto exclusive) {
      auto const of = [&](auto wide) {
        return run(exclusive, offset_source<decltype(wide)>{{source.offsets.data, {}}, source.segments});
      };
      return source.offsets.is_wide ? of(stl::true_type{}) : of(stl::false_type{});
    };
    return what.exclusive ? by_width(stl::true_type{}) : by_width(stl::false_type{});
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
