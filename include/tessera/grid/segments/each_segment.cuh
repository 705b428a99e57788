// Launches the kernels of each_segment.hpp.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/segments/each_segment.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

template <class Segments, class N, class Body>
__global__ void __launch_bounds__(each_segment_tuning::threads, Body::blocks_per_multiprocessor)
    each_segment_kernel(aligned<Segments> segments, N count, piece_list list, aligned<Body> body) {
  wait_for_stream();
  __shared__ each_segment_storage storage;
  detail::run_each_segment_agent(cooperative_groups::this_thread_block(), blockIdx.x, gridDim.x, segments.value,
                                 detail::count_now(count), list, storage, body.value);
}

template <bool Maps, class Segments, class Body>
__global__ void __launch_bounds__(each_segment_tuning::threads, Body::blocks_per_multiprocessor)
    listed_pieces_kernel(aligned<Segments> segments, piece_list list, aligned<Body> body) {
  wait_for_stream();
  __shared__ listed_pieces_storage storage;
  detail::run_listed_pieces_agent<Maps>(cooperative_groups::this_thread_block(), gridDim.x, segments.value, list,
                                        storage, body.value);
}

/// Calls body for each of `count` segments. `count` is a std::int64_t or a device_count. A workspace that has
/// each_segment_scratch suffices.
template <class Segments, class N, class Body>
cudaError_t for_each_segment(Segments const& segments, N const& count, Body const& body, execution on) noexcept {
  std::int64_t const most = detail::most_of(count);
  if (most == 0) return cudaSuccess;
  int multiprocessors = 0;
  cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  std::int64_t const resident = std::int64_t{multiprocessors} * Body::blocks_per_multiprocessor;
  auto const memory = piece_list_memory::of(most, bytes_of_piece<Body>, is_divisible<Body>);
  pooled_workspace const scratch(on, memory.bytes);
  if (scratch.error() != cudaSuccess) return scratch.error();
  piece_list const list = detail::piece_list_in(memory, scratch.data(), scratch.slot_words(), scratch.counters());
  cudaError_t const listing = detail::launch<each_segment_kernel<Segments, N, Body>>(
      {most < resident ? most : resident, each_segment_tuning::threads}, on.stream, segments, count, list, body);
  if (listing != cudaSuccess) return listing;
  launch_shape const blocks{list.capacity < resident ? list.capacity : resident, each_segment_tuning::threads};
  cudaError_t taken =
      detail::launch<listed_pieces_kernel<false, Segments, Body>>(blocks, on.stream, segments, list, body);
  if constexpr (maps_pieces<Body>) {
    if (taken == cudaSuccess)
      taken = detail::launch<listed_pieces_kernel<true, Segments, Body>>(blocks, on.stream, segments, list, body);
  }
  return scratch.clear_after(taken);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
