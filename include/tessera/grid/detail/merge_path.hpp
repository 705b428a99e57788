// Where a warp's part of the elements and segments begins: so that each has as much of both together.
//
//   elements and ends in the order in which they are gone through, of segments of 3, 0 and 2 elements:
//     x x x | | x x |          an end comes before the element at its offset
//     0 1 2 3 4 5 6 7          place `number` is reached after so many of them
//
// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge Path", 2012; D. Merrill, M. Garland, "Merge-based
// parallel sparse matrix-vector multiplication", 2016.
#pragma once

#include <tessera/vote.hpp>

#include <cstdint>

namespace tessera::grid::detail {

/// A place on the way: so many ends are behind it, and elements up to this one.
struct path_coordinate {
  std::int64_t ends;
  std::int64_t item;
};

/// The place with that number. Called by a whole tile; every lane gets it. `offsets` are segments + 1.
///
/// An end that comes next is passed, too, where its segment has elements: those that follow are of empty segments only.
template <class Tile, class Offset>
TESSERA_FN path_coordinate merge_path_search(Tile const& tile, Offset const* offsets, std::int64_t segments,
                                       std::int64_t number) {
  constexpr unsigned N = tile_size_v<Tile>;
  std::int64_t const base = static_cast<std::int64_t>(offsets[0]);
  auto const is_behind = [&](std::int64_t end) {
    return static_cast<std::int64_t>(offsets[end + 1]) - base + end < number;
  };
  // Ends below `low` are behind, those from `high` on aren't. A lane looks at the last of each Nth part between them.
  std::int64_t low = 0, high = segments;
  while (low < high) {
    std::int64_t const part = (high - low + N - 1) / N;
    std::int64_t const last = low + (tile.thread_rank() + 1) * part - 1;
    unsigned const parts = tessera::count_if(tile, last < high && is_behind(last));
    low += parts * part;
    high = low + part - 1 < high ? low + part - 1 : high;
  }
  path_coordinate place{low, base + number - low};
  if (low < segments && static_cast<std::int64_t>(offsets[low + 1]) == place.item &&
      static_cast<std::int64_t>(offsets[low]) < place.item)
    ++place.ends;
  return place;
}

}  // namespace tessera::grid::detail
