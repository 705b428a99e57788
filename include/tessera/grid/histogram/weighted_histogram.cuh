// The kernels of grid::histogram_weighted.
//
//   peak kernel        finds the largest finite magnitude of float weights
//   weighted kernel    each block adds its part's weights in shared memory, and its sums to those of all blocks; the
//                      last block stores the totals
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/histogram/edge_search.hpp>
#include <tessera/grid/histogram/histogram_tuning.hpp>
#include <tessera/grid/histogram/weighted_cells.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/count_cells.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/reduce.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

inline namespace TESSERA_ARCHS {

/// The elements and weights that a thread loads before it uses the first.
inline constexpr unsigned weighted_in_flight = 8;

/// In the workspace's counters: 0 before and after a call.
struct weighted_progress {
  first_block_progress first;
  unsigned done;  // blocks
  stl::uint64_t peak;
};

/// The search for even bins, with the interface that weighted_kernel uses of edge_search.
template <class Bins>
class even_search {
 public:
  using request = Bins;
  using layout = cell_slice;

  __device__ even_search(Bins const& bins, cell_slice const& slice, unsigned* memory)
      : bins_(bins), slice_(slice), counters_(memory) {}
  __device__ static cell_slice slice_of(Bins const& bins, cell_slice slice, unsigned which) {
    slice.begin = which * slice.size;
    unsigned const left = bins.cells() - slice.begin;
    slice.size = left < slice.size ? left : slice.size;
    return slice;
  }
  template <class Block>
  __device__ void prepare(Block const&) {}
  __device__ unsigned* counters() const { return counters_; }
  __device__ unsigned cells() const { return slice_.size; }
  template <class T>
  __device__ unsigned cell_of(T const& x) const {
    return detail::cell_of(bins_, x) - slice_.begin;
  }
  __device__ unsigned of_cell(unsigned cell) const { return bins_.of_cell(slice_.begin + cell); }

 private:
  Bins bins_;
  cell_slice slice_;
  unsigned* counters_;
};

template <class Edge>
class sliced_edge_search : public edge_search<Edge> {
 public:
  using request = edge_request<Edge>;
  using layout = edge_layout;
  using edge_search<Edge>::edge_search;

  __device__ static edge_layout slice_of(edge_request<Edge> const& what, edge_layout slice, unsigned which) {
    slice.begin = which * slice.bins;
    unsigned const left = what.bins - slice.begin;
    slice.bins = left < slice.bins ? left : slice.bins;
    return slice;
  }
};

template <unsigned Threads, class Weights, class N>
__global__ void __launch_bounds__(Threads)
    peak_kernel(reader_parameter<Weights> weights, N n, weighted_progress* progress) {
  wait_for_stream();
  using W = value_of<Weights>;
  using fixed = fixed_weights<W>;
  auto const warp = tessera::tiled_partition<32>(cooperative_groups::this_thread_block());
  auto const all =
      tessera::detail::range_of(detail::reader_in(weights), static_cast<stl::uint64_t>(detail::count_now(n)));
  stl::uint64_t peak = 0;
  detail::visit_part<false>(block_lanes<Threads>{threadIdx.x}, all, blockIdx.x, gridDim.x, [&](W const& w) {
    stl::uint64_t const size = fixed::magnitude(w);
    if (size < fixed::infinity && size > peak) peak = size;
  });
  peak = tessera::reduce(warp, peak, tessera::maximum{}, converged);
  if (warp.thread_rank() == 0 && peak != 0) detail::fetch_max(&progress->peak, peak);
}

template <unsigned Threads, class Search, class In, class Weights, class N, class Sum>
__global__ void __launch_bounds__(Threads)
    weighted_kernel(reader_parameter<In> in, reader_parameter<Weights> weights, N number,
                    aligned<typename Search::request> what, typename Search::layout layout, unsigned slices,
                    weighted_totals all, Sum* sums, std::uint64_t* outside, weighted_progress* progress) {
  wait_for_stream();
  using T = value_of<In>;
  using W = value_of<Weights>;
  std::int64_t const n = detail::count_now(number);
  extern __shared__ __align__(16) unsigned edge_memory[];
  __shared__ bool is_last;
  auto const block = cooperative_groups::this_thread_block();
  auto const warp = tessera::tiled_partition<32>(block);
  auto const fixed = fixed_weights<W>::of(progress->peak, n);
  Search search(what.value, Search::slice_of(what.value, layout, blockIdx.x % slices), edge_memory);
  weighted_cells const cells{search.counters(), search.cells()};
  cells.clear(block);
  search.prepare(block);
  detail::barrier_of_block(block);
  bool const is_last_to_pass =
      warp.meta_group_rank() == 0 &&
      detail::wait_for_first_block(warp, &progress->first, gridDim.x, [&] { all.clear(warp); });

  constexpr std::int64_t step = std::int64_t{Threads} * weighted_in_flight;
  for (std::int64_t first = blockIdx.x / slices * step + block.thread_rank(); first < n;
       first += gridDim.x / slices * step) {
    T x[weighted_in_flight];
    W w[weighted_in_flight];
    TESSERA_UNROLL
    for (unsigned u = 0; u < weighted_in_flight; ++u) {
      if (first + u * Threads < n) {
        x[u] = tessera::detail::read_element(detail::reader_in(in), first + u * Threads);
        w[u] = tessera::detail::read_element(detail::reader_in(weights), first + u * Threads);
      }
    }
    TESSERA_UNROLL
    for (unsigned u = 0; u < weighted_in_flight; ++u) {
      if (first + u * Threads >= n) break;
      unsigned const cell = search.cell_of(x[u]);
      if (cell < cells.size) detail::add_weight(cells, cell, search.of_cell(cell) < all.bins, fixed, w[u]);
    }
  }
  detail::barrier_of_block(block);
  all.add(block, cells, search);
  detail::fence();
  detail::barrier_of_block(block);
  if (block.thread_rank() == 0) is_last = detail::is_last_block(&progress->done, gridDim.x);
  if (is_last_to_pass) progress->first.ready = 0;
  detail::barrier_of_block(block);
  if (!is_last) return;
  for (unsigned i = block.thread_rank(); i < all.bins; i += Threads)
    sums[i] = fixed.template sum<Sum>(detail::load_acquire(all.total + i), detail::load_acquire(all.special + i));
  if (block.thread_rank() < 3 && outside != nullptr)
    outside[block.thread_rank()] = detail::load_acquire(all.total + all.bins + block.thread_rank());
  if (block.thread_rank() == 0) progress->peak = 0;
}

/// The arrays of a call, besides edges.
template <class In, class Weights, class N, class Sum>
struct weighted_call {
  In in;
  Weights weights;
  N n;
  Sum* sums;
  std::uint64_t* outside;  // three numbers, or null
  execution on;

  bool is_possible(std::int64_t bins) const {
    std::int64_t const apart = outside != nullptr ? 3 : 0, most = detail::most_of(n);
    return bins > 0 && most <= longest_array && detail::is_array(in, most) && detail::is_array(weights, most) &&
           detail::is_array(sums, bins) && detail::is_array(outside, apart) && !detail::overlap(in, most, sums, bins) &&
           !detail::overlap(weights, most, sums, bins) && !detail::overlap(in, most, outside, apart) &&
           !detail::overlap(weights, most, outside, apart) && !detail::overlap(sums, bins, outside, apart) &&
           detail::is_count(n, sums, bins) && detail::is_count(n, outside, apart);
  }
  static constexpr unsigned element_bytes = sizeof(value_of<In>) + sizeof(value_of<Weights>);
};

template <class Search, class In, class Weights, class N, class Sum>
cudaError_t launch_weighted(weighted_call<In, Weights, N, Sum> const& call, unsigned bins,
                            typename Search::request const& what, typename Search::layout const& layout,
                            unsigned slices, unsigned parts, unsigned shared_bytes) noexcept {
  std::size_t const cells = std::size_t{bins} + 3;
  pooled_workspace const scratch(call.on, detail::weighted_bytes(bins));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const progress = reinterpret_cast<weighted_progress*>(scratch.counters());
  auto* const total = static_cast<stl::uint64_t*>(scratch.data());
  weighted_totals const all{total, reinterpret_cast<unsigned*>(total + cells), bins};
  reader_parameter<In> const in(call.in);
  reader_parameter<Weights> const weights(call.weights);
  if constexpr (fixed_weights<value_of<Weights>>::needs_peak) {
    constexpr auto* peak = &peak_kernel<histogram_threads, Weights, N>;
    cudaError_t const error =
        detail::launch<peak>({parts, histogram_threads}, call.on.stream, weights, call.n, progress);
    if (error != cudaSuccess) return error;
  }
  constexpr auto* kernel = &weighted_kernel<histogram_threads, Search, In, Weights, N, Sum>;
  return scratch.clear_after(detail::launch<kernel>({std::int64_t{parts} * slices, histogram_threads, shared_bytes},
                                                    call.on.stream, in, weights, call.n, what, layout, slices, all,
                                                    call.sums, call.outside, progress));
}

template <class In, class Weights, class N, class Sum, class Bins>
cudaError_t weighted_even(weighted_call<In, Weights, N, Sum> const& call, Bins const& bins) noexcept {
  if (!call.is_possible(bins.count)) return cudaErrorInvalidValue;
  int sms = 0, shared_bytes = 0;
  cudaError_t const error =
      detail::query_device(cudaDevAttrMultiProcessorCount, sms, cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_bytes);
  if (error != cudaSuccess) return error;
  constexpr unsigned cell_bytes = 12;
  unsigned const most = (static_cast<unsigned>(shared_bytes) - 16) / cell_bytes;
  unsigned const slices = (bins.cells() + most - 1) / most, size = (bins.cells() + slices - 1) / slices;
  unsigned const parts =
      detail::part_count(detail::most_of(call.n), call.element_bytes, slices, static_cast<unsigned>(sms));
  return detail::launch_weighted<even_search<Bins>>(call, bins.count, bins, cell_slice{0, size, 1}, slices, parts,
                                                    size * cell_bytes);
}

template <class In, class Weights, class N, class Sum, class Edge>
cudaError_t weighted_between(weighted_call<In, Weights, N, Sum> const& call,
                             edge_request<Edge> const& request) noexcept {
  unsigned const bins = request.bins;
  std::int64_t const edges = std::int64_t{bins} + 1;
  if (!call.is_possible(bins) || !detail::is_array(request.edges, edges) ||
      detail::overlap(call.sums, bins, request.edges, edges) ||
      detail::overlap(call.outside, call.outside != nullptr ? 3 : 0, request.edges, edges))
    return cudaErrorInvalidValue;
  int sms = 0, shared_bytes = 0;
  cudaError_t const error =
      detail::query_device(cudaDevAttrMultiProcessorCount, sms, cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_bytes);
  if (error != cudaSuccess) return error;
  edge_plan const plan = detail::plan_edges(detail::most_of(call.n), call.element_bytes, sizeof(edge_key<Edge>), bins,
                                            static_cast<unsigned>(sms), static_cast<unsigned>(shared_bytes) - 16, true);
  return detail::launch_weighted<sliced_edge_search<Edge>>(call, bins, request, plan.layout, plan.slices, plan.parts,
                                                           plan.layout.bytes(sizeof(edge_key<Edge>)));
}

}  // namespace TESSERA_ARCHS

}  // namespace grid::detail
TESSERA_NAMESPACE_END
