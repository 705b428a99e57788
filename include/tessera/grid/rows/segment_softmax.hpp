// The function that each_segment.hpp calls to map a segment by its softmax.
//
// Lanes whose registers hold the segment read it once. Longer segments are read in steps, and then again for the
// results, mostly from a cache: by a warp if they have up to 2048 elements, by a block up to one piece, else by pieces.
#pragma once

#include <tessera/grid/rows/computed_softmax.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/lanes_fragment.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/segments/each_segment.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Maps the segment of this lane and others by its softmax. Called by all lanes of the warp.
template <class T, class Lanes, class In, class Out>
TESSERA_FN void map_by_lanes(Lanes const& lanes, In const& in, Out const& out, segment_range const& range,
                             softmax_map<T> const& map) {
  lanes_fragment<T> fragment(in, range.begin, static_cast<unsigned>(range.length), lanes, map.lowest());
  auto const statistic = map.measure(lanes, fragment, static_cast<int>(range.length));
  auto const finished = map.finish(statistic, statistic);
  TESSERA_UNROLL
  for (unsigned v = 0; v < fragment.vectors; ++v)
    fragment.store(out, range.begin, v, map.map(fragment, v, finished, 0));
}

/// Maps segments that iterators read or write.
template <class T, class In, class Out>
struct computed_segment_softmax : computed_softmax<T, In, Out, segment_places> {
  static constexpr unsigned blocks_per_multiprocessor = sizeof(T) == 8 ? 2 : 4;

  /// Called by all lanes of the warp.
  template <class Lanes>
  TESSERA_FN void process_by_lanes(Lanes const& lanes, std::int64_t, segment_range const& range, bool) const {
    detail::map_by_lanes<T>(lanes, this->in, this->out, range, this->map);
  }
};

/// Maps segments of memory to memory.
template <class T>
struct segment_softmax {
  static constexpr unsigned width = row_vector_length<T>, vectors = 2;  // that a lane of a warp or a block holds
  static constexpr unsigned blocks_per_multiprocessor = sizeof(T) == 8 ? 2 : 4;

  T const* in;
  T* out;
  softmax_map<T> map;

  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t, segment_range const& range, bool) const {
    map_piece(tile, range, reduce_piece(tile, range, 0));
  }

  // The parts of a segment (each_segment.hpp).
  using piece_t = typename softmax_map<T>::statistic;
  static constexpr bool maps_pieces = true;

  TESSERA_FN log_sum_exp combining() const { return map.combining(); }
  TESSERA_FN piece_t neutral() const { return detail::neutral_of_fold(map); }
  TESSERA_FN piece_t combine(piece_t const& a, piece_t const& b) const { return map.combining()(a, b); }

  /// Called by all lanes of the warp.
  template <class Lanes>
  TESSERA_FN void process_by_lanes(Lanes const& lanes, std::int64_t, segment_range const& range, bool) const {
    detail::map_by_lanes<T>(lanes, in, out, range, map);
  }
  /// Called by all lanes of the tile; all get the result.
  template <class Tile>
  TESSERA_FN piece_t reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t) const {
    piece_t own = neutral();
    walk(tile, piece, true, [&](auto& fragment, int) { own = map.continued(own, fragment); });
    return map.combined(tile, own);
  }
  template <class Tile>
  TESSERA_FN void map_piece(Tile const& tile, segment_range const& piece, piece_t const& all) const {
    T* const to = out + piece.begin;
    auto const finished = map.finish(all, all);
    bool const alike = detail::shift_of(to) == detail::shift_of(in + piece.begin);
    walk(tile, piece, alike, [&](auto& fragment, int from) {
      map.prepare(fragment, all);
      int const end = static_cast<int>(piece.length) - from;
      detail::store_mapped(fragment, to + from, end, end, map, finished);
    });
  }

 private:
  /// Calls use(fragment, from) for the steps of a piece: the fragment's elements are counted from element `from` of the
  /// piece. If wanted, steps whose vectors are all in the piece have fragments without comparisons.
  template <class Tile, class Use>
  TESSERA_FN void walk(Tile const& tile, segment_range const& piece, bool has_whole_steps, Use const& use) const {
    constexpr unsigned N = tile_size_v<Tile>;
    constexpr int step = static_cast<int>(N * vectors);
    T const* const from = in + piece.begin;
    int const n = static_cast<int>(piece.length), count = detail::vector_count(from, n), shift = detail::shift_of(from);
    int const whole = has_whole_steps ? (n + shift) / static_cast<int>(width) : 0;  // vectors that the piece fills
    TESSERA_LOOP
    for (int at = 0; at < count; at += step) {
      if (at + step <= whole && (at > 0 || shift == 0)) {
        row_fragment<T, true, N, vectors, false, true> fragment;
        fragment.load(from - shift, tile.thread_rank(), at, n + shift, {});
        use(fragment, -shift);
      } else {
        row_fragment<T, false, N, vectors, true> fragment;
        fragment.load(from, tile.thread_rank(), at, n, {});
        use(fragment, 0);
      }
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
