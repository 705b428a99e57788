// The agent of non_trivial_runs, which finds the runs of more than one: what a warp does with its part of each tile
// (tile_loop.hpp).
//
//   in            a b b b c c d e e         n keys
//   starts        . x . . x . . x .         a head whose successor is none
//   ends          . . . x . x . . x         a key that is no head, before a head or the array's end
//   offsets         1     4     7
//   lengths         3     2     2
//
//   scan         Each lane finds the heads of runs (marks.hpp), and from those of its neighbors which keys are starts
//                and ends. Scans of the warp count both; their places go into the warp's own part of shared memory.
//   store        Starts and ends alternate, so the k-th end of the array is that of the k-th start. Where a run began
//                before the warp, the look-back knows the start: that is the last one of the warps before.
//
// The floor is a read of the keys; what is stored is less, unless nearly all runs are short.
#pragma once

#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/select/compaction.hpp>
#include <tessera/grid/select/marks.hpp>
#include <tessera/lanes.hpp>
#include <tessera/reduce.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The runs of more than one of in[0 … n − 1]: where they begin, how long they are, and how many. Offsets and lengths
/// are pointers, or iterators that get std::int64_t.
template <class In, class Equal, class Offsets, class Lengths>
struct repeats_task {
  using element = value_of<In>;

  In in;
  std::int64_t n;
  Offsets offsets;
  Lengths lengths;
  std::int64_t* count;
  if_head<Equal> mark;

  template <tile_kind Kind>
  using shape = tile_shape<Kind, array_types<element>, array_types<std::uint16_t>>;
};

/// How many starts there are, and the last one's index.
struct counted_starts {
  std::uint64_t count, last;
};
struct join_starts {
  TESSERA_FN counted_starts operator()(counted_starts const& a, counted_starts const& b) const {
    return {a.count + b.count, b.count != 0 ? b.last : a.last};
  }
};

/// The block's shared memory. A block of fewer warps has no more than theirs of the last array.
template <class Task, class Shape, unsigned MostWarps = Shape::warps>
struct repeats_storage {
  static constexpr unsigned most_warps = MostWarps;
  static_assert(Shape::in_shared && Shape::warp_elements <= 65536, "Places fit 16 bits.");
  // Starts are at ranks from 0 on, ends after the most starts that there can be.
  using of_warp_t = staged_elements<std::uint16_t, Shape::warp_elements>[2];

  struct counts {
    unsigned starts, ends;
    bool begins_before;  // whether the first end is that of a run that began before the warp
  };
  counts found[2][MostWarps];
  tile_loop_storage<counted_starts, MostWarps> loop;
  of_warp_t part[MostWarps];
};

template <class Shape, class Block, class Task, class Storage>
class repeats_agent {
  using T = typename Task::element;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;
  static constexpr unsigned most_starts = Shape::warp_elements / 2;

 public:
  TESSERA_FN repeats_agent(Block const& block, Task const& task, tile_cut cut, Storage& storage)
      : warp_(tessera::tiled_partition<32>(block)),
        thread_(block.thread_rank()),
        task_(task),
        cut_(cut),
        storage_(storage) {}

  TESSERA_FN void store_count_of_none() const {
    if (thread_ == 0) *task_.count = 0;
  }

  // The phases of a tile: see tile_loop.hpp.

  TESSERA_FN void load(unsigned tile) {
    if (tile >= cut_.tiles) return;
    std::int64_t const first = index_of(tile);
    loaded_.load(task_.in, task_.n, first);
    marks_.load(warp_, task_.mark, task_.in, task_.n, first);
    std::int64_t const after = begin_of_warp(tile) + Shape::warp_elements;
    if (warp_.thread_rank() != 31 || after >= task_.n) return;
    T const x = tessera::detail::read_element(task_.in, after);
    after_ = tessera::detail::to_words(x);
  }

  TESSERA_FN counted_starts scan(unsigned tile, unsigned half) {
    std::int64_t const first = index_of(tile);
    std::uint32_t const within = detail::bits_within<K, row_count>(task_.n, first);
    // Beyond the array's end all are heads, so that the last run ends there.
    std::uint32_t const heads = marks_.bits(warp_, task_.mark, loaded_, task_.n, first) | ~within;
    std::uint32_t const next = heads_after(tile, heads);
    std::uint32_t const starts = heads & ~next & within, ends = ~heads & next & within;
    warp_.sync();  // All lanes have stored what was staged before.
    warp_ranks<K, row_count> const of_starts(warp_, starts), of_ends(warp_, ends);
    auto& staged = storage_.part[thread_ / 32][half];
    unsigned last = 0;  // the place of the lane's last start
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) {
      unsigned const place = (r * 32 + warp_.thread_rank()) * K;
      unsigned start = of_starts.before(r), end = most_starts + of_ends.before(r);
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) {
        bool const is_start = (starts >> (r * K + i) & 1) != 0, is_end = (ends >> (r * K + i) & 1) != 0;
        staged.put(is_start ? start : end, static_cast<std::uint16_t>(place + i), is_start || is_end);
        if (is_start) last = place + i;
        start += is_start ? 1 : 0;
        end += is_end ? 1 : 0;
      }
    }
    if (warp_.thread_rank() == 0) {
      auto& found = storage_.found[half][thread_ / 32];
      found.starts = of_starts.total();
      found.ends = of_ends.total();
      found.begins_before = (heads & 1) == 0;
    }
    unsigned const last_of_warp = tessera::reduce(warp_, last, maximum{}, tessera::converged);
    return {of_starts.total(), static_cast<std::uint64_t>(begin_of_warp(tile)) + last_of_warp};
  }

  TESSERA_FN void store(unsigned tile, unsigned half, optional_value<counted_starts> const& before_warp) const {
    unsigned const lane = warp_.thread_rank();
    auto const found = storage_.found[half][thread_ / 32];
    auto const& staged = storage_.part[thread_ / 32][half];
    std::int64_t const begin = begin_of_warp(tile);
    auto const before = before_warp.value();
    using offset = tessera::detail::written_t<decltype(task_.offsets), std::int64_t>;
    using length = tessera::detail::written_t<decltype(task_.lengths), std::int64_t>;
    detail::store_by_lines(tessera::detail::advanced(task_.offsets, before.count), found.starts, lane,
                           [&](unsigned i) { return static_cast<offset>(begin + staged.get(i)); });
    unsigned const open = found.begins_before && found.ends > 0 ? 1 : 0;
    detail::store_by_lines(
        tessera::detail::advanced(task_.lengths, before.count), found.ends - open, lane,
        [&](unsigned i) { return static_cast<length>(staged.get(most_starts + open + i) - staged.get(i) + 1); });
    if (lane != 0) return;
    if (open != 0)
      tessera::detail::write_element(
          task_.lengths, before.count - 1,
          static_cast<length>(begin + staged.get(most_starts) - static_cast<std::int64_t>(before.last) + 1));
    std::int64_t const left = task_.n - begin;
    if (left > 0 && left <= static_cast<std::int64_t>(Shape::warp_elements))
      *task_.count = static_cast<std::int64_t>(before.count + found.starts);
  }

  TESSERA_FN join_starts join() const { return {}; }

 private:
  /// The index of the first element of the warp's part, and of the lane's.
  TESSERA_FN std::int64_t begin_of_warp(unsigned tile) const {
    return std::int64_t{tile * cut_.warps + thread_ / 32} * Shape::warp_elements;
  }
  TESSERA_FN std::int64_t index_of(unsigned tile) const { return begin_of_warp(tile) + warp_.thread_rank() * K; }

  /// A bit for each of the lane's elements whose successor is a head, or doesn't exist.
  TESSERA_FN std::uint32_t heads_after(unsigned tile, std::uint32_t heads) const {
    unsigned const lane = warp_.thread_rank();
    std::int64_t const after = begin_of_warp(tile) + Shape::warp_elements;
    bool after_is_head = true;
    if (lane == 31 && after < task_.n) {
      auto const row = loaded_.row(row_count - 1);
      after_is_head = !static_cast<bool>(task_.mark.equal(row[K - 1], tessera::detail::from_words<T>(after_)));
    }
    std::uint32_t of_next = tessera::shuffle(warp_, heads, (lane + 1) % 32, tessera::converged);
    if (lane == 31) {  // whose successors are the first lane's elements of the next row
      of_next = row_count == 1 ? 0 : of_next >> K;
      constexpr std::uint32_t last = std::uint32_t{1} << ((row_count - 1) * K);
      of_next = after_is_head ? of_next | last : of_next & ~last;
    }
    std::uint32_t next = 0;
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) {
      std::uint32_t const row = heads >> (r * K) & static_cast<std::uint32_t>((std::uint64_t{1} << K) - 1);
      next |= (row >> 1 | (of_next >> (r * K) & 1) << (K - 1)) << (r * K);
    }
    return next;
  }

  warp_t warp_;
  unsigned thread_;
  Task const& task_;
  tile_cut cut_;
  Storage& storage_;

  tile_rows<T, K, row_count> loaded_;
  tile_marks<if_head<decltype(Task::mark.equal)>, T, K, row_count> marks_;
  tessera::detail::words<T> after_{};  // of the last lane: the element after the warp's part
};

/// Called as run_runs_agent.
template <class Shape, class Block, class Given, class Storage>
TESSERA_FN void run_repeats_agent(Block const& block, Given const& given, look_back_memory const& memory, tile_cut cut,
                                  unsigned blocks, Storage& storage) {
  auto const& task = detail::task_now(given);
  detail::cut_now<Shape, Given>(task.n, cut);
  repeats_agent<Shape, Block, task_of<Given>, Storage> agent(block, task, cut, storage);
  if (task.n == 0) {
    agent.store_count_of_none();
  } else {
    detail::run_tiles(block, memory, cut, blocks, optional_value<counted_starts>::some({0, 0}), storage.loop, agent);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
