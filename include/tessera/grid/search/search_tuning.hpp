// The numbers of adjacent differences and searches.
#pragma once

#include <tessera/grid/parts/unaligned_rows.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The shapes of the kernels. The measurements of needles and samples are in benchmark/tuning.md.
struct search_tuning {
  /// The threads of a block that looks through tiles, the blocks of a multiprocessor, and how many bytes a thread loads
  /// at a time: a tile takes a ticket.
  static constexpr unsigned threads = 512, blocks_per_multiprocessor = 2;
  static constexpr unsigned bytes = 128;
  /// The threads of a block that looks through larger elements. It has a multiprocessor to itself, and their registers.
  static constexpr unsigned threads_of_large = 256;
  /// The threads of a block that stores the differences of one tile, the blocks of a multiprocessor, and the bytes of a
  /// thread.
  static constexpr unsigned difference_threads = 128, difference_blocks = 4;
  static constexpr unsigned difference_bytes = 16;
  /// The most elements that a thread loads at a time. A row of more bytes is one of larger elements.
  static constexpr unsigned elements = 32;
  static constexpr unsigned most_row_bytes = 64;
  /// The threads of a block that searches for needles, and how many needles each searches for at once, so that the
  /// loads of one don't wait for those of another.
  static constexpr unsigned bounds_threads = 512;
  static constexpr unsigned needles = 2;
  /// The bytes of samples of a block, the blocks of a multiprocessor then, and from how many needles on there are
  /// samples.
  static constexpr unsigned sample_bytes = 32768;
  static constexpr unsigned sampling_blocks = 4;
  static constexpr std::int64_t least_sampling = std::int64_t{1} << 20;
};

/// The tiles into which a block cuts an array of T that it reads, or several at a time: a thread has some rows of K
/// neighboring elements, of about Bytes. A multiprocessor has Blocks.
template <unsigned Bytes, unsigned Blocks, class T, class... More>
struct reading_shape {
  using tuning = search_tuning;
  static constexpr unsigned K = elements_of_row<typename longest_type<T, More...>::type>();
  static constexpr unsigned row_bytes =
      K * (static_cast<unsigned>(sizeof(T)) + ... + static_cast<unsigned>(sizeof(More)));
  static constexpr unsigned fitting = row_bytes < Bytes ? Bytes / row_bytes : 1;
  static constexpr unsigned row_count = fitting * K <= tuning::elements ? fitting : tuning::elements / K;
  // A thread has all registers that it can for larger elements.
  static constexpr unsigned blocks_per_multiprocessor = row_bytes > tuning::most_row_bytes ? 1 : Blocks;

  TESSERA_FN static constexpr std::int64_t tile_elements(unsigned threads) {
    return static_cast<std::int64_t>(threads) * row_count * K;
  }
  TESSERA_FN static constexpr std::int64_t tile_count(std::int64_t n, unsigned threads) {
    return n == 0 ? 0 : (n - 1) / tile_elements(threads) + 1;
  }
  /// The index of a thread's first element of a tile. Those of its next rows are 32 K further each.
  TESSERA_FN static std::int64_t first_index(std::int64_t tile, unsigned threads, unsigned rank) {
    std::int64_t const row = (tile * (threads / 32) + rank / 32) * row_count;
    return (row * 32 + rank % 32) * K;
  }
};

/// The shapes of a search, and of differences.
template <class T, class... More>
using find_shape = reading_shape<search_tuning::bytes, search_tuning::blocks_per_multiprocessor, T, More...>;
/// The threads of a block that looks through tiles of this shape.
template <class Shape>
inline constexpr unsigned find_threads =
    Shape::row_bytes > search_tuning::most_row_bytes ? search_tuning::threads_of_large : search_tuning::threads;
template <class T>
using difference_shape = reading_shape<search_tuning::difference_bytes, search_tuning::difference_blocks, T>;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
