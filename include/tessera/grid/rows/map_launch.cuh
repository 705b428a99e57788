// The kernels of map_rows.hpp, and which of them maps which rows.
//
//   map_kernel            one read: each tile, a part of a warp, holds its rows
//   map_lanes_kernel      one read: a part of a warp holds each row; one kernel for all sizes of parts
//   map_block_kernel      one read: each block holds a row; one kernel for several sizes of blocks
//   map_cluster_kernel    one read: each cluster of blocks holds a row (map_cluster.cuh)
//   map_pass_kernel       the same on GPUs without clusters, by a read for each reduction, and one more
//   map_measure_kernel    two reads: the statistics of the rows' parts, then
//   map_again_kernel      the elements again
//   join_first_kernel     for a Map that measures twice: the first results, from those of the parts. map_measure_kernel
//                         runs before it and after it
//
// The columns alone decide which of them maps a row, up to what gives the same bits: map_block_kernel,
// map_cluster_kernel and map_pass_kernel do.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/map_cluster.cuh>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/row_tuning.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::block_threads) map_kernel(row_task<T> task, Map map) {
  wait_for_stream();
  detail::map_rows<Shape>(cooperative_groups::this_thread_block(), task, map);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::most_threads) map_lanes_kernel(row_task<T> task, Map map, unsigned lanes) {
  wait_for_stream();
  detail::map_rows_by_lanes<Shape>(cooperative_groups::this_thread_block(), task, map, lanes);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::most_threads) map_block_kernel(row_task<T> task, Map map) {
  wait_for_stream();
  __shared__ row_block_storage<typename Map::number> storage;
  detail::map_block_rows<Shape>(cooperative_groups::this_thread_block(), task, map, storage);
}
/// How many blocks of the greatest size a multiprocessor has at least, so that one loads while the other stores.
/// Doubles, unaligned rows and Maps that take many registers would spill.
template <class Shape, class T, class Map>
inline constexpr unsigned least_cluster_blocks = Shape::aligned && sizeof(T) <= 4 && !takes_many_registers<Map> ? 2 : 1;
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::most_threads, (least_cluster_blocks<Shape, T, Map>))
    map_cluster_kernel(row_task<T> task, Map map) {
  wait_for_stream();
  detail::map_cluster_rows<Shape>(task, map);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::most_threads)
    map_pass_kernel(row_task<T> task, Map map, unsigned blocks, unsigned pass, typename Map::number* values) {
  wait_for_stream();
  __shared__ row_block_storage<typename Map::number> storage;
  detail::map_rows_in_passes<Shape>(cooperative_groups::this_thread_block(), task, map, blocks, pass, values, storage);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::block_threads)
    map_measure_kernel(row_task<T> task, Map map, unsigned splits, typename Map::statistic* parts) {
  wait_for_stream();
  __shared__ part_storage<Shape, typename Map::statistic> storage;
  detail::measure_parts<Shape>(cooperative_groups::this_thread_block(), task, map, splits, parts, storage);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::block_threads)
    map_again_kernel(row_task<T> task, Map map, unsigned splits, typename Map::statistic const* parts) {
  wait_for_stream();
  detail::map_rows_again<Shape>(cooperative_groups::this_thread_block(), task, map, parts, splits);
}

template <class Map>
__global__ void __launch_bounds__(256)
    join_first_kernel(aligned<Map> map, typename Map::statistic const* parts, unsigned part_count,
                      std::int64_t row_count, typename Map::first_result* firsts) {
  wait_for_stream();
  detail::join_first_results(cooperative_groups::this_thread_block(), map.value, parts, part_count, row_count, firsts);
}

/// True if the arguments of map_matrix are what they must be.
template <class T>
bool can_map(matrix<T const> const& in, matrix<T> const& out, std::int32_t const* lengths) noexcept {
  if (!detail::is_matrix(in) || !detail::is_matrix(out) || in.row_count != out.row_count ||
      in.column_count != out.column_count)
    return false;
  if (!detail::same_or_apart(in, out)) return false;
  return !lengths || (detail::is_array(lengths, in.row_count) &&
                      !detail::overlap(lengths, in.row_count, out.data, detail::extent_of(out)));
}

/// Not named in the lambda below: nvcc writes such a name into the host's code, where it means nothing.
template <class T, class Map>
using shapes_of_map = stl::conditional_t<takes_many_registers<Map>, map_tuning::usual_shapes<T>, map_tuning::shapes<T>>;
template <bool Aligned>
using lanes_shape = block_shape<Aligned, 2, 128>;

/// One read, by the lanes of the first shape of map_tuning::shapes that holds a row.
template <bool Aligned, class T, class Map>
cudaError_t map_once(row_task<T> const& task, std::int64_t vectors, Map const& map, cudaStream_t stream) noexcept {
  using shapes = shapes_of_map<T, Map>;
  cudaError_t error = cudaErrorInvalidValue;
  detail::with_shape_for(vectors, shapes{}, [&](auto shape) {
    using Shape = stl::conditional_t<Aligned, decltype(shape), map_tuning::unaligned<decltype(shape)>>;
    launch_shape const how{detail::ceiling_divide(task.row_count, Shape::block_rows), Shape::block_threads};
    if constexpr (Shape::threads_per_row > 32) {
      constexpr unsigned most = Aligned                        ? detail::most_threads_like<Shape>(shapes{})
                                : Shape::vectors_per_lane == 4 ? 256
                                                               : map_tuning::most_unaligned_threads;
      if constexpr (Shape::block_threads <= most) {
        using block = block_shape<Aligned, Shape::vectors_per_lane, most>;
        error = detail::launch<map_block_kernel<block, T, Map>>(how, stream, task, map);
      }
    } else if constexpr (Shape::vectors_per_lane == 2 && Shape::rows_per_tile == 1) {
      static_assert(Shape::block_threads <= 128, "The kernel's bound");
      error = detail::launch<map_lanes_kernel<lanes_shape<Aligned>, T, Map>>(how, stream, task, map,
                                                                             Shape::threads_per_row);
    } else {
      error = detail::launch<map_kernel<Shape, T, Map>>(how, stream, task, map);
    }
  });
  return error;
}

template <bool Aligned>
using shared_shape = block_shape<Aligned, map_tuning::shared_vectors, map_tuning::shared_threads>;

/// One read, by a cluster for each row: of the most blocks if it is long, else of as many as there are multiprocessors
/// for.
template <bool Aligned, class T, class Map>
cudaError_t map_by_clusters(row_task<T> const& task, unsigned lanes, Map const& map, int multiprocessors,
                            cudaStream_t stream) noexcept {
  using tuning = map_tuning;
  static_assert(reductions_of_map<Map> <= row_block_storage<typename Map::number>::reductions);
  unsigned blocks = lanes >= tuning::cluster_lanes ? tuning::most_blocks : 1;
  while (blocks < tuning::most_blocks && task.row_count * blocks < multiprocessors &&
         lanes / blocks > tuning::least_shared_threads)
    blocks *= 2;
  return detail::launch<map_cluster_kernel<shared_shape<Aligned>, T, Map>>(
      {task.row_count * blocks, lanes / blocks, 0, blocks}, stream, task, map);
}

/// A read for each of a row's reductions, and one more.
template <class T, class Map>
cudaError_t map_in_passes(row_task<T> const& task, unsigned lanes, Map const& map, execution on) noexcept {
  using number = typename Map::number;
  constexpr unsigned reductions = reductions_of_map<Map>;
  unsigned const threads = map_tuning::shared_threads, blocks = lanes / threads;
  if (task.row_count > INT32_MAX / blocks) return cudaErrorInvalidValue;
  pooled_workspace const scratch(on, static_cast<std::size_t>(task.row_count * blocks) * reductions * sizeof(number));
  if (scratch.error() != cudaSuccess) return scratch.error();
  cudaError_t error = cudaSuccess;
  for (unsigned pass = 0; pass <= reductions && error == cudaSuccess; ++pass)
    error = detail::launch<map_pass_kernel<shared_shape<false>, T, Map>>(
        {task.row_count * blocks, threads}, on.stream, task, map, blocks, pass, static_cast<number*>(scratch.data()));
  return error;
}

/// Two reads: first the statistics of the rows' parts, then the elements again.
template <class T, class Map>
cudaError_t map_twice(row_task<T> const& task, Map const& map, int multiprocessors, execution on) noexcept {
  using shape = map_tuning::again<T>;
  using statistic = typename Map::statistic;
  static_assert(sizeof(statistic) <= map_tuning::most_statistic_bytes);
  std::int64_t const part_count = row_parts::of<shape, T>(task.column_count).count;
  std::int64_t const splits = detail::splits_of(task.row_count, part_count, multiprocessors);
  if (task.row_count > INT32_MAX / splits) return cudaErrorInvalidValue;
  std::int64_t const blocks = task.row_count * splits;
  pooled_workspace const scratch(on, static_cast<std::size_t>(task.row_count * part_count) * sizeof(statistic));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const parts = static_cast<statistic*>(scratch.data());
  cudaError_t const error = detail::launch<map_measure_kernel<shape, T, Map>>(
      {blocks, shape::block_threads}, on.stream, task, map, static_cast<unsigned>(splits), parts);
  if (error != cudaSuccess) return error;
  return detail::launch<map_again_kernel<shape, T, Map>>({blocks, shape::block_threads}, on.stream, task, map,
                                                         static_cast<unsigned>(splits), parts);
}

/// Three reads: the first results of the rows' parts, then the second ones, then the elements again.
template <class T, class Map>
cudaError_t map_three_times(row_task<T> const& task, Map map, int multiprocessors, execution on) noexcept {
  using shape = map_tuning::again<T>;
  using statistic = typename Map::statistic;
  using first = typename Map::first_result;
  static_assert(sizeof(statistic) + sizeof(first) <= map_tuning::most_statistic_bytes);
  std::int64_t const part_count = row_parts::of<shape, T>(task.column_count).count;
  std::int64_t const splits = detail::splits_of(task.row_count, part_count, multiprocessors);
  if (task.row_count > INT32_MAX / splits) return cudaErrorInvalidValue;
  launch_shape const how{task.row_count * splits, shape::block_threads};
  auto const split_count = static_cast<unsigned>(splits), count = static_cast<unsigned>(part_count);
  std::size_t const part_bytes = static_cast<std::size_t>(task.row_count * part_count) * sizeof(statistic);
  pooled_workspace const scratch(on, part_bytes + static_cast<std::size_t>(task.row_count) * sizeof(first));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const parts = static_cast<statistic*>(scratch.data());
  auto* const firsts = reinterpret_cast<first*>(static_cast<char*>(scratch.data()) + part_bytes);
  cudaError_t error = detail::launch<map_measure_kernel<shape, T, Map>>(how, on.stream, task, map, split_count, parts);
  if (error == cudaSuccess)
    error = detail::launch<join_first_kernel<Map>>({detail::ceiling_divide(task.row_count, 8), 256}, on.stream, map,
                                                   parts, count, task.row_count, firsts);
  map.firsts = firsts;
  if (error == cudaSuccess)
    error = detail::launch<map_measure_kernel<shape, T, Map>>(how, on.stream, task, map, split_count, parts);
  if (error != cudaSuccess) return error;
  return detail::launch<map_again_kernel<shape, T, Map>>(how, on.stream, task, map, split_count, parts);
}

/// Maps every row of a task by `map`. `aligned` is true if rows begin and end at multiples of 16 bytes, and so does
/// whatever else `map` reads or writes.
template <class T, class Map>
cudaError_t map_task(row_task<T> const& task, Map const& map, bool aligned, execution on) noexcept {
  if (task.row_count == 0 || task.column_count == 0) return cudaSuccess;
  std::int64_t const vectors = detail::vectors_of_columns<T>(task.column_count);
  constexpr std::int64_t most_unaligned = std::int64_t{map_tuning::most_unaligned_threads} * map_tuning::shared_vectors;
  bool const too_long = vectors > (aligned ? detail::most_vectors_of(shapes_of_map<T, Map>{}) : most_unaligned);
  if (too_long || vectors >= map_tuning::few_rows_vectors) {
    int multiprocessors = 1, major = 0;
    cudaError_t error =
        detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors, cudaDevAttrComputeCapabilityMajor, major);
    if (error != cudaSuccess) return error;
    if (vectors > map_tuning::most_shared_vectors) {
      if constexpr (measures_twice<Map>) {
        return detail::map_three_times(task, map, multiprocessors, on);
      } else {
        return detail::map_twice(task, map, multiprocessors, on);
      }
    }
    bool const few_rows = 2 * task.row_count <= multiprocessors;
    unsigned const lanes = map_tuning::shared_lanes(vectors);
    if (few_rows || lanes >= map_tuning::cluster_lanes) {
      bool has_code = false;
      error = aligned ? detail::query_cluster_code<map_cluster_kernel<shared_shape<true>, T, Map>>(major, has_code)
                      : detail::query_cluster_code<map_cluster_kernel<shared_shape<false>, T, Map>>(major, has_code);
      if (error != cudaSuccess) return error;
      if (has_code)
        return aligned ? detail::map_by_clusters<true>(task, lanes, map, multiprocessors, on.stream)
                       : detail::map_by_clusters<false>(task, lanes, map, multiprocessors, on.stream);
    }
    if (too_long) return detail::map_in_passes(task, lanes, map, on);
  }
  return aligned ? detail::map_once<true>(task, vectors, map, on.stream)
                 : detail::map_once<false>(task, vectors, map, on.stream);
}

/// Maps every row of `in` by `map` to `out`. `aligned` is false if other arrays that `map` reads are too badly aligned
/// for aligned row fragments. `format` is the format of the elements.
template <class T, class Map>
cudaError_t map_matrix(matrix<T const> const& in, matrix<T> const& out, std::int32_t const* lengths, Map const& map,
                       bool aligned, execution on, element_format<T> format = {}) noexcept {
  if (!detail::can_map(in, out, lengths)) return cudaErrorInvalidValue;
  row_task<T> const task{in.data, out.data, in.stride, out.stride, in.row_count, static_cast<int>(in.column_count),
                         lengths, format};
  aligned = aligned && !lengths && in.column_count % row_vector_length<T> == 0 && detail::has_aligned_rows(in) &&
            detail::has_aligned_rows(out);
  return detail::map_task(task, map, aligned, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
