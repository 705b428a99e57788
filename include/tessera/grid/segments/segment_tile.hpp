// The tiles of elements and boundaries that a warp of segment_agent.hpp reduces one after the other: sizes, loads, and
// temporary storage.
#pragma once

#include <tessera/grid/parts/segment_offsets.hpp>
#include <tessera/grid/parts/vectors.hpp>
#include <tessera/grid/segments/segments_tuning.hpp>
#include <tessera/tile/ranges.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The sizes of a warp's tile of elements of T.
template <class T>
struct segment_tile_shape {
  using tuning = segments_tuning;
  static constexpr unsigned fitting = tuning::bytes / static_cast<unsigned>(sizeof(T));
  static constexpr unsigned items = fitting < 1 ? 1 : fitting < tuning::most_items ? fitting : tuning::most_items;
  static constexpr unsigned all_items = items * 32;
  /// Elements are loaded 16 bytes at a time if these are whole elements, at multiples of their size.
  static constexpr bool wide = 16 % sizeof(T) == 0 && alignof(T) == sizeof(T);
  static constexpr unsigned V = wide ? 16 / static_cast<unsigned>(sizeof(T)) : 1u;
  static constexpr unsigned vectors = items / V;  // of a lane
  static constexpr unsigned line = wide ? line_bytes / static_cast<unsigned>(sizeof(T)) : 1u;
  static_assert(items % V == 0, "A lane has whole vectors.");
  static_assert(items <= 32, "A lane has as many marks as a word has bits.");
};

/// A tile in shared memory: its elements, or their running values. A lane's items are neighbors. If they are vectors
/// of 16 bytes, an odd number of vectors lies between lanes, so that lanes that walk their own items don't meet in a
/// bank.
template <class X, class Shape>
struct tile_values {
  static constexpr unsigned item_bytes = Shape::items * static_cast<unsigned>(sizeof(X));
  static constexpr unsigned lane_bytes = Shape::wide ? ((item_bytes + 15) / 16 | 1) * 16 : item_bytes;
  alignas(16) alignas(X) unsigned char bytes[32 * lane_bytes];

  /// Vector `number` of the tile.
  TESSERA_FN void* vector_at(unsigned number) {
    return bytes + number / Shape::vectors * lane_bytes + number % Shape::vectors * Shape::V * sizeof(X);
  }
  /// Vector u of a lane's own items.
  TESSERA_FN void* own_at(unsigned lane, unsigned u) { return bytes + lane * lane_bytes + u * Shape::V * sizeof(X); }
  /// Vector lane + 32 u of the tile.
  TESSERA_FN void* neighbor_at(unsigned lane, unsigned u) {
    if constexpr (32 % Shape::vectors == 0) {
      return static_cast<unsigned char*>(vector_at(lane)) + u * (32 / Shape::vectors * lane_bytes);
    } else {
      return vector_at(lane + u * 32);
    }
  }
  TESSERA_FN X& item_at(unsigned i) {
    return *reinterpret_cast<X*>(bytes + i / Shape::items * lane_bytes + i % Shape::items * sizeof(X));
  }
};

/// The elements that a tile may hold. A tile's places are counted from the start of a line of the cache, so that no
/// two of its loads read parts of one line.
template <class T, class Shape>
struct tile_window {
  unsigned origin;      // the number of the element at place 0
  unsigned begin, end;  // places

  TESSERA_FN tile_window(unsigned from, unsigned to) {
    begin = from % Shape::line;
    origin = from - begin;
    end = to - origin < Shape::all_items ? to - origin : Shape::all_items;
  }
};

/// The outstanding loads of a tile, as one lane issues them. The elements of a full tile stay in the lane's registers
/// until the tile before is done.
template <class T, class Shape>
struct tile_loads {
  packed<T> vector[Shape::vectors];
  bool full;

  /// Issues the loads, with load_streaming if `streaming`. Elements below `first` may not exist. The elements of a tile
  /// that isn't full are loaded one by one, and stored where they belong at once.
  TESSERA_FN void load(T const* in, unsigned first, tile_window<T, Shape> const& window, tile_values<T, Shape>& to,
                       unsigned lane, bool streaming) {
    full = Shape::wide && window.end == Shape::all_items && (window.begin == 0 || window.origin >= first);
    if (full) {
      T const* const from = in + (window.origin + lane * Shape::V);
      if (streaming) return load_all<load_streaming>(from);
      return load_all<load_default>(from);
    }
    TESSERA_LOOP
    for (unsigned i = window.begin + lane; i < window.end; i += 32) to.item_at(i) = in[window.origin + i];
  }
  /// Stores what is in registers.
  TESSERA_FN void store(tile_values<T, Shape>& to, unsigned lane) const {
    if (!full) return;
    TESSERA_UNROLL
    for (unsigned u = 0; u < Shape::vectors; ++u)
      detail::store_packed(static_cast<T*>(to.neighbor_at(lane, u)), vector[u]);
  }

 private:
  template <load_modifier Modifier>
  TESSERA_FN void load_all(T const* from) {
    TESSERA_UNROLL
    for (unsigned u = 0; u < Shape::vectors; ++u) vector[u] = detail::load_packed<Modifier>(from + u * 32 * Shape::V);
  }
};

/// The next boundaries, as one lane holds them: the lower 32 bits of boundaries lane, lane + 32, … of them, as they
/// are in memory, so that nothing waits for their loads. If fewer are left, the last boundary stands for the others.
/// `count` of them are looked at: all, or the few that segments_tuning has for long segments.
struct tile_boundaries {
  static constexpr unsigned most = segments_tuning::many_boundaries, few = segments_tuning::few_boundaries;
  std::uint32_t offset[most];

  /// True if a lane looks at its boundary j.
  TESSERA_FN static bool looks_at(unsigned j, bool many) { return j < few || many; }

  TESSERA_FN void load(lower_offsets const& offsets, unsigned from, unsigned left, unsigned lane, bool many) {
    TESSERA_UNROLL
    for (unsigned j = 0; j < most; ++j) {
      unsigned const number = lane + j * 32 + 1;
      if (looks_at(j, many)) offset[j] = offsets[from + (number < left ? number : left)];
    }
  }
};

/// A warp's temporary storage.
template <class T, class R>
struct segment_warp_storage {
  using shape = segment_tile_shape<T>;
  static constexpr bool in_place = stl::is_same_v<T, R>;
  struct none {};

  tile_values<T, shape> values[2];  // of this tile and of the next, in turn
  stl::conditional_t<in_place, none, tile_values<R, shape>> separate;
  unsigned marks[32];  // for each lane a bit for each of its elements

  /// A tile's running values: they replace its elements if both have one type.
  TESSERA_FN tile_values<R, shape>& running(unsigned turn) {
    if constexpr (in_place) {
      return values[turn];
    } else {
      return separate;
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
