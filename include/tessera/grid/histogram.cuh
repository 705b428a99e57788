// The kernels and the launchers of grid::histogram, for nvcc: for edges of another type than the elements, for elements
// of any type in bins by a function, for several channels of interleaved values, and for sums of weights.
//
//   error = tessera::grid::histogram_by(in, n, counts, 5, [] __device__(my_struct const& x) { return x.color; });
//   error = tessera::grid::histogram_channels<4>(in, n, {{red, 256, 0, 256}, {green, 256, 0, 256}});
//   error = tessera::grid::histogram_weighted(in, weights, n, sums, 256, edges);
//
// All of them, and histogram() of histogram.hpp, read elements and weights by pointers or iterators
// (core/iterators.hpp), and take a count_on_device in place of n (count_on_device.hpp).
//
// Floor: n · sizeof(T) bytes read, 239 µs for 2^28 ints at the 4490 GB/s of an H200.
#pragma once

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/histogram.hpp>
#include <tessera/grid/histogram/channel_bins.hpp>
#include <tessera/grid/histogram/edge_search.hpp>
#include <tessera/grid/histogram/histogram_tuning.hpp>
#include <tessera/grid/histogram/samples.hpp>
#include <tessera/grid/histogram/weighted_histogram.cuh>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/count_cells.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/lanes.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid {

inline namespace TESSERA_ARCHS {

/// The even bins of one channel of histogram_channels: the arguments of histogram() in its order.
template <class T>
struct histogram_channel {
  std::uint64_t* counts;
  std::int64_t bins;
  detail::bound_t<detail::counted_t<T>> lower, upper;
  histogram_options options = {};
};

/// The bins of one channel between edges, likewise: bins + 1 of them on the device.
template <class T>
struct histogram_channel_edges {
  std::uint64_t* counts;
  std::int64_t bins;
  T const* edges;
  histogram_options options = {};
};

}  // namespace TESSERA_ARCHS

namespace detail {

inline namespace TESSERA_ARCHS {

/// Sliced: `slices` neighboring blocks read the same part, and each counts another slice of the cells.
template <unsigned Threads, bool Sliced, class In, class N, class Bins, class Totals>
__global__ void __launch_bounds__(Threads)
    histogram_kernel(reader_parameter<In> in, N n, aligned<Bins> all_bins, cell_slice slice, unsigned slices,
                     Totals out, first_block_progress* progress) {
  wait_for_stream();
  extern __shared__ unsigned cells[];
  Bins const& bins = all_bins.value;
  auto const block = cooperative_groups::this_thread_block();
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const part = blockIdx.x / slices, parts = gridDim.x / slices;
  if constexpr (Sliced) {
    slice.begin = blockIdx.x % slices * slice.size;
    unsigned const left = bins.cells() - slice.begin;
    slice.size = left < slice.size ? left : slice.size;
  }
  detail::clear_cells(block, cells, slice);
  detail::barrier_of_block(block);
  // Latency here delays the block's exit only: nothing waits for the result before it is needed.
  bool const is_last_to_pass =
      warp.meta_group_rank() == 0 &&
      detail::wait_for_first_block(warp, progress, gridDim.x, [&] { detail::clear_totals(warp, out); });
  auto const all = tessera::detail::range_of(detail::reader_in(in), static_cast<stl::uint64_t>(detail::count_now(n)));
  detail::count_cells<Threads, Sliced>(block, all, part, parts, bins, cells, slice);
  detail::barrier_of_block(block);
  unsigned const first = static_cast<unsigned>(stl::uint64_t{slice.size} * part / parts) / 32 * 32;
  detail::add_cells(block, cells, slice, first, bins, out);
  if (is_last_to_pass) progress->ready = 0;
}

/// Each block searches among its slice of the edges: `slices` neighboring blocks read the same part.
template <unsigned Threads, class In, class N, class Edge>
__global__ void __launch_bounds__(Threads)
    edges_kernel(reader_parameter<In> in, N n, edge_request<Edge> request, edge_layout layout, unsigned slices,
                 totals out, first_block_progress* progress) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned edge_memory[];
  auto const block = cooperative_groups::this_thread_block();
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const part = blockIdx.x / slices, parts = gridDim.x / slices;
  layout.begin = blockIdx.x % slices * layout.bins;
  unsigned const left = request.bins - layout.begin;
  layout.bins = left < layout.bins ? left : layout.bins;
  edge_search<Edge> search(request, layout, edge_memory);
  cell_slice const cells{0, layout.cells(), layout.copies};
  detail::clear_cells(block, search.counters(), cells);
  search.prepare(block);
  detail::barrier_of_block(block);
  bool const is_last_to_pass =
      warp.meta_group_rank() == 0 &&
      detail::wait_for_first_block(warp, progress, gridDim.x, [&] { detail::clear_totals(warp, out); });
  auto const all = tessera::detail::range_of(detail::reader_in(in), static_cast<stl::uint64_t>(detail::count_now(n)));
  detail::visit_part<false>(block_lanes<Threads>{block.thread_rank()}, all, part, parts,
                            [&](value_of<In> const& x) { search.count(x); });
  detail::barrier_of_block(block);
  unsigned const first = static_cast<unsigned>(stl::uint64_t{cells.size} * part / parts) / 32 * 32;
  detail::add_cells(block, search.counters(), cells, first, search, out);
  if (is_last_to_pass) progress->ready = 0;
}

template <class In, class N>
bool are_arrays(In const& in, N const& number, std::uint64_t* counts, unsigned bins, out_of_range* outside) {
  std::int64_t const n = detail::most_of(number), apart = outside != nullptr ? 1 : 0;
  return n <= longest_array && detail::is_array(in, n) && detail::is_array(counts, bins) &&
         detail::is_array(outside, apart) && !detail::overlap(in, n, counts, bins) &&
         !detail::overlap(in, n, outside, apart) && !detail::overlap(counts, bins, outside, apart) &&
         detail::is_count(number, counts, bins) && detail::is_count(number, outside, apart);
}

template <bool Sliced, class In, class N, class Bins, class Totals>
cudaError_t launch_blocks(In const& in, N const& n, Bins const& bins, histogram_plan const& plan, Totals const& out,
                          first_block_progress* progress, cudaStream_t stream) {
  constexpr auto* kernel = &histogram_kernel<histogram_threads, Sliced, In, N, Bins, Totals>;
  unsigned const shared = plan.slice * plan.copies * static_cast<unsigned>(sizeof(unsigned));
  return detail::launch<kernel>({std::int64_t{plan.parts} * plan.slices, histogram_threads, shared}, stream,
                                reader_parameter<In>(in), n, bins, cell_slice{0, plan.slice, plan.copies}, plan.slices,
                                out, progress);
}

template <class In, class N, class Bins>
cudaError_t histogram_of(In const& in, N const& n, std::uint64_t* counts, Bins const& bins, out_of_range* outside,
                         execution on) noexcept {
  if (bins.count == 0 || !detail::are_arrays(in, n, counts, bins.count, outside)) return cudaErrorInvalidValue;
  int sms = 0, shared_bytes = 0;
  cudaError_t const error =
      detail::query_device(cudaDevAttrMultiProcessorCount, sms, cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_bytes);
  if (error != cudaSuccess) return error;

  pooled_workspace const scratch(on, 0);
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto const progress = reinterpret_cast<first_block_progress*>(scratch.counters());
  totals const out{counts, outside ? &outside->below : nullptr, bins.count};
  histogram_plan const plan = detail::plan_histogram(detail::most_of(n), sizeof(value_of<In>), bins.cells(),
                                                     static_cast<unsigned>(sms), static_cast<unsigned>(shared_bytes));
  if constexpr (!are_few_cells<Bins>) {
    if (plan.slices > 1) return detail::launch_blocks<true>(in, n, bins, plan, out, progress, on.stream);
  }
  return detail::launch_blocks<false>(in, n, bins, plan, out, progress, on.stream);
}

template <class Edge>
bool is_request(edge_request<Edge> const& request) {
  return request.bins != 0 && detail::is_array(request.edges, request.bins + 1);
}
/// True if the outputs have nothing in common with the edges.
template <class Edge>
bool are_apart_from_edges(edge_request<Edge> const& request, std::uint64_t* counts, std::int64_t bins,
                          out_of_range* outside) {
  return !detail::overlap(counts, bins, request.edges, request.bins + 1) &&
         !detail::overlap(outside, outside != nullptr ? 1 : 0, request.edges, request.bins + 1);
}

template <class In, class N, class Edge>
cudaError_t histogram_between(In const& in, N const& n, std::uint64_t* counts, edge_request<Edge> const& request,
                              out_of_range* outside, execution on) noexcept {
  using T = value_of<In>;
  unsigned const bins = request.bins;
  if (!detail::is_request(request) || !detail::are_apart_from_edges(request, counts, bins, outside))
    return cudaErrorInvalidValue;
  if constexpr (sizeof(T) == 1) {
    return detail::histogram_of(in, n, counts, byte_edges<T, Edge>{{bins, request}}, outside, on);
  } else {
    if (!detail::are_arrays(in, n, counts, bins, outside)) return cudaErrorInvalidValue;
    int sms = 0, shared_bytes = 0;
    cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, sms,
                                                   cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_bytes);
    if (error != cudaSuccess) return error;
    pooled_workspace const scratch(on, 0);
    if (scratch.error() != cudaSuccess) return scratch.error();
    auto const progress = reinterpret_cast<first_block_progress*>(scratch.counters());
    totals const out{counts, outside ? &outside->below : nullptr, bins};
    edge_plan const plan = detail::plan_edges(detail::most_of(n), sizeof(T), sizeof(edge_key<Edge>), bins,
                                              static_cast<unsigned>(sms), static_cast<unsigned>(shared_bytes));
    constexpr auto* kernel = &edges_kernel<histogram_threads, In, N, Edge>;
    return detail::launch<kernel>(
        {std::int64_t{plan.parts} * plan.slices, histogram_threads, plan.layout.bytes(sizeof(edge_key<Edge>))},
        on.stream, reader_parameter<In>(in), n, request, plan.layout, plan.slices, out, progress);
  }
}

template <class T, class Edge>
struct edges_launcher<T, Edge, void> {
  static cudaError_t launch(T const* in, std::int64_t n, std::uint64_t* counts, edge_request<Edge> const& request,
                            out_of_range* outside, execution on) noexcept {
    return detail::histogram_between(in, n, counts, request, outside, on);
  }
};

/// True if all arrays of two channels can be written side by side.
template <class Channel>
bool are_apart_channels(Channel const& a, Channel const& b) {
  std::int64_t const apart_a = a.options.outside != nullptr ? 1 : 0, apart_b = b.options.outside != nullptr ? 1 : 0;
  return !detail::overlap(a.counts, a.bins, b.counts, b.bins) &&
         !detail::overlap(a.counts, a.bins, b.options.outside, apart_b) &&
         !detail::overlap(a.options.outside, apart_a, b.counts, b.bins) &&
         !detail::overlap(a.options.outside, apart_a, b.options.outside, apart_b);
}

/// The bins of a channel; of none that can be with a count of 0.
template <class T, class Channel>
auto bins_of_channel(Channel const& channel) {
  return bins_of<T>::over(channel.bins, channel.lower, channel.upper, channel.options.last == last_bin::closed);
}
template <class T, class Value>
edges_of_channel<T, T> bins_of_channel(histogram_channel_edges<Value> const& channel) {
  auto const request = detail::request_of<T>(channel.edges, channel.bins, channel.options);
  edges_of_channel<T, T> out{};
  out.count = detail::is_request(request) ? request.bins : 0;
  out.request = request;
  return out;
}
/// True if a channel's outputs have nothing in common with another's bins.
template <class Bins, class Channel>
bool are_apart_from_bins(Bins const&, Channel const&) {
  return true;
}
template <class Bins, class Value>
bool are_apart_from_bins(Bins const& bins, histogram_channel_edges<Value> const& channel) {
  return detail::are_apart_from_edges(bins.request, channel.counts, channel.bins, channel.options.outside);
}

template <unsigned Channels, class T, class In, class N, unsigned Active, class Channel>
cudaError_t launch_channels(In const& in, N const& n, Channel const (&channels)[Active], execution on) noexcept {
  std::int64_t const most = detail::most_of(n), values = most < 0 ? most : most * Channels;
  if (most > longest_array / Channels) return cudaErrorInvalidValue;
  channel_bins<decltype(detail::bins_of_channel<T>(channels[0])), Active> bins;
  channel_totals<Active> out;
  for (unsigned c = 0; c < Active; ++c) {
    Channel const& channel = channels[c];
    out_of_range* const outside = channel.options.outside;
    bins.channel[c] = detail::bins_of_channel<T>(channel);
    unsigned const count = bins.channel[c].count;
    if (count == 0 || !detail::are_arrays(in, values, channel.counts, count, outside) ||
        !detail::is_count(n, channel.counts, count) || !detail::is_count(n, outside, outside != nullptr ? 1 : 0))
      return cudaErrorInvalidValue;
    for (unsigned other = 0; other < c; ++other) {
      if (!detail::are_apart_channels(channel, channels[other])) return cudaErrorInvalidValue;
    }
    out.channel[c] = {channel.counts, outside ? &outside->below : nullptr, count};
  }
  for (auto const& of_one : bins.channel)
    for (Channel const& channel : channels)
      if (!detail::are_apart_from_bins(of_one, channel)) return cudaErrorInvalidValue;
  bins.number_cells();

  int sms = 0, shared_bytes = 0;
  cudaError_t const error =
      detail::query_device(cudaDevAttrMultiProcessorCount, sms, cudaDevAttrMaxSharedMemoryPerBlockOptin, shared_bytes);
  if (error != cudaSuccess) return error;
  pooled_workspace const scratch(on, 0);
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto const progress = reinterpret_cast<first_block_progress*>(scratch.counters());
  auto const pixels = detail::pixels_of<T, Channels>(in);
  unsigned const room = static_cast<unsigned>(shared_bytes) / 4;
  histogram_plan const plan = detail::plan_histogram(
      values, sizeof(T), bins.cells(), static_cast<unsigned>(sms), static_cast<unsigned>(shared_bytes),
      room < preferred_channel_counters ? room : preferred_channel_counters);
  return plan.slices == 1 ? detail::launch_blocks<false>(pixels, n, bins, plan, out, progress, on.stream)
                          : detail::launch_blocks<true>(pixels, n, bins, plan, out, progress, on.stream);
}

template <unsigned Channels, class In, class N, unsigned Active, class Channel>
cudaError_t histogram_of_channels(In const& in, N const& n, Channel const (&channels)[Active], execution on) noexcept {
  using element = counted_t<value_of<In>>;
  constexpr bool possible = Active <= Channels && Channels <= 16;
  static_assert(possible,
                "grid::histogram_channels<Channels>: pixels have up to 16 channels, and no more of them are counted.");
  static_assert(has_even_bins<element>,
                "grid::histogram_channels: values are integers of up to 64 bits, bool, enumerations, float, double, "
                "__half or __nv_bfloat16.");
  if constexpr (possible && has_even_bins<element>) {
    return detail::launch_channels<Channels, element>(in, n, channels, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// True if histogram_weighted takes these types.
template <class Element, class Edge, class W, class Sum>
constexpr bool can_weight() {
  constexpr bool counts = has_even_bins<Element> && has_even_bins<Edge>;
  static_assert(
      counts,
      "grid::histogram_weighted: elements and edges are integers of up to 64 bits, bool, enumerations, float, "
      "double, __half or __nv_bfloat16.");
  constexpr bool fits = !counts || holds_all<Edge, Element>;
  static_assert(fits,
                "grid::histogram_weighted: edges have the type of the elements, or one that has all their values.");
  constexpr bool floats = is_binned_float<W>;
  static_assert(has_even_bins<W>, "grid::histogram_weighted: weights are integers of up to 64 bits, bool or floats.");
  constexpr bool sums = floats ? stl::is_same_v<Sum, float> || stl::is_same_v<Sum, double>
                               : tessera::detail::is_integer<Sum> && sizeof(Sum) == 8;
  static_assert(
      sums,
      "grid::histogram_weighted: sums of integers are std::int64_t or std::uint64_t, those of floats float or "
      "double.");
  return counts && fits && has_even_bins<W> && sums;
}

template <class Element, class In, class Weights, class N, class Sum>
auto weighted_call_of(In const& in, Weights const& weights, N const& n, Sum* sums, histogram_options const& options,
                      execution on) noexcept {
  auto const samples = detail::samples_of<Element>(tessera::detail::reader_of(in));
  auto const read_weights = tessera::detail::reader_of(weights);
  return weighted_call<stl::remove_cv_t<decltype(samples)>, stl::remove_cv_t<decltype(read_weights)>, N, Sum>{
      samples, read_weights, n, sums, options.outside ? &options.outside->below : nullptr, on};
}
template <class In, class Weights, class N, class Sum, class Bound>
cudaError_t weigh_even(In const& in, Weights const& weights, N const& n, Sum* sums, std::int64_t bins, Bound lower,
                       Bound upper, histogram_options const& options, execution on) noexcept {
  using element = counted_t<value_of<In>>;
  if constexpr (can_weight<element, element, value_of<Weights>, Sum>()) {
    auto const even = bins_of<element>::over(bins, lower, upper, options.last == last_bin::closed);
    return detail::weighted_even(detail::weighted_call_of<element>(in, weights, n, sums, options, on), even);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class Weights, class N, class Sum, class Edge>
cudaError_t weigh_between(In const& in, Weights const& weights, N const& n, Sum* sums, std::int64_t bins,
                          Edge const* edges, histogram_options const& options, execution on) noexcept {
  using element = counted_t<value_of<In>>;
  using edge = counted_t<Edge>;
  if constexpr (can_weight<element, edge, value_of<Weights>, Sum>()) {
    return detail::weighted_between(detail::weighted_call_of<element>(in, weights, n, sums, options, on),
                                    detail::request_of<edge>(edges, bins, options));
  } else {
    return cudaErrorNotSupported;
  }
}

/// histogram() of a reader's elements; N is a std::int64_t or a device_count.
template <class In, class N, class Bound>
cudaError_t histogram_even(In const& in, N const& n, std::uint64_t* counts, std::int64_t bins, Bound lower, Bound upper,
                           histogram_options const& options, execution on) noexcept {
  using element = counted_t<value_of<In>>;
  if constexpr (can_count<element>()) {
    auto const even = bins_of<element>::over(bins, lower, upper, options.last == last_bin::closed);
    return detail::histogram_of(detail::samples_of<element>(in), n, counts, even, options.outside, on);
  } else {
    return cudaErrorNotSupported;
  }
}
template <class In, class N, class Edge>
cudaError_t histogram_at_edges(In const& in, N const& n, std::uint64_t* counts, std::int64_t bins, Edge const* edges,
                               histogram_options const& options, execution on) noexcept {
  using element = counted_t<value_of<In>>;
  using edge = counted_t<Edge>;
  if constexpr (can_count_between<element, edge>()) {
    return detail::histogram_between(detail::samples_of<element>(in), n, counts,
                                     detail::request_of<edge>(edges, bins, options), options.outside, on);
  } else {
    return cudaErrorNotSupported;
  }
}

/// The pointer to edges that a contiguous iterator reads.
template <class Edges>
using if_edges = stl::enable_if_t<tessera::detail::is_reader<Edges>, bool>;
template <class Edges>
auto edges_of(Edges const& edges) noexcept {
  constexpr bool contiguous = !tessera::detail::is_computed<Edges>;
  static_assert(contiguous, "grid::histogram: edges are read from memory: write a pointer or a contiguous iterator.");
  if constexpr (contiguous) {
    return tessera::detail::reader_of(edges);
  } else {
    return static_cast<value_of<Edges> const*>(nullptr);
  }
}

/// Bins that a function computes. Elements without a bin are in the cell after the bins.
template <class F>
struct bins_by {
  unsigned count;
  F bin;

  static bins_by of(std::int64_t bins, F const& bin) {
    bool const possible = bins >= 1 && bins <= std::int64_t{most_bins};
    return {possible ? static_cast<unsigned>(bins) : 0u, bin};
  }
  TESSERA_FN unsigned cells() const { return count + 1; }
  template <class T>
  __device__ detail::place place(T const& x) const {
    auto const found = static_cast<stl::uint64_t>(bin(x));
    return {true, found < count ? static_cast<unsigned>(found) : count};
  }
  template <class T>
  __device__ unsigned outside(T const&) const {
    return count;
  }
  TESSERA_FN unsigned of_cell(unsigned cell) const { return cell < count ? cell : count + 1; }
};

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// Counts elements of any trivially copyable type: bin(x) is the bin of x, an integer. If that is none of 0 … bins −
/// 1, x is counted as `above`. Everything else is as in histogram.hpp.
///
/// bin  a function for the GPU, such as a __device__ lambda. It is called once for each element.
template <class In, class F>
[[nodiscard]] cudaError_t histogram_by(In in, std::int64_t n, std::uint64_t* counts, std::int64_t bins, F bin,
                                       histogram_options options = {}, execution on = {}) noexcept {
  return detail::histogram_of(tessera::detail::reader_of(in), n, counts, detail::bins_by<F>::of(bins, bin),
                              options.outside, on);
}
template <class In, class F>
[[nodiscard]] cudaError_t histogram_by(In in, device_count n, std::uint64_t* counts, std::int64_t bins, F bin,
                                       histogram_options options = {}, execution on = {}) noexcept {
  return detail::histogram_of(tessera::detail::reader_of(in), n, counts, detail::bins_by<F>::of(bins, bin),
                              options.outside, on);
}

/// histogram() of histogram.hpp, by iterators (core/iterators.hpp): `in` by any, `edges` by contiguous ones.
template <class In, detail::if_iterator<In> = true>
[[nodiscard]] cudaError_t histogram(In in, std::int64_t n, std::uint64_t* counts, std::int64_t bins,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> lower,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> upper,
                                    histogram_options options = {}, execution on = {}) noexcept {
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::histogram(tessera::detail::reader_of(in), n, counts, bins, lower, upper, options, on);
  } else {
    return detail::histogram_even(in, n, counts, bins, lower, upper, options, on);
  }
}
template <class In, class Edges, detail::if_any_iterator<In, Edges> = true, detail::if_edges<Edges> = true>
[[nodiscard]] cudaError_t histogram(In in, std::int64_t n, std::uint64_t* counts, std::int64_t bins, Edges edges,
                                    histogram_options options = {}, execution on = {}) noexcept {
  if constexpr (!tessera::detail::is_computed<In>) {
    return grid::histogram(tessera::detail::reader_of(in), n, counts, bins, detail::edges_of(edges), options, on);
  } else {
    return detail::histogram_at_edges(in, n, counts, bins, detail::edges_of(edges), options, on);
  }
}
/// histogram() with n on the device (count_on_device.hpp).
template <class In>
[[nodiscard]] cudaError_t histogram(In in, device_count n, std::uint64_t* counts, std::int64_t bins,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> lower,
                                    detail::bound_t<detail::counted_t<detail::value_of<In>>> upper,
                                    histogram_options options = {}, execution on = {}) noexcept {
  return detail::histogram_even(tessera::detail::reader_of(in), n, counts, bins, lower, upper, options, on);
}
template <class In, class Edges, detail::if_edges<Edges> = true>
[[nodiscard]] cudaError_t histogram(In in, device_count n, std::uint64_t* counts, std::int64_t bins, Edges edges,
                                    histogram_options options = {}, execution on = {}) noexcept {
  return detail::histogram_at_edges(tessera::detail::reader_of(in), n, counts, bins, detail::edges_of(edges), options,
                                    on);
}

/// Counts the values of several channels, each in bins of its own: histogram_channels<4>(in, n, {{red, 256, 0, 256},
/// {green, 256, 0, 256}, {blue, 256, 0, 256}}) of n pixels, whose fourth value isn't counted.
///
/// Channels  the number of values of a pixel, one after the other in `in`; up to 16.
/// in        on the device, n · Channels values, at most 2^40, aligned to a value. Pixels of 2, 4, 8 or 16 bytes are
///           read the fastest, at a multiple of their size.
/// channels  of the first Active channels: counts, bins, bounds and options as in histogram.hpp. No two have an array
///           in common.
/// Cost      one kernel, which reads all values once, also those of channels that aren't counted; several times if a
///           block's shared memory doesn't hold 4 bytes for each bin of all channels.
template <unsigned Channels, class In, unsigned Active>
[[nodiscard]] cudaError_t histogram_channels(In in, std::int64_t n,
                                             histogram_channel<detail::value_of<In>> const (&channels)[Active],
                                             execution on = {}) noexcept {
  return detail::histogram_of_channels<Channels>(tessera::detail::reader_of(in), n, channels, on);
}
template <unsigned Channels, class In, unsigned Active>
[[nodiscard]] cudaError_t histogram_channels(In in, device_count n,
                                             histogram_channel<detail::value_of<In>> const (&channels)[Active],
                                             execution on = {}) noexcept {
  return detail::histogram_of_channels<Channels>(tessera::detail::reader_of(in), n, channels, on);
}

/// Counts channels in bins between edges, each channel in its own, as histogram() of histogram.hpp does:
///
///   tessera::grid::histogram_channel_edges<float> const channels[] = {{red, 5, red_edges}, {green, 9, green_edges}};
///   error = tessera::grid::histogram_channels<4>(in, n, channels);
///
/// Cost  as above, and for each value log2(bins) loads of edges from the cache, one after the other; of values of one
///       byte none.
template <unsigned Channels, class In, unsigned Active>
[[nodiscard]] cudaError_t histogram_channels(In in, std::int64_t n,
                                             histogram_channel_edges<detail::value_of<In>> const (&channels)[Active],
                                             execution on = {}) noexcept {
  return detail::histogram_of_channels<Channels>(tessera::detail::reader_of(in), n, channels, on);
}
template <unsigned Channels, class In, unsigned Active>
[[nodiscard]] cudaError_t histogram_channels(In in, device_count n,
                                             histogram_channel_edges<detail::value_of<In>> const (&channels)[Active],
                                             execution on = {}) noexcept {
  return detail::histogram_of_channels<Channels>(tessera::detail::reader_of(in), n, channels, on);
}

/// Adds the weights of elements in even bins: sums[b] is the sum of weights[i] for all i whose in[i] is in bin b.
///
/// in, bins, lower, upper, options  as in histogram.hpp; `outside` has numbers of elements, not weights.
/// weights   on the device, n integers of up to 64 bits, bool, floats, doubles, __half or __nv_bfloat16.
/// sums      on the device, `bins` sums, which are overwritten: of integers std::int64_t or std::uint64_t, which wrap;
///           of floats float or double.
///
/// Order     The sums are the same in every run, on every GPU, and don't depend on the order of the elements. For that,
///           weights that are floats are rounded to multiples of 2^(e + k − 62), where 2^e is the least power of two
///           above the magnitudes of all finite weights, and 2^k the least that is at least n. Multiples are added
///           exactly, and their sum is rounded to Sum. So a sum of m weights is off by m / 2 such units at most: with a
///           million elements by m · 2^-42 of the largest weight.
/// NaN       A bin with a NaN, or with infinities of both signs, has the sum NaN; with those of one sign that infinity.
/// Cost      one kernel, which reads both arrays once (several times if 12 bytes for each bin don't fit in a block's
///           shared memory). Before it, for weights that are floats, one that reads the weights. A workspace of
///           12 · (bins + 3) bytes.
template <class In, class Weights, class Sum>
[[nodiscard]] cudaError_t histogram_weighted(In in, Weights weights, std::int64_t n, Sum* sums, std::int64_t bins,
                                             detail::bound_t<detail::counted_t<detail::value_of<In>>> lower,
                                             detail::bound_t<detail::counted_t<detail::value_of<In>>> upper,
                                             histogram_options options = {}, execution on = {}) noexcept {
  return detail::weigh_even(in, weights, n, sums, bins, lower, upper, options, on);
}
template <class In, class Weights, class Sum>
[[nodiscard]] cudaError_t histogram_weighted(In in, Weights weights, device_count n, Sum* sums, std::int64_t bins,
                                             detail::bound_t<detail::counted_t<detail::value_of<In>>> lower,
                                             detail::bound_t<detail::counted_t<detail::value_of<In>>> upper,
                                             histogram_options options = {}, execution on = {}) noexcept {
  return detail::weigh_even(in, weights, n, sums, bins, lower, upper, options, on);
}
/// histogram_weighted in the bins between edges, which are as those of histogram() in histogram.hpp.
template <class In, class Weights, class Sum, class Edges, detail::if_edges<Edges> = true>
[[nodiscard]] cudaError_t histogram_weighted(In in, Weights weights, std::int64_t n, Sum* sums, std::int64_t bins,
                                             Edges edges, histogram_options options = {}, execution on = {}) noexcept {
  return detail::weigh_between(in, weights, n, sums, bins, detail::edges_of(edges), options, on);
}
template <class In, class Weights, class Sum, class Edges, detail::if_edges<Edges> = true>
[[nodiscard]] cudaError_t histogram_weighted(In in, Weights weights, device_count n, Sum* sums, std::int64_t bins,
                                             Edges edges, histogram_options options = {}, execution on = {}) noexcept {
  return detail::weigh_between(in, weights, n, sums, bins, detail::edges_of(edges), options, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
