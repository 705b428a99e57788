// Rows to values: what the elements of each have in common.
//
//   load      each lane vectors of the row, all loads on their way at once
//   fold      a lane's elements to one value; where a row has more than the tile holds, again and again
//   reduce    the lanes' values of a tile, in registers
//   split     of few and long rows: the blocks' values of a row, by whichever block is last
//
// A Fold tells what:
//
//   value, combine      a type, and the operator that joins those of two parts of a row; it commutes, or may be taken
//                       to
//   of_lane(lane)       the value of one lane's elements
//
// A lane without elements holds the operator's padding, which changes nothing: −0 of a sum of floats, so that a sum of
// elements that are all −0 is −0. A row without columns has the operator's identity, +0.
#pragma once

#include <tessera/grid/detail/arrival.hpp>
#include <tessera/grid/detail/row_task.hpp>
#include <tessera/joint_reduce.hpp>
#include <tessera/operators.hpp>
#include <tessera/reduce.hpp>
#include <tessera/reduce_batch.hpp>
#include <tessera/vote.hpp>

namespace tessera::grid::detail {

/// What a lane without elements holds.
template <class Fold>
TESSERA_FN typename Fold::value padding_of_fold(Fold const& fold) {
  using value = typename Fold::value;
  using combine = typename Fold::combine;
  return tessera::detail::neutral_element<operator_traits<combine, value>, value, combine>::get(
      fold.combining());
}

/// What is stored of a row whose elements came to `all`.
template <class T, class Fold>
TESSERA_FN typename Fold::value result_of_row(row_task<T> const& task, Fold const& fold,
                                              typename Fold::value const& all) {
  using value = typename Fold::value;
  return tessera::detail::select(task.columns > 0, all,
                                 operator_traits<typename Fold::combine, value>::identity(fold.combining()));
}

/// The value of a tile's steps part, part + parts, … of a row, one lane's; a step has W · V vectors.
template <class Shape, class T, class Fold>
TESSERA_FN auto fold_steps(unsigned rank, row_task<T> const& task, std::int64_t row, unsigned part,
                           unsigned parts, Fold const& fold) {
  constexpr int step = static_cast<int>(Shape::W * Shape::V);
  using value = typename Fold::value;
  auto const& combine = fold.combining();
  T const* const from = task.in + row * task.in_stride;
  int const limit = task.template limit<Shape::Whole>(row);
  int const vectors = detail::vector_count(from, limit);
  value own = detail::padding_of_fold(fold);
  for (int at = static_cast<int>(part) * step; at < vectors; at += static_cast<int>(parts) * step) {
    typename Shape::template lane<T> lane;
    lane.load(from, rank, at, limit);
    own = combine(own, fold.of_lane(lane));
  }
  return own;
}

/// R rows of each tile of W lanes, whose V vectors a lane hold a row. store(row, value) of each.
///
/// Called by  all threads of the blocks of a grid, which has a tile for every R rows.
/// Cost       one read of each element; a `reduce_batch` of a tile, scattered.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_rows(Block const& block, row_task<T> const& task, Fold const& fold, Store const& store) {
  constexpr unsigned W = Shape::W, R = Shape::R;
  auto const tile = detail::row_tile<W>(block);
  unsigned const rank = tile.thread_rank();
  std::int64_t const first = Shape::first_row(block);
  typename Shape::template lane<T> lane[R];
  Shape::template load<Shape::Whole ? wanted::once : wanted::as_usual>(task, rank, first, lane);
  auto const store_there = [&](std::int64_t row, auto const& all) {
    if (row < task.rows) store(row, detail::result_of_row(task, fold, all));
  };
  if constexpr (R == 1) {
    auto const all = tessera::reduce(tile, fold.of_lane(lane[0]), fold.combining(), converged | to_leader);
    if (rank == 0) store_there(first, all);
  } else {
    static_assert(R <= W, "Each row's value is in a lane of its own.");
    items<typename Fold::value, R> own;
    TESSERA_UNROLL
    for (unsigned r = 0; r < R; ++r) own[r] = fold.of_lane(lane[r]);
    auto const all = tessera::reduce_batch(tile, own, fold.combining(), converged | scattered);
    if (rank < R) store_there(first + rank * Shape::apart, all);
  }
}

/// A row of each warp, of any length.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_medium_rows(Block const& block, row_task<T> const& task, Fold const& fold,
                                 Store const& store) {
  static_assert(Shape::W == 32, "A row that isn't there ends a whole warp's work.");
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row =
      static_cast<std::int64_t>(block.group_index().x) * Shape::tiles + block.thread_rank() / 32;
  if (row >= task.rows) return;
  auto const own = detail::fold_steps<Shape>(warp.thread_rank(), task, row, 0, 1, fold);
  auto const all = tessera::reduce(warp, own, fold.combining(), converged | to_leader);
  if (warp.thread_rank() == 0) store(row, detail::result_of_row(task, fold, all));
}

/// The value of part blockIdx % splits of row blockIdx / splits, in rank 0 of a block of W threads.
template <class Shape, class T, class Fold, class Block>
TESSERA_FN auto fold_part(Block const& block, row_task<T> const& task, Fold const& fold, unsigned splits) {
  unsigned const which = block.group_index().x;
  auto const own =
      detail::fold_steps<Shape>(block.thread_rank(), task, which / splits, which % splits, splits, fold);
  return tessera::reduce(tessera::this_block_tile<Shape::W>(block), own, fold.combining(),
                         converged | to_leader);
}

/// A row of each `splits` blocks of W threads. Where that is more than one, `parts` has so many values a row, which
/// the row's last block combines in their order, and `counters` one counter a row, 0 before the kernel and after it.
template <class Shape, class T, class Fold, class Block, class Store>
TESSERA_FN void fold_large_rows(Block const& block, row_task<T> const& task, Fold const& fold,
                                unsigned splits, typename Fold::value* parts, unsigned* counters,
                                Store const& store) {
  using value = typename Fold::value;
  auto const tile = tessera::this_block_tile<Shape::W>(block);
  bool const leads = tile.thread_rank() == 0;
  unsigned const which = block.group_index().x, row = which / splits;
  value const part = detail::fold_part<Shape>(block, task, fold, splits);
  if (splits == 1) {
    if (leads) store(row, detail::result_of_row(task, fold, part));
    return;
  }
  bool last = false;
  if (leads) {
    parts[which] = part;
    last = detail::is_last_arrival(counters + row, splits);
  }
  if (!tessera::any_of(tile, last)) return;
  value some = detail::padding_of_fold(fold);
  for (unsigned i = tile.thread_rank(); i < splits; i += Shape::W)
    some = fold.combining()(some, parts[static_cast<std::size_t>(row) * splits + i]);
  value const all = tessera::reduce(tile, some, fold.combining(), converged | to_leader);
  if (leads) store(row, detail::result_of_row(task, fold, all));
}

/// A warp a row, whose elements are combined in their order. f(x, column) of each.
template <class T, class Op, class F, class Block, class Store>
TESSERA_FN void fold_rows_in_order(Block const& block, row_task<T> const& task, Op const& op, F const& f,
                                   Store const& store) {
  auto const warp = tessera::tiled_partition<32>(block);
  std::int64_t const row =
      static_cast<std::int64_t>(block.group_index().x) * (block.size() / 32) + block.thread_rank() / 32;
  if (row >= task.rows) return;
  auto const term = [&](T const& x, int column) {
    return f(tessera::detail::convert<arithmetic_t<T>>(x), column);
  };
  auto const all = tessera::joint_transform_reduce(warp, task.in + row * task.in_stride, task.columns, op,
                                                   term, converged | to_leader);
  if (warp.thread_rank() == 0) store(row, all);
}

/// A Fold that combines f(x, column) of each element.
template <class T, class Op, class F>
struct element_fold {
  using number = arithmetic_t<T>;
  using term = stl::remove_cv_t<stl::remove_reference_t<stl::invoke_result_t<F const&, number, int>>>;
  using value = tessera::detail::result_t<Op, term>;
  using combine = Op;

  Op op;
  F f;

  TESSERA_FN Op const& combining() const { return op; }

  template <class Lane>
  TESSERA_FN value of_lane(Lane const& lane) const {
    value const nothing = detail::padding_of_fold(*this);
    value own = nothing;
    lane.each(number{}, [&](unsigned v, auto const& x) {
      items<value, Lane::E> some;
      TESSERA_UNROLL
      for (unsigned j = 0; j < Lane::E; ++j)
        some[j] = static_cast<value>(f(x[j], lane.index(v) + static_cast<int>(j)));
      if (!lane.all_count(v)) {
        TESSERA_UNROLL
        for (unsigned j = 0; j < Lane::E; ++j)
          some[j] = tessera::detail::select(lane.counts(v, j), some[j], nothing);
      }
      own = op(own, tessera::detail::combine_tree(some, op));
    });
    return own;
  }
};

}  // namespace tessera::grid::detail
