// Sorts an array of which each of several GPUs holds a part: for nvcc.
//
//   error = tessera::grid::sort(ranks, in, part, out);  // this rank's places of the sorted array
//
//   rank        0          1        2
//   elements    7 1 5 2    4 0      6 3 8
//   out         0 1 2 3    4 5      6 7 8
//
// Ranks, shards and errors are those of sharded.cuh. `memory` of the execution serves the local sort.
//
// Source: split_agents.hpp has how ranks agree on what each gets.
#pragma once

#include <tessera/grid/merge.cuh>
#include <tessera/grid/sharded/rank_on_gpu.cuh>
#include <tessera/grid/sharded/sort_shards.hpp>
#include <tessera/grid/sort.cuh>

#include <cstdint>
#include <new>

TESSERA_NAMESPACE_BEGIN
namespace grid {

inline namespace TESSERA_ARCHS {

/// out: the elements part.begin … part.begin + part.count − 1 of the sorted array. Equal elements stay in their order.
///
/// in, out  numbers; `out` is `in`, or apart from it
/// before   less{} or greater{}, or an alias: NaNs come last, and −0 equals 0
/// Waits    once for the stream, in the middle: NCCL must know how much each rank gets. So it can't be captured.
/// Memory   an array as long as the shard, two for 3, 4 and 9 to 16 ranks, which the communicator keeps
/// Cost     a sort of the shard, up to 2 · sizeof(T) + 1 exchanges of some hundred bytes, one of the elements that
///          belong to other ranks, and a merge of the shard for each doubling of the ranks
template <class T, class Before = less>
[[nodiscard]] cudaError_t sort(communicator& ranks, T const* in, shard part, T* out, Before before = {},
                               execution on = {}) noexcept {
  using order = tessera::detail::canonical_comparator_t<Before, T>;
  constexpr bool is_known = tessera::detail::has_sort_key<T, order>;
  static_assert(
      is_known,
      "grid::sort over several GPUs sorts numbers of up to 8 bytes by tessera::less{} or tessera::greater{}.");
  if constexpr (is_known) {
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    bool const is_in_place = static_cast<T const*>(out) == in;
    if (!detail::is_array(out, part.count) || (!is_in_place && detail::overlap(in, part.count, out, part.count)))
      return cudaErrorInvalidValue;
    cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
    cudaError_t const known = detail::own_status(cudaStreamIsCapturing(detail::named(on.stream), &captured));
    if (known != cudaSuccess) return known;
    if (captured != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
    try {
      return detail::sort_shards<stl::is_same_v<order, greater>>(
          detail::rank_on_gpu(ranks, on.stream), part, out,
          [&](T* to) { return grid::sort(in, part.count, to, before, on); },
          [&](T const* a, std::int64_t na, T const* b, std::int64_t nb, T* to) {
            return grid::merge(a, na, b, nb, to, before, on);
          });
    } catch (std::bad_alloc const&) {
      return cudaErrorMemoryAllocation;
    }
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
