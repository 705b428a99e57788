// The elements with a property, of an array of which each of several GPUs holds a part: for nvcc.
//
//   error = tessera::grid::select(ranks, in, part, out, selected, is_even{});  // a shard on the GPU
//
//   rank        0            1        2
//   elements    1 4 6 3      2 5      8 7 0
//   out         4 6          2        8 0
//   selected    {0, 2, 5}    {2, 1, 5}    {3, 2, 5}    begin, count and total of an array over the ranks again
//
// Ranks, shards, errors and memory are those of sharded.cuh. Cost: the local select, an exchange of 8 bytes, and a
// kernel of one warp.
#pragma once

#include <tessera/grid/select.cuh>
#include <tessera/grid/sharded/combine_shards.hpp>
#include <tessera/grid/sharded/rank_on_gpu.cuh>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

inline namespace TESSERA_ARCHS {

/// out[0], out[1] …: this rank's elements for which pred holds, in order. *selected says where they are in the array of
/// all that are selected, and how long that is: a shard for the next call, once the CPU has read it.
///
/// selected  on the device
template <class In, class Out, class Pred>
[[nodiscard]] cudaError_t select(communicator& ranks, In in, shard part, Out out, shard* selected, Pred pred,
                                 execution on = {}) noexcept {
  cudaError_t const error = detail::check_shard(ranks, tessera::detail::reader_of(in), part, selected);
  if (error != cudaSuccess) return error;
  return detail::select_shards(detail::rank_on_gpu(ranks, on.stream), selected,
                               [&](std::int64_t* count) { return grid::select(in, part.count, out, count, pred, on); });
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
