// The agent that scans the segments of an array, for the kernels of scan_by_key.cuh and scan_segments.cuh. Each warp
// scans its part of each tile (tile_loop.hpp).
//
//   tile          warp 0                          warp 1                          …
//   rows          row 0 | row 1 | row 2           row 0 | …                       a lane has neighbors of a row
//
//   scan          Each lane scans its own elements of a row, anew at each head. The warp scans the open runs of its
//                 lanes, one row after the other. The results within the warp are kept in shared memory.
//   store         Results before the warp's first head are combined with the warp's prefix. Then all are stored.
//
// The open run of some neighboring elements begins at their last head, or includes all of them if none is a head. It is
// kept as its aggregate and whether it has a head. Open runs of neighbors are joined by an operator that is associative
// if the user's is. The first element of all is a head, so that no identity is needed. A start is combined with each
// head of an exclusive scan.
//
// The least time is that of a copy of the elements and one read of the keys or offsets. The copy of 2^28 floats takes
// 504 µs on an H200; with keys of 4 bytes it is 756 µs. For each row of 128 floats a warp has 7 shuffles, more for
// keys, and 2 votes; for each tile there is a barrier.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/buffered_rows.hpp>
#include <tessera/grid/parts/kept_by_lanes.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/parts/unaligned_rows.hpp>
#include <tessera/grid/segments/segment_heads.hpp>
#include <tessera/grid/segments/segmented_scan_tuning.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::assign;
using tessera::detail::from_words;
using tessera::detail::select;
using tessera::detail::words;

/// A scan. `convert` converts an element to R, in which elements are combined; results are converted from R to what
/// `out` points to. Exclusive is bool, or true_type or false_type where a kernel has too few registers for both kinds
/// of scans.
template <class T, class R, class Op, class Convert, class Source, class Exclusive, class In = T const*, class Out = T*>
struct segmented_scan_task {
  using result = tessera::detail::written_t<Out, R>;

  In in;
  Out out;
  std::int64_t n;
  Source source;  // of the heads
  Op op;
  Convert convert;
  optional_value<R> start;
  Exclusive exclusive;
};

/// The aggregate of an open run, and whether it begins with a head. Stored as words, whose alignment may be less than
/// R's.
template <class R>
struct open_run {
  tessera::detail::words<R> word;
  std::uint32_t has_head;

  TESSERA_FN R value() const { return tessera::detail::from_words<R>(word); }
  TESSERA_FN static open_run of(R const& x, bool has_head) {
    return {tessera::detail::to_words(x), has_head ? 1u : 0u};
  }
};
/// Joins the open runs of neighbors.
template <class Op>
struct join_open_runs {
  Op const& op;
  template <class R>
  TESSERA_FN open_run<R> operator()(open_run<R> const& a, open_run<R> const& b) const {
    if (b.has_head != 0) return b;
    return open_run<R>::of(static_cast<R>(op(a.value(), b.value())), a.has_head != 0);
  }
};

/// The shape of tiles for which a block has room. Small tiles of segments by offsets have a kernel of their own, unless
/// elements have more than 16 bytes.
template <class T, class R, class Source, tile_kind Kind>
struct segmented_scan_shape {
  using tuning = segmented_scan_tuning;
  static constexpr unsigned element_bytes = sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R);
  /// The number K of elements that a lane has of a row: as few as fill whole vectors, also vectors of keys if that
  /// isn't too many.
  static constexpr unsigned of_values = elements_of_row<T>();
  static constexpr bool is_for_keys = Source::row_elements >
                                      of_values&& Source::row_elements * sizeof(T) <= tuning::row_bytes;
  static constexpr unsigned K = is_for_keys ? Source::row_elements : of_values;
  static constexpr unsigned row_bytes = K * ((element_bytes > 4 ? element_bytes : 4) + Source::element_bytes);
  static constexpr unsigned widest = element_bytes > Source::element_bytes ? element_bytes : Source::element_bytes;
  static constexpr bool is_apart = Source::has_marks && widest <= 16;
  static constexpr bool is_small = is_apart && Kind != tile_kind::large;
  static constexpr bool is_streaming = !is_small;  // whether stores leave the cache to what is loaded
  static constexpr unsigned bytes =
      is_small ? tuning::bytes_of_small : tuning::template bytes<R>(widest, Source::element_bytes > 0);
  static constexpr unsigned row_count = row_bytes < bytes && widest <= 16 ? bytes / row_bytes : 1;
  /// The bytes of a warp's shared memory: for parts and their prefixes, with three bits for each element if heads are
  /// marked, and for its rows.
  static constexpr unsigned bytes_of_parts =
      4 * (sizeof(words<R>) + 8) + 8 + (Source::has_marks ? 3 * row_count * K * 4 : 0);
  static constexpr unsigned bytes_of_rows = 2 * 32 * row_count * sizeof(words<items<R, K>>);
  static constexpr bool in_shared =  // else lanes keep their results
      bytes_of_parts + bytes_of_rows <= tile_tuning::room(Kind);
  static constexpr unsigned bytes_of_warp = bytes_of_parts + (in_shared ? bytes_of_rows : 0);
  static constexpr unsigned blocks_per_multiprocessor = is_small && widest >= 4 && widest <= 8 ? 2 : 1;
  static constexpr unsigned most_warps =
      is_small && widest <= 8 ? tuning::warps_of_small : tile_tuning::most_warps(widest);
  static constexpr unsigned fitting = tile_tuning::warps(most_warps, Kind, bytes_of_warp);
  static constexpr unsigned warps = fitting < tuning::most_warps ? fitting : tuning::most_warps;
  /// The warps of a small tile in the kernel for large tiles, if there is room. 0 if small tiles have another kernel.
  static constexpr unsigned small_warps = is_apart ? 0 : tile_tuning::small_warps(warps, widest, row_count* row_bytes);

  /// The number of elements of a tile of `tile_warps` warps, and of tiles of an array.
  TESSERA_FN static constexpr std::int64_t tile_elements(unsigned tile_warps) {
    return static_cast<std::int64_t>(tile_warps) * 32 * row_count * K;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned tile_warps) {
    return n == 0 ? 0 : (n - 1) / tile_elements(tile_warps) + 1;
  }
};

/// The block's shared memory. A block of fewer warps allocates only their elements of the last array.
template <class Task, class Shape, unsigned MostWarps = Shape::warps>
struct segmented_scan_storage;
template <class T, class R, class Op, class Convert, class Source, class Exclusive, class In, class Out, class Shape,
          unsigned MostWarps>
struct segmented_scan_storage<segmented_scan_task<T, R, Op, Convert, Source, Exclusive, In, Out>, Shape, MostWarps> {
  static constexpr unsigned most_warps = MostWarps;
  using of_warp_t =  // a warp's rows
      stl::conditional_t<Shape::in_shared, buffered_rows<items<R, Shape::K>, Shape::row_count>, nothing>[2];

  unsigned first_head[2][MostWarps];  // the place of a warp's first head in its part
  tile_loop_storage<open_run<R>, MostWarps> loop;
  head_storage<MostWarps, Shape::row_count * Shape::K, Source::has_marks> heads;
  of_warp_t row_buffers[MostWarps];
};

template <class Shape, class Block, class Task, class Storage>
class segmented_scan_agent;

template <class Shape, class Block, class T, class R, class Op, class Convert, class Source, class Exclusive, class In,
          class Out, class Storage>
class segmented_scan_agent<Shape, Block, segmented_scan_task<T, R, Op, Convert, Source, Exclusive, In, Out>, Storage> {
  using task_t = segmented_scan_task<T, R, Op, Convert, Source, Exclusive, In, Out>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;
  static constexpr unsigned row_elements = 32 * K, part_elements = row_count * row_elements;
  using heads_t = segment_heads<Storage::most_warps, K, row_count, warp_t, Source>;
  using maybe = optional_value<R>;

 public:
  TESSERA_FN segmented_scan_agent(Block const& block, task_t const& task, tile_cut cut, element_range const& all,
                                  Storage& storage)
      : warp_(tessera::tiled_partition<32>(block)),
        thread_(block.thread_rank()),
        task_(task),
        storage_(storage),
        heads_(thread_, cut.warps, task.source, all, storage.heads),
        cut_(cut) {}

  // The phases of a tile: see tile_loop.hpp.

  template <bool HasMarks = Source::has_marks, class = stl::enable_if_t<HasMarks>>
  TESSERA_FN void look_ahead(unsigned tile, unsigned half) {
    heads_.look_ahead(warp_, place_of(tile), half);
  }

  TESSERA_FN void load(unsigned tile) {
    if (tile >= cut_.tiles) return;
    heads_.load(warp_, place_of(tile), index_of(tile, 0));
    auto const all = heads_.all();
    loaded_.load(tessera::detail::advanced(task_.in, all.begin), all.count, index_of(tile, 0));
    heads_.mark(place_of(tile));
  }

  TESSERA_FN open_run<R> scan(unsigned tile, unsigned half) {
    unsigned const lane = warp_.thread_rank();
    std::uint32_t const all_heads = heads_of_rows(tile);
    auto before_row = maybe::none();  // since the last head
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) {
      unsigned const heads = all_heads >> r * K & ((1u << K) - 1);
      auto const own = scan_own(r, heads);
      auto const with_head = tessera::ballot(warp_, heads != 0, tessera::converged);
      R const lanes = tessera::segmented_inclusive_scan(warp_, own[K - 1], tessera::by_head(heads != 0), task_.op,
                                                        tessera::converged);
      R const in_row = tessera::shift_up(warp_, lanes, 1, tessera::converged);
      R const of_row = tessera::broadcast(warp_, lanes, 31, tessera::converged);
      bool const is_open = (with_head & lane_mask<32>::prefix(lane)).none();
      auto const before = maybe::choose(lane == 0, before_row, joined(is_open, before_row, in_row));
      detail::choose_object<Shape::in_shared>(storage_.row_buffers[warp_rank()][half], kept_[half])
          .put(r, lane, in_warp(before, own, heads));
      before_row = joined(with_head.none(), before_row, of_row);
    }
    heads_.fetch();  // Registers are free now, and the part's sum isn't published yet.
    unsigned const first_head = tessera::reduce(warp_, first_place(all_heads), tessera::minimum{}, tessera::converged);
    if (lane == 0) storage_.first_head[half][warp_rank()] = first_head;
    return open_run<R>::of(before_row.value(), first_head < part_elements);
  }

  TESSERA_FN void store(unsigned tile, unsigned half, optional_value<open_run<R>> const& before) const {
    auto const all = heads_.all();
    words<R> const before_part = before.value().word;
    detail::store_rows<Shape::is_streaming, K, row_count>(
        tessera::detail::advanced(task_.out, all.begin), all.count, index_of(tile, 0), row_elements,
        [&](unsigned row) { return results(before_part, row, half); });
  }

  TESSERA_FN auto join() const { return join_open_runs<Op>{task_.op}; }

 private:
  TESSERA_FN unsigned warp_rank() const { return thread_ / 32; }
  TESSERA_FN tile_place place_of(unsigned tile) const {
    return {std::int64_t{tile * cut_.warps} * part_elements, heads_.all().count};
  }
  /// The place of the lane's first element of a row in the warp's part.
  TESSERA_FN unsigned place_in_part(unsigned row) const { return (row * 32 + warp_.thread_rank()) * K; }
  /// The index of the lane's first element of a row among all elements that are scanned.
  TESSERA_FN std::int64_t index_of(unsigned tile, unsigned row) const {
    return std::int64_t{tile * cut_.warps + warp_rank()} * part_elements + place_in_part(row);
  }

  /// A bit for each of the lane's elements: 1 if it is a head.
  TESSERA_FN std::uint32_t heads_of_rows(unsigned tile) const {
    static_assert(row_count * K <= 32);
    std::uint32_t heads = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r)
      heads |= heads_.of_row(warp_, place_of(tile), r, index_of(tile, r)) << r * K;
    return heads;
  }
  /// The place of the lane's first head in the warp's part.
  TESSERA_FN unsigned first_place(std::uint32_t heads) const {
    if (heads == 0) return part_elements;
    unsigned const first = lane_mask<32>::from_word(heads).first();
    return place_in_part(first / K) + first % K;
  }

  /// op(before, x) if no head is between, else x.
  TESSERA_FN maybe joined(bool is_open, maybe const& before, R const& x) const {
    return is_open ? before.followed_by(x, task_.op) : maybe::some(x);
  }

  /// The inclusive scan of the lane's elements of a row, anew at each head.
  TESSERA_FN items<R, K> scan_own(unsigned row, unsigned heads) const {
    auto const x = loaded_.row(row);
    auto own = detail::from_words<items<R, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const is_head = (heads >> i & 1) != 0;
      auto value = maybe::some(static_cast<R>(task_.convert(x[i])));
      if (is_head && task_.exclusive && task_.start.exists) value = task_.start.followed_by(value.value(), task_.op);
      if (i > 0 && !is_head) value = maybe::some(own[i - 1]).followed_by(value.value(), task_.op);
      detail::assign(own[i], value.value());
    }
    return own;
  }

  /// The lane's results within the warp. In an exclusive scan the warp's first element has none there, unless it is a
  /// head. The element itself is kept instead until `results`, so that the operator is only called with elements and
  /// results.
  TESSERA_FN items<R, K> in_warp(maybe const& before, items<R, K> const& own, unsigned heads) const {
    auto out = detail::from_words<items<R, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      unsigned const until = i + (task_.exclusive ? 0 : 1);  // the lane's elements in the result
      bool const is_open = (heads & ((1u << until) - 1)) == 0;
      auto result = joined(is_open, before, detail::select(task_.exclusive, own[i == 0 ? 0 : i - 1], own[i]));
      if (i == 0 && task_.exclusive && before.exists) result = before;
      if (task_.exclusive && (heads >> i & 1) != 0) result.word = first_result();
      detail::assign(out[i], result.value());
    }
    return out;
  }
  /// A segment's first result of an exclusive scan.
  TESSERA_FN words<R> first_result() const {
    if constexpr (operator_traits<Op, R>::has_identity) {
      if (!task_.start.exists) return tessera::detail::to_words(operator_traits<Op, R>::identity(task_.op));
    }
    return task_.start.word;
  }

  /// The results of a lane's elements of a row. Those before the warp's first head need the warp's prefix.
  TESSERA_FN items<typename task_t::result, K> results(words<R> const& before, unsigned row, unsigned half) const {
    auto const buffered = detail::choose_object<Shape::in_shared>(storage_.row_buffers[warp_rank()][half], kept_[half])
                              .get(row, warp_.thread_rank());
    unsigned const first_head = storage_.first_head[half][warp_rank()];
    unsigned const place = place_in_part(row);
    using result_t = typename task_t::result;
    auto out = detail::from_words<items<result_t, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      auto result = maybe::some(buffered[i]);
      if (place + i < first_head) result = maybe{before, true}.followed_by(buffered[i], task_.op);
      if (i == 0 && place == 0 && first_head > 0 && task_.exclusive) result.word = before;
      detail::assign(out[i], tessera::detail::convert<result_t>(tessera::detail::canonicalize_nan<Op>(result.value())));
    }
    return out;
  }

  warp_t warp_;
  unsigned thread_;
  task_t const& task_;
  Storage& storage_;
  heads_t heads_;
  tile_cut cut_;
  tile_rows<T, K, row_count> loaded_;
  stl::conditional_t<Shape::in_shared, nothing, kept_rows<items<R, K>, row_count>> kept_[2];
};

/// Scans the segments of an array of n > 0 elements. In a counted_task n may be 0.
///
/// Called by     all threads of a block of cut.warps + 1 warps, one of `blocks` blocks. cut.tiles is the number of
///               tiles of n elements. memory.words may be null if that is 1.
/// Cost          one read of each element and of each key or offset, and one write of each element; for each tile a
///               barrier and a look-back, for each of its rows a segmented scan of a warp.
template <class Shape, class Block, class Given, class Storage>
TESSERA_FN void run_segmented_scan_agent(Block const& block, Given const& given, look_back_memory const& memory,
                                         tile_cut cut, unsigned blocks, Storage& storage) {
  auto const& task = detail::task_now(given);
  auto const all = task.source.range(task.n);
  // Offsets may leave out some of the elements.
  if (all.count != task.n) cut.tiles = static_cast<unsigned>(Shape::tile_count(all.count, cut.warps));
  detail::cut_now<Shape, Given>(task.n, cut);
  if (is_counted<Given> && task.n == 0) return;
  segmented_scan_agent<Shape, Block, task_of<Given>, Storage> agent(block, task, cut, all, storage);
  using run_t = decltype(agent.scan(0, 0));
  auto const none = optional_value<run_t>::none();
  detail::run_tiles(block, memory, cut, blocks, none, storage.loop, agent);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
