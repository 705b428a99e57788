// The agent of run_length_encode and reduce_by_key: what a warp does with its part of each tile of an array of keys
// (tile_loop.hpp).
//
//   in            a a b b b c c c c d         n keys, and one head more after them, which closes the last run
//   heads         x . x . . x . . . x |x|
//   out           a   b     c       d         as unique does
//   lengths         2     3       4   1       each closed by the next head
//
//   scan         Each lane finds the heads of runs (marks.hpp); scans of the warp count them. The keys at heads, and
//                the runs that are closed there (run_sums.hpp), go into the warp's own part of shared memory by their
//                ranks in the warp.
//   store        The warp stores what it staged, line by line, after what the warps before it have. Its first lane
//                stores the run that was open before the warp, if that ends in it.
//
// The floor for 2^28 keys of 4 bytes in runs of 8 whose 32-bit lengths are asked for: a read of 1 GiB and a write of
// 0.25 GiB, 315 µs at the speed of a copy on an H200. For each tile a barrier; for 24 elements a lane has 12 shuffles
// for the counts, one for each row, and a redux. Values are read besides, and have a segmented scan of the warp for
// each row.
#pragma once

#include <tessera/grid/parts/counted.hpp>
#include <tessera/grid/parts/look_back.hpp>
#include <tessera/grid/parts/tile_loop.hpp>
#include <tessera/grid/select/compaction.hpp>
#include <tessera/grid/select/marks.hpp>
#include <tessera/grid/select/run_sums.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The runs of in[0 … n − 1]: their keys out[0], out[1] …, how many they are, and what belongs to them.
template <class T, class Equal, class Sums, class In = T const*, class Out = T*>
struct runs_task {
  In in;
  std::int64_t n;
  Out out;
  std::int64_t* count;
  if_head<Equal> mark;
  Sums sums;
};

/// The total of a part of the array: how many runs begin in it, and its part of the last one.
template <class R>
struct run_prefix {
  std::uint32_t heads[2];
  words<R> tail;

  TESSERA_FN static run_prefix of(std::uint64_t count, R const& open) {
    return {{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32)}, detail::to_words(open)};
  }
  TESSERA_FN std::uint64_t count() const { return std::uint64_t{heads[1]} << 32 | heads[0]; }
};

template <class R, class Op>
struct join_runs {
  Op op;
  TESSERA_FN run_prefix<R> operator()(run_prefix<R> const& a, run_prefix<R> const& b) const {
    std::uint64_t const count = a.count() + b.count();
    R const tail = detail::from_words<R>(b.tail);
    if (b.count() != 0) return run_prefix<R>::of(count, tail);
    return run_prefix<R>::of(count, static_cast<R>(op(detail::from_words<R>(a.tail), tail)));
  }
};

template <class T, class Sums, tile_kind Kind>
using runs_shape = typename Sums::template shape<T, Kind>;

/// The number of tiles: the head after the keys is in one, too.
template <class Shape>
TESSERA_FN std::int64_t runs_tile_count(std::int64_t n, unsigned warps) {
  return n / Shape::tile_elements(warps) + 1;
}

/// The block's shared memory. A block of fewer warps has no more than theirs of the last array.
template <class Task, class Shape, unsigned MostWarps = Shape::warps>
struct runs_storage;
template <class T, class Equal, class Sums, class In, class Out, class Shape, unsigned MostWarps>
struct runs_storage<runs_task<T, Equal, Sums, In, Out>, Shape, MostWarps> {
  static constexpr unsigned most_warps = MostWarps;
  struct part_t {
    shared_elements<Shape, T> staged;
    typename run_sums<Sums, Shape>::storage_t sums;
    unsigned heads;
  };
  using of_warp_t = part_t[2];

  tile_loop_storage<run_prefix<typename Sums::total>, MostWarps> loop;
  of_warp_t part[MostWarps];
};

template <class Shape, class Block, class Task, class Storage>
class runs_agent;

template <class Shape, class Block, class T, class Equal, class Sums, class In, class Out, class Storage>
class runs_agent<Shape, Block, runs_task<T, Equal, Sums, In, Out>, Storage> {
  using task_t = runs_task<T, Equal, Sums, In, Out>;
  using R = typename Sums::total;
  using combine = stl::decay_t<decltype(stl::declval<Sums const&>().combine())>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr unsigned K = Shape::K, row_count = Shape::row_count;

 public:
  using prefix = run_prefix<R>;

  TESSERA_FN runs_agent(Block const& block, task_t const& task, tile_cut cut, Storage& storage)
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
    sums_.load(task_.sums, task_.n, first);
  }

  TESSERA_FN prefix scan(unsigned tile, unsigned half) {
    std::int64_t const n = task_.n, first = index_of(tile);
    std::uint32_t heads = marks_.bits(warp_, task_.mark, loaded_, n, first);
    if (tile + 1 == cut_.tiles)
      heads |= detail::bits_within<K, row_count>(n + 1, first) & ~detail::bits_within<K, row_count>(n, first);
    warp_.sync();  // All lanes have stored what was staged before.
    warp_ranks<K, row_count> const ranks(warp_, heads);
    auto& part = storage_.part[thread_ / 32][half];
    auto& staged = detail::cleared_elements<Shape>(part.staged, kept_[half]);
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) {
      detail::stage_row<K>(staged, loaded_.row(r), heads >> (r * K), ranks.before(r));
      sums_.stage_row(warp_, r, heads >> (r * K), ranks.before(r), part.sums);
    }
    R const tail = sums_.scan(warp_, task_.sums, heads, ranks, part.sums, kept_sums_[half]);
    if (warp_.thread_rank() == 0) part.heads = ranks.total();
    return prefix::of(ranks.total(), tail);
  }

  TESSERA_FN void store(unsigned tile, unsigned half, optional_value<prefix> const& before) const {
    auto const& part = storage_.part[thread_ / 32][half];
    unsigned const lane = warp_.thread_rank(), heads = part.heads;
    std::uint64_t const runs = before.exists ? before.value().count() : 0;
    bool const has_end = ends_in_warp(tile);
    detail::choose_object<Shape::in_shared>(part.staged, kept_[half])
        .store(tessera::detail::advanced(task_.out, runs), 0, has_end ? heads - 1 : heads, lane);
    sums_.store(tessera::detail::advanced(task_.sums.out, runs), heads, lane, part.sums, kept_sums_[half]);
    if (lane != 0) return;
    if (heads > 0 && runs > 0) {
      auto const closed = sums_.first(task_.sums, detail::from_words<R>(before.value().tail), part.sums);
      detail::store_result(tessera::detail::advanced(task_.sums.out, runs - 1), closed);
    }
    if (has_end) *task_.count = static_cast<std::int64_t>(runs + heads - 1);
  }

  TESSERA_FN join_runs<R, combine> join() const { return {task_.sums.combine()}; }

 private:
  /// The index of the first element of the warp's part, and of the lane's.
  TESSERA_FN std::int64_t begin_of_warp(unsigned tile) const {
    return std::int64_t{tile * cut_.warps + thread_ / 32} * Shape::warp_elements;
  }
  TESSERA_FN std::int64_t index_of(unsigned tile) const { return begin_of_warp(tile) + warp_.thread_rank() * K; }
  /// True if the head after the keys is in the warp's part.
  TESSERA_FN bool ends_in_warp(unsigned tile) const {
    std::int64_t const left = task_.n - begin_of_warp(tile);
    return left >= 0 && left < static_cast<std::int64_t>(Shape::warp_elements);
  }

  warp_t warp_;
  unsigned thread_;
  task_t const& task_;
  tile_cut cut_;
  Storage& storage_;

  tile_rows<T, K, row_count> loaded_;
  tile_marks<if_head<Equal>, T, K, row_count> marks_;
  run_sums<Sums, Shape> sums_;
  lane_element<Shape, T> kept_[2];
  typename run_sums<Sums, Shape>::kept_t kept_sums_[2];
};

/// Stores the keys of an array's runs, what belongs to them, and how many they are.
///
/// Called by     all threads of a block of cut.warps + 1 warps, one of `blocks` blocks. memory.words may be null if
///               there is one tile.
/// given         the task; or a counted_task, whose cut is that of at_most elements
/// Cost          one read of each key and value, and one write of each run; for each tile a barrier and a look-back.
template <class Shape, class Block, class Given, class Storage>
TESSERA_FN void run_runs_agent(Block const& block, Given const& given, look_back_memory const& memory, tile_cut cut,
                               unsigned blocks, Storage& storage) {
  auto const& task = detail::task_now(given);
  if constexpr (is_counted<Given>) cut.tiles = static_cast<unsigned>(detail::runs_tile_count<Shape>(task.n, cut.warps));
  runs_agent<Shape, Block, task_of<Given>, Storage> agent(block, task, cut, storage);
  if (task.n == 0) {
    agent.store_count_of_none();
  } else {
    auto const none = optional_value<typename decltype(agent)::prefix>::none();
    detail::run_tiles(block, memory, cut, blocks, none, storage.loop, agent);
  }
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
