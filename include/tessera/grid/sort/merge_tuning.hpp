// The numbers of grid::merge.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/number.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shape of the kernel.
struct merge_tuning {
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_per_multiprocessor = 6;  // of numbers
  /// The most tiles whose blocks search for their own ends. If there are more, a first kernel finds all ends.
  static constexpr std::int64_t own_ends = 2048;
  static constexpr unsigned lanes_of_end = 4, threads_of_ends = 256;
  /// The most bytes of elements that a thread merges, and the most elements. A thread has an odd number of them:
  /// threads that walk their own elements in shared memory then don't meet in a bank.
  template <class T>
  static constexpr unsigned bytes = tessera::detail::is_number<T> ? 80 : 64;
  template <class T>
  static constexpr unsigned most_items = tessera::detail::is_number<T> ? 20 : 16;
};

/// The tiles of an array of T.
template <class T>
struct merge_shape {
  using tuning = merge_tuning;
  static constexpr unsigned in_bytes = tuning::bytes<T> / static_cast<unsigned>(sizeof(T));
  static constexpr unsigned fitting = in_bytes < tuning::most_items<T> ? in_bytes : tuning::most_items<T>;
  static constexpr unsigned items = fitting > 1 ? (fitting - 1) | 1 : 1;  // of a thread
  static constexpr unsigned blocks_per_multiprocessor = tessera::detail::is_number<T>
                                                            ? tuning::blocks_per_multiprocessor
                                                        : sizeof(T) > 16 ? 1
                                                                         : 3;
  /// A thread loads an element more than it merges, if it merges many.
  static constexpr bool loads_more = items >= 7;
  static constexpr unsigned loads = items + (loads_more ? 1 : 0);
  /// The number of elements of each array that are loaded after those that may be the tile's: as many as a thread
  /// merges.
  static constexpr unsigned reserve = loads_more ? items : 0;
  /// The most elements by which a search for a tile's end may stop too early.
  TESSERA_FN static constexpr unsigned uncertainty(unsigned threads) { return loads_more ? threads / 2 - reserve : 0; }

  TESSERA_FN static constexpr std::int64_t tile_elements(unsigned threads) {
    return static_cast<std::int64_t>(threads) * items;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned threads) {
    return n == 0 ? 0 : (n - 1) / tile_elements(threads) + 1;
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
