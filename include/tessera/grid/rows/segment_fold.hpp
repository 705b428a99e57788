// The function that each_segment.hpp calls to reduce a segment by a Fold (fold_rows.hpp).
#pragma once

#include <tessera/grid/rows/computed_fold.hpp>
#include <tessera/grid/rows/softmax_map.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A computed_fold for segments of any length: columns are counted from the beginning of a piece.
template <class In, class Fold, class Store>
struct segment_fold : computed_fold<In, Fold, Store> {
  static constexpr unsigned blocks_per_multiprocessor =
      sizeof(tessera::detail::value_of<In>) == 8 ? 1 : 2;  // else registers spill
  template <class Tile>
  TESSERA_FN auto reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t) const {
    return computed_fold<In, Fold, Store>::reduce_piece(tile, piece, 0);
  }
};

/// Stores log Σ exp of a segment, which softmax_map folds.
template <class Number>
struct store_log_sum_exp {
  Number* out;
  TESSERA_FN void operator()(std::int64_t segment, exp_sum<Number> const& all) const { out[segment] = all.value(); }
};

/// The function for log Σ exp of segments of T.
template <class T, class In>
using segment_log_sum_exp = segment_fold<In, softmax_map<T>, store_log_sum_exp<arithmetic_t<T>>>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
