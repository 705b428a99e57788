// Copies a segment for each_segment.hpp, and says where from and where to: an array, another one, or back.
#pragma once

#include <tessera/grid/parts/opaque_bytes.hpp>
#include <tessera/grid/segments/each_segment.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Copies load(0) to load(n − 1) to `out`, with InFlight loads of each lane before their stores. Called by lane `rank`
/// of `count` lanes.
template <unsigned InFlight, class T, class Load>
TESSERA_FN void copy_in_flight(unsigned rank, unsigned count, std::int64_t n, T* out, Load load) {
  TESSERA_LOOP
  for (std::int64_t first = rank; first < n; first += count * InFlight) {
    T x[InFlight];
    TESSERA_UNROLL
    for (unsigned k = 0; k < InFlight; ++k)
      if (first + k * count < n) x[k] = load(first + k * count);
    TESSERA_UNROLL
    for (unsigned k = 0; k < InFlight; ++k)
      if (first + k * count < n) out[first + k * count] = x[k];
  }
}

/// Copies the elements of each segment between the places that Ends tells: ends.source(segment, range, first) loads
/// them by their index in a piece that begins `first` elements after its segment does, and ends.target(…) points to
/// where they are stored.
template <class Ends>
struct segment_copy {
  Ends ends;

  static constexpr unsigned blocks_per_multiprocessor = Ends::blocks_per_multiprocessor;
  static constexpr bool is_divisible = true;

  template <class Lanes>
  TESSERA_FN void process_by_lanes(Lanes const& lanes, std::int64_t segment, segment_range const& range,
                                   bool exists) const {
    if (exists) copy(lanes.rank, lanes.count, segment, range, 0);
  }
  template <class Tile>
  TESSERA_FN void operator()(Tile const& tile, std::int64_t segment, segment_range const& range, bool) const {
    take_piece(tile, segment, range, 0);
  }
  /// Copies a piece that begins `first_element` elements after its segment does.
  template <class Tile>
  TESSERA_FN void take_piece(Tile const& tile, std::int64_t segment, segment_range const& range,
                             std::int64_t first_element) const {
    copy(tile.thread_rank(), tile_size_v<Tile>, segment, range, first_element);
  }

 private:
  TESSERA_FN void copy(unsigned rank, unsigned count, std::int64_t segment, segment_range const& range,
                       std::int64_t first_element) const {
    detail::copy_in_flight<Ends::in_flight>(rank, count, range.length, ends.target(segment, range, first_element),
                                            ends.source(segment, range, first_element));
  }
};

/// Segment s of `from` and places[s] in `to`. With `back`, places[s] in `from` and segment s of `to`. T is an opaque_t.
template <class T>
struct placed_segments {
  T const* from;
  T* to;
  std::int64_t const* places;
  bool back;

  static constexpr unsigned blocks_per_multiprocessor = each_segment_tuning::blocks_per_multiprocessor;
  static constexpr unsigned in_flight = 4;

  TESSERA_FN auto source(std::int64_t segment, segment_range const& range, std::int64_t first) const {
    T const* const in = from + (back ? places[segment] + first : range.begin);
    return [in](std::int64_t i) { return in[i]; };
  }
  TESSERA_FN T* target(std::int64_t segment, segment_range const& range, std::int64_t first) const {
    return to + (back ? range.begin : places[segment] + first);
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
