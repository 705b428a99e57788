// Agents that reduce rows to values: what a block of each kernel of rows.cuh does.
//
//   load      Each lane loads its row fragment; all loads are issued before one is waited for.
//   fold      Each lane folds its fragment to one value. If a row is longer than a tile holds, it loads and folds
//             again.
//   reduce    The tile combines its lanes' values in registers.
//   gather    If several blocks share a row, the row's last block combines their partials.
//
// A Fold says what is computed:
//
//   value, combine         a type, and the operator that joins the values of two parts of a row; its operands may
//                          change places
//   combining()            one such operator
//   of_fragment(fragment)  the value of one lane's elements
//   counts_elements        true if the value has `count`, the number of elements; else it may be missing
//
// A lane without elements holds the operator's neutral element, which changes no other value: −0 for a sum of floats,
// so that a sum of elements that are all −0 is −0. The result of a row without columns is the operator's identity,
// +0.
#pragma once

#include <tessera/grid/parts/block_protocols.hpp>
#include <tessera/grid/parts/warp_by_warp.hpp>
#include <tessera/grid/rows/row_task.hpp>
#include <tessera/joint_reduce.hpp>
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

/// One lane's value of a tile's steps part, part + parts, … of a row. A step is the vectors that the tile holds at
/// once.
template <class Shape, class T, class Fold>
TESSERA_FN auto fold_steps(unsigned rank, row_task<T> const& task, std::int64_t row, unsigned part, unsigned parts,
                           Fold const& fold) {
  constexpr int step = static_cast<int>(Shape::row_vectors);
  using value = typename Fold::value;
  auto const& combine = fold.combining();
  T const* const from = task.in + row * task.in_stride;
  int const limit = task.template limit<Shape::aligned>(row);
  int const vectors = detail::vector_count(from, limit);
  value partial = detail::neutral_of_fold(fold);
  for (int at = static_cast<int>(part) * step; at < vectors; at += static_cast<int>(parts) * step) {
    typename Shape::template fragment<T> fragment;
    fragment.load(from, rank, at, limit, task.format);
    partial = combine(partial, fold.of_fragment(fragment));
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

/// Reduces one row of any length in each warp.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_medium_rows(Block const& block, row_task<T> const& task, Fold const& fold, Store const& store) {
  static_assert(Shape::threads_per_row == 32, "A whole warp returns if its row doesn't exist.");
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row = static_cast<std::int64_t>(block.group_index().x) * Shape::tiles + block.thread_rank() / 32;
  if (row >= task.row_count) return;
  auto const partial = detail::fold_steps<Shape>(warp.thread_rank(), task, row, 0, 1, fold);
  auto const all = tessera::reduce(warp, partial, fold.combining(), converged | to_leader);
  if (warp.thread_rank() == 0) store(row, detail::result_of_row(task, fold, all));
}

/// The partial of a block that shares its row: rank 0 gets it. `splits` blocks share each row.
template <class Shape, class T, class Fold, class Block>
TESSERA_FN auto fold_part(Block const& block, row_task<T> const& task, Fold const& fold, unsigned splits) {
  unsigned const which = block.group_index().x;
  auto const partial =
      detail::fold_steps<Shape>(block.thread_rank(), task, which / splits, which % splits, splits, fold);
  return tessera::reduce(tessera::this_block_tile<Shape::threads_per_row>(block), partial, fold.combining(),
                         converged | to_leader | warp_by_warp<typename Fold::value, typename Fold::combine>);
}

/// One lane's share of the partials of a row.
template <unsigned Threads, class Fold>
TESSERA_FN auto gather_row_partials(unsigned rank, Fold const& fold, typename Fold::value const* partials,
                                    unsigned splits) {
  typename Fold::value partial = detail::neutral_of_fold(fold);
  for (unsigned i = rank; i < splits; i += Threads) partial = fold.combining()(partial, partials[i]);
  return partial;
}

/// Reduces a row in `splits` blocks. If that is more than one, `partials` has as many values for each row, which the
/// row's last block combines in their order, and `counters` has one counter for each row, 0 before the kernel and
/// after it.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_large_rows(Block const& block, row_task<T> const& task, Fold const& fold, unsigned splits,
                                typename Fold::value* partials, unsigned* counters, Store const& store) {
  using value = typename Fold::value;
  auto const tile = tessera::this_block_tile<Shape::threads_per_row>(block);
  bool const is_leader = tile.thread_rank() == 0;
  unsigned const which = block.group_index().x, row = which / splits;
  value const partial = detail::fold_part<Shape>(block, task, fold, splits);
  if (splits == 1) {
    if (is_leader) store(row, detail::result_of_row(task, fold, partial));
    return;
  }
  bool last = false;
  if (is_leader) {
    partials[which] = partial;
    last = detail::is_last_block(counters + row, splits);
  }
  if (!tessera::any_of(tile, last)) return;
  value const gathered = detail::gather_row_partials<Shape::threads_per_row>(
      tile.thread_rank(), fold, partials + static_cast<std::size_t>(row) * splits, splits);
  value const all = tessera::reduce(tile, gathered, fold.combining(),
                                    converged | to_leader | warp_by_warp<typename Fold::value, typename Fold::combine>);
  if (is_leader) store(row, detail::result_of_row(task, fold, all));
}

/// Reduces one row in each warp, in the order of its elements. f(x, column) makes a value of each.
template <class T, class Op, class F, class Block, class Store>
TESSERA_FN void fold_rows_in_order(Block const& block, row_task<T> const& task, Op const& op, F const& f,
                                   Store const& store) {
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row =
      static_cast<std::int64_t>(block.group_index().x) * (block.size() / 32) + block.thread_rank() / 32;
  if (row >= task.row_count) return;
  auto const term = [&](T const& x, int column) { return f(detail::to_number(x, task.format), column); };
  auto const all = tessera::joint_transform_reduce(warp, task.in + row * task.in_stride, task.column_count, op, term,
                                                   converged | to_leader);
  if (warp.thread_rank() == 0) store(row, all);
}

/// A Fold that combines the results of f(x, column) for all elements.
template <class T, class Op, class F>
struct element_fold {
  using number = arithmetic_t<T>;
  using term = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, number, int>>>;
  using value = tessera::detail::range_result_t<Op, term, std::int64_t>;
  using combine = Op;

  Op op;
  F f;

  TESSERA_FN Op const& combining() const { return op; }

  template <class Fragment>
  TESSERA_FN value of_fragment(Fragment const& fragment) const {
    value const neutral = detail::neutral_of_fold(*this);
    value partial = neutral;
    fragment.for_each_vector(number{}, [&](unsigned v, auto const& x) {
      items<value, Fragment::width> mapped;
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j)
        mapped[j] = static_cast<value>(f(x[j], fragment.index(v) + static_cast<int>(j)));
      if (!fragment.all_valid(v)) {
        TESSERA_UNROLL
        for (unsigned j = 0; j < Fragment::width; ++j)
          mapped[j] = tessera::detail::select(fragment.is_valid(v, j), mapped[j], neutral);
      }
      partial = op(partial, tessera::detail::combine_tree(mapped, op));
    });
    return partial;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
