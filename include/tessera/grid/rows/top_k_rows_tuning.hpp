// The shapes of the kernels of top_k_rows.
#pragma once

#include <tessera/grid/parts/vectors.hpp>
#include <tessera/grid/rows/row_block.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// A kernel whose tiles of `Lanes` lanes each hold a row in registers, `Vectors` vectors a lane, and select up to
/// `Most` results. With Fills a lane that has all results also stores those that a row doesn't have, where most rows
/// have too few.
template <unsigned Lanes, unsigned Vectors, unsigned Most, unsigned Threads, bool Fills = false>
struct top_k_tile_shape {
  static constexpr unsigned lanes = Lanes, vectors = Vectors, most = Most, threads = Threads;
  static constexpr bool fills = Fills;
  static_assert(!Fills || Lanes == 1);
  static constexpr unsigned rows_per_block = Threads / Lanes;
};

/// A kernel whose warps read rows in chunks of `Vectors` vectors a lane, and keep up to `Room` candidates for up to
/// `Most` results. If rows are many, a warp has a row, but warps of a block share rows of `ColumnsOfWarp` for each of
/// them, and four share those of so few chunks that each warp's first candidates would be most of all.
template <unsigned Vectors, unsigned Most, unsigned Room, std::int64_t ColumnsOfWarp, class Entry>
struct top_k_stream_shape {
  using entry = Entry;
  static constexpr unsigned vectors = Vectors, most = Most, room = Room;
  static constexpr std::int64_t columns_of_warp = ColumnsOfWarp;
  /// The number of elements of a chunk.
  template <class Bits>
  static constexpr std::int64_t chunk = std::int64_t{32 * Vectors} * row_vector_length<Bits>;
  /// The most chunks of rows that are shared for having few.
  static constexpr std::int64_t most_shared_chunks = Most > 8 ? 8 : 0;
  /// The groups of a lane's elements whose least keys bound a limit.
  static constexpr unsigned groups = 4;
  /// A limit that leaves more candidates of a chunk than `raise_above`, in `raise_from` lanes or more, is raised.
  static constexpr unsigned raise_above = 2 * Most, raise_from = 12;
  static constexpr unsigned most_threads = 512;
  /// The warps of a block that have a row each. With many results the times of rows differ.
  static constexpr unsigned warps_alone = Most > 8 ? 1 : 4;
  /// True if a grid has up to so many blocks of these, whose warps take several rows each if there are more rows.
  static constexpr bool takes_several = Most <= 8;
  static constexpr std::int64_t most_grid_blocks = 16384;
  /// The entries in shared memory: lists, and the words by which warps that share a row exchange the least keys of some
  /// of their lanes, and their numbers of candidates.
  static constexpr unsigned entries_of(unsigned warps) {
    return warps * Room + 32 * (groups + 1) * sizeof(std::uint32_t) / sizeof(Entry);
  }
};

/// A kernel whose blocks each select from a row by digits.
template <unsigned Threads, unsigned StorageBytes, unsigned DigitBits, unsigned Vectors>
struct top_k_digit_shape {
  static constexpr unsigned threads = Threads, digit_bits = DigitBits, digits = 1u << DigitBits, vectors = Vectors;
  /// The entries that a block sorts at a time.
  template <class Entry>
  static constexpr unsigned capacity = StorageBytes / sizeof(Entry);
};

/// A kernel whose clusters hold rows. Each thread has up to `Items` elements, and a block lists up to `room` of them.
template <unsigned Threads, unsigned Items>
struct top_k_held_shape {
  static constexpr unsigned threads = Threads, items = Items, room = 2 * Threads;
};

struct top_k_rows_tuning {
  /// Rows of up to so many columns have tiles, in blocks of so many threads.
  static constexpr int most_short_columns = 256;
  static constexpr unsigned threads = 128;
  /// The vectors of 16 elements, or of 8 if these have 8 bytes.
  template <class Bits>
  static constexpr unsigned vectors = (sizeof(Bits) == 8 ? 8 : 16) / row_vector_length<Bits>;
  /// Vectors of 32 elements, or 16, for few results of longer rows: lanes exchange less.
  template <class Bits>
  static constexpr unsigned most_vectors = 2 * vectors<Bits>;

  /// Longer rows are read in chunks, if they have few results, and elements of up to 4 bytes. Segments, and rows that
  /// one of them holds, have shorter chunks.
  template <unsigned Vectors, bool Few, class Entry>
  using chunks = top_k_stream_shape<Vectors, Few ? 8 : 64, Few ? 64 : 256, Few ? 8192 : 65536, Entry>;
  template <class Bits, bool Few, class Entry>
  using stream = chunks<most_vectors<Bits>, Few, Entry>;
  template <class Bits, bool Few, class Entry>
  using short_stream = chunks<vectors<Bits>, Few, Entry>;
  /// A row has a warp, or all of a block: `stream_warps` to `most_stream_warps`; up to `most_of_few_rows`, each with a
  /// chunk or more, where these aren't `enough_warps` in all.
  static constexpr unsigned stream_warps = 4, most_stream_warps = 8, most_of_few_rows = 16;
  static constexpr std::int64_t enough_warps = 4096;

  /// Few results, for which tiles hold more columns.
  static constexpr int most_few = 8;

  /// All others. If rows are few, up to `most_blocks` blocks of a cluster share one, each of so many columns or more.
  using digits = top_k_digit_shape<512, 16 * 1024, 11, 2>;
  static constexpr unsigned most_blocks = most_cluster_blocks;
  static constexpr int columns_of_block = 4096;

  /// Rows that a cluster holds, of which up to `most_held` elements are selected, at most half as many as the row has
  /// vectors. A block has room for `held_share` times its share. Clusters have the most blocks, or fewer if rows are
  /// many or short. More threads hold a row, with fewer elements each, if there are multiprocessors for them.
  using held = top_k_held_shape<512, 32>;
  using held_by_more = top_k_held_shape<512, 16>;
  static constexpr int most_held = 2048;
  static constexpr std::int64_t held_share = 2;
  /// More rows than `many_rows` are held only if they have at least `least_of_each` columns for each selected element.
  static constexpr std::int64_t many_rows = 4096, least_of_each = 16;
  /// Up to `few_rows` rows are held even where they could be sorted as a whole; of `long_columns` or more even where k
  /// is small enough for chunks, up to `few_rows_of_few` if k is at most `most_few`.
  static constexpr std::int64_t few_rows = 64, few_rows_of_few = 16, long_columns = 32768;

  /// True if the results of rows come by column where they may come in any order: if that mostly takes less time. Rows
  /// that can be sorted as a whole are.
  static constexpr std::int64_t most_sorted_columns = 4096;
  template <class Bits>
  static constexpr bool come_by_column(std::int64_t column_count, std::int64_t k) {
    if (column_count <= most_sorted_columns) return false;
    return sizeof(Bits) == 8 ? k > 1024 || column_count < 65536 : k > 2048 || 16 * k > column_count;
  }

  /// Segments, whose lengths the host doesn't know. Registers of a lane or a tile hold short ones. In chunks a warp has
  /// up to `most_of_warp` elements of a longer one, or all `segment_warps` of a block share it, up to
  /// `most_of_block`; others are cut into pieces (each_segment.hpp).
  static constexpr unsigned segment_warps = 8;
  static constexpr std::int64_t most_of_warp = 4096, most_of_block = 32768;
  template <class Bits, bool Few>
  using segment_in_chunks = top_k_tile_shape<(Few ? 8 : 16), vectors<Bits>, Few ? 8 : 64, segment_warps * 32>;
  template <class Bits, bool Few>
  using segment_by_lane =
      top_k_tile_shape<1, (vectors<Bits> > 1 ? vectors<Bits> : 2), Few ? 8 : 16, segment_warps * 32, true>;
  /// Blocks have fewer segments each, if there are so few that there wouldn't be as many blocks for a multiprocessor.
  static constexpr unsigned segment_blocks = 32;
  /// The blocks of a multiprocessor that leave them registers for up to so many results.
  template <unsigned Most>
  static constexpr unsigned blocks_of_segments = Most > 8 ? 3 : 4;
  template <class Bits>
  using segment = top_k_tile_shape<(sizeof(Bits) == 8 ? 32 : 16), vectors<Bits>, 256, digits::threads>;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
