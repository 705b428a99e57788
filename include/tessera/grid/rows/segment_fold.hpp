// The function that each_segment.hpp calls to reduce a segment by a Fold (fold_rows.hpp).
#pragma once

#include <tessera/grid/rows/computed_fold.hpp>
#include <tessera/grid/rows/lanes_fragment.hpp>
#include <tessera/grid/rows/softmax_map.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A computed_fold by softmax_map for segments of any length. Lanes that share one, and the blocks of pieces, find the
/// maximum first; in a piece columns are counted from its beginning.
template <class In, class Fold, class Store>
struct segment_fold : computed_fold<In, Fold, Store> {
  static constexpr unsigned blocks_per_multiprocessor = sizeof(tessera::detail::value_of<In>) == 8 ? 2 : 4;

  /// Called by all lanes of the warp.
  template <class Lanes>
  TESSERA_FN void process_by_lanes(Lanes const& lanes, std::int64_t segment, segment_range const& range,
                                   bool exists) const {
    lanes_fragment<tessera::detail::value_of<In>> fragment(this->in, range.begin, static_cast<unsigned>(range.length),
                                                           lanes, this->fold.lowest());
    auto const all = this->fold.measure(lanes, fragment, static_cast<int>(range.length));
    if (exists && lanes.rank == 0) this->finish(segment, all, range.length == 0);
  }
  /// Called by all lanes of the tile; all get the result.
  template <class Tile>
  TESSERA_FN auto reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t) const {
    typename computed_fold<In, Fold, Store>::template fragment_t<tile_size_v<Tile>> fragment;
    auto const first = tessera::detail::advanced(this->in, piece.begin);
    int const n = static_cast<int>(piece.length);
    auto own = this->neutral();
    TESSERA_LOOP
    for (int at = 0; at < n; at += fragment.held) {
      fragment.load(first, tile.thread_rank(), at, n);
      own = this->fold.continued(own, fragment);
    }
    return this->fold.combined(tile, own);
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
