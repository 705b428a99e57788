// The experts of each token, as a router chooses them from a row of logits: for nvcc.
//
//   logits      0    2    −1   1                   a row; k = 2
//   softmax     .09  .64  .03  .24
//   experts     1  3                               the columns of the greatest, the best first
//   weights     .64  .24                           renormalized: .73  .27
//
//   tessera::grid::route_options options;          // route_rows.hpp
//   options.renormalize = true;
//   error = tessera::grid::route_rows(logits, k, weights, experts, options, stream);
//   // And the order in which tokens' choices are grouped by expert, as group_by_label(experts, …) gives it:
//   error = tessera::grid::route_rows(logits, k, weights, experts, offsets, order, options, {}, {stream, memory});
//
// Both of them
//   take      logits: float, __half or __nv_bfloat16 in the GPU's memory, computed in float. Any number of rows, up to
//             512 columns, any stride and alignment. k: from 1 to 32, and at most the columns.
//   write     weights: k floats for each row, and experts: k columns, side by side.
//   scores    softmax of the row, or sigmoid of each logit.
//   choice    by score + bias, the greatest first; of equal ones the lower column. Without bias and groups logits
//             themselves are ranked, also where scores are rounded to the same number.
//   groups    columns are in num_groups (up to 32) groups of equal size, side by side. The top_groups groups remain
//             whose two greatest score + bias have the greatest sum; of equal ones the lower group. They have at least
//             k columns.
//   weights   scores of the chosen, without bias; divided by their sum if they are renormalized, or 0 if that is 0;
//             multiplied by scale. With softmax, renormalized weights are the softmax of the chosen logits.
//   recorded  columns of an earlier call, which are weighed and stored again; `experts` may be the array itself. A
//             column that doesn't exist weighs 0.
//   NaN, ∞    a NaN counts as −∞, also in score + bias. −∞ has score 0; a row of −∞ only has only zeros. Where there is
//             +∞, a softmax is shared equally by columns of +∞.
//   give      bits that depend on the row's elements, its columns, k and the options alone: not on other rows,
//             alignment, stride or GPU. CPU lanes give the same.
//   error     a score is off by (3 + |x − max| / 4) · 2^-21 of itself, where max is 0 for sigmoid. The exponential of
//             what is below −87 is 0.
//   return    as all calls on arrays: docs/reference/arrays.md.
//   cost      one launch, and one read of each row. The second form takes the time of a barrier of the grid more. It is
//             two launches, and group_by_label's workspace, with recorded columns, for some thousand rows and more (64
//             for each multiprocessor), and for some more rows than a block has tiles (17 to 64 of 256 columns by 8).
//
// Source: DeepSeek-AI, "DeepSeek-V3 technical report", 2024, for bias and groups.
#pragma once

#include <tessera/grid/group_by_label.cuh>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/route_rows.hpp>
#include <tessera/grid/rows/route_agent.hpp>
#include <tessera/grid/rows/row_arguments.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, bool IsNarrow, class T>
__global__ void __launch_bounds__(route_tuning::block_threads, 1) route_kernel(route_task<T> task) {
  wait_for_stream();
  constexpr unsigned tiles = route_tuning::block_threads / Shape::threads;
  detail::route_block<Shape, IsNarrow>(cooperative_groups::this_thread_block(), task,
                                       std::int64_t{blockIdx.x} * tiles * task.tile_rows);
}
template <class Shape, bool IsNarrow, class T, class Index>
__global__ void __launch_bounds__(group_tuning::routed::threads, 1)
    route_and_group_kernel(route_task<T> task, group_task<std::int32_t, Index> groups, look_back_memory memory) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  auto const block = cooperative_groups::this_thread_block();
  detail::route_and_group_part<Shape, IsNarrow, group_tuning::routed>(block, task, groups, memory, shared);
}

/// run(shape, whether keys are narrow) of the kernel for a task.
template <class T, class Run>
cudaError_t with_route_shape(route_task<T> const& task, Run run) noexcept {
  auto const with_keys = [&](auto shape) {
    if constexpr (sizeof(T) == 2) {
      if (task.ranks_logits() && task.options.recorded == nullptr) return run(shape, std::true_type{});
    }
    return run(shape, std::false_type{});
  };
  int lanes = (task.column_count + 7) / 8;
  if (lanes < task.slot_count) lanes = task.slot_count;
  if (lanes < task.options.num_groups) lanes = task.options.num_groups;
  if (lanes <= 8) return with_keys(route_shape<8, 8>{});
  if (lanes <= 16) return with_keys(route_shape<8, 16>{});
  if (lanes <= 32) return with_keys(route_shape<8, 32>{});
  return with_keys(route_shape<16, 32>{});
}

/// The rows of a tile: as few as need no more than so many tiles, and at most as many as can be weighed at once.
template <class Shape>
int tile_rows_for(std::int64_t row_count, int slot_count, std::int64_t tiles) noexcept {
  int tile_rows = 1;
  while (2 * tile_rows * slot_count <= static_cast<int>(Shape::threads) && row_count > tiles * tile_rows)
    tile_rows *= 2;
  return tile_rows;
}

template <class T>
cudaError_t run_route(route_task<T> task, execution on) noexcept {
  return detail::with_route_shape(task, [&](auto shape, auto is_narrow) {
    using Shape = decltype(shape);
    constexpr std::int64_t tiles = route_tuning::block_threads / Shape::threads;
    task.tile_rows =
        detail::tile_rows_for<Shape>(task.row_count, task.slot_count, route_tuning::enough_warps * 32 / Shape::threads);
    std::int64_t const blocks = detail::ceiling_divide(task.row_count, tiles * task.tile_rows);
    return detail::launch<route_kernel<Shape, decltype(is_narrow)::value, T>>({blocks, route_tuning::block_threads},
                                                                              on.stream, task);
  });
}

/// By one launch if a block has a tile for each row, or if there are more rows than one block takes, but no more than a
/// block for each multiprocessor does; or else by two.
template <class T, class Index>
cudaError_t run_route_and_group(route_task<T> task, Index* offsets, Index* order, group_options<Index> const& options,
                                execution on) noexcept {
  using blocks_t = group_tuning::routed;
  std::int64_t const n = task.row_count * task.k;
  int multiprocessors = 0;
  cudaError_t error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  bool is_fused = false;
  if (task.options.recorded == nullptr && n > 0) {
    std::int64_t const most =
        multiprocessors < group_tuning::most_routed_parts ? multiprocessors : group_tuning::most_routed_parts;
    error = detail::with_route_shape(task, [&](auto shape, auto is_narrow) {
      using Shape = decltype(shape);
      constexpr std::int64_t tiles = blocks_t::threads / Shape::threads;
      // Some more rows than a block has tiles are routed by more blocks, and then grouped by one.
      int const most_rows = detail::tile_rows_for<Shape>(task.row_count, task.slot_count, 0);
      bool const is_for_one_block = task.row_count > tiles && task.row_count <= tiles * most_rows;
      task.tile_rows = detail::tile_rows_for<Shape>(task.row_count, task.slot_count, tiles * most);
      std::int64_t const row_count = tiles * task.tile_rows;
      is_fused = !is_for_one_block && row_count <= group_tuning::most_routed_rows &&
                 detail::ceiling_divide(task.row_count, row_count) <= most;
      if (!is_fused) return cudaSuccess;
      auto const groups = detail::make_group_task<std::int32_t>(task.experts, n, task.column_count, offsets, order,
                                                                options, row_count * task.k);
      return detail::with_group_memory<blocks_t, 8>(groups, on, [&](look_back_memory const& memory, launch_shape how) {
        return detail::launch<route_and_group_kernel<Shape, decltype(is_narrow)::value, T, Index>>(how, on.stream, task,
                                                                                                   groups, memory);
      });
    });
  }
  if (is_fused || error != cudaSuccess) return error;
  error = detail::run_route(task, on);
  if (error != cudaSuccess) return error;
  return detail::run_group(static_cast<std::int32_t const*>(task.experts), n, task.column_count, offsets, order,
                           options, on);
}

/// True if the arguments are right.
template <class T>
bool is_routed(matrix<T const> const& logits, int k, float const* weights, std::int32_t const* experts,
               route_options const& options) noexcept {
  if (!detail::is_matrix(logits)) return false;
  std::int64_t const column_count = logits.column_count, row_count = logits.row_count;
  int const groups = options.num_groups;
  if (column_count > route_tuning::most_columns || k < 1 || k > route_tuning::most_chosen || k > column_count)
    return false;
  if (groups < 1 || groups > route_tuning::most_groups || column_count % groups != 0 || options.top_groups < 1 ||
      options.top_groups > groups || column_count / groups * options.top_groups < k)
    return false;
  std::int64_t const n = row_count * k, extent = detail::extent_of(logits);
  auto const is_result = [&](auto const* out) {
    return detail::is_array(out, n) && !detail::overlap(out, n, logits.data, extent) &&
           (options.bias == nullptr || !detail::overlap(out, n, options.bias, column_count));
  };
  bool const is_replayed = options.recorded != nullptr;
  return is_result(weights) && is_result(experts) && !detail::overlap(weights, n, experts, n) &&
         (options.bias == nullptr || detail::is_array(options.bias, column_count)) &&
         (!is_replayed || (detail::is_array(options.recorded, n) && !detail::overlap(weights, n, options.recorded, n) &&
                           (options.recorded == experts || !detail::overlap(experts, n, options.recorded, n))));
}

template <class T>
route_task<T> make_route_task(matrix<T const> const& logits, int k, float* weights, std::int32_t* experts,
                              route_options const& options) noexcept {
  int slot_count = 1;
  while (slot_count < k) slot_count *= 2;
  return {logits.data,
          logits.stride,
          logits.row_count,
          static_cast<int>(logits.column_count),
          k,
          slot_count,
          1,
          detail::has_aligned_rows(logits),
          options,
          weights,
          experts};
}

template <class T>
inline constexpr bool is_routed_type = is_one_of<T, float, __half, __nv_bfloat16>;
template <class Index>
using if_index_of_groups = std::enable_if_t<is_one_of<Index, std::int32_t, std::int64_t>, bool>;

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The k best columns of each row, and their weights. See above.
template <class In>
[[nodiscard]] cudaError_t route_rows(matrix<In> logits, int k, float* weights, std::int32_t* experts,
                                     route_options options = {}, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(detail::is_routed_type<T>, "grid::route_rows is for float, __half and __nv_bfloat16.");
  if constexpr (detail::is_routed_type<T>) {
    matrix<T const> const in = logits;
    if (!detail::is_routed(in, k, weights, experts, options)) return cudaErrorInvalidValue;
    return detail::run_route(detail::make_route_task(in, k, weights, experts, options), on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// As above, and what group_by_label makes of the experts: of rows · k labels, with the columns as bins.
template <class In, class Index, detail::if_index_of_groups<Index> = true>
[[nodiscard]] cudaError_t route_rows(matrix<In> logits, int k, float* weights, std::int32_t* experts, Index* offsets,
                                     Index* order, route_options options = {}, group_options<Index> grouping = {},
                                     execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(detail::is_routed_type<T>, "grid::route_rows is for float, __half and __nv_bfloat16.");
  if constexpr (detail::is_routed_type<T>) {
    matrix<T const> const in = logits;
    if (!detail::is_routed(in, k, weights, experts, options)) return cudaErrorInvalidValue;
    std::int64_t const n = in.row_count * k, column_count = in.column_count;
    auto const apart_from = [&](auto const* array, std::int64_t count) {
      return detail::are_grouped_apart(array, count, n, column_count, offsets, order, grouping);
    };
    bool const good = detail::are_groups(n, column_count, offsets, order, grouping) &&
                      apart_from(in.data, detail::extent_of(in)) && apart_from(weights, n) && apart_from(experts, n) &&
                      apart_from(options.bias, column_count) && apart_from(options.recorded, n);
    if (!good) return cudaErrorInvalidValue;
    return detail::run_route_and_group(detail::make_route_task(in, k, weights, experts, options), offsets, order,
                                       grouping, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
