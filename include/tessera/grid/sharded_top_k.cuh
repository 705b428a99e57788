// The k elements that come first, the element of one place, and quantiles, of an array of which each of several GPUs
// holds a part: for nvcc.
//
//   error = tessera::grid::top_k(ranks, in, part, 100, values, indices);  // on every rank
//   error = tessera::grid::nth_element(ranks, in, part, total / 2, median);
//   error = tessera::grid::quantiles(ranks, in, part, q, 3, out, tessera::grid::quantile_method::linear);
//
//   rank        0        1      2
//   elements    3 9 2    9 7    8
//   top_k, k = 3            values 9 9 8   indices 1 3 5     on every rank
//   nth_element, place 1    value  3       index   0
//   quantiles 0, 1          2 9
//
// Ranks, shards, errors and memory are those of sharded.cuh; types, orders, ties and NaNs those of top_k.hpp. Results
// are those of the calls on the whole array, to the bit.
//
// Source: nth_element_shards.hpp has how an element is found where it lies.
#pragma once

#include <tessera/grid/histogram.cuh>
#include <tessera/grid/select.cuh>
#include <tessera/grid/sharded/combine_shards.hpp>
#include <tessera/grid/sharded/nth_element_shards.hpp>
#include <tessera/grid/sharded/rank_on_gpu.cuh>
#include <tessera/grid/sort/sort_input_agent.hpp>
#include <tessera/grid/top_k.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

/// True if values and indices can be `count` results, one of them at least if there are any.
template <class T>
bool are_results_of_shard(T const* in, shard const& part, T const* values, std::int64_t const* indices,
                          std::int64_t count) noexcept {
  std::int64_t const of_values = values != nullptr ? count : 0, of_indices = indices != nullptr ? count : 0;
  return (count == 0 || of_values > 0 || of_indices > 0) && detail::is_array(values, of_values) &&
         detail::is_array(indices, of_indices) && !detail::overlap(in, part.count, values, of_values) &&
         !detail::overlap(in, part.count, indices, of_indices) &&
         !detail::overlap(values, of_values, indices, of_indices);
}

/// The local steps of nth_of_shards.
template <class T>
struct count_digits_on_gpu {
  T const* in;
  std::int64_t n;
  execution on;

  template <class Bin>
  cudaError_t operator()(Bin const& bin, std::uint64_t* counts) const noexcept {
    return grid::histogram_by(in, n, counts, nth_tuning::digits, bin, {}, on);
  }
};
template <class T>
struct pick_on_gpu {
  T const* in;
  shard part;
  execution on;

  template <class IsOne>
  cudaError_t operator()(IsOne const& is_one, nth_state* state, indexed<T, std::int64_t>* found) const noexcept {
    return grid::select(index_reader<std::int64_t>{0}, in, part.count, pick_writer<T>{state, in, part.begin, found, 0},
                        TESSERA_ADDRESS_OF(state->equal), is_one, on);
  }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The k elements of the whole array that come first, in order, and their indices in it, on every rank.
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
    if (k < 0 || k > part.total || k > INT64_MAX / 64 / static_cast<std::int64_t>(sizeof(T) + 8) / ranks.count() ||
        !detail::are_results_of_shard(in, part, values, indices, k))
      return cudaErrorInvalidValue;
    if (k == 0) return cudaSuccess;
    return detail::top_k_shards<T>(detail::rank_on_gpu(ranks, on.stream), part, k, values, indices, order{},
                                   [&](std::int64_t count, T* own, std::int64_t* places) {
                                     return grid::top_k(in, part.count, count, own, places, before, on);
                                   });
  }
}

/// The element of the whole array that has `place` others before it, and its index in that, on every rank.
///
/// place         0 … part.total − 1, the same on all ranks
/// value, index  one each. Either may be null, but not both.
/// Cost          sizeof(T) + 1 reads of the shard, each followed by an exchange: of 2 KiB of counts of each rank, and
///               of the element
template <class T, class Before = less>
[[nodiscard]] cudaError_t nth_element(communicator& ranks, T const* in, shard part, std::int64_t place,
                                      tessera::detail::same_t<T>* value, std::int64_t* index = nullptr, Before = {},
                                      execution on = {}) noexcept {
  static_assert(tessera::detail::is_ordered_number<T>,
                "grid::nth_element over several GPUs: elements are integers, bool, float, double, __half or "
                "__nv_bfloat16.");
  if constexpr (detail::can_select<T, Before>() && tessera::detail::is_ordered_number<T>) {
    cudaError_t const error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    if (place < 0 || place >= part.total || !detail::are_results_of_shard(in, part, value, index, 1))
      return cudaErrorInvalidValue;
    return detail::nth_of_shards<detail::is_falling<T, Before>, T>(
        detail::rank_on_gpu(ranks, on.stream), part, place, detail::count_digits_on_gpu<T>{in, part.count, on},
        detail::pick_on_gpu<T>{in, part, on}, detail::store_element_and_index<T>{value, index});
  } else {
    return cudaErrorNotSupported;
  }
}

/// The quantiles q[0] … q[count − 1] of the whole array by less{}, on every rank. As in top_k.hpp; part.total is n.
///
/// q, method  the same on all ranks
/// Cost       that of nth_element for each; twice that where linear and midpoint need two elements
template <class T>
[[nodiscard]] cudaError_t quantiles(communicator& ranks, T const* in, shard part, double const* q, std::int64_t count,
                                    T* out, quantile_method method = quantile_method::nearest,
                                    execution on = {}) noexcept {
  static_assert(tessera::detail::is_ordered_number<T>,
                "grid::quantiles over several GPUs: elements are integers, bool, float, double, __half or "
                "__nv_bfloat16.");
  if constexpr (tessera::detail::is_ordered_number<T>) {
    cudaError_t error = detail::check_shard(ranks, in, part);
    if (error != cudaSuccess) return error;
    if (!detail::are_quantiles<T>(part.total, q, count, method) || !detail::is_array(out, count) ||
        detail::overlap(in, part.count, out, count))
      return cudaErrorInvalidValue;
    for (std::int64_t i = 0; i < count && error == cudaSuccess; ++i) {
      error = detail::quantile_of_shards(
          detail::rank_on_gpu(ranks, on.stream), part, detail::quantile_by(method, q[i], part.total), out + i,
          detail::count_digits_on_gpu<T>{in, part.count, on}, detail::pick_on_gpu<T>{in, part, on});
    }
    return error;
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
