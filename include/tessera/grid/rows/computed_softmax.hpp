// The function that each_segment.hpp and computed_rows.hpp call to map a segment or a row by its softmax or its norm,
// if an iterator reads or writes it.
//
// A lane or a tile whose registers hold the segment reads it once. Longer ones are read in steps, and then again for
// the results.
#pragma once

#include <tessera/grid/rows/computed_fragment.hpp>
#include <tessera/grid/rows/fold_rows.hpp>
#include <tessera/grid/rows/map_rows.hpp>
#include <tessera/grid/rows/softmax_map.hpp>
#include <tessera/grid/segments/each_segment.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A part of a segment or a row: where it is read and written, its length, how many of its elements are valid, and the
/// column that it begins with.
struct mapped_part {
  std::int64_t from, to;
  int length, valid;
  std::int64_t column = 0;
};

/// A Map (map_rows.hpp) for the columns of a row from this one on: map.from_column(column), if it has arrays of them.
template <class Map, class = void>
struct map_of_columns {
  TESSERA_FN static Map const& of(Map const& map, std::int64_t) { return map; }
};
template <class Map>
struct map_of_columns<Map, stl::void_t<decltype(stl::declval<Map const&>().from_column(0))>> {
  TESSERA_FN static Map of(Map const& map, std::int64_t column) { return map.from_column(column); }
};

/// Segments, which are written where they are read.
struct segment_places {
  /// The vectors of a lane of a warp or a block: with more, registers of the kernel for all lengths spill.
  template <class T, unsigned N>
  static constexpr unsigned vectors = N > 32 && sizeof(T) >= 4 ? 4 / row_vector_length<T> : 8 / row_vector_length<T>;
  TESSERA_FN mapped_part of_segment(std::int64_t, segment_range const& range) const { return of_piece(range); }
  TESSERA_FN mapped_part of_piece(segment_range const& piece) const {
    int const length = static_cast<int>(piece.length);
    return {piece.begin, piece.begin, length, length};
  }
};

/// Rows, of which the first lengths[row] elements are valid.
struct row_places {
  template <class T, unsigned N>
  static constexpr unsigned vectors = 4;
  std::int64_t in_stride, out_stride;
  std::int32_t const* lengths;  // null: all

  TESSERA_FN mapped_part of_segment(std::int64_t row, segment_range const& range) const {
    return part_of(row, 0, range);
  }
  TESSERA_FN mapped_part of_piece(segment_range const& piece) const {
    std::int64_t const row = piece.begin / in_stride;
    return part_of(row, piece.begin - row * in_stride, piece);
  }

 private:
  TESSERA_FN mapped_part part_of(std::int64_t row, std::int64_t column, segment_range const& range) const {
    int const length = static_cast<int>(range.length);
    std::int64_t valid = length;
    if (lengths) {
      std::int64_t const left = lengths[row] - column;
      valid = left < 0 ? 0 : left < length ? left : length;
    }
    return {range.begin, row * out_stride + column, length, static_cast<int>(valid), column};
  }
};

/// Maps by a Map (map_rows.hpp) of rows of T.
template <class T, class Map, class In, class Out, class Places>
struct computed_map {
  using tuning = computed_rows_tuning;
  static constexpr unsigned blocks_per_multiprocessor = sizeof(T) == 8 ? 1 : 2;  // else registers spill
  template <unsigned N>
  using fragment_t = fragment_of_tile<T, N, Places::template vectors<T, N>>;
  /// The most elements of a row that a warp maps.
  static constexpr std::int64_t most_by_warp = fragment_t<32>::held;

  In in;
  Out out;
  Map map;
  Places places;

  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t segment, segment_range const& range, bool) const {
    constexpr unsigned N = tile_size_v<Tile>;
    mapped_part const part = places.of_segment(segment, range);
    if (N == tuning::group || part.length <= fragment_t<N>::held) {
      fragment_t<N> fragment;
      fragment.load(tessera::detail::advanced(in, part.from), tile.thread_rank(), 0, part.valid);
      auto const statistic = map.measure(tile, fragment, part.valid);
      store(fragment, part, map.finish(statistic, statistic));
    } else {
      map_part(tile, part, reduce_part(tile, part));
    }
  }

  // The parts of a segment (each_segment.hpp).
  using piece_t = typename Map::statistic;
  static constexpr bool maps_pieces = true;

  TESSERA_FN typename Map::combine combining() const { return map.combining(); }
  TESSERA_FN piece_t neutral() const { return detail::neutral_of_fold(map); }
  TESSERA_FN piece_t combine(piece_t const& a, piece_t const& b) const { return map.combining()(a, b); }

  TESSERA_FN void process_by_lane(std::int64_t segment, segment_range const& range) const {
    mapped_part const part = places.of_segment(segment, range);
    fragment_t<1> fragment;
    fragment.load(tessera::detail::advanced(in, part.from), 0, 0, part.valid);
    auto const statistic = map.of_fragment(fragment);
    store(fragment, part, map.finish(statistic, statistic));
  }
  /// Called by all lanes of the tile; all get the result.
  template <class Tile>
  TESSERA_FN piece_t reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t) const {
    return reduce_part(tile, places.of_piece(piece));
  }
  template <class Tile>
  TESSERA_FN void map_piece(Tile const& tile, segment_range const& piece, piece_t const& all) const {
    map_part(tile, places.of_piece(piece), all);
  }

 private:
  template <class Tile>
  TESSERA_FN piece_t reduce_part(Tile const& tile, mapped_part const& part) const {
    fragment_t<tile_size_v<Tile>> fragment;
    auto const row = tessera::detail::advanced(in, part.from);
    auto partial = neutral();
    TESSERA_LOOP
    for (int at = 0; at < part.valid; at += fragment.held) {
      fragment.load(row, tile.thread_rank(), at, part.valid);
      partial = combine(partial, map.of_fragment(fragment));
    }
    return tessera::reduce(tile, partial, map.combining(), tessera::converged);
  }
  template <class Tile>
  TESSERA_FN void map_part(Tile const& tile, mapped_part const& part, piece_t const& all) const {
    fragment_t<tile_size_v<Tile>> fragment;
    auto const row = tessera::detail::advanced(in, part.from);
    auto const finished = map.finish(all, all);
    TESSERA_LOOP
    for (int at = 0; at < part.length; at += fragment.held) {
      fragment.load(row, tile.thread_rank(), at, part.valid);
      map.prepare(fragment, all);
      store(fragment, part, finished);
    }
  }
  template <class Fragment, class Finished>
  TESSERA_FN void store(Fragment const& fragment, mapped_part const& part, Finished const& finished) const {
    auto const row = tessera::detail::advanced(out, part.to);
    auto const& mapping = map_of_columns<Map>::of(map, part.column);
    TESSERA_UNROLL
    for (unsigned v = 0; v < Fragment::vectors; ++v) {
      if (fragment.index(v, 0) < part.length)
        fragment.store(row, v, part.length, mapping.map(fragment, v, finished, part.length));
    }
    if constexpr (stores_rows<Map, Fragment, Finished>) map.store_row(fragment, finished);
  }
};
/// Maps rows by a Map whose rows have data of their own: map.for_part(row, column) is the Map of the columns of a row
/// from this one on.
template <class T, class Map, class In, class Out>
struct computed_map_by_row {
  using part_map = stl::decay_t<decltype(stl::declval<Map const&>().for_part(0, 0))>;
  using of_part = computed_map<T, part_map, In, Out, row_places>;
  using piece_t = typename of_part::piece_t;
  static constexpr unsigned blocks_per_multiprocessor = of_part::blocks_per_multiprocessor;
  static constexpr std::int64_t most_by_warp = of_part::most_by_warp;
  static constexpr bool maps_pieces = true;

  In in;
  Out out;
  Map map;
  row_places places;

  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t row, segment_range const& range, bool exists) const {
    part(row, 0)(tile, row, range, exists);
  }
  TESSERA_FN auto combining() const { return map.combining(); }
  TESSERA_FN piece_t neutral() const { return detail::neutral_of_fold(map); }
  TESSERA_FN piece_t combine(piece_t const& a, piece_t const& b) const { return map.combining()(a, b); }
  TESSERA_FN void process_by_lane(std::int64_t row, segment_range const& range) const {
    part(row, 0).process_by_lane(row, range);
  }
  template <class Tile>
  TESSERA_FN piece_t reduce_piece(Tile const& tile, segment_range const& piece, std::int64_t column) const {
    return part(piece.begin / places.in_stride, column).reduce_piece(tile, piece, column);
  }
  template <class Tile>
  TESSERA_FN void map_piece(Tile const& tile, segment_range const& piece, piece_t const& all) const {
    std::int64_t const row = piece.begin / places.in_stride;
    part(row, piece.begin - row * places.in_stride).map_piece(tile, piece, all);
  }

 private:
  TESSERA_FN of_part part(std::int64_t row, std::int64_t column) const {
    return {in, out, map.for_part(row, column), places};
  }
};
template <class T, class In, class Out, class Places>
using computed_softmax = computed_map<T, softmax_map<T>, In, Out, Places>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
