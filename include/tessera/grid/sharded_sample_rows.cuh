// Draws a column of each row of logits whose columns are on several GPUs, and the probabilities that it is drawn by:
// for nvcc.
//
//   tessera::grid::communicator ranks(comm);                       // see sharded.hpp
//   tessera::grid::sample_options options;                         // see sample_rows.hpp
//   options.top_k = 50;
//   options.top_p = 0.9f;
//   tessera::grid::matrix logits{data, tokens, part.count};        // all rows, and the columns of this rank's shard
//   error = tessera::grid::sample_rows(ranks, logits, part, seeds, ids, options, stream);
//   error = tessera::grid::renormalize_rows(ranks, logits, part, probabilities, options, stream);
//
// Gives    what the calls of sample_rows.cuh give for whole rows, bit for bit: sample_rows on every rank the ids and
//          log-probabilities, renormalize_rows the probabilities of the rank's columns.
// Takes    what those calls take, and a shard, as in sharded_rows.cuh. All ranks give the same rows, seeds and options.
// Returns  as the calls of sharded_rows.cuh.
// Cost     sample_rows where top_k is a number for all rows, above 0, or the temperature is the number 0: the local
//          top_k_rows and a sort of its results, an exchange of k · (4 + the element's) bytes of each row and rank, and
//          sample_rows of rows of k · ranks columns, the candidates.
//          Otherwise, and of renormalize_rows, passes over the rank's columns, each with an exchange of each row and
//          rank, and a kernel of a thread a row: of 8 bytes for the maximum, for the sum of weights, and for a draw;
//          for top_p 8 bytes more, and for each of top_k and top_p 128 bytes for every 4 bits of a key, which are 8
//          passes of floats, 5 of __half and 4 of __nv_bfloat16. Filters that are the numbers that keep everything cost
//          nothing. `memory` of the execution isn't used there.
//
// Source: sample_agents.hpp has the draw among candidates, sample_parts.hpp the one by passes.
#pragma once

#include <tessera/grid/sample_rows.cuh>
#include <tessera/grid/sharded/sample_agents.hpp>
#include <tessera/grid/sharded/sample_parts.hpp>
#include <tessera/grid/sharded_rows.cuh>
#include <tessera/grid/sort_rows.cuh>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

inline namespace TESSERA_ARCHS {

/// ids[r] is a column of the whole row r, drawn with the probability that the filters give it. See above.
template <class In, class Index>
[[nodiscard]] cudaError_t sample_rows(communicator& ranks, matrix<In> logits, shard part, std::uint64_t const* seeds,
                                      Index* ids, sample_options options = {}, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  static_assert(detail::are_logits<T>, "grid::sample_rows is for float, __half and __nv_bfloat16.");
  static_assert(detail::is_one_of<Index, std::int32_t, std::int64_t>,
                "grid::sample_rows: ids are of std::int32_t or std::int64_t.");
  if constexpr (detail::are_logits<T> && detail::is_one_of<Index, std::int32_t, std::int64_t>) {
    matrix<T const> const in = logits;
    cudaError_t const error = detail::check_columns(ranks, in, part);
    if (error != cudaSuccess) return error;
    if (!detail::are_sampled(in, seeds, ids, options)) return cudaErrorInvalidValue;
    bool const is_greedy = options.temperature.values == nullptr && options.temperature.value == 0;
    if (!is_greedy && (options.top_k.values != nullptr || options.top_k.value == 0))
      return detail::sample_parts<detail::sample_tuning::part>(detail::rank_on_gpu(ranks, on.stream), in.data,
                                                               in.stride, in.row_count, part, seeds, ids, options);
    std::int64_t const wanted = is_greedy ? 1 : options.top_k.value, total = part.total > 0 ? part.total : 1;
    std::int64_t const k = wanted < total ? wanted : total, row_count = in.row_count;
    if (k > detail::most_columns / ranks.count() || (row_count > 0 && k > INT64_MAX / 64 / row_count / ranks.count()))
      return cudaErrorInvalidValue;
    return detail::sample_whole_rows(
        detail::rank_on_gpu(ranks, on.stream), row_count, part, k, ids, tessera::detail::lowest<T>(),
        [&](T* values, std::int32_t* places) {
          cudaError_t const found = grid::top_k_rows(in, k, values, places, greater{}, {}, on);
          if (found != cudaSuccess || k == 1) return found;
          matrix<std::int32_t> const keys(places, row_count, k);
          matrix<T> const by_column(values, row_count, k);
          return grid::sort_rows_by_key(keys, by_column, keys, by_column, less{}, on);
        },
        [&](T* values, std::int64_t count) {
          return grid::sample_rows(matrix<T const>(values, row_count, count), seeds, ids, options, on);
        });
  } else {
    return cudaErrorNotSupported;
  }
}

/// out[r][c] is the probability with which sample_rows draws this rank's column c of row r. See above.
///
/// out  as in sample_rows.cuh: the logits themselves, or apart from them
template <class In, class T>
[[nodiscard]] cudaError_t renormalize_rows(communicator& ranks, matrix<In> logits, shard part, matrix<T> out,
                                           sample_filters filters = {}, execution on = {}) noexcept {
  constexpr bool one_type = std::is_same_v<std::remove_const_t<In>, T>;
  static_assert(one_type, "grid::renormalize_rows: logits and out have elements of one type, those of out not const.");
  static_assert(!one_type || detail::are_logits<T>, "grid::renormalize_rows is for float, __half and __nv_bfloat16.");
  if constexpr (one_type && detail::are_logits<T>) {
    matrix<T const> const in = logits;
    cudaError_t const error = detail::check_columns(ranks, in, part);
    if (error != cudaSuccess) return error;
    if (!detail::are_renormalized(in, out, filters)) return cudaErrorInvalidValue;
    return detail::renormalize_parts<detail::sample_tuning::part>(
        detail::rank_on_gpu(ranks, on.stream), in.data, in.stride, in.row_count, part, out.data, out.stride, filters);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
