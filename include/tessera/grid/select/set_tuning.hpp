// The numbers of set operations on sorted arrays.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct set_tuning {
  /// The most elements that a lane combines, their bytes, and the warps of a tile. A lane has an odd number: lanes that
  /// walk their own elements in shared memory then don't meet in a bank.
  static constexpr unsigned most_items = 15;
  static constexpr unsigned bytes = 60;
  static constexpr unsigned most_warps = 8;
  /// The most shared memory of a block: all GPUs have as much.
  static constexpr unsigned room = 63 * 1024;
  /// The most warps on a multiprocessor, those included that look back; and of keys with values, which need registers.
  static constexpr unsigned warps_of_multiprocessor = 27;
  static constexpr unsigned warps_with_values = 18;
  /// The most tiles whose blocks find their own ends. If there are more, a first kernel finds all ends, each by
  /// lanes_of_end lanes.
  static constexpr std::int64_t own_ends = 2048;
  static constexpr unsigned lanes_of_end = 4, threads_of_ends = 256;
  /// The search for the begin of a run that an end parts: its first step back in the whole array, and how steps grow.
  static constexpr unsigned first_step_of_end = 64, factor_of_end = 16;
};

/// The bytes of the ends of so many tiles, as a first kernel stores them.
constexpr std::size_t set_end_bytes(std::int64_t tiles) {
  return static_cast<std::size_t>(tiles + 1) * sizeof(std::int64_t);
}

/// The tiles of arrays of T, whose values are V, or none.
template <class T, class V = void>
struct set_shape {
  using tuning = set_tuning;
  static constexpr unsigned in_bytes = tuning::bytes / static_cast<unsigned>(sizeof(T));
  static constexpr unsigned fitting = in_bytes < tuning::most_items ? in_bytes : tuning::most_items;
  static constexpr unsigned element_bytes = sizeof(T) > 4 ? sizeof(T) : 4;
  static constexpr unsigned items = fitting > 1 ? (fitting - 1) | 1 : 1;  // of a lane
  /// A warp's last lane has no elements: it tells where those of the lane before it end.
  static constexpr unsigned warp_elements = 31 * items;
  static constexpr unsigned value_bytes = stl::is_void_v<V> ? 0 : 2;
  /// Two windows and two parts of results, with their padding.
  static constexpr unsigned bytes_of_warp = 2 * warp_elements * static_cast<unsigned>(sizeof(T)) +
                                            (2 * warp_elements + 64) * (sizeof(T) + value_bytes) * 33 / 32;
  static constexpr unsigned fitting_warps = (tuning::room - 1024) / bytes_of_warp;
  static constexpr unsigned warps = fitting_warps < tuning::most_warps ? fitting_warps : tuning::most_warps;
  static constexpr unsigned blocks_per_multiprocessor =
      (stl::is_void_v<V> ? tuning::warps_of_multiprocessor : tuning::warps_with_values) / (warps + 1);

  /// A tile has so many elements, or one less or more: it doesn't part two equal elements of both arrays.
  TESSERA_FN static constexpr unsigned tile_elements(unsigned tile_warps) { return tile_warps * warp_elements - 1; }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned tile_warps) {
    return n == 0 ? 1 : (n - 1) / tile_elements(tile_warps) + 1;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
