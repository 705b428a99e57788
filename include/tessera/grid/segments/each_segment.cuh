// Launches the kernel of each_segment.hpp.
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
    each_segment_kernel(aligned<Segments> segments, N count, long_segments longs, aligned<Body> body) {
  wait_for_stream();
  __shared__ each_segment_storage storage;
  detail::run_each_segment_agent(cooperative_groups::this_thread_block(), blockIdx.x, gridDim.x, segments.value,
                                 detail::count_now(count), longs, storage, body.value);
}

/// Calls body for each of `count` segments. `count` is a std::int64_t or a device_count.
template <class Segments, class N, class Body>
cudaError_t for_each_segment(Segments const& segments, N const& count, Body const& body, execution on) noexcept {
  std::int64_t const most = detail::most_of(count);
  if (most == 0) return cudaSuccess;
  int multiprocessors = 0;
  cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  std::int64_t const resident = std::int64_t{multiprocessors} * Body::blocks_per_multiprocessor;
  pooled_workspace const scratch(on, 0);
  if (scratch.error() != cudaSuccess) return scratch.error();
  // The first slot is the state of the list, and the others are its entries.
  std::uint64_t* const words = scratch.slot_words();
  constexpr unsigned capacity = workspace::slot_bytes / sizeof(std::uint64_t) - 1;
  return detail::launch<each_segment_kernel<Segments, N, Body>>(
      {most < resident ? most : resident, each_segment_tuning::threads}, on.stream, segments, count,
      long_segments{words, scratch.counters(), words + 1, capacity}, body);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
