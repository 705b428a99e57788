// Merge path search: where a warp's part of the elements and boundaries begins, so that all parts have equally many
// of both together. A boundary is the offset at which a segment ends.
//
//   elements and boundaries in the order of the path, for segments of 3, 0 and 2 elements:
//     x x x | | x x |          a boundary comes before the element at its offset
//     0 1 2 3 4 5 6 7          diagonal d is the place on the path after its first d elements and boundaries
//
// Source: S. Odeh, O. Green, Z. Mwassi, O. Shmueli, Y. Birk, "Merge Path", 2012; D. Merrill, M. Garland, "Merge-based
// parallel sparse matrix-vector multiplication", 2016.
#pragma once

#include <tessera/vote.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A place on the path: how many boundaries are before it, and the element that comes next.
struct path_coordinate {
  std::int64_t boundaries;
  std::int64_t item;
};

/// The place on a diagonal. Called by a whole tile; every lane gets it. There are segments + 1 `offsets`: a pointer,
/// or anything with [].
///
/// If a boundary comes next whose segment has elements, the place is after it: the boundaries that follow it are
/// those of empty segments.
template <class Tile, class Offsets>
TESSERA_FN path_coordinate merge_path_search(Tile const& tile, Offsets const& offsets, std::int64_t segments,
                                             std::int64_t diagonal) {
  constexpr unsigned N = tile_size_v<Tile>;
  std::int64_t const base = static_cast<std::int64_t>(offsets[0]);
  auto const is_passed = [&](std::int64_t boundary) {
    return static_cast<std::int64_t>(offsets[boundary + 1]) - base + boundary < diagonal;
  };
  // Invariant: boundaries below `low` are before the diagonal, and those from `high` on aren't. Each lane looks at
  // the last boundary of one of N parts between them.
  std::int64_t low = 0, high = segments;
  while (low < high) {
    std::int64_t const part = (high - low + N - 1) / N;
    std::int64_t const last = low + (tile.thread_rank() + 1) * part - 1;
    unsigned const parts = tessera::count_if(tile, last < high && is_passed(last));
    low += parts * part;
    high = low + part - 1 < high ? low + part - 1 : high;
  }
  path_coordinate place{low, base + diagonal - low};
  if (low < segments && static_cast<std::int64_t>(offsets[low + 1]) == place.item &&
      static_cast<std::int64_t>(offsets[low]) < place.item)
    ++place.boundaries;
  return place;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
