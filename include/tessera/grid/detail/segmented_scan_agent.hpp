// The agent that scans the segments of an array: what a block of the kernels of scan_by_key.cuh and scan_segments.cuh does with
// each of its tiles.
//
//   tile          warp 0                          warp 1                          …
//   rows          row 0 | row 1 | row 2           row 0 | …                       a lane has some neighboring elements of a row
//
//   scan rows     Each lane scans its own elements of a row, anew at each head, and each warp what its lanes have since their
//                 last heads.
//   scan warps    The first warp scans what the warps have since their last heads, publishes the tile's, and looks back
//                 (look_back.hpp).
//   load next     Meanwhile all warps load the block's next tile.
//   store rows    Each element without a head before it in its lane is combined with what stands before the lane, and stored.
//
// An open run is what follows the last head of some elements, or all of them if they have no head: its value, and whether there is
// a head. Open runs of neighbors are joined by an operator that is associative if the user's is. The first element of all is
// a head, so that no identity is needed. A start is combined with each head of an exclusive scan.
#pragma once

#include <tessera/grid/detail/look_back.hpp>
#include <tessera/grid/detail/segment_heads.hpp>
#include <tessera/grid/detail/segmented_scan_tuning.hpp>
#include <tessera/grid/detail/tile_loop.hpp>
#include <tessera/grid/detail/unaligned_rows.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
#include <tessera/segmented.hpp>
#include <tessera/tile.hpp>
#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// What is scanned: `convert` makes an R of an element, and out[i] is converted from an R.
template <class T, class R, class Op, class Convert, class Source>
struct segmented_scan_task {
  T const* in;
  T* out;
  std::int64_t n;
  Source source;  // of the heads
  Op op;
  Convert convert;
  optional_value<R> start;
  bool exclusive;
};

/// The value of an open run, and whether it begins with a head. As words, since R may be aligned to more than they are.
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

/// How an array is cut into tiles.
template <class T, class R, class Source>
struct segmented_scan_shape {
  using tuning = segmented_scan_tuning;
  static constexpr unsigned element_bytes = sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R);
  /// Elements of a lane and row: as few as fill whole vectors, and if they aren't too many, those of their keys as well.
  static constexpr unsigned of_values = elements_of_row<T>();
  static constexpr bool is_for_keys = Source::row_elements >
                                      of_values&& Source::row_elements * sizeof(T) <= tuning::row_bytes;
  static constexpr unsigned K = is_for_keys ? Source::row_elements : of_values;
  static constexpr unsigned row_registers =
      tessera::detail::word_count<items<T, K>> + tessera::detail::word_count<items<R, K>> +
      tessera::detail::word_count<R> + 1 + Source::template registers_of_row<K>;
  static constexpr bool is_long = element_bytes > 8 || row_registers > tuning::registers;
  static constexpr unsigned fitting =
      row_registers < tuning::registers ? tuning::registers / row_registers : 1;
  static constexpr unsigned rows = fitting * K <= 64 ? fitting : 64 / K;  // a lane's heads fit into a word
  static constexpr unsigned threads = tuning::threads;
  static constexpr unsigned blocks_per_multiprocessor = is_long ? 1 : tuning::blocks_per_multiprocessor;

  TESSERA_FN static constexpr std::int64_t tile_elements(unsigned block_threads) {
    return static_cast<std::int64_t>(block_threads) * rows * K;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned block_threads) {
    return n == 0 ? 0 : (n - 1) / tile_elements(block_threads) + 1;
  }
};

/// The block's shared memory.
template <class R, class Heads, unsigned Warps>
struct segmented_scan_storage {
  open_run<R> totals[Warps];
  tessera::detail::words<R> before[Warps];  // what stands before a warp since the last head
  shared_tickets tickets;
  Heads heads;
};

template <unsigned Threads, class Block, class Task>
class segmented_scan_agent;

template <unsigned Threads, class Block, class T, class R, class Op, class Convert, class Source>
class segmented_scan_agent<Threads, Block, segmented_scan_task<T, R, Op, Convert, Source>> {
  using task_t = segmented_scan_task<T, R, Op, Convert, Source>;
  using shape = segmented_scan_shape<T, R, Source>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = shape::K, rows = shape::rows, warps = Threads / 32;
  using row_bits = stl::conditional_t<K * rows <= 32, std::uint32_t, std::uint64_t>;
  static_assert(K * rows <= 64);
  using heads_t = segment_heads<Threads, K, rows, warp_t, Source>;

  template <class X>
  using words = tessera::detail::words<X>;

 public:
  using storage_t = segmented_scan_storage<R, typename heads_t::storage_t, warps>;

  TESSERA_FN segmented_scan_agent(Block const& block, task_t const& task, look_back_memory const& memory,
                                  storage_t& storage)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        task_(task),
        memory_(memory),
        storage_(storage),
        range_(task.source.range(task.n)),
        heads_(block.thread_rank(), task.source, range_.begin, storage.heads),
        tiles_(static_cast<unsigned>(shape::tile_count(range_.count, Threads))) {}

  /// Scans the block's tiles, one of `blocks` blocks.
  TESSERA_FN void run(unsigned blocks) {
    detail::run_tiles<Threads>(block_, memory_, tiles_, blocks, storage_.tickets, *this);
  }

  // The phases of a tile: see tile_loop.hpp. Marks are set once the results of the tile before are stored.

  /// Loads a tile's elements and keys, if there is such a tile.
  TESSERA_FN void load(unsigned tile) {
    next_ = tile;
    if (tile < tiles_) {
      loaded_.load(task_.in + range_.begin, range_.count, index_of(tile, 0));
      heads_.load(warp_, place_of(tile), index_of(tile, 0));
    }
    if (Source::has_marks && is_first_) {
      block_.sync();
      fetch();
    }
    is_first_ = false;
  }
  TESSERA_FN void scan(unsigned tile) {
    if constexpr (Source::has_marks) {
      heads_.mark(place_of(tile));
      block_.sync();
    }
    auto const total = scan_rows(tile);
    if (warp_.thread_rank() == 0) storage_.totals[warp_rank()] = total;
  }
  TESSERA_FN void stage(tile_ticket const&) const {}
  TESSERA_FN void look_back(tile_ticket const& ticket) { scan_warps(ticket); }
  TESSERA_FN void store(unsigned tile) {
    fetch();
    store_rows(tile);
  }

 private:
  TESSERA_FN unsigned warp_rank() const { return block_.thread_rank() / 32; }
  TESSERA_FN tile_place place_of(unsigned tile) const {
    return {tile * shape::tile_elements(Threads), range_.count};
  }
  /// Begins to load the next tile's offsets, if there is such a tile.
  TESSERA_FN void fetch() {
    if constexpr (Source::has_marks) {
      if (next_ < tiles_) heads_.fetch();
    }
  }

  /// The index of a lane's first element of a row, among those that are scanned.
  TESSERA_FN std::int64_t index_of(unsigned tile, unsigned row) const {
    std::int64_t const row_number = (static_cast<std::int64_t>(tile) * warps + warp_rank()) * rows + row;
    return (row_number * 32 + warp_.thread_rank()) * K;
  }

  /// The lane's elements of a row as they are combined: each scanned with those before it in the lane, anew at each head.
  TESSERA_FN items<R, K> scan_own(unsigned row, unsigned heads) const {
    auto const x = loaded_.row(row);
    auto own = tessera::detail::from_words<items<R, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const is_head = (heads >> i & 1) != 0;
      auto value = optional_value<R>::some(static_cast<R>(task_.convert(x[i])));
      if (is_head && task_.exclusive && task_.start.exists)
        value = task_.start.followed_by(value.value(), task_.op);
      if (i > 0 && !is_head) value = optional_value<R>::some(own[i - 1]).followed_by(value.value(), task_.op);
      tessera::detail::assign(own[i], value.value());
    }
    return own;
  }

  /// Scans each row, and finds what stands before each lane in the warp. Returns the warp's open run.
  TESSERA_FN open_run<R> scan_rows(unsigned tile) {
    unsigned const lane = warp_.thread_rank();
    auto total = open_run<R>{};
    has_head_before_ = 0;
    row_heads_ = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const heads = heads_.of_row(warp_, place_of(tile), r, index_of(tile, r));
      row_heads_ |= static_cast<row_bits>(heads) << r * K;
      auto const own = scan_own(r, heads);
      own_[r] = tessera::detail::to_words(own);
      bool const has_head = heads != 0;
      auto const with_head = tessera::ballot(warp_, has_head, tessera::converged);
      R const lanes = tessera::segmented_inclusive_scan(warp_, own[K - 1], tessera::by_head(has_head),
                                                        task_.op, tessera::converged);
      R const of_lane_before = tessera::shift_up(warp_, lanes, 1, tessera::converged);
      R const of_row = tessera::broadcast(warp_, lanes, 31, tessera::converged);
      auto before = open_run<R>::of(of_lane_before, (with_head & lane_mask<32>::prefix(lane)).any());
      auto const row = open_run<R>::of(of_row, with_head.any());
      if (r > 0) before = tessera::detail::select(lane == 0, total, join()(total, before));
      total = r > 0 ? join()(total, row) : row;
      before_[r] = before.word;
      has_head_before_ |= before.has_head << r;
    }
    return total;
  }
  TESSERA_FN auto join() const { return join_open_runs<Op>{task_.op}; }

  /// The first warp finds what stands before each warp of the tile.
  TESSERA_FN void scan_warps(tile_ticket const& ticket) {
    unsigned const lane = warp_.thread_rank();
    auto const total = storage_.totals[lane % warps];
    auto const through = tessera::inclusive_scan(warp_, total, join(), tessera::converged);
    auto before = optional_value<open_run<R>>::none();
    if (tiles_ > 1) {
      auto const aggregate = tessera::broadcast(warp_, through, warps - 1, tessera::converged);
      published_values<open_run<R>> const published(memory_, ticket.tag, tiles_);
      before = detail::look_back(warp_, published, ticket.tile, aggregate, join(), before);
    }
    auto const in_tile = tessera::shift_up(warp_, through, 1, tessera::converged);
    if (lane > 0) before = before.followed_by(in_tile, join());
    if (lane < warps) storage_.before[lane] = before.value().word;
  }

  /// Stores the results of a tile.
  TESSERA_FN void store_rows(unsigned tile) const {
    auto const before_warp = storage_.before[warp_rank()];
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      bool const is_first = r == 0 && warp_.thread_rank() == 0;
      auto before = tessera::detail::select(is_first, before_warp, before_[r]);
      if (!is_first && (has_head_before_ >> r & 1) == 0 && needs_before(r))
        before = combined(before_warp, before_[r]);
      detail::store_row(task_.out + range_.begin, range_.count, index_of(tile, r), results(before, r));
    }
  }
  /// Whether a result of the lane's row depends on what stands before the lane.
  TESSERA_FN bool needs_before(unsigned row) const { return (heads_of(row) & 1) == 0; }
  TESSERA_FN unsigned heads_of(unsigned row) const {
    return static_cast<unsigned>(row_heads_ >> row * K) & ((1u << K) - 1);
  }

  /// The results of a lane's elements of a row.
  TESSERA_FN items<T, K> results(words<R> const& before, unsigned row) const {
    auto const own = tessera::detail::from_words<items<R, K>>(own_[row]);
    unsigned const heads = heads_of(row);
    auto out = tessera::detail::from_words<items<T, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const is_open = (heads & ((2u << i) - 1)) == 0;  // no head in the lane up to here
      auto result = tessera::detail::to_words(own[i]);
      if (task_.exclusive) {
        result = before;
        if (i > 0) result = tessera::detail::to_words(own[i > 0 ? i - 1 : 0]);
      }
      if (is_open && (i > 0 || !task_.exclusive)) result = combined(before, result);
      if (task_.exclusive && (heads >> i & 1) != 0) result = first_result();
      R const canonical = tessera::detail::canonicalize_nan<Op>(tessera::detail::from_words<R>(result));
      tessera::detail::assign(out[i], tessera::detail::convert<T>(canonical));
    }
    return out;
  }
  TESSERA_FN words<R> combined(words<R> const& a, words<R> const& b) const {
    R const both =
        static_cast<R>(task_.op(tessera::detail::from_words<R>(a), tessera::detail::from_words<R>(b)));
    return tessera::detail::to_words(both);
  }
  /// A segment's first result of an exclusive scan.
  TESSERA_FN words<R> first_result() const {
    if constexpr (operator_traits<Op, R>::has_identity) {
      if (!task_.start.exists) return tessera::detail::to_words(operator_traits<Op, R>::identity(task_.op));
    }
    return task_.start.word;
  }

  Block const& block_;
  warp_t warp_;
  task_t const& task_;
  look_back_memory memory_;
  storage_t& storage_;
  element_range range_;
  heads_t heads_;
  unsigned tiles_;

  bool is_first_ = true;  // whether no tile was loaded yet
  unsigned next_ = 0;     // the tile that was loaded last

  tile_rows<T, K, rows> loaded_;  // of the tile that comes next
  words<items<R, K>> own_[rows];  // each element combined with those of its lane before it
  words<R> before_[rows];         // what stands before the lane in its warp since the last head
  row_bits row_heads_;            // a bit for each element of the lane
  unsigned has_head_before_;      // a bit for each row: whether there is a head before the lane in its warp
};

/// Scans the segments of an array of n > 0 elements.
///
/// Called by     all threads of a block of Threads, one of `blocks` blocks. memory.words may be null if n elements are one tile.
/// Cost          one read of each element and of each key or offset, and one write of each element; for each tile two barriers,
///               with offsets three, a segmented scan of a warp for each row, and a look-back.
template <unsigned Threads, class Block, class Task, class Storage>
TESSERA_FN void run_segmented_scan_agent(Block const& block, Task const& task, look_back_memory const& memory,
                                         unsigned blocks, Storage& storage) {
  segmented_scan_agent<Threads, Block, Task> agent(block, task, memory, storage);
  agent.run(blocks);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
