// The stable permutation that brings equal labels together: for nvcc.
//
//   labels          1  0  2  1  −1  0  1       n = 7, 3 bins
//   offsets         0  2  5  6                 group b is order[offsets[b]] … order[offsets[b + 1] − 1]
//   order           1  5  0  3  6  2           element 4 has no bin
//   counts          2  3  1
//   inverse         2  0  5  3  −1  1  4       order[inverse[i]] = i
//
//   pad_to = 4      offsets 0 4 8 12   order 1 5 7 7   0 3 6 7   2 7 7 7   block_labels 0 1 2
//
//   tessera::grid::group_options<int> options;  // group_by_label.hpp
//   options.counts = counts;
//   error = tessera::grid::group_by_label(labels, n, bins, offsets, order, options, {stream, memory});
//
// Takes     labels: n integers of 1 to 8 bytes in the GPU's memory, n up to 2^31. Those from 0 to bins − 1 are grouped,
//           up to 1024 bins; elements with others, such as −1, are left out.
// Writes    offsets: bins + 1 of std::int32_t or std::int64_t. order: an array of grouped_size(n, bins, pad_to), of
//           which offsets[bins] are written. Elements of a group keep their order. With pad_to each group is filled
//           up to a multiple by n, which is no element, and groups without elements stay empty. So a grouped GEMM
//           takes it from moe_align_block_size of vLLM and SGLang: order is sorted_token_ids, block_labels are
//           expert_ids, and offsets[bins] is num_tokens_post_pad. Of the arrays, none overlaps another.
// Gives     the same at each call, on every GPU, and on CPU lanes.
// Returns   as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if Index can't hold all
//           places.
// Cost      one launch. Labels are read twice (where a block has up to 8192, once: a million on an H200), and each
//           element is stored once. The workspace has up to 8 bytes for each bin and block.
#pragma once

#include <cooperative_groups.h>

#include <tessera/grid/execution.hpp>
#include <tessera/grid/group_by_label.hpp>
#include <tessera/grid/parts/arguments.hpp>
#include <tessera/grid/parts/byte_ranges.hpp>
#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/instantiations.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/rows/group_agent.hpp>
#include <tessera/grid/rows/route_tuning.hpp>

#include <cstdint>
#include <limits>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, unsigned Bits, class Task>
__global__ void __launch_bounds__(Shape::threads, group_tuning::blocks)
    group_kernel(Task task, look_back_memory memory) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::group_part<Shape, Bits>(cooperative_groups::this_thread_block(), task, memory, shared, [](unsigned) {});
}

/// True if none of the arrays of a grouping overlaps another, or `what`, n elements that are read.
template <class What, class Index>
bool are_grouped_apart(What const* what, std::int64_t n, std::int64_t labels, std::int64_t bins, Index const* offsets,
                       Index const* order, group_options<Index> const& options) noexcept {
  std::int64_t const size = grid::grouped_size(labels, bins, options.pad_to);
  return !detail::any_overlap(
      {byte_range::of(offsets, bins + 1), byte_range::of(order, size), byte_range::of(options.counts, bins),
       byte_range::of(options.inverse, labels), byte_range::of(options.block_labels, size / options.pad_to)},
      {byte_range::of(what, n)});
}
/// True if these are the results of so many labels.
template <class Index>
bool are_groups(std::int64_t n, std::int64_t bins, Index const* offsets, Index const* order,
                group_options<Index> const& options) noexcept {
  constexpr auto most = static_cast<std::int64_t>((std::numeric_limits<Index>::max)());
  constexpr std::int64_t most_labels = std::int64_t{1} << 31, most_padding = std::int64_t{1} << 31;
  if (n < 0 || n > most_labels || bins < 1 || bins > group_tuning::most_bins || options.pad_to < 1 ||
      options.pad_to > most_padding)
    return false;
  std::int64_t const size = grid::grouped_size(n, bins, options.pad_to);
  return size <= most && options.pad_to <= most && detail::is_array(offsets, bins + 1) &&
         detail::is_array(order, size) && (options.counts == nullptr || detail::is_array(options.counts, bins)) &&
         (options.inverse == nullptr || detail::is_array(options.inverse, n)) &&
         (options.block_labels == nullptr || detail::is_array(options.block_labels, size / options.pad_to));
}

template <class Label, class Index>
group_task<Label, Index> make_group_task(Label const* labels, std::int64_t n, int bins, Index* offsets, Index* order,
                                         group_options<Index> const& options, std::int64_t part) noexcept {
  return {labels,
          n,
          static_cast<unsigned>(bins),
          detail::parts_of_labels(n, part),
          part,
          static_cast<Index>(options.pad_to),
          offsets,
          order,
          options.counts,
          options.inverse,
          options.block_labels};
}

/// run(memory, shape of the launch), for blocks of Shape that publish counts of Bits bits.
template <class Shape, unsigned Bits, class Label, class Index, class Run>
cudaError_t with_group_memory(group_task<Label, Index> const& task, execution on, Run run) noexcept {
  launch_shape const shape{task.parts, Shape::threads,
                           static_cast<unsigned>(group_storage<Shape, Index>::bytes(task.bins))};
  if (task.parts == 1) return run(look_back_memory{nullptr, 0}, shape);
  std::size_t const words =
      look_back_memory::header_words + std::size_t{task.parts} * packed_counts<Bits>::words(task.bins);
  pooled_workspace const scratch(on, 0, words);
  if (scratch.error() != cudaSuccess) return scratch.error();
  return run(look_back_memory{scratch.tagged(), scratch.tagged_size()}, shape);
}

/// The shared memory of a block, and what its scans and reductions and the GPU take besides.
template <class Shape, class Index>
constexpr int group_bytes(int bins) noexcept {
  constexpr int besides = 8192;
  return static_cast<int>(group_storage<Shape, Index>::bytes(static_cast<unsigned>(bins))) + besides;
}

/// Launches the kernel with blocks of Shape. `shared_bytes`: what a multiprocessor has.
template <class Shape, class Label, class N, class Index>
cudaError_t run_group_in(Label const* labels, N const& n, int bins, Index* offsets, Index* order,
                         group_options<Index> const& options, execution on, int multiprocessors,
                         int shared_bytes) noexcept {
  int const fitting = shared_bytes / detail::group_bytes<Shape, Index>(bins);
  int const blocks = fitting < group_tuning::blocks ? 1 : group_tuning::blocks;  // so that no part waits in vain
  std::int64_t const most = detail::most_of(n);
  std::int64_t const parts = detail::group_parts(most, bins, multiprocessors, blocks);
  std::int64_t const part = most == 0 ? 1 : detail::ceiling_divide(most, parts);
  auto const task = detail::make_group_task(labels, most, bins, offsets, order, options, part);
  auto const run = [&](auto bits) {
    constexpr unsigned size = decltype(bits)::value;
    return detail::with_group_memory<Shape, size>(task, on, [&](look_back_memory const& memory, launch_shape how) {
      using given = given_task<group_task<Label, Index>, N>;
      return detail::launch<group_kernel<Shape, size, given>>(how, on.stream, detail::with_count(task, n), memory);
    });
  };
  if (part <= UINT16_MAX) return run(std::integral_constant<unsigned, 16>{});
  return run(std::integral_constant<unsigned, 32>{});
}

/// Groups by blocks that sort tiles, if they have the shared memory, or others. The arguments are right.
template <class Label, class N, class Index>
cudaError_t run_group(Label const* labels, N const& n, int bins, Index* offsets, Index* order,
                      group_options<Index> const& options, execution on) noexcept {
  using sorted = group_tuning::sorted;
  int multiprocessors = 0, of_block = 0, of_all = 0;
  cudaError_t const error =
      detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                           of_block, cudaDevAttrMaxSharedMemoryPerMultiprocessor, of_all);
  if (error != cudaSuccess) return error;
  if (detail::group_bytes<sorted, Index>(bins) <= of_block)
    return detail::run_group_in<sorted>(labels, n, bins, offsets, order, options, on, multiprocessors, of_all);
  return detail::run_group_in<group_tuning::shape>(labels, n, bins, offsets, order, options, on, multiprocessors,
                                                   of_all);
}

template <class Label, class N, class Index>
cudaError_t group_labels(Label const* labels, N const& n, int bins, Index* offsets, Index* order,
                         group_options<Index> const& options, execution on) noexcept {
  constexpr bool are_labels = std::is_integral_v<Label> && !std::is_same_v<Label, bool>;
  constexpr bool are_indices = detail::is_one_of<Index, std::int32_t, std::int64_t>;
  static_assert(are_labels, "grid::group_by_label: labels are integers.");
  static_assert(are_indices, "grid::group_by_label: offsets and order are of std::int32_t or std::int64_t.");
  if constexpr (are_labels && are_indices) {
    std::int64_t const most = detail::most_of(n);
    auto const are_apart = [&](auto const* what, std::int64_t length) {
      return detail::are_grouped_apart(what, length, most, bins, offsets, order, options);
    };
    if (!detail::are_groups(most, bins, offsets, order, options) || !detail::is_array(labels, most) ||
        !are_apart(labels, most) || !detail::is_count(n, offsets, bins + 1))
      return cudaErrorInvalidValue;
    if constexpr (is_on_device<N>) {
      if (!are_apart(n.count, 1)) return cudaErrorInvalidValue;
    }
    return detail::run_group(labels, n, bins, offsets, order, options, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// order[offsets[b]] … order[offsets[b + 1] − 1]: the elements with label b, in their order. See above.
template <class Label, class Index>
[[nodiscard]] cudaError_t group_by_label(Label const* labels, std::int64_t n, int bins, Index* offsets, Index* order,
                                         group_options<Index> options = {}, execution on = {}) noexcept {
  return detail::group_labels(labels, n, bins, offsets, order, options, on);
}
/// Groups as many labels as the device knows (count_on_device.hpp): arrays and grouped_size are those of at_most
/// labels, and groups are filled up by *count.
template <class Label, class Index>
[[nodiscard]] cudaError_t group_by_label(Label const* labels, device_count n, int bins, Index* offsets, Index* order,
                                         group_options<Index> options = {}, execution on = {}) noexcept {
  return detail::group_labels(labels, n, bins, offsets, order, options, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
