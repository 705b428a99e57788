// The agent that keeps some of an array's elements, in order: what a block of the kernels of select.cuh and of unique does with each
// of its tiles.
//
//   tile 0            tile 1            tile 2            in      a B c D  e F g h  I J k l      capitals are kept
//   prefix 0          2                 3                 out     B D F I J
//
//   scan         Each lane marks its elements (marks.hpp); a scan of the warp counts them.
//   stage        Each lane puts its kept elements into shared memory by their ranks in the tile.
//   look back    The first warp finds how many elements the tiles before keep (look_back.hpp).
//   store        All threads store what was staged, line by line.
//
// A companion says what else is stored: the others of a partition, or the values that belong to the keys.
//
// The floor for a tile of 8192 floats (512 threads, 16 elements each): 32 KiB read, 4 bytes written for each kept element, and 16
// bytes of the workspace. Two barriers; 6 shuffles and 2 redux in each warp (one shuffle more for each row if heads of runs are
// kept), and those of the look-back in one; and a store to and a load from shared memory for each kept element. Where all are kept,
// the stores meet in no bank. Stores to memory are of whole lines: a tile
// touches kept / 8 + 2 sectors. By rank from registers it would be up to four times as many, one for each item of a row.
//
// In place: a tile stores no element behind its own end, and only after all tiles before it, and itself, have published their counts.
// Each of those had loaded its elements into registers by then: that is what `wait` is for. The predecessor of a tile's first element
// may be overwritten before, but by itself alone: where all elements before it are kept.
#pragma once

#include <tessera/grid/detail/compaction.hpp>
#include <tessera/grid/detail/look_back.hpp>
#include <tessera/grid/detail/marks.hpp>
#include <tessera/grid/detail/tile_loop.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Nothing but the kept elements is stored.
struct no_companion {};

/// The elements that aren't kept, in order.
template <class T>
struct others_companion {
  T* out;
  std::int64_t const*
      kept;  // if it isn't null, `out` begins so many elements later; a single tile needn't read it
};

/// The values of the kept elements, which are keys.
template <class V>
struct values_companion {
  V const* in;
  V* out;
};

/// What is kept of in[0 … n − 1]: out[0], out[1] …, and how many they are.
template <class T, class Mark, class Companion>
struct select_task {
  T const* in;
  std::int64_t n;
  T* out;
  std::int64_t* count;  // null if it isn't asked for
  Mark mark;
  Companion companion;
  bool in_place;  // whether an output is an input
};

template <class T, class Mark, class Companion>
struct select_traits {
  using shape = typename marked_shape<Mark, T>::type;
  static constexpr bool has_others = stl::is_same_v<Companion, others_companion<T>>;
  static constexpr bool has_values = false;
  using value_type = char;
};
template <class T, class Mark, class V>
struct select_traits<T, Mark, values_companion<V>> {
  using shape = typename marked_shape<Mark, T, V>::type;
  static constexpr bool has_others = false;
  static constexpr bool has_values = true;
  using value_type = V;
};

/// The block's shared memory.
template <class T, class Mark, class Companion, unsigned Threads>
struct select_storage {
  using traits = select_traits<T, Mark, Companion>;
  static constexpr unsigned elements = traits::shape::tile_elements(Threads);

  staged_elements<T, elements> staged;
  staged_elements<typename traits::value_type, (traits::has_values ? elements : 1)> values;
  std::uint64_t before;  // how many elements the tiles before keep
  unsigned totals[Threads / 32];
  unsigned unused;
  shared_tickets tickets;
};

template <unsigned Threads, class Block, class Task>
class select_agent;

template <unsigned Threads, class Block, class T, class Mark, class Companion>
class select_agent<Threads, Block, select_task<T, Mark, Companion>> {
  using task_t = select_task<T, Mark, Companion>;
  using traits = select_traits<T, Mark, Companion>;
  using shape = typename traits::shape;
  using V = typename traits::value_type;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = shape::K, rows = shape::rows, warps = Threads / 32;

 public:
  using storage_t = select_storage<T, Mark, Companion, Threads>;

  TESSERA_FN select_agent(Block const& block, task_t const& task, look_back_memory const& memory,
                          storage_t& storage)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        task_(task),
        memory_(memory),
        storage_(storage),
        warp_rank_(block.thread_rank() / 32),
        tiles_(shape::tile_count(task.n, Threads)) {}

  TESSERA_FN void run(unsigned blocks) {
    detail::run_tiles<Threads>(block_, memory_, tiles_, blocks, storage_.tickets, *this);
  }

  TESSERA_FN void store_count_of_none() const {
    if (block_.thread_rank() == 0 && task_.count != nullptr) *task_.count = 0;
  }

  // The phases of a tile: see tile_loop.hpp.

  TESSERA_FN void load(unsigned tile) {
    if (tile >= tiles_) return;
    std::int64_t const first = index_of(tile);
    loaded_.load(task_.in, task_.n, first);
    marks_.load(warp_, task_.mark, task_.in, task_.n, first);
    if constexpr (traits::has_values) values_.load(task_.companion.in, task_.n, first);
  }

  TESSERA_FN void scan(unsigned tile) {
    kept_ = marks_.bits(warp_, task_.mark, loaded_, task_.n, index_of(tile));
    if (task_.in_place) {
      loaded_.wait(storage_.unused);
      if constexpr (traits::has_values) values_.wait(storage_.unused);
    }
    warp_.sync();
    ranks_.count(warp_, kept_);
    if (warp_.thread_rank() == 0) storage_.totals[warp_rank_] = ranks_.total();
  }

  TESSERA_FN void stage(tile_ticket const& ticket) {
    counts_ = detail::counts_of_warps<warps>(warp_, warp_rank_, storage_.totals);
    if (tiles_ > 1 && block_.thread_rank() == 0)
      detail::publish_aggregate(published(ticket), ticket.tile, std::uint64_t{counts_.total});
    TESSERA_UNROLL
    for (unsigned r = 0; r < rows; ++r) {
      unsigned const rank = counts_.before + ranks_.before(r);
      detail::stage_row<K>(storage_.staged, loaded_.row(r), kept_ >> (r * K), rank);
      if constexpr (traits::has_values)
        detail::stage_row<K>(storage_.values, values_.row(r), kept_ >> (r * K), rank);
      if constexpr (traits::has_others) stage_others(r);
    }
  }

  TESSERA_FN void look_back(tile_ticket const& ticket) {
    std::uint64_t before = 0;
    if (tiles_ > 1) {
      auto const none = optional_value<std::uint64_t>::some(0);
      std::uint64_t const own = counts_.total;
      before = detail::look_back(warp_, published(ticket), ticket.tile, own, plus{}, none, true).value();
    }
    if (warp_.thread_rank() == 0) storage_.before = before;
  }

  TESSERA_FN void store(unsigned tile) const {
    unsigned const thread = block_.thread_rank(), kept = counts_.total;
    std::uint64_t const before = storage_.before;
    storage_.staged.template store<Threads>(task_.out + before, 0, kept, thread);
    if constexpr (traits::has_values)
      storage_.values.template store<Threads>(task_.companion.out + before, 0, kept, thread);
    if constexpr (traits::has_others) {
      std::int64_t const others =
          begin_of(tile) - static_cast<std::int64_t>(before) + begin_of_others(before);
      storage_.staged.template store<Threads>(task_.companion.out + others, kept, elements_of(tile) - kept,
                                              thread);
    }
    if (task_.count != nullptr && thread == 0 && tile + 1 == tiles_)
      *task_.count = static_cast<std::int64_t>(before + kept);
  }

 private:
  /// How many elements tiles keep.
  TESSERA_FN published_values<std::uint64_t> published(tile_ticket const& ticket) const {
    return {memory_, ticket.tag, tiles_};
  }

  /// The index of a tile's first element, how many it has, and the index of the lane's first of row 0.
  TESSERA_FN std::int64_t begin_of(unsigned tile) const {
    return static_cast<std::int64_t>(tile) * shape::tile_elements(Threads);
  }
  TESSERA_FN unsigned elements_of(unsigned tile) const {
    std::int64_t const left = task_.n - begin_of(tile);
    constexpr unsigned all = shape::tile_elements(Threads);
    return left < all ? static_cast<unsigned>(left) : all;
  }
  TESSERA_FN unsigned place_of(unsigned row) const {
    return (warp_rank_ * rows + row) * 32 * K + warp_.thread_rank() * K;
  }
  TESSERA_FN std::int64_t index_of(unsigned tile) const { return begin_of(tile) + place_of(0); }

  /// Puts the others of a row behind all that the tile keeps. Last of them are those that lie behind the array's end.
  TESSERA_FN void stage_others(unsigned row) const {
    auto const x = loaded_.row(row);
    unsigned rank = counts_.total + place_of(row) - counts_.before - ranks_.before(row);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      bool const is_other = (kept_ >> (row * K + i) & 1) == 0;
      if (is_other) storage_.staged.put(rank, x[i]);
      rank += is_other ? 1 : 0;
    }
  }

  /// Where the array of the others begins behind companion.out.
  TESSERA_FN std::int64_t begin_of_others(std::uint64_t before) const {
    if (task_.companion.kept == nullptr) return 0;
    return tiles_ == 1 ? static_cast<std::int64_t>(before + counts_.total) : *task_.companion.kept;
  }

  Block const& block_;
  warp_t warp_;
  task_t const& task_;
  look_back_memory memory_;
  storage_t& storage_;
  unsigned warp_rank_;
  std::int64_t tiles_;

  tile_rows<T, K, rows> loaded_;  // of the tile that comes next, as are the marks' and the values
  tile_marks<Mark, T, K, rows> marks_;
  tile_rows<V, (traits::has_values ? K : 1), (traits::has_values ? rows : 1)> values_;
  std::uint32_t kept_ = 0;  // a bit of each of the lane's elements
  warp_ranks<K, rows> ranks_;
  tile_counts counts_{};
};

/// Keeps some elements of an array, and stores how many.
///
/// Called by     all threads of a block of Threads, one of `blocks` blocks. memory.words may be null if there is one tile.
/// Cost          one read of each element, and one write of each that is kept; for each tile two barriers and a look-back.
template <unsigned Threads, class Block, class Task, class Storage>
TESSERA_FN void run_select_agent(Block const& block, Task const& task, look_back_memory const& memory,
                                 unsigned blocks, Storage& storage) {
  select_agent<Threads, Block, Task> agent(block, task, memory, storage);
  if (task.n == 0) {
    agent.store_count_of_none();
  } else {
    agent.run(blocks);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
