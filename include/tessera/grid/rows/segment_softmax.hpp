// The function that each_segment.hpp calls to map a segment by its softmax.
//
// A tile whose registers hold the segment reads it once. Longer segments are read in steps, and then again for the
// results, mostly from a cache: by a warp if they have up to 2048 elements, else by a block.
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
  static constexpr unsigned vectors = N > tuning::group ? 4 : (tuning::most_by_group / width + tuning::group) / N;

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
    row_fragment<T, false, N, vectors<N>> fragment;
    if (N == tuning::group || count <= step) {
      fragment.load(from, tile.thread_rank(), 0, n, {});
      auto const statistic = map.measure(tile, fragment, n);
      detail::store_mapped(fragment, to, n, n, map, map.finish(statistic, statistic));
    } else {
      auto const combine = map.combining();
      auto partial = detail::neutral_of_fold(map);
      for (int at = 0; at < count; at += step) {
        fragment.load(from, tile.thread_rank(), at, n, {});
        partial = combine(partial, map.of_fragment(fragment));
      }
      auto const all = tessera::reduce(tile, partial, combine, tessera::converged);
      auto const finished = map.finish(all, all);
      for (int at = 0; at < count; at += step) {
        fragment.load(from, tile.thread_rank(), at, n, {});
        map.prepare(fragment, all);
        detail::store_mapped(fragment, to, n, n, map, finished);
      }
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
