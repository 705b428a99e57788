// The numbers of grid::transform, tabulate and for_each.
#pragma once

#include <tessera/grid/parts/unaligned_rows.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shapes of the kernels. The measurements are in benchmark/tuning.md.
struct transform_tuning {
  /// The threads of a block, and those of a block that has one of the few tiles of a short array.
  static constexpr unsigned threads = 256;
  static constexpr unsigned threads_of_short = 64;
  /// The most tiles of blocks of `threads` that are cut smaller. All blocks of a GPU have about so many.
  static constexpr std::int64_t few_tiles = 512;
  /// The blocks of a multiprocessor, unless a thread holds more bytes of inputs and results than these.
  static constexpr unsigned blocks_per_multiprocessor = 6;
  static constexpr unsigned most_bytes = 128;
  /// The indices that a thread of for_each(n, f) has.
  static constexpr unsigned indices = 4;
  /// The bytes that a thread loads where nothing is stored.
  static constexpr unsigned read_bytes = 64;
};

/// The tile of a block, of arrays with elements of so many bytes: all that are loaded together, and the stored one. A
/// thread has rows of K neighboring elements, 32 · K elements apart: one, or some if nothing is stored.
template <unsigned K, unsigned LoadedBytes, unsigned StoredBytes>
struct transform_shape {
  using tuning = transform_tuning;
  static constexpr unsigned count_of_row = K;
  static constexpr unsigned row_count = StoredBytes > 0 || K* LoadedBytes > tuning::read_bytes
                                            ? 1
                                            : tuning::read_bytes / (K * LoadedBytes);
  static constexpr unsigned blocks_per_multiprocessor =
      row_count * K * (LoadedBytes + StoredBytes) > tuning::most_bytes ? 1 : tuning::blocks_per_multiprocessor;

  TESSERA_FN static constexpr std::int64_t tile_elements(unsigned threads) {
    return static_cast<std::int64_t>(threads) * row_count * K;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned threads) {
    return n == 0 ? 0 : (n - 1) / tile_elements(threads) + 1;
  }
  /// The index of a thread's first element of a tile.
  TESSERA_FN static std::int64_t first_index(std::int64_t tile, unsigned threads, unsigned rank) {
    if constexpr (row_count == 1) {
      return (tile * threads + rank) * K;
    } else {
      return ((tile * threads + rank / 32 * 32) * row_count + rank % 32) * K;
    }
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
