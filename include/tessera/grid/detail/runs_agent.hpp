// The agent of run_length_encode and reduce_by_key: what a block does with each tile of an array of keys.
//
//   in            a a b b b c c c c d         n keys, and one head more behind them, which closes the last run
//   heads         x . x . . x . . . x |x|
//   out           a   b     c       d         as unique does
//   lengths         2     3       4   1       each closed by the next head
//
//   scan         Each lane finds the heads of runs (marks.hpp); the warp counts them, and combines what belongs to runs (run_sums.hpp).
//   stage        Each lane puts the keys at heads, and the runs that are closed there, into shared memory by their ranks.
//   look back    The first warp finds how many runs begin before the tile, and what those tiles have of the one that is open.
//   store        All threads store what was staged, line by line, and the first one the run that was open.
//
// The floor for a tile of 6144 keys of 4 bytes (512 threads, 12 keys each) whose lengths are asked for: 24 KiB read, 8 bytes written
// for each run of 32-bit lengths, and 32 bytes of the workspace. Two barriers; 6 shuffles for the counts, one for each row and 4 redux
// in each warp. Values are read besides, and have a segmented scan of the warp for each row.
#pragma once

#include <tessera/grid/detail/compaction.hpp>
#include <tessera/grid/detail/look_back.hpp>
#include <tessera/grid/detail/marks.hpp>
#include <tessera/grid/detail/run_sums.hpp>
#include <tessera/grid/detail/tile_loop.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The runs of in[0 … n − 1]: their keys out[0], out[1] …, how many they are, and what belongs to them.
template <class T, class Equal, class Sums>
struct runs_task {
  T const* in;
  std::int64_t n;
  T* out;
  std::int64_t* count;
  if_head<Equal> mark;
  Sums sums;
};

/// What tiles publish: how many runs begin in them, and what they have of the last one.
template <class R>
struct run_prefix {
  std::uint32_t heads[2];
  words<R> tail;

  TESSERA_FN static run_prefix of(std::uint64_t count, R const& open) {
    return {{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32)}, to_words(open)};
  }
  TESSERA_FN std::uint64_t count() const { return std::uint64_t{heads[1]} << 32 | heads[0]; }
};

template <class R, class Op>
struct join_runs {
  Op op;
  TESSERA_FN run_prefix<R> operator()(run_prefix<R> const& a, run_prefix<R> const& b) const {
    std::uint64_t const count = a.count() + b.count();
    R const tail = from_words<R>(b.tail);
    if (b.count() != 0) return run_prefix<R>::of(count, tail);
    return run_prefix<R>::of(count, static_cast<R>(op(from_words<R>(a.tail), tail)));
  }
};

template <class T, class Sums>
using runs_shape = typename Sums::template shape<T>;

/// How many tiles there are: the head behind the keys is in one, too.
template <class Shape>
TESSERA_FN std::int64_t runs_tile_count(std::int64_t n, unsigned threads) {
  return n / Shape::tile_elements(threads) + 1;
}

/// The block's shared memory.
template <class T, class Sums, unsigned Threads>
struct runs_storage {
  using shape = runs_shape<T, Sums>;

  staged_elements<T, shape::tile_elements(Threads)> staged;
  typename run_sums<Sums, shape, Threads>::storage_t sums;
  words<run_prefix<typename Sums::total>> before;
  unsigned totals[Threads / 32];
  shared_tickets tickets;
};

template <unsigned Threads, class Block, class Task>
class runs_agent;

template <unsigned Threads, class Block, class T, class Equal, class Sums>
class runs_agent<Threads, Block, runs_task<T, Equal, Sums>> {
  using task_t = runs_task<T, Equal, Sums>;
  using R = typename Sums::total;
  using prefix = run_prefix<R>;
  using shape = runs_shape<T, Sums>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = shape::K, rows = shape::rows, warps = Threads / 32;

 public:
  using storage_t = runs_storage<T, Sums, Threads>;

  TESSERA_FN runs_agent(Block const& block, task_t const& task, look_back_memory const& memory,
                        storage_t& storage)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        task_(task),
        memory_(memory),
        storage_(storage),
        warp_rank_(block.thread_rank() / 32),
        tiles_(runs_tile_count<shape>(task.n, Threads)) {}

  TESSERA_FN void run(unsigned blocks) {
    detail::run_tiles<Threads>(block_, memory_, tiles_, blocks, storage_.tickets, *this);
  }

  TESSERA_FN void store_count_of_none() const {
    if (block_.thread_rank() == 0) *task_.count = 0;
  }

  // The phases of a tile: see tile_loop.hpp.

  TESSERA_FN void load(unsigned tile) {
    if (tile >= tiles_) return;
    std::int64_t const first = index_of(tile);
    loaded_.load(task_.in, task_.n, first);
    marks_.load(warp_, task_.mark, task_.in, task_.n, first);
    sums_.load(task_.sums, task_.n, first);
  }

  TESSERA_FN void scan(unsigned tile) {
    std::int64_t const n = task_.n, first = index_of(tile);
    heads_ = marks_.bits(warp_, task_.mark, loaded_, n, first);
    if (tile + 1 == tiles_)
      heads_ |= detail::bits_within<K, rows>(n + 1, first) & ~detail::bits_within<K, rows>(n, first);
    warp_.sync();
    ranks_.count(warp_, heads_);
    if (warp_.thread_rank() == 0) storage_.totals[warp_rank_] = ranks_.total();
    sums_.scan(warp_, task_.sums, heads_, warp_rank_, place(), storage_.sums);
  }

  TESSERA_FN void stage(tile_ticket const& ticket) {
    counts_ = detail::counts_of_warps<warps>(warp_, warp_rank_, storage_.totals);
    sums_.gather(warp_, task_.sums, warp_rank_, storage_.totals, storage_.sums);
    if (tiles_ > 1 && block_.thread_rank() == 0)
      detail::publish_aggregate(published(ticket), ticket.tile, aggregate());
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const rank = counts_.before + ranks_.before(r);
      detail::stage_row<K>(storage_.staged, loaded_.row(r), heads_ >> (r * K), rank);
      sums_.stage(task_.sums, heads_, r, rank, place(), storage_.sums);
    }
  }

  TESSERA_FN void look_back(tile_ticket const& ticket) {
    auto before = optional_value<prefix>::none();
    if (tiles_ > 1) {
      using combine = stl::decay_t<decltype(task_.sums.combine())>;
      join_runs<R, combine> const join{task_.sums.combine()};
      before = detail::look_back(warp_, published(ticket), ticket.tile, aggregate(), join,
                                 optional_value<prefix>::none(), true);
    }
    if (warp_.thread_rank() == 0) storage_.before = before.word;
  }

  TESSERA_FN void store(unsigned tile) const {
    unsigned const thread = block_.thread_rank(), heads = counts_.total;
    bool const is_last = tile + 1 == tiles_;
    auto const before = from_words<prefix>(storage_.before);
    std::uint64_t const runs = tile == 0 ? 0 : before.count();
    storage_.staged.template store<Threads>(task_.out + runs, 0, is_last ? heads - 1 : heads, thread);
    sums_.store(task_.sums.out + runs, heads, thread, storage_.sums);
    if (thread != 0) return;
    if (heads > 0 && runs > 0) {
      auto const closed = sums_.first(task_.sums, from_words<R>(before.tail), storage_.sums);
      tessera::detail::store_element(task_.sums.out + (runs - 1), closed);
    }
    if (is_last) *task_.count = static_cast<std::int64_t>(runs + heads - 1);
  }

 private:
  /// What the tile publishes, and where.
  TESSERA_FN prefix aggregate() const { return prefix::of(counts_.total, sums_.tail()); }
  TESSERA_FN published_values<prefix> published(tile_ticket const& ticket) const {
    return {memory_, ticket.tag, tiles_};
  }

  /// The place of the lane's first element in the tile, and its index in the array.
  TESSERA_FN unsigned place() const { return warp_rank_ * rows * 32 * K + warp_.thread_rank() * K; }
  TESSERA_FN std::int64_t index_of(unsigned tile) const {
    return static_cast<std::int64_t>(tile) * shape::tile_elements(Threads) + place();
  }

  Block const& block_;
  warp_t warp_;
  task_t const& task_;
  look_back_memory memory_;
  storage_t& storage_;
  unsigned warp_rank_;
  std::int64_t tiles_;

  tile_rows<T, K, rows> loaded_;  // of the tile that comes next, as are those of marks and sums
  tile_marks<if_head<Equal>, T, K, rows> marks_;
  run_sums<Sums, shape, Threads> sums_;
  std::uint32_t heads_ = 0;  // a bit of each of the lane's elements
  warp_ranks<K, rows> ranks_;
  tile_counts counts_{};
};

/// Stores the keys of an array's runs, what belongs to them, and how many they are.
///
/// Called by     all threads of a block of Threads, one of `blocks` blocks. memory.words may be null if there is one tile.
/// Cost          one read of each key and value, and one write of each run; for each tile two barriers and a look-back.
template <unsigned Threads, class Block, class Task, class Storage>
TESSERA_FN void run_runs_agent(Block const& block, Task const& task, look_back_memory const& memory,
                               unsigned blocks, Storage& storage) {
  runs_agent<Threads, Block, Task> agent(block, task, memory, storage);
  if (task.n == 0) {
    agent.store_count_of_none();
  } else {
    agent.run(blocks);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
