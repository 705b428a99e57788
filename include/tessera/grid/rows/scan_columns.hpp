// Agents that scan the columns of a matrix: what a block of each kernel of scan_rows.cuh does with 32 of them.
//
//   columns       0 1 2 … 31
//   a tile        warp 0   rows 0 … 7       A lane has some rows of a column: it loads them, and scans them by itself.
//                 warp 1   rows 8 … 15      The warps' totals, lane by lane, pass through shared memory.
//                 …
//
// A block walks its columns tile by tile. If there are few columns, blocks share them: each has one chunk of the tiles.
// One kernel computes the chunks' totals, one makes prefixes of these, the next scans the chunks: two reads, and the
// bits of one block.
//
// The order in which elements are combined, where places are counted from the first row, or from the last one if the
// scan goes that way:
//
//   result   = (carry op chunks before op tiles of the chunk before op warps of the tile before) op in the part
//
// Each of these is made from left to right.
#pragma once

#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/scan_rows_tuning.hpp>
#include <tessera/grid/rows/scan_task.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The block's shared memory: the totals of its warps' parts, of two tiles.
template <class R, unsigned MostWarps>
struct scan_columns_storage {
  tessera::detail::words<R> of_warp[MostWarps > 1 ? 2 : 1][MostWarps > 1 ? MostWarps : 1][MostWarps > 1 ? 32 : 1];
};

/// A block's walk down 32 columns.
template <class Block, class Task, class Storage>
class columns_agent {
  using T = typename Task::T;
  using R = typename Task::R;
  using Out = typename Task::Out;
  using maybe = optional_value<R>;
  using shape = scan_columns_shape<T, R>;
  static constexpr unsigned rows_of_lane = shape::rows_of_lane;

 public:
  TESSERA_FN columns_agent(Block const& block, Task const& task, scan_columns_cut const& cut, int first_column,
                           Storage& storage)
      : block_(block),
        task_(task),
        cut_(cut),
        lane_(block.thread_rank() % 32),
        warp_(block.thread_rank() / 32),
        column_(first_column + static_cast<int>(lane_)),
        storage_(storage) {}

  /// The lane's column. It may not exist.
  TESSERA_FN int column() const { return column_; }
  TESSERA_FN bool exists() const { return column_ < task_.column_count; }

  /// Scans tiles first … end − 1 of the columns after `before`, and stores the results if Stores. The first tile begins
  /// a chunk. Returns the total of the last chunk, if it is full.
  template <bool Stores>
  TESSERA_FN maybe walk(std::int64_t first, std::int64_t end, maybe before) {
    auto const op = task_.join();
    auto in_chunk = maybe::none();
    items<T, rows_of_lane> loaded = load(first);
    TESSERA_LOOP
    for (std::int64_t tile = first; tile < end; ++tile) {
      if (tile != first && tile % cut_.chunk_tiles == 0) {
        if (exists()) before = before.followed_by(in_chunk.value(), op);
        in_chunk = maybe::none();
      }
      auto const x = loaded;
      if (tile + 1 < end) loaded = load(tile + 1);
      auto const own = scan_own(x, tile);
      auto const exchanged = exchange(own[rows_of_lane - 1], tile);
      if (!exists()) continue;
      if constexpr (Stores) {
        maybe all_before = before;
        if (in_chunk.exists) all_before = all_before.followed_by(in_chunk.value(), op);
        if (exchanged.warps_before.exists) all_before = all_before.followed_by(exchanged.warps_before.value(), op);
        store(own, tile, all_before);
      }
      if (exchanged.tile.exists) in_chunk = in_chunk.followed_by(exchanged.tile.value(), op);
    }
    return in_chunk;
  }

  /// The prefix of a chunk: the carry, or that and the totals of the chunks before it.
  TESSERA_FN maybe before_chunk(int chunk, R const* prefixes) const {
    if (!exists()) return maybe::none();
    if (chunk == 0) return task_.carry(column_);
    return maybe::some(prefixes[static_cast<std::int64_t>(chunk - 1) * task_.column_count + column_]);
  }

 private:
  struct exchanged_parts {
    maybe warps_before, tile;
  };

  /// The place of a warp's part of a tile.
  TESSERA_FN std::int64_t place_of(std::int64_t tile, unsigned warp) const {
    return (tile * cut_.warps + warp) * rows_of_lane;
  }
  TESSERA_FN std::int64_t row_at(std::int64_t place) const {
    return Task::suffix ? task_.row_count - 1 - place : place;
  }

  /// True if all of the lane's elements of a tile exist.
  TESSERA_FN bool is_whole(std::int64_t tile) const {
    return exists() && place_of(tile, warp_) + rows_of_lane <= task_.row_count;
  }

  /// Calls f(r) for each of the lane's elements of a tile.
  template <class F>
  TESSERA_FN void for_each_own(std::int64_t tile, F f) const {
    if (is_whole(tile)) {
      TESSERA_UNROLL
      for (unsigned r = 0; r < rows_of_lane; ++r) f(r);
    } else if (exists()) {
      std::int64_t const left = task_.row_count - place_of(tile, warp_);
      TESSERA_UNROLL
      for (unsigned r = 0; r < rows_of_lane; ++r) {
        if (r < left) f(r);
      }
    }
  }

  TESSERA_FN items<T, rows_of_lane> load(std::int64_t tile) const {
    auto out = detail::from_words<items<T, rows_of_lane>>({});
    T const* const from = task_.in + row_at(place_of(tile, warp_)) * task_.in_stride + column_;
    std::int64_t const step = Task::suffix ? -task_.in_stride : task_.in_stride;
    for_each_own(tile, [&](unsigned r) {
      T const x = from[r * step];
      detail::assign(out[r], x);
    });
    return out;
  }

  /// The lane's elements, each combined with those before it.
  TESSERA_FN items<R, rows_of_lane> scan_own(items<T, rows_of_lane> const& x, std::int64_t tile) const {
    auto const op = task_.join();
    auto own = detail::from_words<items<R, rows_of_lane>>({});
    for_each_own(tile, [&](unsigned r) {
      R const mine = as_result<R>{}(x[r]);
      if (r == 0) {
        detail::assign(own[r], mine);
      } else {
        detail::assign(own[r], static_cast<R>(op(own[r - 1], mine)));
      }
    });
    return own;
  }

  /// Exchanges the totals of the warps' parts of a tile. The tile's total exists if all parts are full.
  TESSERA_FN exchanged_parts exchange(R const& own, std::int64_t tile) {
    bool const full = place_of(tile + 1, 0) <= task_.row_count;
    if constexpr (shape::most_warps == 1) {
      return {maybe::none(), full ? maybe::some(own) : maybe::none()};
    } else {
      auto const op = task_.join();
      auto& parts = storage_.of_warp[tile % 2];
      parts[warp_][lane_] = detail::to_words(own);
      detail::barrier_of_block(block_);
      unsigned count = 0;  // of full parts
      if (exists())
        count = full ? cut_.warps : static_cast<unsigned>((task_.row_count - place_of(tile, 0)) / rows_of_lane);
      auto through = maybe::none(), before = maybe::none();
      TESSERA_UNROLL
      for (unsigned w = 0; w < shape::most_warps; ++w) {
        if (w == warp_) before = through;
        if (w < count) through = through.followed_by(detail::from_words<R>(parts[w][lane_]), op);
      }
      return {before, full ? through : maybe::none()};
    }
  }

  TESSERA_FN void store(items<R, rows_of_lane> const& own, std::int64_t tile, maybe const& before) const {
    auto const op = task_.join();
    std::int64_t const first = place_of(tile, warp_);
    Out* const to = task_.out + row_at(first) * task_.out_stride + column_;
    std::int64_t const step = Task::suffix ? -task_.out_stride : task_.out_stride;
    for_each_own(tile, [&](unsigned r) {
      R result = before.exists ? before.value() : task_.identity();
      if (!Task::exclusive || r > 0)
        result = before.followed_by(own[!Task::exclusive ? r : r > 0 ? r - 1 : 0], op).value();
      tessera::detail::store_element(to + r * step, task_.result(result));
    });
    if (task_.carry_out == nullptr) return;
    for_each_own(tile, [&](unsigned r) {
      if (first + r == task_.row_count - 1) task_.store_carry(column_, before.followed_by(own[r], op).value());
    });
  }

  Block const& block_;
  Task const& task_;
  scan_columns_cut const& cut_;
  unsigned lane_, warp_;
  int column_;
  Storage& storage_;
};

/// Scans 32 columns, or one chunk of them: if `prefixes` isn't null, those of all chunks but the last.
///
/// Called by  all threads of a block of cut.warps warps, one for every 32 columns, or for every chunk of them.
/// Cost       one read and one write of each element; for each tile a barrier, and a load of shared memory for each of
///            the block's warps.
template <class Block, class Task, class Storage>
TESSERA_FN void scan_columns(Block const& block, Task const& task, scan_columns_cut const& cut,
                             typename Task::R const* prefixes, Storage& storage) {
  unsigned const chunks = prefixes == nullptr ? 1u : static_cast<unsigned>(cut.chunks), which = block.group_index().x;
  columns_agent<Block, Task, Storage> agent(block, task, cut, static_cast<int>(which / chunks) * 32, storage);
  if (task.row_count == 0) {
    if (agent.exists() && block.thread_rank() < 32) task.store_carry_of_none(agent.column());
    return;
  }
  int const chunk = static_cast<int>(which % chunks);
  std::int64_t const first = chunk * cut.chunk_tiles, left = cut.tiles - first;
  bool const is_part = prefixes != nullptr && left > cut.chunk_tiles;
  agent.template walk<true>(first, is_part ? first + cut.chunk_tiles : cut.tiles, agent.before_chunk(chunk, prefixes));
}

/// Makes prefixes of the totals of chunks: the carry, and the totals up to each. Some are loaded together.
///
/// Called by  all threads of a block of 32, one for every 32 columns.
/// totals     `count` of each column.
template <class Block, class Task>
TESSERA_FN void prefix_column_chunks(Block const& block, Task const& task, int count, typename Task::R* totals) {
  using R = typename Task::R;
  constexpr unsigned together = scan_columns_shape<typename Task::T, R>::totals_together;
  int const column = static_cast<int>(block.group_index().x * 32 + block.thread_rank());
  if (column >= task.column_count) return;
  auto const op = task.join();
  auto before = task.carry(column);
  TESSERA_LOOP
  for (int first = 0; first < count; first += static_cast<int>(together)) {
    R* const from = totals + static_cast<std::int64_t>(first) * task.column_count + column;
    auto own = detail::from_words<items<R, together>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < together; ++i) {
      if (first + static_cast<int>(i) < count) detail::assign(own[i], from[i * std::int64_t{task.column_count}]);
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < together; ++i) {
      if (first + static_cast<int>(i) >= count) break;
      before = before.followed_by(own[i], op);
      tessera::detail::store_element(from + i * std::int64_t{task.column_count}, before.value());
    }
  }
}

/// Computes the totals of all chunks of columns but the last ones, and copies the carries.
///
/// Called by  all threads of a block of cut.warps warps, one for every 32 columns and such chunk.
/// Cost       one read of each element.
template <class Block, class Task, class Storage>
TESSERA_FN void total_column_chunks(Block const& block, Task const& task, scan_columns_cut const& cut,
                                    typename Task::R* totals, typename Task::R* carries, Storage& storage) {
  unsigned const chunks = static_cast<unsigned>(cut.chunks - 1), which = block.group_index().x;
  columns_agent<Block, Task, Storage> agent(block, task, cut, static_cast<int>(which / chunks) * 32, storage);
  int const chunk = static_cast<int>(which % chunks);
  std::int64_t const first = chunk * cut.chunk_tiles;
  auto const total =
      agent.template walk<false>(first, first + cut.chunk_tiles, optional_value<typename Task::R>::none());
  if (!agent.exists() || block.thread_rank() >= 32) return;
  tessera::detail::store_element(totals + static_cast<std::int64_t>(chunk) * task.column_count + agent.column(),
                                 total.value());
  if (chunk == 0 && carries != nullptr)
    tessera::detail::store_element(carries + agent.column(), task.carry(agent.column()).value());
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
