// The kernels of map_rows.hpp, and which of them maps which rows.
//
//   map_kernel            one read: each tile, a part of a warp, holds its rows
//   map_lanes_kernel      one read: a part of a warp holds each row; one kernel for all sizes of parts
//   map_block_kernel      one read: each block holds a row; one kernel for several sizes of blocks
//   map_cluster_kernel    one read: each cluster of blocks holds a row (map_cluster.cuh)
//   map_measure_kernel    two reads: the statistics of the rows' parts, then
//   map_again_kernel      the elements again
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
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::block_threads) map_cluster_kernel(row_task<T> task, Map map) {
  wait_for_stream();
  detail::map_cluster_rows<Shape>(task, map);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::block_threads)
    map_measure_kernel(row_task<T> task, Map map, unsigned splits, typename Map::statistic* parts) {
  wait_for_stream();
  auto const block = cooperative_groups::this_thread_block();
  auto const part = detail::fold_part<Shape>(block, task, map, splits);
  if (block.thread_rank() == 0) parts[block.group_index().x] = part;
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::block_threads)
    map_again_kernel(row_task<T> task, Map map, unsigned splits, typename Map::statistic const* parts) {
  wait_for_stream();
  detail::map_rows_again<Shape>(cooperative_groups::this_thread_block(), task, map, parts, splits);
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

/// One read, by the first shape of `shapes` whose tile holds a row.
template <class T, class Map, class Shapes>
cudaError_t map_once(row_task<T> const& task, std::int64_t vectors, Map const& map, Shapes shapes,
                     cudaStream_t stream) noexcept {
  cudaError_t error = cudaErrorInvalidValue;
  detail::with_shape_for(vectors, shapes, [&](auto shape) {
    using Shape = decltype(shape);
    launch_shape const how{detail::ceiling_divide(task.row_count, Shape::block_rows), Shape::block_threads};
    if constexpr (Shape::threads_per_row > 32) {
      using block = block_shape<Shape::aligned, Shape::vectors_per_lane, detail::most_threads_like<Shape>(Shapes{})>;
      error = detail::launch<map_block_kernel<block, T, Map>>(how, stream, task, map);
    } else if constexpr (Shape::vectors_per_lane == 2 && Shape::rows_per_tile == 1) {
      using lanes = block_shape<Shape::aligned, 2, 128>;
      static_assert(Shape::block_threads <= 128, "The kernel's bound");
      error = detail::launch<map_lanes_kernel<lanes, T, Map>>(how, stream, task, map, Shape::threads_per_row);
    } else {
      error = detail::launch<map_kernel<Shape, T, Map>>(how, stream, task, map);
    }
  });
  return error;
}

/// True if clusters of at most map_tuning::most_blocks blocks can hold rows of so many vectors, and the current
/// device has code for them: a build for older architectures runs on newer ones, too.
template <class T, class Map>
bool can_map_by_clusters(std::int64_t vectors, int major) noexcept {
  using shape = map_tuning::cluster;
  if (vectors > shape::row_vectors * map_tuning::most_blocks || major < 9) return false;
  cudaFuncAttributes attributes{};
  auto const* const kernel = reinterpret_cast<void const*>(map_cluster_kernel<shape, T, Map>);
  return detail::own_status(cudaFuncGetAttributes(&attributes, kernel)) == cudaSuccess && attributes.ptxVersion >= 90;
}

/// One read, by a cluster for each row: of as many blocks as hold the row, and more if rows are few.
template <class T, class Map>
cudaError_t map_by_clusters(row_task<T> const& task, std::int64_t vectors, Map const& map, bool few_rows,
                            int multiprocessors, cudaStream_t stream) noexcept {
  using shape = map_tuning::cluster;
  std::int64_t const lanes = shape::threads_per_row, held = shape::row_vectors;
  unsigned blocks = 2;
  while (
      blocks < map_tuning::most_blocks &&
      (vectors > held * blocks || (few_rows && task.row_count * blocks < multiprocessors && vectors > lanes * blocks)))
    blocks *= 2;
  return detail::launch<map_cluster_kernel<shape, T, Map>>({task.row_count * blocks, shape::block_threads, 0, blocks},
                                                           stream, task, map);
}

/// Two reads: first the statistics of the rows' parts, then the elements again.
template <class T, class Map>
cudaError_t map_twice(row_task<T> const& task, std::int64_t vectors, Map const& map, int multiprocessors,
                      execution on) noexcept {
  using shape = map_tuning::again;
  using statistic = typename Map::statistic;
  static_assert(sizeof(statistic) <= map_tuning::most_statistic_bytes);
  std::int64_t const splits = detail::splits_of(task.row_count, vectors, shape::row_vectors, multiprocessors);
  if (task.row_count > INT32_MAX / splits) return cudaErrorInvalidValue;
  std::int64_t const blocks = task.row_count * splits;
  pooled_workspace const scratch(on, static_cast<std::size_t>(blocks) * sizeof(statistic));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const parts = static_cast<statistic*>(scratch.data());
  cudaError_t const error = detail::launch<map_measure_kernel<shape, T, Map>>(
      {blocks, shape::block_threads}, on.stream, task, map, static_cast<unsigned>(splits), parts);
  if (error != cudaSuccess) return error;
  return detail::launch<map_again_kernel<shape, T, Map>>({blocks, shape::block_threads}, on.stream, task, map,
                                                         static_cast<unsigned>(splits), parts);
}

/// Maps every row of `in` by `map` to `out`. `aligned` is false if other arrays that `map` reads are too badly aligned
/// for aligned row fragments. `format` is the format of the elements.
template <class T, class Map>
cudaError_t map_matrix(matrix<T const> const& in, matrix<T> const& out, std::int32_t const* lengths, Map const& map,
                       bool aligned, execution on, element_format<T> format = {}) noexcept {
  constexpr std::int64_t width = row_vector_length<T>;
  if (!detail::can_map(in, out, lengths)) return cudaErrorInvalidValue;
  if (in.row_count == 0 || in.column_count == 0) return cudaSuccess;

  row_task<T> const task{in.data, out.data, in.stride, out.stride, in.row_count, static_cast<int>(in.column_count),
                         lengths, format};
  std::int64_t const vectors = detail::most_vectors(in, width);
  aligned = aligned && !lengths && in.column_count % width == 0 && detail::has_aligned_rows(in) &&
            detail::has_aligned_rows(out);

  using aligned_shapes = map_tuning::aligned<T>;
  using unaligned_shapes = map_tuning::unaligned<T>;
  bool const too_long =
      vectors > (aligned ? detail::most_vectors_of(aligned_shapes{}) : detail::most_vectors_of(unaligned_shapes{}));
  if (too_long || vectors >= map_tuning::few_rows_vectors) {
    int multiprocessors = 1, major = 0;
    cudaError_t const error =
        detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors, cudaDevAttrComputeCapabilityMajor, major);
    if (error != cudaSuccess) return error;
    bool const few_rows = 2 * in.row_count <= multiprocessors;
    if (aligned && (few_rows || too_long) && detail::can_map_by_clusters<T, Map>(vectors, major))
      return detail::map_by_clusters(task, vectors, map, few_rows, multiprocessors, on.stream);
    if (too_long || few_rows) return detail::map_twice(task, vectors, map, multiprocessors, on);
  }
  return aligned ? detail::map_once(task, vectors, map, aligned_shapes{}, on.stream)
                 : detail::map_once(task, vectors, map, unaligned_shapes{}, on.stream);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
