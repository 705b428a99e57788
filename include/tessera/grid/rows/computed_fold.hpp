// Reductions of rows that an iterator computes: the functions that computed_rows.hpp calls for each row, and for its
// elements.
#pragma once

#include <tessera/grid/rows/computed_fragment.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/segments/each_segment.hpp>
#include <tessera/grid/segments/reduce_each_segment.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// f(number, column) of an element and its index in a piece of a row that begins with column `first`.
template <class T, class F>
struct row_term {
  F f;
  std::int64_t first = 0;

  TESSERA_FN auto operator()(T const& x, std::int64_t index) const {
    return f(detail::to_number<T>(x, {}), static_cast<int>(first + index));
  }
  TESSERA_FN row_term beginning_at(std::int64_t column) const { return {f, column}; }
};

/// A Fold that combines the results of f(number, column) for all elements, by an operator that commutes. f is also
/// called with the row's last element in place of those after its end.
template <class T, class Op, class F>
struct computed_element_fold : element_fold<T, Op, F> {
  using typename element_fold<T, Op, F>::value;

  template <class Fragment>
  TESSERA_FN value of_fragment(Fragment const& fragment) const {
    value const neutral = detail::neutral_of_fold(*this);
    value partial = neutral;
    TESSERA_UNROLL
    for (unsigned v = 0; v < Fragment::vectors; ++v) {
      if (!fragment.has_valid(v)) continue;
      auto const x = fragment.loaded(v);
      items<value, Fragment::width> mapped;
      TESSERA_UNROLL
      for (unsigned j = 0; j < Fragment::width; ++j)
        mapped[j] = tessera::detail::select(fragment.is_valid(v, j),
                                            static_cast<value>(this->f(x[j], fragment.column(v, j))), neutral);
      partial = this->op(partial, tessera::detail::combine_tree(mapped, this->op));
    }
    return partial;
  }
};

/// Combines the results of a row_term of all elements by any operator, in the row's order.
template <class In, class R, class Op, class F, class Store>
struct computed_reduction : segment_reduction<In, R, Op, F, no_segment_start, Store> {
  static constexpr std::int64_t most_by_warp = each_segment_tuning::most_by_warp;
};

/// Reduces each row by a Fold (fold_rows.hpp), and stores the result by `store`.
template <class In, class Fold, class Store>
struct computed_fold {
  using tuning = each_segment_tuning;
  using T = tessera::detail::value_of<In>;
  static constexpr unsigned blocks_per_multiprocessor = sizeof(T) == 8 ? 2 : 3;
  template <unsigned N>
  using fragment_t = fragment_of_tile<T, N, 4>;
  static constexpr std::int64_t most_by_warp = tuning::most_by_warp;

  In in;
  Fold fold;
  Store store;
  std::int64_t column_count;

  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t row, segment_range const& range, bool exists) const {
    piece_t const all = reduce_piece(tile, range, 0);
    if (exists && tile.thread_rank() == 0) finish(row, all, range.length == 0);
  }

  // The parts of a row (each_segment.hpp).
  using piece_t = typename Fold::value;

  TESSERA_FN typename Fold::combine combining() const { return fold.combining(); }
  TESSERA_FN piece_t neutral() const { return detail::neutral_of_fold(fold); }
  TESSERA_FN piece_t combine(piece_t const& a, piece_t const& b) const { return fold.combining()(a, b); }

  TESSERA_FN void finish(std::int64_t row, piece_t const& all, bool is_empty) const {
    piece_t result = is_empty ? operator_traits<typename Fold::combine, piece_t>::identity(fold.combining()) : all;
    // Sums of counts are rounded above 2^24 of float. The columns are rounded once.
    if constexpr (counts_elements<Fold>) result.count = static_cast<decltype(result.count)>(column_count);
    store(row, result);
  }
  TESSERA_FN void process_by_lane(std::int64_t row, segment_range const& range) const {
    fragment_t<1> fragment;
    fragment.load(tessera::detail::advanced(in, range.begin), 0, 0, static_cast<int>(range.length));
    finish(row, tessera::detail::canonicalize_nan<typename Fold::combine>(fold.of_fragment(fragment)),
           range.length == 0);
  }
  /// Reduces a piece that begins with column `first`. Called by all lanes of the tile; all get the result.
  template <class Tile>
  TESSERA_FN piece_t reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t first) const {
    fragment_t<tile_size_v<Tile>> fragment;
    auto const row = tessera::detail::advanced(in, piece.begin - first);
    int const end = static_cast<int>(first + piece.length);
    piece_t partial = neutral();
    TESSERA_LOOP
    for (int at = static_cast<int>(first); at < end; at += fragment.held) {
      fragment.load(row, tile.thread_rank(), at, end);
      partial = combine(partial, fold.of_fragment(fragment));
    }
    return tessera::reduce(tile, partial, fold.combining(), tessera::converged);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
