// The agent that scans an array: what a block of the kernel of scan.cuh does with each of its tiles.
//
//   tile          warp 0                          warp 1                          …
//   rows          row 0 | row 1 | row 2 | row 3   row 0 | …                       a lane has some neighboring elements of a row
//
//   scan rows     Each lane scans its own elements of a row, and each warp the lanes' totals of its rows.
//   scan warps    The first warp scans the warps' totals, publishes the tile's aggregate, and looks back (look_back.hpp).
//   load next     Meanwhile all warps load the block's next tile.
//   store rows    Each element is combined with what stands before its lane, and stored.
//
// "Before" and "first" are meant in the direction of the scan: with Suffix, the first tile is at the array's end. The last
// tile may reach beyond the array: there it has copies of the array's last element, which come after all results.
#pragma once

#include <tessera/detail/joint_scan.hpp>
#include <tessera/grid/detail/look_back.hpp>
#include <tessera/grid/detail/scan_tuning.hpp>
#include <tessera/grid/detail/tile_loop.hpp>
#include <tessera/grid/detail/unaligned_rows.hpp>
#include <tessera/lanes.hpp>
#include <tessera/scan.hpp>
#include <tessera/tile.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

using tessera::detail::apply;
using tessera::detail::assign;
using tessera::detail::from_words;
using tessera::detail::in_direction;
using tessera::detail::select;
using tessera::detail::words;

/// What is scanned: out[i] from f(in[0]) … f(in[i]), of type R.
template <class T, class Out, class R, class Op, class F>
struct scan_task {
  T const* in;
  Out* out;
  std::int64_t n;
  Op op;
  F f;
  optional_value<R> start;
  R* total;        // null if it isn't asked for
  bool exclusive;  // whether out[i] leaves out f(in[i])
};

/// How an array of T, whose results are of type R, is cut into tiles.
template <class T, class R>
struct scan_shape {
  using tuning = scan_tuning;
  static constexpr unsigned K = elements_of_row<T>();  // elements of a lane and row
  static constexpr unsigned element_bytes = sizeof(T) > sizeof(R) ? sizeof(T) : sizeof(R);
  static constexpr unsigned row_bytes = K * (element_bytes > 4 ? element_bytes : 4);
  static constexpr bool is_long = element_bytes > 8 || row_bytes > tuning::bytes;
  static constexpr unsigned bytes = element_bytes > 4 && !is_long ? tuning::bytes_of_8 : tuning::bytes;
  static constexpr unsigned rows = row_bytes < bytes ? bytes / row_bytes : 1;
  static constexpr unsigned threads = element_bytes > 16 ? tuning::threads_of_large : tuning::threads;
  static constexpr unsigned blocks_per_multiprocessor = is_long ? 1 : tuning::blocks_per_multiprocessor;

  /// How many elements a tile of so many threads has, and how many tiles an array.
  TESSERA_FN static constexpr std::int64_t tile_elements(unsigned block_threads) {
    return static_cast<std::int64_t>(block_threads) * rows * K;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned block_threads) {
    return n == 0 ? 1 : (n - 1) / tile_elements(block_threads) + 1;
  }
};

/// The block's shared memory.
template <class R, unsigned Warps>
struct scan_storage {
  words<R> totals[Warps];
  optional_value<R> before[Warps];  // what stands before a warp
  shared_tickets tickets;
};

template <unsigned Threads, bool Suffix, class Block, class Task>
class scan_agent;

template <unsigned Threads, bool Suffix, class Block, class T, class Out, class R, class Op, class F>
class scan_agent<Threads, Suffix, Block, scan_task<T, Out, R, Op, F>> {
  using task_t = scan_task<T, Out, R, Op, F>;
  using shape = scan_shape<T, R>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = shape::K, rows = shape::rows, warps = Threads / 32;
  static constexpr stl::conditional_t<Suffix, policy<choice::converged, choice::suffix>,
                                      policy<choice::converged>>
      direction{};

 public:
  using storage_t = scan_storage<R, warps>;

  TESSERA_FN scan_agent(Block const& block, task_t const& task, look_back_memory const& memory,
                        storage_t& storage)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        task_(task),
        memory_(memory),
        storage_(storage),
        warp_rank_(block.thread_rank() / 32),
        tiles_(shape::tile_count(task.n, Threads)) {}

  /// Scans the block's tiles, one of `blocks` blocks.
  TESSERA_FN void run(unsigned blocks) {
    detail::run_tiles<Threads>(block_, memory_, tiles_, blocks, storage_.tickets, *this);
  }

  // The phases of a tile: see tile_loop.hpp.

  /// Loads a tile's elements, if there is such a tile.
  TESSERA_FN void load(unsigned tile) {
    constexpr std::int64_t row_elements = 32 * K;
    if (tile < tiles_)
      loaded_.load(task_.in, task_.n, index_of(tile, 0), Suffix ? -row_elements : row_elements);
  }
  TESSERA_FN void scan(unsigned tile) {
    R const total = scan_rows(tile);
    if (warp_.thread_rank() == 0) storage_.totals[warp_rank_] = tessera::detail::to_words(total);
  }
  TESSERA_FN void stage(tile_ticket const&) const {}
  TESSERA_FN void look_back(tile_ticket const& ticket) { scan_warps(ticket); }
  TESSERA_FN void store(unsigned tile) const { store_rows(tile); }

  /// Stores the total of an empty array.
  TESSERA_FN void store_total_of_none() const {
    constexpr bool has_identity = operator_traits<Op, R>::has_identity;
    if (block_.thread_rank() != 0 || task_.total == nullptr) return;
    if (task_.start.exists || has_identity)
      assign(*task_.total, task_.start.exists ? task_.start.value() : identity());
  }

 private:
  /// `op`, whose first operand is what comes first in the direction of the scan.
  TESSERA_FN decltype(auto) in_order() const { return tessera::detail::in_order_of_walk<Suffix>(task_.op); }
  TESSERA_FN bool is_first_lane() const { return warp_.thread_rank() == (Suffix ? 31 : 0); }

  /// The array's index of a lane's first element of a row.
  TESSERA_FN std::int64_t index_of(unsigned tile, unsigned row) const {
    constexpr std::int64_t row_elements = 32 * K;
    std::int64_t const done =
        ((static_cast<std::int64_t>(tile) * warps + warp_rank_) * rows + row) * row_elements;
    return (Suffix ? task_.n - done - row_elements : done) + warp_.thread_rank() * K;
  }

  /// f of the lane's elements of a row.
  TESSERA_FN items<R, K> values(unsigned tile, unsigned row) const {
    auto const x = loaded_.row(row);
    auto out = from_words<items<R, K>>({});
    std::int64_t const first = index_of(tile, row);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      std::int64_t const index = detail::nearest_index(first + i, task_.n);
      assign(out[i], static_cast<R>(apply<std::int64_t>(task_.f, x[i], index)));
    }
    return out;
  }

  /// Scans each lane's elements of each row, and finds what stands before them in the warp. Returns the warp's total.
  TESSERA_FN R scan_rows(unsigned tile) {
    auto total = optional_value<R>::none();
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      auto const own = tessera::detail::scan_own<Suffix>(values(tile, r), task_.op);
      own_[r] = tessera::detail::to_words(own);
      auto const lanes = tessera::inclusive_scan(warp_, own[in_direction<Suffix, K>(K - 1)], task_.op,
                                                 direction | tessera::with_total);
      R const in_row = of_lane_before(lanes.value);
      before_[r] = optional_value<R>::choose(is_first_lane(), total, total.followed_by(in_row, in_order()));
      total = total.followed_by(lanes.total, in_order());
    }
    return total.value();
  }

  /// x of the lane before this one; the first lane's own.
  TESSERA_FN R of_lane_before(R const& x) const {
    if constexpr (Suffix) {
      return tessera::shift_down(warp_, x, 1, tessera::converged);
    } else {
      return tessera::shift_up(warp_, x, 1, tessera::converged);
    }
  }

  /// The first warp finds what stands before each warp of the tile.
  TESSERA_FN void scan_warps(tile_ticket const& ticket) {
    unsigned const lane = warp_.thread_rank();
    R const total = from_words<R>(storage_.totals[lane % warps]);
    R const through = tessera::inclusive_scan(warp_, total, in_order(), tessera::converged);
    auto before = task_.start;
    if (tiles_ > 1) {
      R const aggregate = tessera::broadcast(warp_, through, warps - 1, tessera::converged);
      published_values<R> const published(memory_, ticket.tag, tiles_);
      before = detail::look_back(warp_, published, ticket.tile, aggregate, in_order(), task_.start);
    }
    R const in_tile = tessera::shift_up(warp_, through, 1, tessera::converged);
    before = optional_value<R>::choose(lane == 0, before, before.followed_by(in_tile, in_order()));
    if (lane < warps) storage_.before[lane] = before;
  }

  /// Stores the results of a tile.
  TESSERA_FN void store_rows(unsigned tile) const {
    auto const before_warp = storage_.before[warp_rank_];
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      auto before = before_warp;
      if (before_[r].exists) before = before_warp.followed_by(before_[r].value(), in_order());
      auto const own = from_words<items<R, K>>(own_[r]);
      std::int64_t const first = index_of(tile, r);
      if (task_.total != nullptr && tile + 1 == tiles_) store_total(before, own, first);
      detail::store_row(task_.out, task_.n, first, results(before, own));
    }
  }

  /// The results of a lane's elements of a row.
  TESSERA_FN items<Out, K> results(optional_value<R> const& before, items<R, K> const& own) const {
    auto out = from_words<items<Out, K>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      R const& with_own = own[in_direction<Suffix, K>(i)];
      R const& without_own = own[in_direction<Suffix, K>(i == 0 ? 0 : i - 1)];
      auto result = before.followed_by(select(task_.exclusive, without_own, with_own), in_order());
      if (i == 0 && task_.exclusive) result = before.exists ? before : optional_value<R>::some(identity());
      R const canonical = tessera::detail::canonicalize_nan<Op>(result.value());
      assign(out[in_direction<Suffix, K>(i)], tessera::detail::convert<Out>(canonical));
    }
    return out;
  }

  /// The first result of an exclusive scan without a start, whose operator has an identity.
  TESSERA_FN R identity() const {
    if constexpr (operator_traits<Op, R>::has_identity) {
      return operator_traits<Op, R>::identity(task_.op);
    } else {
      return from_words<R>({});
    }
  }

  /// Stores the combination of all elements, if one of the lane's elements is the last one.
  TESSERA_FN void store_total(optional_value<R> const& before, items<R, K> const& own,
                              std::int64_t first) const {
    std::int64_t const last = Suffix ? 0 : task_.n - 1;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      if (first + i != last) continue;
      R const all = before.followed_by(own[i], in_order()).value();
      assign(*task_.total, tessera::detail::canonicalize_nan<Op>(all));
    }
  }

  Block const& block_;
  warp_t warp_;
  task_t const& task_;
  look_back_memory memory_;
  storage_t& storage_;
  unsigned warp_rank_;
  std::int64_t tiles_;

  tile_rows<T, K, rows> loaded_;    // of the tile that comes next
  words<items<R, K>> own_[rows];    // each element combined with those of its lane before it
  optional_value<R> before_[rows];  // what stands before the lane in its warp
};

/// Scans an array. If it is empty, only the total is stored: the start, or the operator's identity if it has one.
///
/// Called by     all threads of a block of Threads, one of `blocks` blocks. memory.words may be null if there is one tile.
/// Cost          one read and one write of each element; for each tile two barriers, a scan of a warp for each row, and a
///               look-back.
template <unsigned Threads, bool Suffix, class Block, class Task, class Storage>
TESSERA_FN void run_scan_agent(Block const& block, Task const& task, look_back_memory const& memory,
                               unsigned blocks, Storage& storage) {
  scan_agent<Threads, Suffix, Block, Task> agent(block, task, memory, storage);
  if (task.n == 0) {
    agent.store_total_of_none();
  } else {
    agent.run(blocks);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
