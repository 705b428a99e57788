// The k elements that come first, of an array of which each of several GPUs holds a part: for nvcc.
//
//   error = tessera::grid::top_k(ranks, in, part, 100, values, indices);  // on every rank
//
//   rank        0        1      2
//   elements    3 9 2    9 7    8
//   k = 3       values 9 9 8, indices 1 3 5, on every rank
//
// Ranks, shards, errors and memory are those of sharded.cuh. Types and orders are those of top_k.hpp.
#pragma once

#include <tessera/grid/sharded/combine_shards.hpp>
#include <tessera/grid/sharded/rank_on_gpu.cuh>
#include <tessera/grid/top_k.cuh>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

inline namespace TESSERA_ARCHS {

/// The k elements of the whole array that come first, in order, and their indices in it, on every rank. The order and
/// types are those of top_k.hpp.
///
/// k        0 … part.total
/// values   k elements, or null; indices: k of them, or null
/// Cost     that of the local top_k, and an exchange of k elements and indices of each rank
template <class T, class Before = greater>
[[nodiscard]] cudaError_t top_k(communicator& ranks, T const* in, shard part, std::int64_t k,
                                tessera::detail::same_t<T>* values, std::int64_t* indices, Before before = {},
                                execution on = {}) noexcept {
  if constexpr (!detail::can_select<T, Before>()) {
    return cudaErrorNotSupported;
  } else {
    using order = tessera::detail::canonical_comparator_t<Before, T>;
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    bool const is_wanted = values != nullptr || indices != nullptr;
    if (k < 0 || k > part.total || k > INT64_MAX / 64 / static_cast<std::int64_t>(sizeof(T) + 8) / ranks.count() ||
        (k > 0 && !is_wanted) || !detail::is_array(values, values ? k : 0) ||
        !detail::is_array(indices, indices ? k : 0) || detail::overlap(in, part.count, values, values ? k : 0) ||
        detail::overlap(in, part.count, indices, indices ? k : 0) ||
        detail::overlap(values, values ? k : 0, indices, indices ? k : 0))
      return cudaErrorInvalidValue;
    if (k == 0) return cudaSuccess;
    return detail::top_k_shards<T>(detail::rank_on_gpu(ranks, on.stream), part, k, values, indices, order{},
                                   [&](std::int64_t count, T* own, std::int64_t* places) {
                                     return grid::top_k(in, part.count, count, own, places, before, on);
                                   });
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
