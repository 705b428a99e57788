// The elements of each row of a matrix that come first, in order, with their columns; that of one rank; the median.
//
//   x                 k = 2, greater       values   indices
//   3  9  2  9  7                          9  9     1  3
//   0  5  1  4  5                          5  5     1  4
//
//   tessera::grid::matrix x{data, rows, columns};  // or {data, rows, columns, stride}
//   error = tessera::grid::top_k_rows(x, 8, values, indices);  // the 8 greatest of each row
//   error = tessera::grid::top_k_rows(x, 8, nullptr, indices, tessera::less{}, options, {stream, memory});
//   error = tessera::grid::kth_value_rows(x, 2, values, indices);  // the third least
//   error = tessera::grid::median_rows(x, values, nullptr);
//   error = tessera::grid::top_k_rows(x, 8, values, indices, nearer_to_one{}, options, {stream, memory});  // your own
//
// Takes     x: a matrix in the GPU's memory, of any number of rows, 0 to 2^30 columns, any stride and alignment, of
//           float, double, __half, __nv_bfloat16, bool, and integers of 8 to 64 bits; in an order of your own also of
//           any trivially copyable type of up to 64 bytes. k: from 0 to 2^30, also above the number of columns.
// Order     greater{} or less{}, or an alias such as std::less<>. In both NaNs come last, equal to each other, and −0
//           is equal to 0. Of equal elements the lower column comes first, or the higher one if the options say so.
//           Elements are copied with all their bits.
//           If the options ask for any order, the same elements come by column, from the lowest on, where that mostly
//           takes less time: of more than 4096 columns, with k above 2048, or above a 16th of the columns; elements of
//           8 bytes with k above 1024, or of fewer than 65536 columns. All others come in order nevertheless.
//           An order of your own is a function object, before(a, b), a strict weak ordering.
// Gives     the same bits at each call: a row's results depend on the row's elements, on k and on the options alone,
//           and not on other rows, the alignment, the stride or the GPU.
// Rest      where a row has fewer elements than k, the results after them have the index −1, and the value that comes
//           last of all but NaN: by greater −infinity, or the lowest integer; by less +infinity, or the highest. In an
//           order of your own there is no such value: it isn't written.
// Returns   as all calls on arrays (docs/reference/arrays.md), and cudaErrorInvalidValue if a stride is less than its
//           columns.
// Cost      by greater or less one kernel, no scratch memory. The values of the results are read again from the cache.
//
//   columns, k                        kernel
//   up to 64, any; up to 256, up to   one read, rows in registers (of unaligned rows some columns fewer)
//   32
//   more, up to 64                    one read, candidates in shared memory; of elements of up to 4 bytes. From 32768
//                                     columns on up to 64 rows are held as below, up to 16 for k up to 8
//   up to 4096, above                 one read; the row is sorted as a whole, by a warp or less up to 1024 columns. Up
//                                     to 64 rows are held as below, if they can be
//   up to 131072, k up to 2048 and    one read, on sm_90 and later, of elements of up to 4 bytes: the blocks of a
//   up to an eighth of them, of 2     cluster hold a row in registers. More than 4096 rows only with k up to a 16th of
//   bytes a 16th, of 1 a 32nd (of     the columns. As all others, if many elements are equal, or ordered so that the
//   unaligned rows some fewer)        first ones are neighbors
//   all others                        a block reads its row two to five times, mostly from the cache, and as often
//                                     again for each 2048 results (1024 of elements of 8 bytes); on sm_90 and later
//                                     the blocks of a cluster share a row, if there are few
//   the same, in any order            three to six reads, mostly from the cache, for any k
//
//   In registers, elements of 4 and 8 bytes are compared by their upper bits first, 24 or more. Where these leave open
//   which elements come first, as with many equal ones, a warp reads its rows once more, from the cache, and compares
//   them by the bits in which they differ; where these are more than 24, as of many whole numbers with a wide range
//   that share their first bits, k times.
//
//           By an order of your own rows are sorted as a whole, whatever k: up to 256 columns by one kernel, without
//           scratch memory; longer ones with their columns as segments are (sort_segments.cuh), in scratch memory for
//           two copies of all elements and columns, or three if the options give begins or lengths.
//
// Sources: see grid/rows/top_k_short_rows.hpp, row_sorter.hpp, top_k_stream_rows.hpp, top_k_held_rows.hpp and
// top_k_digit_rows.hpp.
#pragma once

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <tessera/grid/execution.hpp>
#include <tessera/grid/matrix.hpp>
#include <tessera/grid/parts/launch.cuh>
#include <tessera/grid/parts/pooled_workspace.hpp>
#include <tessera/grid/rows/cluster_exchange.cuh>
#include <tessera/grid/rows/compared_rows.hpp>
#include <tessera/grid/rows/row_arguments.hpp>
#include <tessera/grid/rows/top_k_digit_rows.hpp>
#include <tessera/grid/rows/top_k_held_rows.hpp>
#include <tessera/grid/rows/top_k_rows_tuning.hpp>
#include <tessera/grid/rows/top_k_short_rows.hpp>
#include <tessera/grid/rows/top_k_sorted_rows.hpp>
#include <tessera/grid/rows/top_k_stream_rows.hpp>
#include <tessera/grid/segments/segment_scratch.hpp>
#include <tessera/grid/sort_segments.cuh>
#include <tessera/grid/top_k.hpp>
#include <tessera/grid/transform.cuh>

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// Says which of equal elements comes first.
enum class top_k_ties {
  lower_column,  ///< as a stable sort gives them
  higher_column
};

/// The order in which the results of a row come.
enum class top_k_order {
  sorted,  ///< the first one first
  any      ///< by column where Order above says so
};

/// Options of top_k_rows. Arrays are the GPU's, with an element for each row; the kernel reads them.
struct top_k_rows_options {
  top_k_ties ties = top_k_ties::lower_column;
  /// The number of results of each row; k if this is null. A number below 0 counts as 0, one above k as k.
  std::int32_t const* k_of_row = nullptr;
  /// The first column that takes part, in each row; 0 if this is null. A number below 0 counts as 0, one above the
  /// number of columns as that. Indices are columns of the matrix nevertheless.
  std::int32_t const* begins = nullptr;
  /// The number of columns that take part, from there on; all if this is null. A number below 0 counts as 0, one above
  /// the number of columns from there on as that.
  std::int32_t const* lengths = nullptr;
  /// How far the results of two rows are apart, in elements; if this is 0, as many as a row has: k, or 1 of
  /// kth_value_rows and median_rows.
  std::int64_t value_stride = 0, index_stride = 0;
  /// Only top_k_rows takes an order.
  top_k_order order = top_k_order::sorted;
};

namespace detail {

inline namespace TESSERA_ARCHS {

template <class Shape, class Bits>
__global__ void __launch_bounds__(Shape::threads, 6) top_k_short_rows_kernel(top_k_rows_task<Bits> task) {
  wait_for_stream();
  detail::select_from_short_rows<Shape>(cooperative_groups::this_thread_block(), task);
}
template <class Shape, class Bits>
__global__ void __launch_bounds__(Shape::most_threads, 2)
    top_k_stream_rows_kernel(top_k_rows_task<Bits> task, unsigned warps) {
  wait_for_stream();
  extern __shared__ __align__(16) unsigned char shared[];
  detail::select_from_rows_in_chunks<Shape>(cooperative_groups::this_thread_block(), task,
                                            reinterpret_cast<typename Shape::entry*>(shared), warps, gridDim.x);
}
template <class Shape, bool ByColumn, class Bits>
__global__ void __launch_bounds__(Shape::threads, 2) top_k_digit_rows_kernel(top_k_rows_task<Bits> task) {
  wait_for_stream();
  using storage = top_k_digit_storage<Shape, Bits>;
  extern __shared__ __align__(16) unsigned char shared[];
  auto const block = cooperative_groups::this_thread_block();
  using team = top_k_block<Shape, cooperative_groups::thread_block, storage>;
  detail::select_from_row_by_digits<Shape, ByColumn>(team{block, *reinterpret_cast<storage*>(shared)}, task,
                                                     std::int64_t{blockIdx.x});
}

template <class Shape, class Bits>
__global__ void __launch_bounds__(Shape::threads, row_sort_tuning::blocks_per_multiprocessor<Shape>)
    top_k_sorted_rows_kernel(top_k_rows_task<Bits> task) {
  wait_for_stream();
  __shared__ row_sort_storage<Shape> storage;
  detail::select_from_sorted_rows(cooperative_groups::this_thread_block(), task, storage);
}

#if TESSERA_ARCH >= 900
/// A team of the blocks of a cluster.
template <class Shape, class Storage>
struct top_k_cluster {
  cooperative_groups::cluster_group cluster;
  Storage& memory;

  __device__ auto tile() const {
    return tessera::this_block_tile<Shape::threads>(cooperative_groups::this_thread_block());
  }
  __device__ unsigned blocks() const { return cluster.num_blocks(); }
  __device__ unsigned rank() const { return cluster.block_rank(); }
  __device__ void sync() const { cluster.sync(); }
  __device__ Storage& storage(unsigned b) const { return b == rank() ? memory : *cluster.map_shared_rank(&memory, b); }
};

/// A team of the blocks of a cluster that holds rows.
template <class Held, class Shape, class Storage>
class top_k_held_cluster : public top_k_cluster<Shape, Storage>, public cluster_exchange<std::uint32_t> {
  static_assert(Held::threads == Shape::threads);

 public:
  /// `words` is the barrier at which other blocks' words arrive.
  __device__ top_k_held_cluster(Storage& memory, top_k_held_storage<Held>& held,
                                row_cluster_storage<std::uint32_t>& exchange, std::uint64_t& words)
      : top_k_cluster<Shape, Storage>{cooperative_groups::this_cluster(), memory},
        cluster_exchange<std::uint32_t>(made_before(exchange, words)),
        held_(held),
        barrier_(detail::address_of_shared(words)) {}

  using top_k_cluster<Shape, Storage>::rank, top_k_cluster<Shape, Storage>::blocks,
      top_k_cluster<Shape, Storage>::storage;
  __device__ auto warp() const { return tessera::tiled_partition<32>(cooperative_groups::this_thread_block()); }
  __device__ top_k_held_storage<Held>& held() const { return held_; }
  __device__ void send(std::uint64_t word, unsigned i) const {
    auto const words = tessera::detail::to_words(word);
    unsigned const to = detail::address_of_shared(held_.list[rank()][i]);
    for (unsigned b = 0; b < blocks(); ++b) {
      if (b != rank())
        tessera::detail::send_to_block(tessera::detail::address_in_block(to, b), words.word,
                                       tessera::detail::address_in_block(barrier_, b));
    }
  }
  __device__ void wait_for_words(unsigned count, unsigned time) const {
    if (threadIdx.x == 0) tessera::detail::arrive_and_expect(barrier_, count * 8);
    tessera::detail::wait_for_phase(barrier_, time % 2);
  }

 private:
  /// Makes the barrier before the threads of the cluster say that all are made.
  __device__ static row_cluster_storage<std::uint32_t>& made_before(row_cluster_storage<std::uint32_t>& exchange,
                                                                    std::uint64_t& words) {
    if (threadIdx.x == 0) tessera::detail::make_barrier(detail::address_of_shared(words));
    return exchange;
  }

  top_k_held_storage<Held>& held_;
  unsigned barrier_;
};
#endif

template <class Shape, bool ByColumn, class Bits>
__global__ void __launch_bounds__(Shape::threads, 2)
    top_k_cluster_rows_kernel([[maybe_unused]] top_k_rows_task<Bits> task) {
  wait_for_stream();
#if TESSERA_ARCH >= 900
  using storage = top_k_digit_storage<Shape, Bits>;
  extern __shared__ __align__(16) unsigned char shared[];
  top_k_cluster<Shape, storage> const team{cooperative_groups::this_cluster(), *reinterpret_cast<storage*>(shared)};
  detail::select_from_row_by_digits<Shape, ByColumn>(team, task, std::int64_t{blockIdx.x / team.blocks()});
#endif
}

/// Selects from a row that a cluster holds, or by digits if it has too many candidates.
template <class Held, class Shape, class Bits>
__global__ void __launch_bounds__(Shape::threads, 2)
    top_k_held_rows_kernel([[maybe_unused]] top_k_rows_task<Bits> task, [[maybe_unused]] bool by_column) {
  wait_for_stream();
#if TESSERA_ARCH >= 900
  using storage = top_k_digit_storage<Shape, Bits>;
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ row_cluster_storage<std::uint32_t> exchange;
  __shared__ std::uint64_t words;
  top_k_held_cluster<Held, Shape, storage> const team(
      *reinterpret_cast<storage*>(shared), *reinterpret_cast<top_k_held_storage<Held>*>(shared), exchange, words);
  std::int64_t const row = blockIdx.x >> tessera::detail::lowest_bit(team.blocks());
  if (detail::select_from_held_row<Held>(team, task, row, by_column)) return;
  by_column ? detail::select_from_row_by_digits<Shape, true>(team, task, row)
            : detail::select_from_row_by_digits<Shape>(team, task, row);
#endif
}

/// Launches the kernel for short rows with tiles of Lanes lanes. False if these don't hold rows of so many vectors.
template <unsigned Lanes, unsigned Vectors, unsigned Most, class Bits>
bool launch_short_top_k(top_k_rows_task<Bits> const& task, std::int64_t row_vectors, cudaStream_t stream,
                        cudaError_t& error) noexcept {
  using shape = top_k_tile_shape<Lanes, Vectors, Most, top_k_rows_tuning::threads>;
  int const k = task.k < task.column_count ? task.k : task.column_count;
  if (row_vectors > Lanes * Vectors || k > static_cast<int>(Most)) return false;
  error = detail::launch<top_k_short_rows_kernel<shape, Bits>>(
      {detail::ceiling_divide(task.row_count, shape::rows_per_block), shape::threads}, stream, task);
  return true;
}

/// The warps that share each of so many rows of so many columns: 1, or all of a block.
template <class Shape, class Bits>
unsigned warps_of_streamed_row(std::int64_t row_count, std::int64_t column_count) noexcept {
  using tuning = top_k_rows_tuning;
  constexpr std::int64_t chunk = Shape::template chunk<Bits>;
  unsigned warps = 1;
  for (unsigned more = tuning::stream_warps; more <= tuning::most_of_few_rows; more *= 2) {
    bool const have_chunks = column_count >= more * chunk;
    bool const are_few = have_chunks && row_count * warps < tuning::enough_warps;
    bool const are_long = more <= tuning::most_stream_warps && column_count >= more * Shape::columns_of_warp;
    bool const are_short =
        have_chunks && more == tuning::stream_warps && column_count <= Shape::most_shared_chunks * chunk;
    if (are_few || are_long || are_short) warps = more;
  }
  return warps;
}

/// Launches the kernel that reads rows in chunks.
template <class Shape, class Bits>
cudaError_t launch_stream_shape(top_k_rows_task<Bits> const& task, cudaStream_t stream) noexcept {
  using tuning = top_k_rows_tuning;
  static_assert(tuning::most_of_few_rows * 32 <= Shape::most_threads);
  unsigned const warps = detail::warps_of_streamed_row<Shape, Bits>(task.row_count, task.column_count);
  unsigned const all = warps == 1 ? Shape::warps_alone : warps;
  std::int64_t const blocks = detail::ceiling_divide(task.row_count, all / warps);
  bool const are_fewer = Shape::takes_several && warps == 1 && blocks > Shape::most_grid_blocks;
  return detail::launch<top_k_stream_rows_kernel<Shape, Bits>>(
      {are_fewer ? Shape::most_grid_blocks : blocks, all * 32,
       static_cast<unsigned>(Shape::entries_of(all) * sizeof(typename Shape::entry))},
      stream, task, warps);
}

/// Launches the kernel for entries of a type. False if there are too many results.
template <class Entry, class Bits>
bool launch_stream_top_k(top_k_rows_task<Bits> const& task, cudaStream_t stream, cudaError_t& error) noexcept {
  using of_short = top_k_rows_tuning::short_stream<Bits, true, Entry>;
  using few = top_k_rows_tuning::stream<Bits, true, Entry>;
  using more = top_k_rows_tuning::stream<Bits, false, Entry>;
  if (task.k > static_cast<int>(more::most)) return false;
  error = task.k > static_cast<int>(few::most)                 ? detail::launch_stream_shape<more>(task, stream)
          : task.column_count > of_short::template chunk<Bits> ? detail::launch_stream_shape<few>(task, stream)
                                                               : detail::launch_stream_shape<of_short>(task, stream);
  return true;
}

/// Launches the kernel that sorts whole rows. False if tiles of Shape don't hold them.
template <class Shape, class Bits>
bool launch_sorted_shape(top_k_rows_task<Bits> const& task, cudaStream_t stream, cudaError_t& error) noexcept {
  if (task.column_count > static_cast<int>(Shape::capacity)) return false;
  error = detail::launch<top_k_sorted_rows_kernel<Shape, Bits>>(
      {detail::ceiling_divide(task.row_count, Shape::rows_per_block), Shape::threads}, stream, task);
  return true;
}

/// Launches a kernel that sorts whole rows. False if no block holds them.
template <class Bits>
bool launch_sorted_top_k(top_k_rows_task<Bits> const& task, cudaStream_t stream, cudaError_t& error) noexcept {
  using tuning = row_sort_tuning;
  static_assert(tuning::of_4096::capacity == top_k_rows_tuning::most_sorted_columns);
  return detail::launch_sorted_shape<tuning::shape<8, 8>>(task, stream, error) ||
         detail::launch_sorted_shape<tuning::shape<16, 8>>(task, stream, error) ||
         detail::launch_sorted_shape<tuning::shape<16, 16>>(task, stream, error) ||
         detail::launch_sorted_shape<tuning::shape<32, 16>>(task, stream, error) ||
         detail::launch_sorted_shape<tuning::of_1024<Bits>>(task, stream, error) ||
         detail::launch_sorted_shape<tuning::shape<256, 8>>(task, stream, error) ||
         detail::launch_sorted_shape<tuning::of_4096>(task, stream, error);
}

/// Launches a kernel that counts digits: of a cluster for each row if there are few long rows, else of a block.
template <class Shape, bool ByColumn, class Bits>
cudaError_t launch_top_k_by_digits(top_k_rows_task<Bits> const& task, cudaStream_t stream) noexcept {
  using tuning = top_k_rows_tuning;
  constexpr auto bytes = static_cast<unsigned>(sizeof(top_k_digit_storage<Shape, Bits>));
  unsigned blocks = 1;
  if (task.column_count >= 2 * tuning::columns_of_block) {
    int multiprocessors = 1, major = 0;
    bool has_code = false;
    cudaError_t error =
        detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors, cudaDevAttrComputeCapabilityMajor, major);
    if (error == cudaSuccess)
      error = detail::query_cluster_code<top_k_cluster_rows_kernel<Shape, ByColumn, Bits>>(major, has_code);
    if (error != cudaSuccess) return error;
    if (has_code) {
      while (blocks < tuning::most_blocks && task.row_count * blocks < multiprocessors &&
             task.column_count >= static_cast<int>(2 * blocks) * tuning::columns_of_block)
        blocks *= 2;
    }
  }
  if (blocks > 1)
    return detail::launch<top_k_cluster_rows_kernel<Shape, ByColumn, Bits>>(
        {task.row_count * blocks, Shape::threads, bytes, blocks}, stream, task);
  return detail::launch<top_k_digit_rows_kernel<Shape, ByColumn, Bits>>({task.row_count, Shape::threads, bytes}, stream,
                                                                        task);
}

/// The number of blocks of a cluster that hold a row of so many vectors; 0 if none do.
template <class Held, class Bits>
unsigned blocks_of_held_row(top_k_rows_task<Bits> const& task, std::int64_t vectors, int multiprocessors) noexcept {
  using tuning = top_k_rows_tuning;
  auto const hold = [&](unsigned blocks) {
    return task.k * tuning::held_share <= blocks * Held::room &&
           vectors * row_vector_length<Bits> <= static_cast<std::int64_t>(blocks * Held::threads * Held::items);
  };
  unsigned blocks = tuning::most_blocks;
  if (!hold(blocks)) return 0;
  while (blocks > 2 && hold(blocks / 2) &&
         (task.row_count * blocks > 2 * multiprocessors ||
          vectors <= static_cast<std::int64_t>(blocks / 2 * Held::threads)))
    blocks /= 2;
  return blocks;
}
/// Launches the kernel for rows that a cluster of so many blocks holds. False if there is no code for clusters.
template <class Held, class Bits>
bool launch_held_shape(top_k_rows_task<Bits> const& task, bool by_column, unsigned blocks, int major,
                       cudaStream_t stream, cudaError_t& error) noexcept {
  using digits = top_k_rows_tuning::digits;
  constexpr auto kernel = top_k_held_rows_kernel<Held, digits, Bits>;
  constexpr std::size_t bytes = sizeof(top_k_held_storage<Held>), by_digits = sizeof(top_k_digit_storage<digits, Bits>);
  bool has_code = false;
  error = detail::query_cluster_code<kernel>(major, has_code);
  if (error != cudaSuccess) return true;
  if (!has_code) return false;
  error = detail::launch<kernel>(
      {task.row_count * blocks, Held::threads, static_cast<unsigned>(bytes > by_digits ? bytes : by_digits), blocks},
      stream, task, by_column);
  return true;
}
/// Launches a kernel for rows that clusters hold: with few elements a thread if that takes no more blocks, or if two of
/// them for each multiprocessor are enough for all rows. False if no cluster holds the rows.
template <class Bits>
bool launch_held_top_k(top_k_rows_task<Bits> const& task, bool by_column, cudaStream_t stream,
                       cudaError_t& error) noexcept {
  using tuning = top_k_rows_tuning;
  constexpr int width = row_vector_length<Bits>;
  std::int64_t const k = task.k;
  if (k > tuning::most_held || 2 * k * width > task.column_count) return false;
  if (task.row_count > tuning::many_rows && k * tuning::least_of_each > task.column_count) return false;
  bool const is_aligned = task.in_stride % width == 0 && detail::shift_of(task.in) == 0;
  std::int64_t const vectors = (task.column_count + (is_aligned ? 0 : width - 1) + width - 1) / width;
  int multiprocessors = 1, major = 0;
  error =
      detail::query_device(cudaDevAttrMultiProcessorCount, multiprocessors, cudaDevAttrComputeCapabilityMajor, major);
  if (error != cudaSuccess) return true;
  unsigned const few = detail::blocks_of_held_row<tuning::held_by_more>(task, vectors, multiprocessors),
                 many = detail::blocks_of_held_row<tuning::held>(task, vectors, multiprocessors);
  if (many == 0) return false;
  if (few > 0 && (few == many || task.row_count * few <= 2 * multiprocessors))
    return detail::launch_held_shape<tuning::held_by_more>(task, by_column, few, major, stream, error);
  return detail::launch_held_shape<tuning::held>(task, by_column, many, major, stream, error);
}

/// Launches the kernel for short rows by the first tile that holds them, and has room for the results. False if none
/// has.
template <class Bits>
bool launch_shortest_top_k(top_k_rows_task<Bits> const& task, std::int64_t row_vectors, cudaStream_t stream,
                           cudaError_t& error) noexcept {
  using tuning = top_k_rows_tuning;
  constexpr unsigned width = row_vector_length<Bits>, many = tuning::vectors<Bits>, most = tuning::most_vectors<Bits>,
                     few = many * width >= 16 && many > 1 ? many / 2 : many, widest = sizeof(Bits) == 8 ? 32 : 16;
  return task.column_count <= tuning::most_short_columns &&
         (detail::launch_short_top_k<1, few, 8>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<1, many, 8>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<2, many, 8>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<2, most, 8>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<4, most, 8>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<widest / 2, most, 8>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<widest / 16, many, 16>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<widest / 8, many, 32>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<widest / 4, many, 64>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<widest / 2, many, 32>(task, row_vectors, stream, error) ||
          detail::launch_short_top_k<widest, many, 32>(task, row_vectors, stream, error));
}

/// Launches the kernel for rows of so many columns and results.
template <class Bits>
cudaError_t launch_top_k_rows(top_k_rows_task<Bits> const& task, std::int64_t row_vectors, bool in_any_order,
                              cudaStream_t stream) noexcept {
  using tuning = top_k_rows_tuning;
  constexpr int most_streamed = static_cast<int>(tuning::stream<Bits, false, std::uint64_t>::most);
  cudaError_t error = cudaErrorInvalidValue;
  if (detail::launch_shortest_top_k(task, row_vectors, stream, error)) return error;
  if constexpr (sizeof(Bits) <= 4) {
    if (task.column_count >= tuning::long_columns &&
        task.row_count <= (task.k <= tuning::most_few ? tuning::few_rows_of_few : tuning::few_rows) &&
        task.k <= most_streamed && detail::launch_held_top_k(task, false, stream, error))
      return error;
  }
  if (task.column_count > tuning::most_short_columns || task.k <= tuning::most_few) {
    if constexpr (sizeof(Bits) <= 2) {
      // These keys and all places fit in 32 bits, which are never all set.
      if (task.place_bits < 32 - 8 * sizeof(Bits) && detail::launch_stream_top_k<std::uint32_t>(task, stream, error))
        return error;
    }
    if constexpr (sizeof(Bits) <= 4) {
      if (detail::launch_stream_top_k<std::uint64_t>(task, stream, error)) return error;
    }
  }
  // Which of these kernels a row takes may depend on its alignment, and the order of its results mustn't.
  bool const by_column = in_any_order && tuning::come_by_column<Bits>(task.column_count, task.k);
  if constexpr (sizeof(Bits) <= 4) {
    if (task.row_count <= tuning::few_rows && detail::launch_held_top_k(task, by_column, stream, error)) return error;
  }
  if (detail::launch_sorted_top_k(task, stream, error)) return error;
  if constexpr (sizeof(Bits) <= 4) {
    if (detail::launch_held_top_k(task, by_column, stream, error)) return error;
  }
  return by_column ? detail::launch_top_k_by_digits<tuning::digits, true>(task, stream)
                   : detail::launch_top_k_by_digits<tuning::digits, false>(task, stream);
}

template <class Shape, class T, class Before>
__global__ void __launch_bounds__(Shape::threads) compared_rows_kernel(compared_rows_task<T, Before> task) {
  wait_for_stream();
  detail::select_from_compared_rows<Shape>(cooperative_groups::this_thread_block(), task);
}

/// Launches the kernel for short rows by a comparator. False if tiles of Shape don't hold them.
template <class Shape, class T, class Before>
bool launch_compared_rows(compared_rows_task<T, Before> const& task, cudaStream_t stream, cudaError_t& error) noexcept {
  if (task.column_count > Shape::capacity) return false;
  error = detail::launch<compared_rows_kernel<Shape, T, Before>>(
      {detail::ceiling_divide(task.row_count, Shape::rows_per_block), Shape::threads}, stream, task);
  return true;
}

/// Selects by a comparator from rows that no tile holds: sorts their columns by the elements.
template <class T, class Before>
cudaError_t select_from_long_rows(compared_rows_task<T, Before> const& task, execution on) noexcept {
  using task_t = compared_rows_task<T, Before>;
  std::int64_t const column_count = task.column_count, row_count = task.row_count, n = row_count * column_count;
  bool const by_range = task.begins != nullptr || task.lengths != nullptr;
  sorted_columns_scratch const needed(n, row_count, sizeof(T), by_range);
  pooled_workspace const scratch(on, needed.all.bytes, static_cast<std::size_t>(needed.all.words));
  if (scratch.error() != cudaSuccess) return scratch.error();
  auto* const sorted = scratch.array_after<T>(needed.before_keys);
  auto* const places = scratch.array_after<std::int32_t>(needed.before_columns);
  columns_to_sort const unsorted{column_count, 0, task.mirrored != 0};
  elements_to_sort<T> const keys{reinterpret_cast<T const*>(task.in), task.in_stride, unsorted};
  auto const sort = [&](auto const& segments) {
    return grid::sort_segments_by_key(keys, unsorted, n, segments, row_count, sorted, places, task.order,
                                      scratch.inside());
  };
  cudaError_t const error =
      by_range ? sort(grid::segments_between(ends_to_sort::of(task, false, 0), ends_to_sort::of(task, true, 0)))
               : sort(grid::segments_of_length(column_count));
  if (error != cudaSuccess) return error;
  return grid::for_each(row_count * task.results, store_sorted_rows<task_t>{task, places}, scratch.inside());
}

/// True if two arrays have nothing in common.
template <class P, class Q>
bool are_apart_arrays(P const* p, std::int64_t n, Q const* q, std::int64_t m) noexcept {
  return p == nullptr || q == nullptr || !detail::overlap(p, n, q, m);
}

/// True if the arguments of top_k_rows are what they must be.
template <class T, class Index>
bool are_top_k_rows(matrix<T const> const& x, std::int64_t k, matrix<T> const& values, matrix<Index> const& indices,
                    top_k_rows_options const& options) noexcept {
  if (k < 0 || k > most_columns || x.row_count < 0 || x.column_count < 0 || x.column_count > most_columns) return false;
  if (k == 0 || x.row_count == 0) return detail::is_matrix(k == 0 ? matrix<T const>{nullptr, 0, 0} : x);
  if (!detail::is_matrix(x) || (values.data == nullptr && indices.data == nullptr)) return false;
  if (values.data != nullptr && !detail::is_matrix(values)) return false;
  if (indices.data != nullptr && !detail::is_matrix(indices)) return false;
  std::int64_t const in = detail::extent_of(x), of_values = detail::extent_of(values),
                     of_indices = detail::extent_of(indices);
  bool fine = detail::are_apart_arrays(x.data, in, values.data, of_values) &&
              detail::are_apart_arrays(x.data, in, indices.data, of_indices) &&
              detail::are_apart_arrays(values.data, of_values, indices.data, of_indices);
  for (std::int32_t const* each : {options.k_of_row, options.begins, options.lengths}) {
    if (each == nullptr) continue;
    fine = fine && detail::is_array(each, x.row_count) &&
           detail::are_apart_arrays(each, x.row_count, values.data, of_values) &&
           detail::are_apart_arrays(each, x.row_count, indices.data, of_indices);
  }
  return fine;
}

/// The value of a result that doesn't exist: the last of all but NaN.
template <class T>
T last_number(bool falling) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return !falling;
  } else {
    return falling ? tessera::detail::lowest<T>() : tessera::detail::highest<T>();
  }
}

/// The number of bits of the places of so many elements.
constexpr unsigned bits_of_places(std::int64_t column_count) noexcept {
  unsigned bits = 0;
  while (std::int64_t{1} << bits < column_count) ++bits;
  return bits;
}

/// Calls select(task) for the first k elements of each row, of which `results` are stored.
template <class Keys, class T, class Index, class Select>
cudaError_t select_by_task(matrix<T const> const& x, std::int64_t k, top_k_part part, T* values, Index* indices,
                           typename Keys::order const& order, typename Keys::bits const& missing,
                           top_k_rows_options const& options, Select const& select) noexcept {
  using bits = typename Keys::bits;
  std::int64_t const results = part == top_k_part::all || k < 0 ? k : 1;
  matrix<T> const to{values, x.row_count, results, options.value_stride == 0 ? results : options.value_stride};
  matrix<Index> const at{indices, x.row_count, results, options.index_stride == 0 ? results : options.index_stride};
  if (!detail::are_top_k_rows(x, k, to, at, options)) return cudaErrorInvalidValue;
  if (k == 0 || x.row_count == 0) return cudaSuccess;
  unsigned const place_bits = detail::bits_of_places(x.column_count);
  bool const mirrored = options.ties == top_k_ties::higher_column;
  return select(top_k_rows_task<bits, Keys>{
      reinterpret_cast<bits const*>(x.data), x.stride, x.row_count, static_cast<int>(x.column_count),
      static_cast<int>(k), part, static_cast<int>(results), reinterpret_cast<bits*>(values), indices,
      sizeof(Index) == 8, to.stride, at.stride, options.k_of_row, options.begins, options.lengths, order,
      mirrored ? (std::uint32_t{1} << place_bits) - 1 : 0, place_bits, missing});
}

/// Selects from rows of numbers, by less or greater.
template <class T, class Index>
cudaError_t top_k_of_rows(matrix<T const> const& x, std::int64_t k, top_k_part part, T* values, Index* indices,
                          bool falling, top_k_rows_options const& options, execution on) noexcept {
  using bits = typename tessera::detail::unsigned_of<sizeof(T)>::type;
  using keys = rank_keys_of_bits<bits>;
  return detail::select_by_task<keys>(
      x, k, part, values, indices, keys::template order_of<T>(falling),
      tessera::detail::from_bits<bits>(detail::last_number<T>(falling)), options, [&](auto const& task) {
        // Lengths and begins of their own make rows that begin anywhere.
        std::int64_t const width = row_vector_length<bits>,
                           row_vectors = options.begins ? (x.column_count + 2 * (width - 1)) / width
                                                        : detail::most_vectors(x, width);
        bool const in_any_order = options.order == top_k_order::any && part == top_k_part::all;
        return detail::launch_top_k_rows(task, row_vectors, in_any_order, on.stream);
      });
}

/// Selects from rows of any elements, by a comparator.
template <class T, class Index, class Before>
cudaError_t first_of_rows(matrix<T const> const& x, std::int64_t k, top_k_part part, T* values, Index* indices,
                          Before const& before, top_k_rows_options const& options, execution on) noexcept {
  using keys = compared_elements<T, Before>;
  using tuning = compared_rows_tuning;
  return detail::select_by_task<keys>(x, k, part, values, indices, before, {}, options, [&](auto const& task) {
    static_assert(tuning::wide::capacity == sorted_columns_scratch::most_short);
    cudaError_t error = cudaErrorInvalidValue;
    if (detail::launch_compared_rows<tuning::narrow, T, Before>(task, on.stream, error) ||
        detail::launch_compared_rows<tuning::wide, T, Before>(task, on.stream, error))
      return error;
    return detail::select_from_long_rows<T, Before>(task, on);
  });
}

/// True if results can have such indices. Else the compiler says why.
template <class Indices>
constexpr bool can_have_indices() {
  constexpr bool fine = is_one_of<Indices, std::nullptr_t, std::int32_t*, std::int64_t*>;
  static_assert(fine, "The indices of results are std::int32_t* or std::int64_t* on the GPU, or nullptr.");
  return fine;
}

/// True if elements of T can be selected by the order, with such indices. Else the compiler says why.
template <class T, class Indices, class Before>
constexpr bool can_select_numbers() {
  static_assert(tessera::detail::is_ordered_number<T>,
                "Elements to choose from are integers, bool, float, double, __half or __nv_bfloat16: convert them.");
  return detail::can_have_indices<Indices>() && detail::can_select<T, Before>() &&
         tessera::detail::is_ordered_number<T>;
}

/// True if T has keys in an order: numbers by less or greater.
template <class T, class Before>
constexpr bool has_number_keys() {
  using order = tessera::detail::canonical_comparator_t<Before, T>;
  return tessera::detail::is_ordered_number<T> && is_one_of<order, less, greater>;
}

/// True if elements of T can be selected with such indices, in any order. Else the compiler says why.
template <class T, class Indices>
constexpr bool can_select_elements() {
  constexpr bool fits = is_exchangeable_v<T> && sizeof(T) <= 64;
  static_assert(fits, "Elements to choose from are trivially copyable, of up to 64 bytes.");
  return detail::can_have_indices<Indices>() && fits;
}

/// A selection from rows whose arguments' types were deduced.
template <class T, class Indices, class Before>
cudaError_t select_from_rows(matrix<T const> const& x, std::int64_t k, top_k_part part, T* values, Indices indices,
                             Before const& before, top_k_rows_options const& options, execution on) noexcept {
  if constexpr (detail::can_select_elements<T, Indices>()) {
    using index =
        std::conditional_t<std::is_same_v<Indices, std::nullptr_t>, std::int32_t, std::remove_pointer_t<Indices>>;
    if constexpr (detail::has_number_keys<T, Before>()) {
      return detail::top_k_of_rows<T, index>(x, k, part, values, indices, detail::is_falling<T, Before>, options, on);
    } else {
      return detail::first_of_rows<T, index>(x, k, part, values, indices,
                                             tessera::detail::canonical_comparator<T>(before), options, on);
    }
  } else {
    return cudaErrorNotSupported;
  }
}

}  // namespace TESSERA_ARCHS

}  // namespace detail

inline namespace TESSERA_ARCHS {

/// The k elements of each row that come first, in order unless the options ask for any, and their columns.
///
/// k        the number of results of a row, from 0 on.
/// values   k elements for each row, row after row, or null if only indices are wanted.
/// indices  as many std::int32_t or std::int64_t, or null.
/// options  ties, a k, a begin and a length for each row, strides and order of the results: see top_k_rows_options.
template <class In, class Indices, class Before = greater>
[[nodiscard]] cudaError_t top_k_rows(matrix<In> x, std::int64_t k, std::remove_const_t<In>* values, Indices indices,
                                     Before before = {}, top_k_rows_options const& options = {},
                                     execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  return detail::select_from_rows<T>(x, k, detail::top_k_part::all, values, indices, before, options, on);
}

/// The element of each row that has `rank` others before it, and its column.
///
/// rank             from 0 to 2^30 − 1. A row with fewer elements has none: its index is −1.
/// values, indices  one for each row, or null.
/// options          as for top_k_rows; k_of_row is null.
template <class In, class Indices, class Before = less>
[[nodiscard]] cudaError_t kth_value_rows(matrix<In> x, std::int64_t rank, std::remove_const_t<In>* values,
                                         Indices indices, Before before = {}, top_k_rows_options const& options = {},
                                         execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if (rank < 0 || rank >= detail::most_columns || options.k_of_row != nullptr) return cudaErrorInvalidValue;
  return detail::select_from_rows<T>(x, rank + 1, detail::top_k_part::last, values, indices, before, options, on);
}

/// The median of each row in an order, and its column: of an even number of elements the first of both in the middle. A
/// row without elements has none: its index is −1, and its value that of the rest.
///
/// values, indices  one for each row, or null.
/// options          as for top_k_rows; k_of_row is null.
template <class In, class Indices, class Before,
          std::enable_if_t<!std::is_convertible_v<Before, top_k_rows_options>, bool> = true>
[[nodiscard]] cudaError_t median_rows(matrix<In> x, std::remove_const_t<In>* values, Indices indices, Before before,
                                      top_k_rows_options const& options = {}, execution on = {}) noexcept {
  using T = std::remove_const_t<In>;
  if (options.k_of_row != nullptr) return cudaErrorInvalidValue;
  std::int64_t const most = x.column_count < 1 ? 1 : (x.column_count + 1) / 2;
  return detail::select_from_rows<T>(x, most, detail::top_k_part::median, values, indices, before, options, on);
}
/// The median of each row by less{}. NaNs count as the greatest elements.
template <class In, class Indices>
[[nodiscard]] cudaError_t median_rows(matrix<In> x, std::remove_const_t<In>* values, Indices indices,
                                      top_k_rows_options const& options = {}, execution on = {}) noexcept {
  return grid::median_rows(x, values, indices, less{}, options, on);
}

}  // namespace TESSERA_ARCHS

}  // namespace grid
TESSERA_NAMESPACE_END
