// The kernels of computed_rows.hpp, and which of them takes which rows.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/rows/computed_rows.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <unsigned N, class Body>
__global__ void __launch_bounds__(computed_rows_tuning::threads, Body::blocks_per_multiprocessor)
    computed_rows_kernel(row_ranges ranges, std::int64_t row_count, aligned<Body> body) {
  wait_for_stream();
  detail::run_computed_rows_agent<N>(cooperative_groups::this_thread_block(), ranges, row_count, body.value);
}
template <class Body>
__global__ void __launch_bounds__(computed_rows_tuning::threads, Body::blocks_per_multiprocessor)
    row_pieces_kernel(row_pieces pieces, aligned<Body> body, piece_t<Body>* results) {
  wait_for_stream();
  detail::run_row_pieces_agent(cooperative_groups::this_thread_block(), pieces, body.value, results);
}
template <class Body>
__global__ void __launch_bounds__(computed_rows_tuning::threads)
    finish_rows_kernel(row_pieces pieces, std::int64_t row_count, aligned<Body> body, piece_t<Body> const* results) {
  wait_for_stream();
  detail::run_finish_rows_agent(cooperative_groups::this_thread_block(), pieces, row_count, body.value, results);
}
template <class Body>
__global__ void __launch_bounds__(computed_rows_tuning::threads, Body::blocks_per_multiprocessor)
    map_pieces_kernel(row_pieces pieces, aligned<Body> body, piece_t<Body> const* results) {
  wait_for_stream();
  detail::run_map_pieces_agent(cooperative_groups::this_thread_block(), pieces, body.value, results);
}

/// Calls body for each row by N lanes.
template <unsigned N, class Body>
cudaError_t for_rows_by(row_ranges const& ranges, std::int64_t row_count, Body const& body, execution on) noexcept {
  constexpr unsigned threads = computed_rows_tuning::threads;
  return detail::launch<computed_rows_kernel<N, Body>>({detail::ceiling_divide(row_count, threads / N), threads},
                                                       on.stream, ranges, row_count, body);
}

/// Calls body for each of `row_count` rows.
template <class Body>
cudaError_t for_each_row(row_ranges const& ranges, std::int64_t row_count, Body const& body, execution on) noexcept {
  using tuning = computed_rows_tuning;
  constexpr unsigned threads = computed_rows_tuning::threads;
  if (row_count == 0) return cudaSuccess;
  if (ranges.column_count <= tuning::most_by_lane) return detail::for_rows_by<1>(ranges, row_count, body, on);
  if (ranges.column_count <= tuning::most_by_group)
    return detail::for_rows_by<tuning::group>(ranges, row_count, body, on);
  if (ranges.column_count <= Body::most_by_warp) return detail::for_rows_by<32>(ranges, row_count, body, on);
  row_pieces const pieces{ranges, segment_pieces::of<Body>(ranges.column_count)};
  if (pieces.pieces.count == 1) return detail::for_rows_by<threads>(ranges, row_count, body, on);
  if (row_count > INT32_MAX / pieces.pieces.count) return cudaErrorInvalidValue;
  std::int64_t const all = row_count * pieces.pieces.count;
  pooled_workspace const scratch(on, static_cast<std::size_t>(all) * sizeof(piece_t<Body>));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const results = static_cast<piece_t<Body>*>(scratch.data());
  cudaError_t const error = detail::launch<row_pieces_kernel<Body>>({all, threads}, on.stream, pieces, body, results);
  if (error != cudaSuccess) return error;
  if constexpr (maps_pieces<Body>) {
    return detail::launch<map_pieces_kernel<Body>>({all, threads}, on.stream, pieces, body, results);
  } else {
    return detail::launch<finish_rows_kernel<Body>>({detail::ceiling_divide(row_count, threads / 32), threads},
                                                    on.stream, pieces, row_count, body, results);
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
