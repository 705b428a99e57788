// Agents that scan the rows of a matrix: what a block of each kernel of scan_rows.cuh does.
//
//   short rows    Some lanes of a warp hold a row, or some rows: they load it, scan it, and store it (see
//                 scan_row_part.hpp).
//
//   long rows     A block walks the row tile by tile. Each warp scans its part of a tile, the block the totals of its
//                 warps, with one barrier.
//
//     a tile      warp 0                                warp 1  …
//     steps       0 … 127 | 128 … 255 | 256 … | 384 …   512 … 639 | …
//
//   rows that     A warp moves whole vectors between memory and shared memory, and its lanes take their elements there
//   begin         (row_stage.hpp): short ones together, if each follows on the one before, and parts of long ones.
//   anywhere
//
//   few rows      Blocks share a row: each has one chunk of its tiles. One kernel computes the chunks' totals, the next
//                 scans them: two reads. The bits are those of one block.
//
// The order in which elements are combined, where places are counted from the row's first element, or from its last one
// if the scan goes that way:
//
//   result   = (carry op chunks before op tiles of the chunk before op warps of the tile before) op in the part
//   in part  = (steps before op lanes of the step before) op the lane's own elements
//
// Each of these sums but that of a step's lanes, and of a tile's warps, is made from left to right. Those two are
// Hillis and Steele's scan. For short rows the carry stands in place of the steps before the first one.
#pragma once

#include <tessera/core/tile.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/rows/scan_row_part.hpp>
#include <tessera/grid/rows/scan_rows_tuning.hpp>
#include <tessera/lanes.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Scans the rows of a warp: `Rows` at once in the lanes that hold a row. Lanes that are left over have none.
///
/// Called by  all threads of the blocks of a grid that has a warp for every of.row_count · Rows rows.
/// Cost       one read and one write of each element; for each row and step a scan of its lanes.
template <unsigned Steps, unsigned Rows, class Block, class Task>
TESSERA_FN void scan_short_rows(Block const& block, Task const& task, lanes_of_rows const& of) {
  constexpr unsigned width = scan_rows_shape<typename Task::T, typename Task::R>::width;
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const lane = warp.thread_rank(), lanes = of.lanes, rows_of_step = of.row_count,
                 row_of_step = of.row_of(lane), rank = lane - row_of_step * lanes;
  std::int64_t const warps_before =
      std::int64_t{block.group_index().x} * (static_cast<unsigned>(block.size()) / 32) + block.thread_rank() / 32;
  std::int64_t const first_of_warp = warps_before * (rows_of_step * Rows), first_row = first_of_warp + row_of_step;
  int const first = static_cast<int>(rank * width), apart = static_cast<int>(lanes * width);
  auto const exists = [&](std::int64_t row) { return row_of_step < rows_of_step && row < task.row_count; };
  // A row that doesn't exist has no elements.
  auto const place_in = [&](std::int64_t row) { return exists(row) ? first : task.column_count + first; };

  using part_t = row_part<Task, width, Steps>;
  part_t part[Rows];
  if constexpr (part_t::has_vectors) {
    if (task.in_aligned && task.out_aligned && static_cast<int>(lanes * width * Steps) == task.column_count &&
        first_of_warp + Rows * rows_of_step <= task.row_count) {
      bool const has_row = row_of_step < rows_of_step;  // The other lanes have elements of the warp's first rows.
      std::int64_t const own_row = first_of_warp + (has_row ? row_of_step : 0);
      int const index = Task::suffix ? task.column_count - first - static_cast<int>(width) : first;
      auto const* const from = task.in + own_row * task.in_stride + index;
      auto* const to = task.out + own_row * task.out_stride + index;
      std::int64_t const in_apart = rows_of_step * task.in_stride, out_apart = rows_of_step * task.out_stride;
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) part[r].load_whole(from + r * in_apart, apart);
      optional_value<typename Task::R> carry[Rows];
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) carry[r] = task.carry(own_row + r * rows_of_step);
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r)
        part[r].template scan<true, false>(warp, task, first, apart, lanes, rank, carry[r]);
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        if (has_row) part[r].store_whole(to + r * out_apart, task, apart);
      }
      if (task.carry_out == nullptr) return;
      warp.sync();  // All lanes have read the carries, which may be in place.
      TESSERA_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        if (has_row && part[r].last().exists) task.store_carry(own_row + r * rows_of_step, part[r].last().value());
      }
      return;
    }
  }
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const row = first_row + r * rows_of_step;
    part[r].load(task, exists(row) ? row : 0, place_in(row), apart);
  }
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const row = first_row + r * rows_of_step;
    bool const is_row = exists(row);
    auto const carry = is_row ? task.carry(row) : optional_value<typename Task::R>::none();
    part[r].template scan<false, false>(warp, task, place_in(row), apart, lanes, rank, carry);
    part[r].template store<false>(task, is_row ? row : 0, place_in(row), apart);
    if (task.carry_out == nullptr) continue;
    warp.sync();  // as above
    if (part[r].last().exists) task.store_carry(row, part[r].last().value());
    if (task.column_count == 0 && is_row && rank == 0) task.store_carry_of_none(row);
  }
}

/// True if rows go through stages.
template <class Task>
bool is_staged(Task const& task) {
  using shape = scan_rows_shape<typename Task::T, typename Task::R>;
  if (shape::stage_bytes == 0 || (task.in_aligned && task.out_aligned) || task.column_count == 0) return false;
  return task.column_count > shape::part_elements ||
         (task.in_stride == task.column_count && task.out_stride == task.column_count);
}

/// Scans the rows of a warp as scan_short_rows does, where each follows on the one before: `stages` has one for each of
/// the block's warps.
template <unsigned Steps, unsigned Rows, class Block, class Task, class Stage>
TESSERA_FN void scan_neighboring_rows(Block const& block, Task const& task, lanes_of_rows const& of, Stage* stages) {
  constexpr unsigned width = scan_rows_shape<typename Task::T, typename Task::R>::width;
  using T = typename Task::T;
  using Out = typename Task::Out;
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const lane = warp.thread_rank(), lanes = of.lanes, row_of_step = of.row_of(lane),
                 rank = lane - row_of_step * lanes, which = block.thread_rank() / 32;
  int const rows_of_step = static_cast<int>(of.row_count), rows_of_warp = rows_of_step * static_cast<int>(Rows),
            column_count = task.column_count;
  std::int64_t const first_of_warp =
      (std::int64_t{block.group_index().x} * (static_cast<unsigned>(block.size()) / 32) + which) * rows_of_warp;
  std::int64_t const left = task.row_count - first_of_warp;
  if (left <= 0) return;
  int const row_count = left < rows_of_warp ? static_cast<int>(left) : rows_of_warp, count = row_count * column_count;
  int const first = static_cast<int>(rank * width), apart = static_cast<int>(lanes * width);
  bool const has_row = static_cast<int>(row_of_step) < rows_of_step;
  int const place = has_row ? first : column_count + first;  // lanes without a row have no elements
  auto const row_of = [&](unsigned r) { return static_cast<int>(r) * rows_of_step + static_cast<int>(row_of_step); };
  Stage& stage = stages[which];
  T const* const from = task.in + first_of_warp * column_count;
  Out* const to = task.out + first_of_warp * column_count;
  staged_range<T const>(lane, from, count).load(stage, task.in, task.in + task.row_count * column_count);
  detail::finish_copies();
  warp.sync();
  row_part<Task, width, Steps> part[Rows];
  auto const* const taken = stage.at(static_cast<int>(detail::distance_of_vector(from)));
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    int const row = row_of(r), existing = row < row_count ? row : row_count - 1;
    part[r].template take<false>(lane, task, taken, -existing * column_count, place, apart);
  }
  warp.sync();
  auto* const put = stage.at(static_cast<int>(detail::distance_of_vector(to)));
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    int const row = row_of(r);
    bool const is_row = has_row && row < row_count;
    auto const carry = is_row ? task.carry(first_of_warp + row) : optional_value<typename Task::R>::none();
    part[r].template scan<false, false>(warp, task, place, apart, lanes, rank, carry);
    if (row < row_count) part[r].put(lane, task, put, -row * column_count, place, apart);
    if (task.carry_out == nullptr) continue;
    warp.sync();  // All lanes have read the carries, which may be in place.
    if (is_row && part[r].last().exists) task.store_carry(first_of_warp + row, part[r].last().value());
  }
  warp.sync();
  staged_range<Out>(lane, to, count).store(stage);
}

/// No stage: rows are loaded and stored as they are.
struct no_stage {};

/// The block's shared memory for long rows: the parts of its warps, of two tiles.
template <class R, unsigned MostWarps>
struct scan_rows_storage {
  tessera::detail::words<R> of_warp[2][MostWarps];
};

/// A block's walk over a row, through `stages`: of each warp one, or two if there are several tiles.
template <class Block, class Task, class Storage, class Stage>
class long_row_agent {
  using R = typename Task::R;
  using maybe = optional_value<R>;
  using shape = scan_rows_shape<typename Task::T, R>;
  using warp_t = decltype(tessera::tiled_partition<32>(stl::declval<Block const&>()));
  static constexpr int width = static_cast<int>(shape::width), apart = shape::step_elements;

 public:
  TESSERA_FN long_row_agent(Block const& block, Task const& task, scan_rows_cut const& cut, Storage& storage,
                            Stage* stages)
      : block_(block),
        warp_(tessera::tiled_partition<32>(block)),
        task_(task),
        cut_(cut),
        storage_(storage),
        stages_(stages) {}

  /// Scans tiles first … end − 1 of a row after `before`, and stores the results if Stores. The first tile begins a
  /// chunk. Returns the total of the last chunk, if it is full.
  template <bool Stores>
  TESSERA_FN maybe walk(std::int64_t row, int first, int end, maybe before) {
    auto const op = task_.join();
    unsigned const rank = warp_.thread_rank();
    auto in_chunk = maybe::none();
    int left_of_chunk = cut_.chunk_tiles;
    loads loaded;
    load(loaded, row, first);
    TESSERA_LOOP
    for (int tile = first; tile < end; ++tile) {
      if (left_of_chunk == 0) {
        before = before.followed_by(in_chunk.value(), op);
        in_chunk = maybe::none();
        left_of_chunk = cut_.chunk_tiles;
      }
      --left_of_chunk;
      auto now = take(loaded, row, tile);
      if (tile + 1 < end) load(loaded, row, tile + 1);
      bool const whole = part_of(tile) + shape::part_elements <= task_.column_count;
      maybe const own =
          whole ? now.template scan<true, true>(warp_, task_, place_of(tile), apart, 32, rank, maybe::none())
                : now.template scan<false, true>(warp_, task_, place_of(tile), apart, 32, rank, maybe::none());
      auto const exchanged = exchange(tile, own);
      if constexpr (Stores) {
        maybe all_before = before;
        if (in_chunk.exists) all_before = all_before.followed_by(in_chunk.value(), op);
        if (exchanged.warps_before.exists) all_before = all_before.followed_by(exchanged.warps_before.value(), op);
        store(now, row, tile, all_before);
        if (now.last().exists) task_.store_carry(row, all_before.followed_by(now.last().value(), op).value());
      }
      if (!Stores || tile + 1 < end) in_chunk = in_chunk.followed_by(exchanged.tile, op);  // of a full tile
    }
    return in_chunk;
  }

  /// The prefix of a chunk: the carry, and the totals of the chunks before it.
  TESSERA_FN maybe before_chunk(std::int64_t row, int chunk, R const* totals) const {
    auto const op = task_.join();
    maybe before = task_.carry(row);
    int const lane = static_cast<int>(warp_.thread_rank());
    TESSERA_LOOP
    for (int first = 0; first < chunk; first += 32) {
      int const which = first + lane < chunk ? first + lane : chunk - 1;
      R const total = totals[row * (cut_.chunks - 1) + which];
      TESSERA_LOOP
      for (int i = 0; i < 32 && first + i < chunk; ++i)
        before = before.followed_by(tessera::shuffle(warp_, total, static_cast<unsigned>(i), converged), op);
    }
    return before;
  }

 private:
  struct exchanged_parts {
    maybe warps_before;
    R tile;  // unspecified if the tile isn't full
  };

  using part_t = row_part<Task, shape::width, shape::steps>;
  static constexpr bool is_staged = !stl::is_same_v<Stage, no_stage>;
  using loads = stl::conditional_t<is_staged, no_stage, part_t>;

  /// The row's elements that are the warp's part of a tile: the index of the first one, their number, and whether they
  /// are as many as a part has.
  struct elements {
    int begin, count;
    bool are_all;  // not by `count`: ptxas 13.0 gets that comparison wrong (docs/explanation/compilers-faults.md)
  };
  TESSERA_FN elements elements_of(int tile) const {
    int const left = task_.column_count - part_of(tile), count = left < 0                      ? 0
                                                                 : left < shape::part_elements ? left
                                                                                               : shape::part_elements;
    return {Task::suffix ? left - count : part_of(tile), count, left >= shape::part_elements};
  }

  /// Issues the loads of a tile.
  TESSERA_FN void load(loads& to, std::int64_t row, int tile) const {
    if constexpr (is_staged) {
      auto const of = elements_of(tile);
      auto const* const from = task_.in + row * task_.in_stride;
      bool const neighboring = task_.in_stride == task_.column_count;
      if (of.count > 0)
        staged_range<typename Task::T const>(warp_.thread_rank(), from + of.begin, of.count)
            .load(stage(tile), neighboring ? task_.in : from,
                  neighboring ? task_.in + task_.row_count * task_.column_count : from + task_.column_count);
    } else {
      to.load(task_, row, place_of(tile), apart);
    }
  }
  /// The part of a tile that was loaded.
  TESSERA_FN part_t take(loads const& from, std::int64_t row, int tile) {
    if constexpr (is_staged) {
      part_t part;
      auto const of = elements_of(tile);
      auto const* const in = task_.in + row * task_.in_stride + of.begin;
      detail::finish_copies();
      warp_.sync();
      auto const* const at = stage(tile).at(static_cast<int>(detail::distance_of_vector(in)));
      if (of.are_all) {
        part.template take<true>(warp_.thread_rank(), task_, at, of.begin, place_of(tile), apart);
      } else {
        part.template take<false>(warp_.thread_rank(), task_, at, of.begin, place_of(tile), apart);
      }
      return part;
    } else {
      return from;
    }
  }
  /// Stores the part of a tile after `before`.
  TESSERA_FN void store(part_t const& part, std::int64_t row, int tile, maybe const& before) {
    if constexpr (is_staged) {
      auto const of = elements_of(tile);
      auto* const out = task_.out + row * task_.out_stride + of.begin;
      unsigned const lane = warp_.thread_rank();
      auto* const at = stage(tile).at(static_cast<int>(detail::distance_of_vector(out)));
      if (of.are_all) {
        part.template put_after<true>(lane, task_, at, of.begin, place_of(tile), apart, before);
      } else {
        part.template put_after<false>(lane, task_, at, of.begin, place_of(tile), apart, before);
      }
      warp_.sync();
      if (of.count > 0) staged_range<typename Task::Out>(lane, out, of.count).store(stage(tile));
      warp_.sync();  // The elements of a later tile overwrite the stage.
    } else {
      part.template store_after<true>(warp_, task_, row, place_of(tile), apart, before);
    }
  }
  TESSERA_FN Stage& stage(int tile) const {
    return stages_[static_cast<unsigned>(tile) % 2 * cut_.warps + block_.thread_rank() / 32];
  }

  /// The place of the warp's part of a tile, and of the lane's first element.
  TESSERA_FN int part_of(int tile) const {
    return (tile * static_cast<int>(cut_.warps) + static_cast<int>(block_.thread_rank() / 32)) * shape::part_elements;
  }
  TESSERA_FN int place_of(int tile) const { return part_of(tile) + static_cast<int>(warp_.thread_rank()) * width; }

  /// Exchanges the totals of the warps' parts of a tile.
  TESSERA_FN exchanged_parts exchange(int tile, maybe const& own) {
    unsigned const lane = warp_.thread_rank(), which = block_.thread_rank() / 32, warps = cut_.warps;
    auto& parts = storage_.of_warp[tile % 2];
    if (lane == 0) parts[which] = own.word;
    detail::barrier_of_block(block_);
    int const full =
        (task_.column_count - (part_of(tile) - static_cast<int>(which) * shape::part_elements)) / shape::part_elements;
    R const part = detail::from_words<R>(parts[lane < warps ? lane : warps - 1]);
    R const through = detail::scan_of_lanes<shape::most_warps>(
        warp_, part, lane, static_cast<int>(lane) < full && lane < warps, task_.join());
    R const before = tessera::shuffle(warp_, through, which == 0 ? 0 : which - 1, converged);
    R const all = tessera::shuffle(warp_, through, warps - 1, converged);
    bool const has_before = which > 0 && static_cast<int>(which) <= full;
    return {has_before ? maybe::some(before) : maybe::none(), all};
  }

  Block const& block_;
  warp_t warp_;
  Task const& task_;
  scan_rows_cut const& cut_;
  Storage& storage_;
  Stage* stages_;
};

/// Scans a row that is one tile: without a next one to load it takes fewer registers, and more blocks run at a time.
///
/// Called by  all threads of a block of cut.warps warps, one of as many as there are rows.
/// Cost       one read and one write of each element; a barrier.
template <class Block, class Task, class Storage, class Stage>
TESSERA_FN void scan_medium_rows(Block const& block, Task const& task, scan_rows_cut const& cut, Storage& storage,
                                 Stage* stages) {
  std::int64_t const row = block.group_index().x;
  long_row_agent<Block, Task, Storage, Stage>(block, task, cut, storage, stages)
      .template walk<true>(row, 0, 1, task.carry(row));
}

/// Scans a row, or one chunk of it: if `totals` isn't null, those of the chunks before the row's last one.
///
/// Called by  all threads of a block of cut.warps warps, one of as many as there are rows, or chunks.
/// Cost       one read and one write of each element; for each tile a barrier and a scan of a warp.
template <class Block, class Task, class Storage, class Stage>
TESSERA_FN void scan_long_rows(Block const& block, Task const& task, scan_rows_cut const& cut,
                               typename Task::R const* totals, Storage& storage, Stage* stages) {
  long_row_agent<Block, Task, Storage, Stage> agent(block, task, cut, storage, stages);
  if (totals == nullptr) {
    std::int64_t const row = block.group_index().x;
    agent.template walk<true>(row, 0, cut.tiles, task.carry(row));
    return;
  }
  std::int64_t const row = block.group_index().x / static_cast<unsigned>(cut.chunks);
  int const chunk = static_cast<int>(block.group_index().x % static_cast<unsigned>(cut.chunks));
  int const first = chunk * cut.chunk_tiles, left = cut.tiles - first;
  agent.template walk<true>(row, first, first + (left < cut.chunk_tiles ? left : cut.chunk_tiles),
                            agent.before_chunk(row, chunk, totals));
}

/// Computes the totals of all chunks of rows but the last ones, and copies the carries.
///
/// Called by  all threads of a block of cut.warps warps, one of as many as there are such chunks.
/// Cost       one read of each element.
template <class Block, class Task, class Storage>
TESSERA_FN void total_chunks(Block const& block, Task const& task, scan_rows_cut const& cut, typename Task::R* totals,
                             typename Task::R* carries, Storage& storage) {
  unsigned const chunks = static_cast<unsigned>(cut.chunks - 1), which = block.group_index().x;
  no_stage* const none = nullptr;
  long_row_agent<Block, Task, Storage, no_stage> agent(block, task, cut, storage, none);
  int const first = static_cast<int>(which % chunks) * cut.chunk_tiles;
  auto const total = agent.template walk<false>(which / chunks, first, first + cut.chunk_tiles,
                                                optional_value<typename Task::R>::none());
  if (block.thread_rank() != 0) return;
  tessera::detail::store_element(totals + which, total.value());
  if (first == 0 && carries != nullptr)
    tessera::detail::store_element(carries + which / chunks, task.carry(which / chunks).value());
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
