// The function that each_segment.hpp calls to map a segment by its softmax.
//
// A lane or a tile whose registers hold the segment reads it once. Longer segments are read in steps, and then again
// for the results, mostly from a cache: by a warp if they have up to 2048 elements, by a block up to one piece, else by
// pieces.
#pragma once

#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/segments/each_segment.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template <class T>
struct segment_softmax {
  using tuning = each_segment_tuning;
  static constexpr unsigned width = row_vector_length<T>;
  static constexpr unsigned blocks_per_multiprocessor = sizeof(T) == 8 ? 1 : 2;  // else registers spill

  /// The number of vectors that a lane of a tile of N lanes holds. A group of lanes has room for its longest segment.
  template <unsigned N>
  static constexpr unsigned vectors = N > tuning::group ? 4
                                      : N == 1          ? tuning::most_by_lane / width + 1
                                                        : (tuning::most_by_group / width + tuning::group) / N;

  T const* in;
  T* out;
  softmax_map<T> map;

  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t, segment_range const& range, bool) const {
    constexpr unsigned N = tile_size_v<Tile>;
    constexpr int step = static_cast<int>(N * vectors<N>);
    T const* const from = in + range.begin;
    T* const to = out + range.begin;
    int const n = static_cast<int>(range.length), count = detail::vector_count(from, n);
    row_fragment<T, false, N, vectors<N>, true> fragment;
    if (N == tuning::group || count <= step) {
      fragment.load(from, tile.thread_rank(), 0, n, {});
      auto const statistic = map.measure(tile, fragment, n);
      detail::store_mapped(fragment, to, n, n, map, map.finish(statistic, statistic));
    } else {
      map_piece(tile, range, reduce_piece(tile, range, 0));
    }
  }

  // The parts of a segment (each_segment.hpp).
  using piece_t = typename softmax_map<T>::statistic;
  static constexpr bool maps_pieces = true;

  TESSERA_FN log_sum_exp combining() const { return map.combining(); }
  TESSERA_FN piece_t neutral() const { return detail::neutral_of_fold(map); }
  TESSERA_FN piece_t combine(piece_t const& a, piece_t const& b) const { return map.combining()(a, b); }

  TESSERA_FN void process_by_lane(std::int64_t, segment_range const& range) const {
    row_fragment<T, false, 1, vectors<1>, true> fragment;
    int const n = static_cast<int>(range.length);
    fragment.load(in + range.begin, 0, 0, n, {});
    auto const statistic = map.of_fragment(fragment);
    detail::store_mapped(fragment, out + range.begin, n, n, map, map.finish(statistic, statistic));
  }
  /// Called by all lanes of the tile; all get the result.
  template <class Tile>
  TESSERA_FN piece_t reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t) const {
    constexpr unsigned N = tile_size_v<Tile>;
    constexpr int step = static_cast<int>(N * vectors<N>);
    T const* const from = in + piece.begin;
    int const n = static_cast<int>(piece.length), count = detail::vector_count(from, n);
    row_fragment<T, false, N, vectors<N>, true> fragment;
    auto partial = neutral();
    TESSERA_LOOP
    for (int at = 0; at < count; at += step) {
      fragment.load(from, tile.thread_rank(), at, n, {});
      partial = combine(partial, map.of_fragment(fragment));
    }
    return tessera::reduce(tile, partial, map.combining(), tessera::converged);
  }
  template <class Tile>
  TESSERA_FN void map_piece(Tile const& tile, segment_range const& piece, piece_t const& all) const {
    constexpr unsigned N = tile_size_v<Tile>;
    constexpr int step = static_cast<int>(N * vectors<N>);
    T const* const from = in + piece.begin;
    int const n = static_cast<int>(piece.length), count = detail::vector_count(from, n);
    row_fragment<T, false, N, vectors<N>, true> fragment;
    auto const finished = map.finish(all, all);
    TESSERA_LOOP
    for (int at = 0; at < count; at += step) {
      fragment.load(from, tile.thread_rank(), at, n, {});
      map.prepare(fragment, all);
      detail::store_mapped(fragment, out + piece.begin, n, n, map, finished);
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
