// Sorts an array of which each of several GPUs holds a part, alone or with values: for nvcc.
//
//   error = tessera::grid::sort(ranks, in, part, out);  // this rank's places of the sorted array
//   error = tessera::grid::sort_by_key(ranks, keys, values, part, keys_out, values_out);
//
//   rank        0          1        2
//   elements    7 1 5 2    4 0      6 3 8
//   out         0 1 2 3    4 5      6 7 8
//
// Both of them
//   write    the elements part.begin … part.begin + part.count − 1 of the sorted array. Equal elements stay in their
//            order.
//   take     keys: numbers; values: of any trivially copyable type. An output is the array that it is made from, or
//            apart from all others.
//   before   less{} or greater{}, or an alias: NaNs come last, and −0 equals 0
//   wait     once for the stream, in the middle: NCCL must know how much each rank gets. So they can't be captured.
//   memory   about 2 times the bytes of the shard's keys and values, 3 times for more than 2 ranks, in a workspace of
//            the communicator's, which is freed with it: destroy the communicator before the stream of its last sort.
//            `memory` of the execution serves the local sort.
//   return   as sort.hpp: an error of CUDA's that is pending on a rank is returned there, and the other ranks wait.
//   cost     a sort of the shard; an exchange of some hundred bytes for each 4 bits of a key, and 2 more; one of the
//            elements that belong to other ranks; and a merge of the shard for each doubling of the ranks. A merge with
//            values reads and writes each value once; its elements in shared memory are a key and 8 bytes.
//
// Ranks, shards and errors are those of sharded.cuh.
//
// Source: sort_shards.hpp has the steps, split_agents.hpp how ranks agree on what each gets.
#pragma once

#include <tessera/grid/merge.cuh>
#include <tessera/grid/sharded/rank_on_gpu.cuh>
#include <tessera/grid/sharded/sort_shards.hpp>
#include <tessera/grid/sort.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <new>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// True if Before sorts keys over several GPUs. If not, a static assertion says what to write.
template <class Key, class Before>
constexpr bool can_sort_shards() {
  constexpr bool is_known = tessera::detail::has_sort_key<Key, tessera::detail::canonical_comparator_t<Before, Key>>;
  static_assert(is_known,
                "grid::sort and sort_by_key over several GPUs order numbers of up to 8 bytes by tessera::less{} or "
                "tessera::greater{}.");
  return is_known;
}

/// Sorts to `out` with values or without, unless the stream is captured.
template <class Before, class Run, class Sort, class Merge>
cudaError_t sort_in_stream(communicator& ranks, shard const& part, Run const& out, Sort const& sort, Merge const& merge,
                           execution on) noexcept {
  cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
  cudaError_t const known = detail::own_status(cudaStreamIsCapturing(detail::named(on.stream), &captured));
  if (known != cudaSuccess) return known;
  if (captured != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
  try {
    return detail::sort_shards<stl::is_same_v<Before, greater>>(detail::rank_on_gpu(ranks, on.stream), part, out, sort,
                                                                merge);
  } catch (std::bad_alloc const&) {
    return cudaErrorMemoryAllocation;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// out: this rank's places of the sorted array. See above.
template <class T, class Before = less>
[[nodiscard]] cudaError_t sort(communicator& ranks, T const* in, shard part, T* out, Before before = {},
                               execution on = {}) noexcept {
  if constexpr (detail::can_sort_shards<T, Before>()) {
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    if (!detail::is_array(out, part.count) || !detail::is_same_or_apart(in, out, part.count))
      return cudaErrorInvalidValue;
    using run = detail::key_run<T>;
    return detail::sort_in_stream<tessera::detail::canonical_comparator_t<Before, T>>(
        ranks, part, run{out}, [&](run to) { return grid::sort(in, part.count, to.keys, before, on); },
        [&](run a, std::int64_t na, run b, std::int64_t nb, run to) {
          return grid::merge(a.keys, na, b.keys, nb, to.keys, before, on);
        },
        on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// keys_out, values_out: this rank's places of the sorted keys, and the value of each. See above.
///
/// keys, values, keys_out, values_out  part.count elements each
template <class Key, class Value, class Before = less>
[[nodiscard]] cudaError_t sort_by_key(communicator& ranks, Key const* keys, Value const* values, shard part,
                                      Key* keys_out, Value* values_out, Before before = {},
                                      execution on = {}) noexcept {
  static_assert(is_exchangeable_v<Value>, "grid::sort_by_key: values are trivially copyable.");
  if constexpr (detail::can_sort_shards<Key, Before>() && is_exchangeable_v<Value>) {
    using order = tessera::detail::canonical_comparator_t<Before, Key>;
    cudaError_t const error = detail::check_shard(ranks, keys, part);
    if (error != cudaSuccess) return error;
    if (!detail::are_sortable(keys, keys_out, values, values_out, part.count)) return cudaErrorInvalidValue;
    using run = detail::pair_run<Key, Value>;
    return detail::sort_in_stream<order>(
        ranks, part, run{keys_out, values_out},
        [&](run to) { return grid::sort_by_key(keys, values, part.count, to.keys, to.values, before, on); },
        [&](run a, std::int64_t na, run b, std::int64_t nb, run to) {
          return grid::merge(
              detail::keyed_places<Key>{a.keys, 0}, na, detail::keyed_places<Key>{b.keys, b.keys - a.keys}, nb,
              detail::values_by_place<Key, Value>{a.values, to.keys, to.values}, detail::key_before<order>{}, on);
        },
        on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
