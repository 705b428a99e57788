// The kernels of map_rows, and which of them takes what.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/detail/fold_rows.hpp>
#include <tessera/grid/detail/lease.hpp>
#include <tessera/grid/detail/map_cluster.cuh>
#include <tessera/grid/detail/map_rows.hpp>
#include <tessera/grid/detail/row_arguments.hpp>
#include <tessera/grid/detail/row_launch.cuh>
#include <tessera/grid/detail/row_tuning.hpp>

namespace tessera::grid::detail {

template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::Threads) map_kernel(row_task<T> task, Map map) {
  detail::map_rows<Shape>(cooperative_groups::this_thread_block(), task, map);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::Threads) map_cluster_kernel(row_task<T> task, Map map) {
  detail::map_cluster_rows<Shape>(task, map);
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::Threads)
    map_measure_kernel(row_task<T> task, Map map, unsigned splits, typename Map::statistic* parts) {
  auto const block = cooperative_groups::this_thread_block();
  auto const part = detail::fold_part<Shape>(block, task, map, splits);
  if (block.thread_rank() == 0) parts[block.group_index().x] = part;
}
template <class Shape, class T, class Map>
__global__ void __launch_bounds__(Shape::Threads)
    map_again_kernel(row_task<T> task, Map map, unsigned splits, typename Map::statistic const* parts) {
  detail::map_rows_again<Shape>(cooperative_groups::this_thread_block(), task, map, parts, splits);
}

/// Whether there is code of map_cluster_kernel for the device: a build for older architectures runs on newer ones too.
template <class Shape, class T, class Map>
bool has_cluster_kernel(row_device const& device) noexcept {
  cudaFuncAttributes attributes{};
  auto const* const kernel = reinterpret_cast<void const*>(map_cluster_kernel<Shape, T, Map>);
  return device.has_clusters && own_status(cudaFuncGetAttributes(&attributes, kernel)) == cudaSuccess &&
         attributes.ptxVersion >= 90;
}

/// Rows read twice: first their parts' statistics, then the elements again.
template <class T, class Map>
cudaError_t map_twice(row_task<T> const& task, std::int64_t vectors, Map const& map, row_device const& device,
                      cudaStream_t stream, workspace* memory) noexcept {
  using shape = map_tuning::again;
  using statistic = typename Map::statistic;
  std::int64_t const splits = splits_of(task.rows, vectors, shape::W * shape::V, device);
  if (task.rows > INT32_MAX / splits) return cudaErrorInvalidValue;
  lease const place(memory, static_cast<std::size_t>(task.rows * splits) * sizeof(statistic), stream);
  if (place.error() != cudaSuccess) return place.error();
  auto* const parts = static_cast<statistic*>(place.data());
  std::int64_t const blocks = task.rows * splits;
  cudaError_t const error = launch(map_measure_kernel<shape, T, Map>, {blocks, shape::Threads}, stream, task,
                                   map, static_cast<unsigned>(splits), parts);
  if (error != cudaSuccess) return error;
  return launch(map_again_kernel<shape, T, Map>, {blocks, shape::Threads}, stream, task, map,
                static_cast<unsigned>(splits), parts);
}

/// Every row of `in` by `map` to `out`. `whole`: what else `map` reads allows for row_lane's Whole.
template <class T, class Map>
cudaError_t map_matrix(matrix<T const> const& in, matrix<T> const& out, std::int32_t const* lengths,
                       Map const& map, bool whole, cudaStream_t stream, workspace* memory) noexcept {
  constexpr std::int64_t E = row_vector_length<T>;
  if (!is_matrix(in) || !is_matrix(out) || in.rows != out.rows || in.columns != out.columns)
    return cudaErrorInvalidValue;
  if (!same_or_apart(in, out)) return cudaErrorInvalidValue;
  if (lengths && (!is_array(lengths, in.rows) || overlap(lengths, in.rows, out.data, extent_of(out))))
    return cudaErrorInvalidValue;
  if (in.rows == 0 || in.columns == 0) return cudaSuccess;

  row_task<T> const task{in.data, out.data, in.stride, out.stride, in.rows, static_cast<int>(in.columns),
                         lengths};
  std::int64_t const vectors = most_vectors(in, E);
  whole = whole && !lengths && in.columns % E == 0 && has_aligned_rows(in) && has_aligned_rows(out);

  using whole_shapes = map_tuning::whole<T>;
  using ragged_shapes = map_tuning::ragged<T>;
  bool const too_long =
      vectors > (whole ? most_vectors_of(whole_shapes{}) : most_vectors_of(ragged_shapes{}));
  if (too_long || vectors >= map_tuning::few_rows_vectors) {
    row_device const device;
    if (device.error != cudaSuccess) return device.error;
    using shape = map_tuning::cluster;
    std::int64_t const lanes = shape::W, hold = shape::W * shape::V;
    bool const few = 2 * in.rows <= device.multiprocessors;
    if (whole && (few || too_long) && vectors <= hold * map_tuning::most_blocks &&
        has_cluster_kernel<shape, T, Map>(device)) {
      unsigned blocks = 2;
      while (blocks < map_tuning::most_blocks &&
             (vectors > hold * blocks ||
              (few && in.rows * blocks < device.multiprocessors && vectors > lanes * blocks)))
        blocks *= 2;
      return launch(map_cluster_kernel<shape, T, Map>, {in.rows * blocks, shape::Threads, 0, blocks}, stream,
                    task, map);
    }
    if (too_long || few) return map_twice(task, vectors, map, device, stream, memory);
  }
  cudaError_t error = cudaErrorInvalidValue;
  auto const run = [&](auto shape) {
    using Shape = decltype(shape);
    error = launch(map_kernel<Shape, T, Map>, {ceiling(in.rows, Shape::R * Shape::tiles), Shape::Threads},
                   stream, task, map);
  };
  if (whole) {
    with_shape_for(vectors, whole_shapes{}, run);
  } else {
    with_shape_for(vectors, ragged_shapes{}, run);
  }
  return error;
}

}  // namespace tessera::grid::detail
