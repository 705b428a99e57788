// How many bytes of memory a call takes, for programs that plan memory ahead: in plain C++17, without a device and
// without CUDA. grid.hpp doesn't include it.
//
//   // Where a program is planned, for any GPU of sm_90:
//   std::size_t const bytes = tessera::grid::scratch_bytes(tessera::grid::call::inclusive_scan, n, sizeof(float), 90);
//   // Where it runs:
//   tessera::grid::workspace given(pointer, bytes);
//   error = tessera::grid::inclusive_scan(in, n, out, tessera::plus{}, {stream, given});
//
// The number suffices on every GPU of the architecture. For most calls it is 32 KiB and a thousandth of the array.
// Calls on segments take up to 1 MiB more, top_k_segments 4.1 MiB, and others 32 KiB for each byte of results longer
// than 16 bytes; reductions of up to 256 segments take up to 8 MiB, and 512 KiB for each such byte, since they may be
// long rows. For sorts it is a copy of the arrays and 5 to 10 % more. 0 means that the call takes no memory.
//
//   call                            n              second               sizes of types, in bytes
//   reduce and its like, scans      elements       –                    element; result: the type they're combined in
//   calls by key                    keys           –                    key, value
//   reduce_segments, arg*_segments  segments       *segments            element
//   softmax_segments and its like,  segments       *segments            element
//   log_sum_exp_segments,
//   top_k_segments
//   scans of segments               elements       *segments            as scans
//   sorts of segments               elements       *segments            key, value
//   select, partition, unique       elements       –                    element; value: the type of flags or stencil
//   *_rows                          rows           columns              element; value: the same again for rows that
//                                                                       an iterator reads or writes; result
//   *_scan_rows, *_scan_columns     rows           columns              element; result, as scans
//   *_rows                          rows           columns              element; of sort_rows with gaps between the
//                                                                       rows: the stride in place of the columns
//   sort_rows_by_key                rows           columns              key, value; of this and sort_rows by an order
//                                                                       of your own: result, the size of a key
//   top_k_rows, kth_value_rows,     rows           columns              element; by an order of your own: result, its
//   median_rows                                                         size, and value, too, if options give begins or
//                                                                       lengths
//   argsort_rows                    rows           columns              element; value: the type of indices; by an
//                                                                       order of your own: result, its size
//   merge, set_*                    elements of a  elements of b        key, value
//   sort, argsort                   elements       –                    key; value, or the type of indices
//   top_k, top_k_by                 elements       k                    element; for top_k_by the type of key(x)
//   nth_element, quantiles          elements       rank; ⌊(n − 1) q⌋    element
//   histogram_weighted              elements       bins                 –
//   copy_batches                    buffers        –                    –
//   group_by_label                  labels         bins                 –
//
//   *segments    the number of segments, if a segment list gives them (segment_list.hpp) or it is on the device; else
//                0. reduce_segments, arg*_segments, softmax_segments, log_sum_exp_segments and top_k_segments need it
//                for segments_of_lengths only. top_k_segments is planned for the k that takes most.
//
// n on the device    n is at_most (count_on_device.hpp), of quantiles at_most + 1. Sorts by an order of your own
//                    take more then: their result is the size of std::optional<key>. Those of numbers don't.
// start              changes nothing, also if it is on the device.
// iterators          the element is the iterator's value_type.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/copy/copy_tuning.hpp>
#include <tessera/grid/histogram/histogram_tuning.hpp>
#include <tessera/grid/parts/tile_words.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>
#include <tessera/grid/reduce/even_share.hpp>
#include <tessera/grid/rows/route_tuning.hpp>
#include <tessera/grid/rows/row_tuning.hpp>
#include <tessera/grid/rows/scan_rows_tuning.hpp>
#include <tessera/grid/segments/segment_scratch.hpp>
#include <tessera/grid/segments/segments_tuning.hpp>
#include <tessera/grid/select/set_tuning.hpp>
#include <tessera/grid/sort/cub_bytes.hpp>
#include <tessera/grid/sort/segment_sort_tuning.hpp>
#include <tessera/grid/top_k/selection_bytes.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid {

/// The calls on whole arrays, by name.
enum class call {
  add_layer_norm_rows,
  add_rms_norm_rows,
  adjacent_difference,
  argmax,
  argmax_rows,
  argmax_segments,
  argmin,
  argmin_rows,
  argmin_segments,
  argsort,
  argsort_rows,
  copy_batches,
  count_if,
  cross_entropy_rows,
  equal,
  exclusive_scan,
  exclusive_scan_by_key,
  exclusive_scan_columns,
  exclusive_scan_rows,
  exclusive_scan_segments,
  find_if,
  for_each,
  group_by_label,
  histogram,
  histogram_by,
  histogram_channels,
  histogram_weighted,
  inclusive_scan,
  inclusive_scan_by_key,
  inclusive_scan_columns,
  inclusive_scan_rows,
  inclusive_scan_segments,
  kth_value_rows,
  layer_norm_rows,
  log_probability_rows,
  log_softmax_rows,
  log_softmax_segments,
  log_sum_exp_rows,
  log_sum_exp_segments,
  lower_bound,
  map_rows,
  median_rows,
  merge,
  minmax,
  minmax_rows,
  mismatch,
  moments,
  moments_rows,
  non_trivial_runs,
  nth_element,
  partition,
  partition_copy,
  quantiles,
  reduce,
  reduce_by_key,
  reduce_rows,
  reduce_segments,
  renormalize_rows,
  rms_norm_rows,
  route_rows,
  run_length_encode,
  sample_rows,
  select,
  set_difference,
  set_difference_by_key,
  set_intersection,
  set_intersection_by_key,
  set_symmetric_difference,
  set_symmetric_difference_by_key,
  set_union,
  set_union_by_key,
  softmax128,
  softmax_rows,
  softmax_segments,
  sort,
  sort_by_key,
  sort_rows,
  sort_rows_by_key,
  sort_segments,
  sort_segments_by_key,
  stable_sort,
  stable_sort_by_key,
  stable_sort_segments,
  tabulate,
  three_way_partition,
  top_k,
  top_k_by,
  top_k_rows,
  top_k_segments,
  transform,
  transform_exclusive_scan,
  transform_inclusive_scan,
  transform_reduce,
  transform_reduce_rows,
  unique,
  unique_by_key,
  upper_bound
};

/// The sizes of a call's arrays: n, or {n, second}, as in the table at the head.
struct array_sizes {
  std::int64_t n, second;

  constexpr array_sizes(std::int64_t count, std::int64_t other = 0) noexcept : n(count), second(other) {}
};

/// The sizes in bytes of an element or key, of a value or flag, and of a result, the type that elements or values are
/// combined in. Give those that the call has. A result that is no longer than elements or values, or has up to 4 bytes,
/// may be left out.
struct type_sizes {
  std::size_t element, value, result;

  constexpr type_sizes(std::size_t of_element, std::size_t of_value = 0, std::size_t of_result = 0) noexcept
      : element(of_element), value(of_value), result(of_result) {}
};

/// The GPUs that are planned for: 90 for all of sm_90, or {90, 132} for those of at most 132 multiprocessors. 0 means
/// any GPU, also one that is newer than all code of the program.
struct gpu_architecture {
  int architecture, multiprocessors;

  constexpr gpu_architecture(int sm = 0, int most_multiprocessors = 0) noexcept
      : architecture(sm), multiprocessors(most_multiprocessors > 0 ? most_multiprocessors : most_of(sm)) {}

 private:
  /// The multiprocessors of the largest chip.
  static constexpr int most_of(int sm) noexcept {
    return sm == 75                 ? 72
           : sm == 86               ? 84
           : sm == 87               ? 16
           : sm == 80               ? 128
           : sm == 89 || sm == 90   ? 144
           : sm == 100 || sm == 103 ? 160
           : sm == 120              ? 192
                                    : 248;
  }
};

namespace detail {

/// The sizes of one call, and the bytes that each kind of call takes of a workspace.
struct scratch_plan {
  std::int64_t n, second;
  std::int64_t key, value, result;  // bytes
  gpu_of_plan gpu;
  static constexpr std::int64_t of_library = 32;

  std::int64_t longest() const { return greatest(greatest(key, 4), greatest(value, result)); }
  /// The bytes, and the 32-bit words, of the type that elements, or values by key, are combined in.
  std::int64_t combined() const { return greatest(result > 0 ? result : value > 0 ? value : key, 4); }
  std::uint64_t combined_words() const { return static_cast<std::uint64_t>(combined() + 3) / 4; }

  /// A look-back whose tiles publish so many words.
  std::size_t look_back(std::uint64_t words) const {
    return detail::most_tiles(n, longest()) == 1 ? 0 : total(detail::most_tile_words(n, longest(), words), 0);
  }
  /// A reduction to a result of so many bytes.
  std::size_t reduction(std::int64_t bytes) const {
    if (n <= reduce_tuning::threads) return 0;  // one block
    // order::any_device has a fixed number of multiprocessors.
    bool const has_fewer = gpu.multiprocessors < reduce_tuning::multiprocessors;
    std::int64_t const blocks =
        detail::resident_blocks(has_fewer ? reduce_tuning::multiprocessors : gpu.multiprocessors);
    return total(0, detail::partial_bytes(blocks, static_cast<std::size_t>(bytes)));
  }
  /// The bytes of a block's partial of a row that several blocks share. Those of the library's folds have up to 32.
  std::int64_t row_partial() const { return greatest(of_library, 2 * combined()); }
  /// Reductions of segments: by offsets, or as rows if they have one length.
  std::size_t segments() const {
    std::size_t const by_offsets =
        total(0, static_cast<std::uint64_t>(gpu.multiprocessors) * segments_tuning::blocks_per_multiprocessor *
                     detail::segment_part_bytes(static_cast<std::size_t>(combined())));
    if (n > fold_tuning::most_shared_rows) return by_offsets;
    std::size_t const as_rows = total(0, static_cast<std::uint64_t>(n * row_parts::most * row_partial()));
    return by_offsets > as_rows ? by_offsets : as_rows;
  }
  /// The parts of a row that is cut into steps of so many vectors.
  std::int64_t parts_of_row(unsigned step) const {
    std::int64_t const steps = (vectors_of_row() + step - 1) / step;
    return steps < row_parts::most ? steps : row_parts::most;
  }
  /// Reductions of rows by several blocks each.
  std::size_t fold_of_rows() const {
    if (n <= 0 || n > fold_tuning::most_shared_rows || vectors_of_row() < fold_tuning::long_vectors) return 0;
    std::int64_t const parts = parts_of_row(fold_tuning::large::row_vectors);
    std::int64_t const splits = detail::splits_of(n, parts, gpu.multiprocessors);
    return splits == 1 ? 0 : total(0, static_cast<std::uint64_t>(n * parts * row_partial()));
  }
  /// Maps of rows. A row is read more than once if no block holds it, and no cluster.
  std::size_t map_of_rows() const {
    std::int64_t const vectors = vectors_of_row(), in_block = detail::most_vectors_of(map_tuning::shapes<double>{});
    if (n <= 0 || vectors <= in_block) return 0;
    std::int64_t const values = vectors > map_tuning::most_shared_vectors
                                    ? parts_of_row(map_tuning::again<double>::row_vectors)
                                    : map_tuning::most_blocks;
    return total(0, static_cast<std::uint64_t>(n * values * of_library));
  }
  /// Rows that an iterator reads or writes: a result of each piece of a long row.
  std::size_t computed_rows() const {
    using tuning = each_segment_tuning;
    if (value == 0 || n <= 0 || second <= tuning::piece) return 0;
    std::int64_t const wanted = (second + tuning::piece - 1) / tuning::piece;
    std::int64_t const pieces = wanted < tuning::most_pieces ? wanted : tuning::most_pieces;
    return total(0, static_cast<std::uint64_t>(n * pieces * row_partial()));
  }
  std::size_t fold_of_any_rows() const { return value > 0 ? computed_rows() : fold_of_rows(); }
  std::size_t map_of_any_rows() const { return value > 0 ? computed_rows() : map_of_rows(); }
  /// Scans of rows, or of columns, that blocks share: a value for each of their chunks.
  std::size_t scan_of_rows() const {
    if (second > INT32_MAX) return 0;
    auto const lanes = scan_rows_lanes::of(bytes_of(key), bytes_of(result));
    return chunks_of_lines(n, lanes.shared_chunks(n, static_cast<int>(second)));
  }
  std::size_t scan_of_columns() const {
    return chunks_of_lines(second, scan_columns_lanes::of(bytes_of(key), bytes_of(result)).shared_chunks(n, second));
  }
  std::size_t chunks_of_lines(std::int64_t line_count, int chunks) const {
    return line_count == 0 || chunks == 0 ? 0 : total(0, static_cast<std::uint64_t>(line_count * chunks * combined()));
  }
  /// The bytes of a key as it is sorted, and of all keys if they are sorted in spare memory, with a bool each.
  std::size_t sorted_key() const { return bytes_of(greatest(key, result)); }
  std::size_t spare_keys() const { return result > key ? detail::on_lines(bytes_of(n) * sorted_key()) : 0; }
  std::size_t sort() const {
    return n == 0 ? 0 : total(0, spare_keys() + detail::sort_bytes(n, sorted_key(), bytes_of(value)));
  }
  /// A sort of indices by their keys. Both are in spare memory.
  std::size_t sort_of_indices() const {
    auto const count = static_cast<std::size_t>(n);
    std::size_t const index = value > 0 ? bytes_of(value) : sizeof(std::int64_t);
    std::size_t const spare = detail::on_lines(count * sorted_key()) + detail::on_lines(count * index);
    return n == 0 ? 0 : total(0, spare + detail::sort_bytes(n, sorted_key(), index));
  }
  std::size_t sort_of_segments() const {
    constexpr auto least = segment_sort_tuning::least_capacity;
    if (n <= least) return 0;
    return total(0, segment_sort_memory(bytes_of(n), least, bytes_of(key), bytes_of(value)).bytes);
  }
  /// The bytes of a call: so many, or more if a list of `second` segments takes more.
  std::size_t listed(std::size_t bytes, segment_scratch const& inside) const {
    if (n == 0 || second == 0) return bytes;
    std::size_t const by_list = detail::located_scratch(second, inside).total();
    return bytes > by_list ? bytes : by_list;
  }
  /// Calls of each_segment.cuh for n segments, whose pieces have results of `result` bytes, or none.
  std::size_t each_segment(std::size_t of_piece) const {
    segment_scratch const each = detail::each_scratch(n, of_piece);
    return n == 0 ? 0 : listed(each.total(), each);
  }
  /// With an index, a value has twice its size, and 16 bytes at least.
  std::size_t arg_of_segments() const { return each_segment(bytes_of(greatest(2 * key, 16))); }
  /// Elements of up to 4 bytes may have a list.
  std::size_t first_of_segments() const {
    segment_scratch const inside = detail::top_k_segments_scratch(n, bytes_of(key), 64);
    return n == 0 ? 0 : listed(inside.bytes > 0 ? inside.total() : 0, inside);
  }
  std::size_t reduction_of_listed() const {
    std::size_t const of_one = bytes_of(combined()),
                      by_offsets = listed(segments(), detail::reduced_scratch(gpu.multiprocessors, of_one)),
                      by_others = each_segment(of_one);
    return by_offsets > by_others ? by_offsets : by_others;
  }
  std::size_t scan_of_listed() const {
    segment_scratch const scan = detail::scanned_scratch(n, bytes_of(longest()), bytes_of(combined()));
    return listed(look_back(combined_words() + 1), scan.or_of(detail::each_scratch(second)));
  }
  /// Planned for segments by lengths whose number is on the device: other lists take less.
  std::size_t sort_of_listed() const {
    return listed(sort_of_segments(), detail::gathered_scratch(n, second, bytes_of(key), bytes_of(value)));
  }
  /// True if a warp or a block sorts rows of so many columns, wherever they begin: the shapes of sort_rows.cuh.
  bool holds_sorted_row() const {
    std::int64_t const most = second + 2 * (16 / (key < 1 ? 1 : key) - 1);
    if (key < 8) return most <= 8192;
    return most <= 512 || (second >= 768 && most <= 1024) || (second >= 1536 && most <= 2048);
  }
  /// Other sorts of rows, as segments.
  std::size_t sort_of_rows() const {
    if (n == 0 || (result == 0 && holds_sorted_row())) return 0;
    scratch_plan segments = *this;
    segments.n = n * second;
    segments.second = n;
    return segments.sort_of_listed();
  }
  std::size_t sort_of_rows_by_key() const {
    using scratch = sorted_pairs_scratch;
    bool const is_short = value <= scratch::most_value_bytes && second <= scratch::most_short(key);
    if (n == 0 || second == 0 || (result == 0 && is_short)) return 0;
    return scratch(n * second, n, bytes_of(key), true, bytes_of(value)).all.total();
  }
  /// Numbers by less or greater take none.
  std::size_t selection_from_rows(bool by_range) const {
    if (n == 0 || result == 0 || second <= sorted_columns_scratch::most_short) return 0;
    return sorted_columns_scratch(n * second, n, bytes_of(key), by_range).all.total();
  }
  std::size_t argsort_of_rows() const {
    if (result > 0) return selection_from_rows(false);
    if (n == 0 || second <= argsorted_rows_scratch::most_short) return 0;
    std::size_t const index = value > 0 ? bytes_of(value) : sizeof(std::int32_t);
    return argsorted_rows_scratch(n * second, n, bytes_of(key), index).all.total();
  }
  std::size_t selection(std::int64_t target, bool single) const {
    if (target < 0 || target >= n) return 0;
    return total(0, detail::most_selection_bytes(n, target, single, key, gpu));
  }
  /// The most bytes of the ranks that a quantile may need: `second`, the next one, and, if `second` was rounded up, the
  /// previous one.
  std::size_t quantile() const {
    std::size_t const before = selection(second - 1, true), at = selection(second, true),
                      after = selection(second + 1, true);
    std::size_t const first = before > at ? before : at;
    return first > after ? first : after;
  }
  /// A grouping of so many labels into `second` bins, whose parts publish up to a word for each.
  std::size_t grouping(std::int64_t labels) const {
    std::int64_t const counts = detail::most_group_counts(labels, second, gpu.multiprocessors);
    return counts == 0 ? 0 : total(look_back_header_words + static_cast<std::uint64_t>(counts), 0);
  }
  /// Rows that are routed and grouped: in two launches, or in one, whose parts publish a byte for each column.
  std::size_t routing() const {
    if (n == 0) return 0;
    std::int64_t const most = static_cast<std::int64_t>(group_tuning::most_routed_parts),
                       parts = gpu.multiprocessors < most ? gpu.multiprocessors : most;
    std::size_t const in_two = grouping(n * route_tuning::most_chosen),
                      in_one =
                          total(look_back_header_words + static_cast<std::uint64_t>(parts * ((second + 3) / 4)), 0);
    return in_one > in_two ? in_one : in_two;
  }
  std::size_t set() const {
    std::int64_t const tiles = detail::most_tiles(n + second, greatest(key, 4));
    if (tiles == 1) return 0;
    bool const has_ends = tiles > set_tuning::own_ends;
    return total(detail::look_back_words_of(tiles, 2), has_ends ? detail::set_end_bytes(tiles) : 0);
  }

  static std::size_t bytes_of(std::int64_t x) { return static_cast<std::size_t>(x); }
  static std::size_t total(std::uint64_t words, std::uint64_t bytes) {
    return workspace_layout::total(static_cast<std::size_t>(words), static_cast<std::size_t>(bytes));
  }
  static std::int64_t greatest(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

 private:
  std::int64_t vectors_of_row() const { return key > 0 && 16 % key == 0 ? (second * key + 15) / 16 : second; }
};

}  // namespace detail

/// The bytes that a workspace in memory of the caller's needs to serve the call on any GPU of the architecture; 0 if
/// the call takes no memory, or refuses the sizes. A call with fewer elements may need more.
///
/// what    the call by its name; see the table at the head for the meaning of the sizes
/// sizes   n up to 2^40
/// Cost    some nanoseconds; for top_k and its like some microseconds. No memory, no device.
/// Source  the functions by which the calls themselves take memory. For CUB's merge sorts it is a bound, some percent
///         above the memory that CUB 2.3 to 3.5 asks for: grid/sort/cub_bytes.hpp.
[[nodiscard]] inline std::size_t scratch_bytes(call what, array_sizes const& sizes, type_sizes const& types,
                                               gpu_architecture const& gpu = {}) noexcept {
  auto const bytes = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  detail::scratch_plan const plan{sizes.n,
                                  sizes.second,
                                  bytes(types.element),
                                  bytes(types.value),
                                  bytes(types.result),
                                  {gpu.architecture, gpu.multiprocessors}};
  constexpr std::int64_t index = sizeof(std::int64_t);
  if (plan.n < 0 || plan.second < 0) return 0;
  switch (what) {
    case call::adjacent_difference:
    case call::for_each:
    case call::lower_bound:
    case call::merge:
    case call::renormalize_rows:
    case call::sample_rows:
    case call::softmax128:
    case call::tabulate:
    case call::transform:
    case call::upper_bound:
      return 0;
    case call::equal:
    case call::find_if:
    case call::histogram:
    case call::histogram_by:
    case call::histogram_channels:
    case call::mismatch:
      return plan.total(0, 0);
    case call::group_by_label:
      return plan.grouping(plan.n);
    case call::route_rows:
      return plan.routing();
    case call::histogram_weighted:
      return plan.total(0, detail::weighted_bytes(plan.bytes_of(plan.second)));
    case call::copy_batches:
      return plan.n == 0 ? 0 : plan.total(0, detail::copy_list_bytes(plan.n));
    case call::reduce:
    case call::transform_reduce:
      // With a start, an operator without an identity reduces optional terms: a value's words, and one more.
      return plan.reduction(static_cast<std::int64_t>(4 * (plan.combined_words() + 1)));
    case call::count_if:
      return plan.reduction(index);
    case call::argmax:
    case call::argmin:
      return plan.reduction(2 * plan.greatest(plan.key, index));
    case call::minmax:
      return plan.reduction(2 * plan.key);
    case call::moments:
      return plan.reduction(4 * index);
    case call::argmax_rows:
    case call::argmin_rows:
    case call::log_probability_rows:
    case call::log_sum_exp_rows:
    case call::minmax_rows:
    case call::moments_rows:
    case call::reduce_rows:
    case call::transform_reduce_rows:
      return plan.fold_of_any_rows();
    case call::map_rows:
      return plan.map_of_rows();
    case call::add_layer_norm_rows:
    case call::add_rms_norm_rows:
    case call::layer_norm_rows:
    case call::log_softmax_rows:
    case call::rms_norm_rows:
    case call::softmax_rows:
      return plan.map_of_any_rows();
    case call::cross_entropy_rows: {
      std::size_t const reduced = plan.fold_of_rows(), mapped = plan.map_of_rows();
      return reduced > mapped ? reduced : mapped;
    }
    case call::reduce_segments:
      return plan.n == 0 ? 0 : plan.reduction_of_listed();
    case call::argmax_segments:
    case call::argmin_segments:
      return plan.arg_of_segments();
    case call::top_k_segments:
      return plan.first_of_segments();
    case call::log_softmax_segments:
    case call::log_sum_exp_segments:
    case call::softmax_segments:
      return plan.each_segment(plan.key == 0 || plan.key > 4 ? 16 : 8);  // a maximum and a sum
    case call::exclusive_scan:
    case call::inclusive_scan:
    case call::transform_exclusive_scan:
    case call::transform_inclusive_scan:
      return plan.look_back(plan.combined_words());
    case call::exclusive_scan_by_key:
    case call::inclusive_scan_by_key:
      return plan.look_back(plan.combined_words() + 1);  // one more says whether a run begins
    case call::exclusive_scan_columns:
    case call::inclusive_scan_columns:
      return plan.scan_of_columns();
    case call::exclusive_scan_rows:
    case call::inclusive_scan_rows:
      return plan.scan_of_rows();
    case call::exclusive_scan_segments:
    case call::inclusive_scan_segments:
      return plan.scan_of_listed();
    case call::partition: {
      std::size_t const counted = plan.reduction(index), parted = plan.look_back(2);
      return counted > parted ? counted : parted;
    }
    case call::partition_copy:
    case call::select:
    case call::unique:
    case call::unique_by_key:
      return plan.look_back(2);  // a count
    case call::run_length_encode:
    case call::non_trivial_runs:
    case call::three_way_partition:
      return plan.look_back(4);
    case call::reduce_by_key:
      return plan.look_back(plan.combined_words() + 2);
    case call::set_difference:
    case call::set_difference_by_key:
    case call::set_intersection:
    case call::set_intersection_by_key:
    case call::set_symmetric_difference:
    case call::set_symmetric_difference_by_key:
    case call::set_union:
    case call::set_union_by_key:
      return plan.set();
    case call::sort:
    case call::sort_by_key:
    case call::stable_sort:
    case call::stable_sort_by_key:
      return plan.sort();
    case call::argsort:
      return plan.sort_of_indices();
    case call::sort_segments:
    case call::sort_segments_by_key:
    case call::stable_sort_segments:
      return plan.sort_of_listed();
    case call::sort_rows:
      return plan.sort_of_rows();
    case call::sort_rows_by_key:
      return plan.sort_of_rows_by_key();
    case call::argsort_rows:
      return plan.argsort_of_rows();
    case call::kth_value_rows:
    case call::median_rows:
    case call::top_k_rows:
      return plan.selection_from_rows(plan.value != 0);
    case call::top_k:
    case call::top_k_by:
      return plan.second == 0 ? 0 : plan.selection(plan.second - 1, false);
    case call::nth_element:
      return plan.selection(plan.second, true);
    case call::quantiles:
      return plan.quantile();
  }
  return 0;
}

}  // namespace grid
TESSERA_NAMESPACE_END
