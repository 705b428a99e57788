// Agents that reduce rows to values: what a block of each kernel of rows.cuh does.
//
//   load      Each lane loads its row fragment; all loads are issued before one is waited for.
//   fold      Each lane folds its fragment to one value. If a row is longer than a tile holds, it loads and folds
//             again.
//   reduce    The tile combines its lanes' values in registers.
//   gather    Long rows are cut into parts, whose values are combined at last.
//
// The columns of a row decide how it is combined: which lane folds which of them, and where a long row is cut. How many
// blocks share the parts of a row doesn't change its bits.
//
//   a long row    part 0   part 1   part 2   …        of row_parts::steps steps of a block
//   one block     does all parts, and keeps their values in a warp's lanes
//   B blocks      do parts b, b + B, … each, and store their values; the row's last block gathers them
//   gather        Lane i combines the values of parts i, i + 32, …, then the warp combines its lanes'.
//
// A Fold says what is computed:
//
//   value, combine         a type, and the operator that joins the values of two parts of a row; its operands may
//                          change places
//   combining()            one such operator
//   of_fragment(fragment)  the value of one lane's elements
//   counts_elements        true if the value has `count`, the number of elements; else it may be missing
//   combines_warps         true if of_warp(warp, x) gives the values of a warp's lanes, combined, in its first lane,
//                          faster than `combining()` does; else it may be missing
//   takes_whole_steps      true if steps whose vectors are all in the row have code of their own, without branches,
//                          which takes more registers; else it may be missing
//   needs_few_registers    true if 40 of them are enough for a lane with 4 vectors; else it may be missing
//
// A lane without elements holds the operator's neutral element, which changes no other value: −0 for a sum of floats,
// so that a sum of elements that are all −0 is −0. The result of a row without columns is the operator's identity,
// +0.
#pragma once

#include <tessera/core/lane_mask.hpp>
#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/memory_ops.hpp>
#include <tessera/grid/parts/shared_operators.hpp>
#include <tessera/grid/parts/warp_by_warp.hpp>
#include <tessera/grid/rows/row_block.hpp>
#include <tessera/grid/rows/row_task.hpp>
#include <tessera/joint_reduce.hpp>  // range_result_t
#include <tessera/lanes.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/vote.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// True if the value of a row has `count`, the number of its elements.
template <class Fold, class = void>
inline constexpr bool counts_elements = false;
template <class Fold>
inline constexpr bool counts_elements<Fold, stl::enable_if_t<Fold::counts_elements>> = true;

/// True if the fold says how a warp's values are combined.
template <class Fold, class = void>
inline constexpr bool combines_warps = false;
template <class Fold>
inline constexpr bool combines_warps<Fold, stl::enable_if_t<Fold::combines_warps>> = true;

/// True if the fold says that whole steps have code of their own.
template <class Fold, class = void>
inline constexpr bool takes_whole_steps = false;
template <class Fold>
inline constexpr bool takes_whole_steps<Fold, stl::enable_if_t<Fold::takes_whole_steps>> = true;

/// True if the fold says that it needs few registers.
template <class Fold, class = void>
inline constexpr bool needs_few_registers = false;
template <class Fold>
inline constexpr bool needs_few_registers<Fold, stl::enable_if_t<Fold::needs_few_registers>> = true;

/// The value of a lane without elements.
template <class Fold>
TESSERA_FN typename Fold::value neutral_of_fold(Fold const& fold) {
  using value = typename Fold::value;
  using combine = typename Fold::combine;
  return tessera::detail::neutral_of<combine, value>::get(fold.combining());
}

/// The result of a row whose elements combine to `all`.
template <class T, class Fold>
TESSERA_FN typename Fold::value result_of_row(row_task<T> const& task, Fold const& fold,
                                              typename Fold::value const& all) {
  using value = typename Fold::value;
  value result = tessera::detail::select(task.column_count > 0, all,
                                         operator_traits<typename Fold::combine, value>::identity(fold.combining()));
  // Sums of counts are rounded above 2^24 of float. The columns are rounded once.
  if constexpr (counts_elements<Fold>) result.count = static_cast<decltype(result.count)>(task.column_count);
  return result;
}

/// The values of a warp's lanes, combined, in its first lane.
template <class Warp, class Value, class Fold>
TESSERA_FN Value reduce_fold(Warp const& warp, Value const& own, Fold const& fold) {
  if constexpr (combines_warps<Fold>) {
    return fold.of_warp(warp, own);
  } else {
    return tessera::reduce(warp, own, fold.combining(), converged | to_leader);
  }
}

/// One lane's value of `steps` steps of a row, from step `first` on.
template <class Shape, class T, class Fold>
TESSERA_FN auto fold_steps(unsigned rank, row_task<T> const& task, std::int64_t row, unsigned first, unsigned steps,
                           Fold const& fold) {
  constexpr int step = static_cast<int>(Shape::row_vectors);
  using value = typename Fold::value;
  auto const& combine = fold.combining();
  T const* const from = task.in + row * task.in_stride;
  int const limit = task.template limit<Shape::aligned>(row);
  int at = static_cast<int>(first) * step;
  int const end = at + static_cast<int>(steps) * step, vectors = detail::vectors_of_columns<T>(limit);
  value partial = detail::neutral_of_fold(fold);
  auto const fold_step = [&](auto& fragment) {
    fragment.load(from, rank, at, limit, task.format);
    partial = combine(partial, fold.of_fragment(fragment));
  };
  if constexpr (takes_whole_steps<Fold>) {
    using whole_fragment = typename Shape::template whole_fragment<T>;
    int const whole = whole_fragment::whole_vectors(from, limit);
    TESSERA_LOOP
    for (; at + step <= whole && at < end; at += step) {
      whole_fragment fragment;
      fold_step(fragment);
    }
  }
  TESSERA_LOOP
  for (; at < vectors && at < end; at += step) {
    typename Shape::template fragment<T> fragment;
    // Else registers of vectors that aren't loaded keep what the step before left there, beside a whole step's.
    if constexpr (takes_whole_steps<Fold>) fragment = {};
    fold_step(fragment);
  }
  return partial;
}

/// Reduces the rows that a tile holds at once. Calls store(row, value) for each.
///
/// Called by  all threads of the blocks of a grid, which has a tile for every Shape::rows_per_tile rows.
/// Cost       one read of each element; a `reduce_batch` of a tile, scattered.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_rows(Block const& block, row_task<T> const& task, Fold const& fold, Store const& store) {
  constexpr unsigned row_count = Shape::rows_per_tile;
  auto const tile = detail::row_tile<Shape::threads_per_row>(block);
  unsigned const rank = tile.thread_rank();
  std::int64_t const first = Shape::first_row(block);
  typename Shape::template fragment<T> fragment[row_count];
  Shape::template load<Shape::aligned ? load_streaming : load_default>(task, rank, first, fragment);
  auto const store_existing = [&](std::int64_t row, auto const& all) {
    if (row < task.row_count) store(row, detail::result_of_row(task, fold, all));
  };
  if constexpr (row_count == 1) {
    auto const all =
        tessera::reduce(tile, fold.of_fragment(fragment[0]), fold.combining(),
                        converged | to_leader | warp_by_warp<typename Fold::value, typename Fold::combine>);
    if (rank == 0) store_existing(first, all);
  } else {
    static_assert(row_count <= Shape::threads_per_row, "A lane gets the value of one row.");
    items<typename Fold::value, row_count> partial;
    TESSERA_UNROLL
    for (unsigned r = 0; r < row_count; ++r) partial[r] = fold.of_fragment(fragment[r]);
    auto const all = tessera::reduce_batch(tile, partial, fold.combining(), converged | scattered);
    if (rank < row_count) store_existing(first + rank * Shape::apart, all);
  }
}

/// Reduces `Rows` rows in every `lanes` lanes, a power of two, to the bits of fold_rows with tiles of so many threads.
///
/// Called by  all threads of the blocks of a grid that has as many for every Rows rows.
template <class Shape, unsigned Rows, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_rows_by_lanes(Block const& block, row_task<T> const& task, Fold const& fold, unsigned lanes,
                                   Store const& store) {
  unsigned const shift = tessera::detail::lowest_bit(lanes),
                 together = static_cast<unsigned>(block.size()) >> shift;  // rows that the block loads at once
  row_lanes<Block> const tile(block, lanes);
  std::int64_t const first = std::int64_t{block.group_index().x} * (Rows * together) + (block.thread_rank() >> shift);
  typename Shape::template fragment<T> fragment[Rows];
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const row = first + r * together;
    bool const exists = row < task.row_count;
    fragment[r].threads = lanes;
    fragment[r].load(task.in + (exists ? row : 0) * task.in_stride, tile.thread_rank(), 0,
                     exists ? task.template limit<Shape::aligned>(row) : 0, task.format);
  }
  TESSERA_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    std::int64_t const row = first + r * together;
    auto const all = tile.reduce(fold.of_fragment(fragment[r]), fold.combining());
    if (tile.thread_rank() == 0 && row < task.row_count) store(row, detail::result_of_row(task, fold, all));
  }
}

/// Reduces one row of any length in each warp.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_medium_rows(Block const& block, row_task<T> const& task, Fold const& fold, Store const& store) {
  static_assert(Shape::threads_per_row == 32, "A whole warp returns if its row doesn't exist.");
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row = static_cast<std::int64_t>(block.group_index().x) * Shape::tiles + block.thread_rank() / 32;
  if (row >= task.row_count) return;
  auto const partial =
      detail::fold_steps<Shape>(warp.thread_rank(), task, row, 0, INT32_MAX / Shape::row_vectors, fold);
  auto const all = detail::reduce_fold(warp, partial, fold);
  if (warp.thread_rank() == 0) store(row, detail::result_of_row(task, fold, all));
}

/// The shared memory of a block that folds parts of rows: the values of its warps, of as many parts as one barrier
/// serves.
template <class Shape, class Value>
struct part_storage {
  static constexpr unsigned warps = Shape::block_threads / 32;
  static constexpr unsigned parts_at_once() {
    unsigned count = 32;
    while (count > 1 && count * warps * sizeof(Value) > 8192) count /= 2;
    return count;
  }
  static constexpr unsigned parts = parts_at_once();
  tessera::detail::words<Value> of_warp[parts][warps];
};

/// The values of `count` parts, each combined from its warps': that of part i in lane i. Called by all lanes of a warp.
template <class Warp, class Shape, class Fold>
TESSERA_FN auto combine_warps_of_parts(Warp const& warp, Fold const& fold,
                                       part_storage<Shape, typename Fold::value> const& storage, unsigned count) {
  using value = typename Fold::value;
  constexpr unsigned warps = part_storage<Shape, value>::warps, together = 32 / warps;
  unsigned const lane = warp.thread_rank();
  value const neutral = detail::neutral_of_fold(fold);
  value own = neutral;
  TESSERA_LOOP
  for (unsigned begin = 0; begin < count; begin += together) {
    unsigned const part = begin + lane / warps;
    value x = neutral;
    if (part < count)
      tessera::detail::assign(x, tessera::detail::from_words<value>(storage.of_warp[part][lane % warps]));
    TESSERA_UNROLL
    for (unsigned bit = 1; bit < warps; bit *= 2)
      tessera::detail::assign(x, static_cast<value>(fold.combining()(x, tessera::butterfly(warp, x, bit, converged))));
    value const of_part = tessera::shuffle(warp, x, lane % together * warps, converged);
    own = tessera::detail::select(lane / together == begin / together, of_part, own);
  }
  return own;
}

/// Folds parts first, first + apart, … of a row. Calls take(part, value) for each: a lane of the first warp whose rank
/// is that of the part among the block's, modulo part_storage::parts. The first warp's lanes are together afterwards.
template <class Shape, class T, class Fold, class Block, class Take>
TESSERA_FN void fold_parts(Block const& block, row_task<T> const& task, Fold const& fold, std::int64_t row,
                           unsigned first, unsigned apart, part_storage<Shape, typename Fold::value>& storage,
                           Take take) {
  using value = typename Fold::value;
  using storage_t = part_storage<Shape, value>;
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const rank = block.thread_rank();
  auto const parts = row_parts::of<Shape, T>(task.column_count);
  unsigned held = 0;
  TESSERA_LOOP
  for (unsigned part = first; part < parts.count; part += apart) {
    value const partial = detail::fold_steps<Shape>(rank, task, row, part * parts.steps, parts.steps, fold);
    value const own = detail::reduce_fold(warp, partial, fold);
    if (warp.thread_rank() == 0) storage.of_warp[held][rank / 32] = tessera::detail::to_words(own);
    ++held;
    bool const is_last = parts.count - part <= apart;
    if (held < storage_t::parts && !is_last) continue;
    detail::barrier_of_block(block);
    if (rank < 32) {
      value const of_part = detail::combine_warps_of_parts(warp, fold, storage, held);
      if (rank < held) take(part - (held - 1 - rank) * apart, of_part);
    }
    if (!is_last) detail::barrier_of_block(block);
    held = 0;
  }
  warp.sync();
}

/// Reduces a row in `splits` blocks. If that is more than one, `partials` has a value for each part of each row, and
/// `counters` has one counter for each row, 0 before the kernel and after it.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_large_rows(Block const& block, row_task<T> const& task, Fold const& fold, unsigned splits,
                                typename Fold::value* partials, unsigned* counters,
                                part_storage<Shape, typename Fold::value>& storage, Store const& store) {
  using value = typename Fold::value;
  constexpr unsigned lanes = part_storage<Shape, value>::parts;
  auto const warp = tessera::tiled_partition<32>(block);
  unsigned const which = block.group_index().x, row = which / splits, rank = block.thread_rank();
  unsigned const parts = row_parts::of<Shape, T>(task.column_count).count;
  value* const of_row = partials + static_cast<std::size_t>(row) * parts;
  value gathered = detail::neutral_of_fold(fold);
  detail::fold_parts<Shape>(block, task, fold, row, which % splits, splits, storage,
                            [&](unsigned part, value const& x) {
                              if (splits == 1) {
                                gathered = fold.combining()(gathered, x);
                              } else {
                                of_row[part] = x;
                              }
                            });
  if (rank >= 32) return;
  if (splits > 1) {
    bool const last = rank == 0 && detail::is_last_block(counters + row, splits);
    if (!tessera::any_of(warp, last, converged)) return;
    warp.sync();
    for (unsigned i = rank; i < parts && rank < lanes; i += lanes) gathered = fold.combining()(gathered, of_row[i]);
  }
  value const all = detail::reduce_fold(warp, gathered, fold);
  if (rank == 0) store(row, detail::result_of_row(task, fold, all));
}

/// A Fold that combines the results of f(x, column) for all elements.
template <class T, class Op, class F>
struct element_fold {
  using number = arithmetic_t<T>;
  using term = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, number, int>>>;
  using value = tessera::detail::range_result_t<Op, term, std::int64_t>;
  using combine = Op;
  static constexpr bool takes_whole_steps = stl::is_same_v<T, float> && sizeof(value) == 4;
  static constexpr bool needs_few_registers =
      takes_whole_steps && is_one_of<Op, plus, minimum, maximum, extreme_of<value>>;

  Op op;
  F f;

  TESSERA_FN Op const& combining() const { return op; }

  template <class Fragment>
  TESSERA_FN value of_fragment(Fragment const& fragment) const {
    value partial = detail::neutral_of_fold(*this);
    fragment.for_each_vector(number{},
                             [&](unsigned v, auto const& x) { partial = op(partial, of_vector(fragment, v, x)); });
    return partial;
  }
  /// The value of vector v, whose elements are x.
  template <class Fragment>
  TESSERA_FN value of_vector(Fragment const& fragment, unsigned v, numbers_t<T> const& x) const {
    items<value, Fragment::width> mapped;
    TESSERA_UNROLL
    for (unsigned j = 0; j < Fragment::width; ++j) {
      int const column = fragment.index(v) + static_cast<int>(j);
      // f may look something up by the column: what isn't valid gets one that exists.
      mapped[j] = static_cast<value>(f(x[j], Fragment::aligned || column < fragment.limit ? column : 0));
    }
    if (!fragment.all_valid(v)) {
      value const neutral = detail::neutral_of_fold(*this);
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j)
        mapped[j] = tessera::detail::select(fragment.is_valid(v, j), mapped[j], neutral);
    }
    return tessera::detail::combine_tree(mapped, op);
  }
};

/// Reduces one row in each warp, in the order of its elements: one vector of each lane is combined, then the warp's,
/// then the next vectors. f(x, column) makes a value of each element.
template <class T, class Op, class F, class Block, class Store>
TESSERA_FN void fold_rows_in_order(Block const& block, row_task<T> const& task, Op const& op, F const& f,
                                   Store const& store) {
  using shape = row_shape<false, 32, 4, 1, 256>;
  using fold_t = element_fold<T, Op, F>;
  using value = typename fold_t::value;
  fold_t const fold{op, f};
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row =
      static_cast<std::int64_t>(block.group_index().x) * (block.size() / 32) + block.thread_rank() / 32;
  if (row >= task.row_count) return;
  T const* const from = task.in + row * task.in_stride;
  int const vectors = detail::vectors_of_columns<T>(task.column_count);
  value total = detail::neutral_of_fold(fold);
  TESSERA_LOOP
  for (int at = 0; at < vectors; at += static_cast<int>(shape::row_vectors)) {
    typename shape::template fragment<T> fragment;
    fragment.load(from, warp.thread_rank(), at, task.column_count, task.format);
    TESSERA_UNROLL
    for (unsigned v = 0; v < shape::vectors_per_lane; ++v) {
      if (at + static_cast<int>(v * shape::threads_per_row) >= vectors) continue;
      value own = detail::neutral_of_fold(fold);
      if (fragment.has_valid(v)) own = fold.of_vector(fragment, v, fragment.numbers(v, typename fold_t::number{}));
      total = static_cast<value>(op(total, tessera::reduce(warp, own, op, converged | to_leader)));
    }
  }
  if (warp.thread_rank() == 0) store(row, detail::result_of_row(task, fold, total));
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
