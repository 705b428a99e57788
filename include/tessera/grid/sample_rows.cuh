// Draws a column of each row of logits, after the filters of language models: for nvcc.
//
//   tessera::grid::sample_options options;  // sample_rows.hpp
//   options.top_k = 50;
//   options.top_p = 0.9f;
//   error = tessera::grid::sample_rows(logits, seeds, ids, options, stream);
//   error = tessera::grid::renormalize_rows(logits, probabilities, options, stream);  // what they are drawn by
//
//   a row     0    2    −∞   1    2    1        temperature 1
//   softmax   .05  .35  0    .13  .35  .13
//   top_k 3   0    .42  0    .16  .42  0        the first of two equal ones
//   top_p .8  0    .5   0    0    .5   0        .42 + .42 is .8 or more
//   a draw    u = 0.3: column 1; u = 0.7: column 4
//
// Filters, in this order; those that aren't given keep everything. The row is in one order for all: greater elements
// first, of equal ones those of lower columns.
//   temperature   Logits are divided by it. At 0, or where an array has a NaN or less than 0, the row is greedy: the
//                 first column of the greatest element is taken, as by argmax, and no filter applies.
//   top_k         The first k of the order remain: exactly k, also if elements tie with the last of them. If k is 0, or
//                 not below the number of columns, or a negative number in an array, all remain.
//   top_p         Of what top_k left, the fewest of the order whose probabilities add up to p of what it left, or more.
//                 1: all. 0: the first.
//   min_p         Those with a probability of min_p times the greatest or more: all of equal ones, or none. 0: all. 1:
//                 those whose integer (below) is the greatest's. A NaN in an array of top_p or min_p: all.
//
// Both of them
//   take      logits: float, __half or __nv_bfloat16 in the GPU's memory. Any number of rows, up to 2^30 columns, any
//             stride and alignment.
//   NaN, ∞    A NaN counts as −∞. A column of −∞ is never drawn, and has probability 0. Where there is +∞, columns of
//             +∞ are equally probable, and all others have probability 0.
//   decide    by integers: 2^31 · exp((x − max) / temperature), rounded to the nearest, by a polynomial that is off by
//             2^-22 of itself. So a row's ids and logarithms depend on its elements, columns, options and seed alone,
//             not on other rows, alignment, stride, GPU or flags of the compiler, and CPU lanes give the same. A column
//             with less than 2^-32 of the greatest's probability isn't drawn. Temperatures above 1.8e30 count as that,
//             those below 1.7e-38 as that.
//   return    as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if a number for all rows is
//             negative or NaN.
//   cost      one launch, no workspace, a block for each row, or up to 8, in a cluster, for each of few long ones on
//             sm_90 and later. Logits are read from memory once, and then from the cache: where top_k is up to 256 (128
//             in rows of less than 8192 columns, or of several blocks), only parts of them; without filters all once;
//             with top_p or min_p alone once or not at all if 256 columns (128) have all that they keep. Else a
//             threshold is searched for by some 5 to 20 reads of the row.
//
// sample_rows
//   writes    ids, of std::int32_t or std::int64_t; −1 for a row without columns, or with −∞ only.
//   seeds     an integer for each row on the GPU. A row's random bits are Philox 4x32-10 of the seed and the step,
//             which is a number for all rows or one for each: draw a row's next column with the next step. Give each
//             request a seed of its own, and it gets the same columns in any batch.
//   uniforms  null, or a number in [0, 1) for each row instead. `seeds` may then be null, and so it may be if
//             `temperature` is the number 0.
//   draw      u · (the sum of the kept columns' integers) is the unit that is drawn: columns follow each other in their
//             order, each with as many units as its integer.
//   logprobs  null, or where the logarithm of the probability of each drawn column goes, after all filters: 0 for a
//             greedy row, −∞ with an id of −1. It is off by 2^-20 · (1 + its magnitude).
//
// renormalize_rows
//   writes    out, which is the logits themselves, with the same stride unless there is one row, or doesn't overlap
//             them: exp((x − max) / temperature) / Σ of kept columns, and 0 of others. A greedy row has one 1. A row of
//             −∞ only has zeros. A float is off by 2^-20 · (1 + |x − max| / temperature) of itself, and a probability
//             of less than 2^-64 of the greatest's is 0.
//
// Sources: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011; A. Holtzman et al., "The curious
// case of neural text degeneration", 2020, for top_p; M. Nguyen et al., "Turning up the heat", 2024, for min_p.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/default_stream.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/row_sampler.hpp>
#include <tessera/grid/rows/sample_cluster.cuh>
#include <tessera/grid/rows/sample_tuning.hpp>
#include <tessera/grid/sample_rows.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// Calls run(team, row) in the threads that share a row.
template <class Shape, bool IsCluster, class Run>
__device__ __forceinline__ void run_for_row([[maybe_unused]] Run run) {
  __shared__ sample_storage<Shape> storage;
  if constexpr (!IsCluster) {
    run(sample_block<Shape, cooperative_groups::thread_block>(cooperative_groups::this_thread_block(), storage),
        std::int64_t{blockIdx.x});
  } else {
#if TESSERA_ARCH >= 900
    sample_cluster<Shape> const team(storage);
    run(team, std::int64_t{blockIdx.x >> tessera::detail::lowest_bit(team.blocks())});
#endif
  }
}
template <class Shape, bool IsCluster, class T, class Index>
__global__ void __launch_bounds__(Shape::threads, Shape::least_blocks) sample_kernel(sample_task<T, Index> task) {
  wait_for_stream();
  detail::run_for_row<Shape, IsCluster>([&](auto const& team, std::int64_t row)
                                            TESSERA_INLINE { detail::sample_row<Shape>(team, task, row); });
}
template <class Shape, bool IsCluster, class T>
__global__ void __launch_bounds__(Shape::threads, Shape::least_blocks) renormalize_kernel(renormalize_task<T> task) {
  wait_for_stream();
  detail::run_for_row<Shape, IsCluster>([&](auto const& team, std::int64_t row)
                                            TESSERA_INLINE { detail::renormalize_row<Shape>(team, task, row); });
}

/// The blocks that share each of so many rows of so many columns: as many as run at a time, each with enough to do.
/// `kernel` is the one for clusters.
template <auto* Kernel>
cudaError_t query_blocks_of_row(std::int64_t row_count, std::int64_t column_count, unsigned& blocks) noexcept {
  using tuning = sample_tuning;
  blocks = 1;
  if (column_count < 2 * tuning::columns_of_block) return cudaSuccess;
  int multiprocessors = 1, major = 0;
  cudaError_t error =
      detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors, cudaDevAttrComputeCapabilityMajor, major);
  bool has_code = false;
  if (error == cudaSuccess) error = detail::query_cluster_code<Kernel>(major, has_code);
  if (error != cudaSuccess || !has_code) return error;
  std::int64_t const at_a_time = std::int64_t{multiprocessors} * tuning::shared::least_blocks;
  while (blocks < most_cluster_blocks && 2 * blocks * row_count <= at_a_time &&
         2 * blocks * tuning::columns_of_block <= column_count)
    blocks *= 2;
  return cudaSuccess;
}
/// Launches one of three kernels on rows: of the usual, the large, and the shared shape of sample_tuning.
template <auto* Usual, auto* Large, auto* Shared, class Task>
cudaError_t launch_sampler(std::int64_t row_count, std::int64_t column_count, cudaStream_t stream,
                           Task const& task) noexcept {
  using tuning = sample_tuning;
  unsigned blocks = 1;
  cudaError_t const error = detail::query_blocks_of_row<Shared>(row_count, column_count, blocks);
  if (error != cudaSuccess) return error;
  if (blocks > 1) return detail::launch<Shared>({row_count * blocks, tuning::shared::threads, 0, blocks}, stream, task);
  if (column_count < tuning::large_columns)
    return detail::launch<Usual>({row_count, tuning::usual::threads}, stream, task);
  return detail::launch<Large>({row_count, tuning::large::threads}, stream, task);
}

/// True if `number` is an array, or not less than 0, nor NaN.
template <class N>
bool is_number_of_rows(per_row<N> const& number, std::int64_t row_count) noexcept {
  return number.values != nullptr ? detail::is_array(number.values, row_count) : number.value >= 0;
}
inline bool are_filters(sample_filters const& by, std::int64_t row_count) noexcept {
  return detail::is_number_of_rows(by.temperature, row_count) && detail::is_number_of_rows(by.top_k, row_count) &&
         detail::is_number_of_rows(by.top_p, row_count) && detail::is_number_of_rows(by.min_p, row_count);
}
/// True if `n` elements at `out` overlap no array of the filters.
template <class Out>
bool are_apart_from_filters(Out const* out, std::int64_t n, sample_filters const& by, std::int64_t row_count) noexcept {
  auto const is_apart = [&](auto const& number) {
    return number.values == nullptr || !detail::overlap(out, n, number.values, row_count);
  };
  return is_apart(by.temperature) && is_apart(by.top_k) && is_apart(by.top_p) && is_apart(by.min_p);
}

/// True if an array of the results of each row overlaps nothing that is read.
template <class T, class Out>
bool is_result_of_rows(Out* out, matrix<T const> const& logits, std::uint64_t const* seeds,
                       sample_options const& options) noexcept {
  std::int64_t const row_count = logits.row_count;
  return detail::is_array(out, row_count) && !detail::overlap(out, row_count, logits.data, detail::extent_of(logits)) &&
         (seeds == nullptr || !detail::overlap(out, row_count, seeds, row_count)) &&
         (options.uniforms == nullptr || !detail::overlap(out, row_count, options.uniforms, row_count)) &&
         (options.step.values == nullptr || !detail::overlap(out, row_count, options.step.values, row_count)) &&
         detail::are_apart_from_filters(out, row_count, options, row_count);
}

template <class T, class Index>
bool are_sampled(matrix<T const> const& logits, std::uint64_t const* seeds, Index* ids,
                 sample_options const& options) noexcept {
  std::int64_t const row_count = logits.row_count;
  auto const& temperature = options.temperature;
  bool const draws = temperature.values != nullptr || temperature.value > 0;
  bool const has_random = seeds != nullptr || options.uniforms != nullptr || !draws || row_count == 0;
  return detail::is_matrix(logits) && detail::are_filters(options, row_count) && has_random &&
         (seeds == nullptr || detail::is_array(seeds, row_count)) &&
         (options.uniforms == nullptr || detail::is_array(options.uniforms, row_count)) &&
         (options.step.values == nullptr || detail::is_array(options.step.values, row_count)) &&
         detail::is_result_of_rows(ids, logits, seeds, options) &&
         (options.logprobs == nullptr || (detail::is_result_of_rows(options.logprobs, logits, seeds, options) &&
                                          !detail::overlap(options.logprobs, row_count, ids, row_count)));
}

template <class T>
bool are_renormalized(matrix<T const> const& in, matrix<T> const& out, sample_filters const& filters) noexcept {
  return detail::is_matrix(in) && detail::is_matrix(out) && in.row_count == out.row_count &&
         in.column_count == out.column_count && detail::same_or_apart(in, out) &&
         detail::are_filters(filters, in.row_count) &&
         detail::are_apart_from_filters(out.data, detail::extent_of(out), filters, in.row_count);
}

template <class T>
inline constexpr bool are_logits = is_one_of<T, float, __half, __nv_bfloat16>;

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// ids[r] is a column of row r, drawn with the probability that the filters give it. See above.
template <class In, class Index>
[[nodiscard]] cudaError_t sample_rows(matrix<In> logits, std::uint64_t const* seeds, Index* ids,
                                      sample_options options = {}, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(detail::are_logits<T>, "grid::sample_rows is for float, __half and __nv_bfloat16.");
  static_assert(detail::is_one_of<Index, std::int32_t, std::int64_t>,
                "grid::sample_rows: ids are of std::int32_t or std::int64_t.");
  if constexpr (detail::are_logits<T> && detail::is_one_of<Index, std::int32_t, std::int64_t>) {
    matrix<T const> const in = logits;
    if (!detail::are_sampled(in, seeds, ids, options)) return cudaErrorInvalidValue;
    detail::sample_task<T, Index> const task{in.data, in.stride, static_cast<int>(in.column_count),
                                             options, seeds,     ids};
    return detail::launch_sampler<detail::sample_kernel<detail::sample_tuning::usual, false, T, Index>,
                                  detail::sample_kernel<detail::sample_tuning::large, false, T, Index>,
                                  detail::sample_kernel<detail::sample_tuning::shared, true, T, Index>>(
        in.row_count, in.column_count, on.stream, task);
  } else {
    return cudaErrorNotSupported;
  }
}

/// out[r][c] is the probability with which sample_rows draws column c of row r. See above.
template <class In, class T>
[[nodiscard]] cudaError_t renormalize_rows(matrix<In> logits, matrix<T> out, sample_filters filters = {},
                                           execution on = {}) noexcept {
  constexpr bool one_type = std::is_same_v<std::remove_const_t<In>, T>;
  static_assert(one_type, "grid::renormalize_rows: logits and out have elements of one type, those of out not const.");
  static_assert(!one_type || detail::are_logits<T>, "grid::renormalize_rows is for float, __half and __nv_bfloat16.");
  if constexpr (one_type && detail::are_logits<T>) {
    matrix<T const> const in = logits;
    if (!detail::are_renormalized(in, out, filters)) return cudaErrorInvalidValue;
    detail::renormalize_task<T> const task{in.data, in.stride, static_cast<int>(in.column_count),
                                           filters, out.data,  out.stride};
    if (in.column_count == 0) return cudaSuccess;
    return detail::launch_sampler<detail::renormalize_kernel<detail::sample_tuning::usual, false, T>,
                                  detail::renormalize_kernel<detail::sample_tuning::large, false, T>,
                                  detail::renormalize_kernel<detail::sample_tuning::shared, true, T>>(
        in.row_count, in.column_count, on.stream, task);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
