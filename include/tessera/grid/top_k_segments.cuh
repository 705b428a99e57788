// The elements of each segment of an array that come first, in order, with their indices in the segment: for nvcc.
//
//   in           3 9 2 9 | 5 | | 7 1 8     4 segments     k = 2, greater     values    9 9 | 5 −∞ | −∞ −∞ | 8 7
//   offsets      0 4 5 5 8                                                   indices   1 3 | 0 −1 | −1 −1 | 2 0
//
//   error = tessera::grid::top_k_segments(scores, offsets, segments, 8, values, indices);
//   error = tessera::grid::top_k_segments(scores, windows, segments, 8, nullptr, indices, tessera::less{}, options,
//                                         {stream, memory});
//
// Takes     in: float, double, __half, __nv_bfloat16, bool, or integers of 8 to 64 bits in the GPU's memory, by
//           greater{} or less{} or an alias: none of your own, by which sort_segments.cuh sorts. segments: offsets by
//           the rules of docs/reference/arrays.md, or a list of segment_list.hpp, such as `windows` by
//           segments_between; each of up to 2^30 elements, and they may overlap. count: the number of segments, an
//           integer or a count_on_device. k: from 0 to 2^30.
// Writes    k values and k indices for each segment, segment after segment, apart from all that is read. Either
//           pointer may be null.
// Gives     the results of top_k_rows (top_k_rows.cuh) for each segment, in order, by its ties and rest: in a segment
//           with fewer than k elements, the results after them have the index −1. A segment's results depend on its
//           elements, on k and on the options alone.
// Returns   as all calls on arrays: docs/reference/arrays.md.
// Cost      two launches, or one if k is above 64 or elements have 8 bytes. In the first case the workspace has up to
//           2.4 MiB, or 4.1 MiB if k is above 8; for lengths also 8 bytes for each segment, and about 1 % of that.
//
//   k, elements                        a segment is read
//   k up to 8, of up to 4 bytes        once: by a lane if it has up to 13 elements (of 2 bytes 9, of 1 byte 17), by 8
//                                      lanes up to 113, by a warp up to 4096, by a block of 8 warps up to 32768, else
//                                      by many
//   k up to 64, of up to 4 bytes       likewise, but by 16 lanes up to 240 elements
//   all others, up to 240 elements     once: by half a warp, by a warp if elements have 8 bytes
//   all others                         two to five times by a block, mostly from the cache, and as often again for each
//                                      2048 results (1024 of elements of 8 bytes)
//
//   A block takes the long ones of up to 256 neighboring segments one after the other, and so those of more than 32768
//   elements for which the list of these has no room: it has room for 350 million elements at least, or 85 million if k
//   is above 8. Rows of one length, and few long rows, are faster by top_k_rows.
#pragma once

#include <tessera/grid/rows/top_k_segments.hpp>
#include <tessera/grid/segments.cuh>
#include <tessera/grid/top_k_rows.cuh>

TESSERA_NAMESPACE_BEGIN
namespace grid {

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Lane, class Short, class Shape, class Bits, class Segments, class N>
__global__ void __launch_bounds__(Lane::threads, top_k_rows_tuning::blocks_of_segments<Short::most>)
    top_k_segments_in_chunks_kernel(top_k_rows_task<Bits> task, aligned<Segments> segments, N count, piece_list list,
                                    unsigned each) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ top_k_segments_lists<Lane::threads> lists;
  task.row_count = detail::count_now(count);
  detail::select_from_segments_in_chunks<Lane, Short, Shape>(
      cooperative_groups::this_thread_block(), task,
      segments_of_block<Segments>{segments.value, task.row_count, std::int64_t{blockIdx.x} * each, each}, list,
      reinterpret_cast<typename Shape::entry*>(shared), lists);
}
template <unsigned Threads, class Shape, class Bits, class Segments>
__global__ void __launch_bounds__(Threads, top_k_rows_tuning::blocks_of_segments<Shape::most>)
    top_k_pieces_kernel(top_k_rows_task<Bits> task, aligned<Segments> segments, piece_list list) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ listed_pieces_storage storage;
  detail::select_from_listed_pieces<Threads, Shape>(cooperative_groups::this_thread_block(), gridDim.x, task,
                                                    segments.value, list,
                                                    reinterpret_cast<typename Shape::entry*>(shared), storage);
}
template <class Short, class Shape, class Bits, class Segments, class N>
__global__ void __launch_bounds__(Shape::threads, 1)
    top_k_segments_by_digits_kernel(top_k_rows_task<Bits> task, aligned<Segments> segments, N count, unsigned each) {
  wait_for_stream();
  using storage = top_k_digit_storage<Shape, Bits>;
  extern __shared__ __align__(16) unsigned char shared[];
  task.row_count = detail::count_now(count);
  auto const block = cooperative_groups::this_thread_block();
  top_k_block<Shape, cooperative_groups::thread_block, storage> const team{block, *reinterpret_cast<storage*>(shared)};
  detail::select_from_segments_by_digits<Short, Shape>(
      block, team, task,
      segments_of_block<Segments>{segments.value, task.row_count, std::int64_t{blockIdx.x} * each, each});
}

/// The number of neighboring segments of a block: up to `most`, and fewer if there are blocks for fewer.
inline cudaError_t count_segments_of_block(std::int64_t segments, unsigned most, unsigned& each,
                                           int& multiprocessors) noexcept {
  cudaError_t const error = detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors);
  if (error != cudaSuccess) return error;
  std::int64_t const fair =
      detail::ceiling_divide(segments, std::int64_t{top_k_rows_tuning::segment_blocks} * multiprocessors);
  each = fair < most ? static_cast<unsigned>(fair) : most;
  return cudaSuccess;
}

/// Launches the kernels that read segments by chunks. A workspace that has each_scratch suffices.
template <bool Few, class Bits, class Segments, class N>
cudaError_t launch_top_k_segments_in_chunks(top_k_rows_task<Bits> const& task, Segments const& segments, N const& count,
                                            execution on) noexcept {
  using tuning = top_k_rows_tuning;
  using of_lane = tuning::segment_by_lane<Bits, Few>;
  using of_tile = tuning::segment_in_chunks<Bits, Few>;
  using shape = tuning::short_stream<Bits, Few, std::uint64_t>;
  unsigned each = 0;
  int multiprocessors = 0;
  cudaError_t error = detail::count_segments_of_block(task.row_count, of_lane::rows_per_block, each, multiprocessors);
  if (error != cudaSuccess) return error;
  static_assert(bytes_of_piece<top_k_pieces<shape>> == detail::top_k_piece_bytes(Few));
  auto const memory = piece_list_memory::of(task.row_count, detail::top_k_piece_bytes(Few), true);
  pooled_workspace const scratch(on, memory.bytes);
  if (scratch.error() != cudaSuccess) return scratch.error();
  piece_list const list = detail::piece_list_in(memory, scratch.data(), scratch.slot_words(), scratch.counters());
  constexpr unsigned threads = of_lane::threads,
                     shared = shape::entries_of(threads / 32) * sizeof(typename shape::entry);
  error = detail::launch<top_k_segments_in_chunks_kernel<of_lane, of_tile, shape, Bits, Segments, N>>(
      {detail::ceiling_divide(task.row_count, each), threads, shared}, on.stream, task, segments, count, list, each);
  if (error != cudaSuccess) return error;
  std::int64_t const resident = std::int64_t{multiprocessors} * tuning::blocks_of_segments<shape::most>;
  error = detail::launch<top_k_pieces_kernel<threads, shape, Bits, Segments>>(
      {list.capacity < resident ? list.capacity : resident, threads, shared}, on.stream, task, segments, list);
  return scratch.clear_after(error);
}

/// Launches the kernel that selects by digits.
template <class Bits, class Segments, class N>
cudaError_t launch_top_k_segments_by_digits(top_k_rows_task<Bits> const& task, Segments const& segments, N const& count,
                                            execution on) noexcept {
  using short_shape = top_k_rows_tuning::segment<Bits>;
  using digits = top_k_rows_tuning::digits;
  unsigned each = 0;
  int multiprocessors = 0;
  cudaError_t const error =
      detail::count_segments_of_block(task.row_count, short_shape::rows_per_block, each, multiprocessors);
  if (error != cudaSuccess) return error;
  return detail::launch<top_k_segments_by_digits_kernel<short_shape, digits, Bits, Segments, N>>(
      {detail::ceiling_divide(task.row_count, each), digits::threads,
       static_cast<unsigned>(sizeof(top_k_digit_storage<digits, Bits>))},
      on.stream, task, segments, count, each);
}

/// Launches the kernel for so many results. The rows of `task` are the segments.
template <class Bits, class Segments, class N>
cudaError_t select_from_segments(top_k_rows_task<Bits> const& task, Segments const& segments, N const& count,
                                 execution on) noexcept {
  using tuning = top_k_rows_tuning;
  if constexpr (sizeof(Bits) <= 4) {
    if (task.k <= static_cast<int>(tuning::segment_in_chunks<Bits, true>::most))
      return detail::launch_top_k_segments_in_chunks<true>(task, segments, count, on);
    if (task.k <= static_cast<int>(tuning::segment_in_chunks<Bits, false>::most))
      return detail::launch_top_k_segments_in_chunks<false>(task, segments, count, on);
  }
  return detail::launch_top_k_segments_by_digits(task, segments, count, on);
}

/// True if an array of results is null, or apart from the bounds of segments and from their number.
template <class Segments, class N, class Out>
bool is_apart_from_bounds(Segments const& segments, N const& count, std::int64_t most,
                          matrix<Out> const& out) noexcept {
  if (out.data == nullptr) return true;
  std::int64_t const n = detail::extent_of(out);
  return detail::is_count(count, out.data, n) && !detail::overlap_bounds(segments, most, out.data, n);
}

template <class T, class Index, class Segments, class N>
cudaError_t top_k_of_segments(T const* in, Segments const& segments, N const& count, std::int64_t k, T* values,
                              Index* indices, bool falling, top_k_rows_options const& options, execution on) noexcept {
  using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;
  std::int64_t const most = detail::most_of(count);
  matrix<T> const to{values, most, k, options.value_stride == 0 ? k : options.value_stride};
  matrix<Index> const at{indices, most, k, options.index_stride == 0 ? k : options.index_stride};
  bool const good = options.begins == nullptr && options.lengths == nullptr && detail::is_array(in, 0) &&
                    detail::are_top_k_rows(matrix<T const>{in, most, 0}, k, to, at, options);
  if (!good) return cudaErrorInvalidValue;
  if (k == 0 || most == 0) return cudaSuccess;
  if (!detail::are_bounds(segments, most) || !detail::is_apart_from_bounds(segments, count, most, to) ||
      !detail::is_apart_from_bounds(segments, count, most, at))
    return cudaErrorInvalidValue;
  top_k_rows_task<bits> const task{reinterpret_cast<bits const*>(in),
                                   0,
                                   most,
                                   0,
                                   static_cast<int>(k),
                                   top_k_part::all,
                                   static_cast<int>(k),
                                   reinterpret_cast<bits*>(values),
                                   indices,
                                   sizeof(Index) == 8,
                                   to.stride,
                                   at.stride,
                                   options.k_of_row,
                                   nullptr,
                                   nullptr,
                                   rank_keys_of_bits<bits>::template order_of<T>(falling),
                                   options.ties == top_k_ties::higher_column ? 1u : 0u,
                                   0,
                                   tessera::detail::from_bits<bits>(detail::last_number<T>(falling))};
  return detail::with_ranges(
      segments, count, detail::top_k_segments_scratch(most, sizeof(T), k), on,
      [&](auto const& ranges, execution within) { return detail::select_from_segments(task, ranges, count, within); });
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The k elements of each segment that come first, in order, and their indices in the segment. See above.
///
/// k        the number of results of a segment, from 0 on.
/// values   k elements for each segment, or null if only indices are wanted.
/// indices  as many std::int32_t or std::int64_t, or null.
/// options  those of top_k_rows, a row for each segment; begins and lengths are null. The results come in order.
template <class T, class Segments, class N, class Indices, class Before = greater,
          stl::enable_if_t<detail::are_segments<Segments>, bool> = true>
[[nodiscard]] cudaError_t top_k_segments(T const* in, Segments segments, N count, std::int64_t k,
                                         stl::remove_const_t<T>* values, Indices indices, Before = {},
                                         top_k_rows_options const& options = {}, execution on = {}) noexcept {
  if constexpr (detail::can_select_numbers<T, Indices, Before>()) {
    using index = std::conditional_t<std::is_same_v<Indices, std::nullptr_t>, std::int32_t*, Indices>;
    return detail::top_k_of_segments(in, segments, detail::count_as_given(count), k, values,
                                     static_cast<index>(indices), detail::is_falling<T, Before>, options, on);
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
