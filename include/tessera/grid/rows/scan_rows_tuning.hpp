// The numbers of scans of rows and of columns, and how they cut a matrix. A cut depends on the numbers of columns and
// rows and on the types alone, and so do the bits of results: neither on the GPU, nor on the other dimension.
#pragma once

#include <tessera/core/config.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct scan_rows_tuning {
  /// The bytes of a row's results that a lane holds in registers, and as many of the next ones that it loads meanwhile.
  static constexpr unsigned bytes_of_lane = 64;
  /// The bytes of a lane's neighboring elements, and of their results: of more, a lane has one element.
  static constexpr unsigned most_loaded_bytes = 64, most_step_bytes = 128;
  /// The most bytes of a lane that go through shared memory.
  static constexpr unsigned most_staged_bytes = 64;
  /// The threads of a block whose warps have rows of their own.
  static constexpr unsigned short_threads = 128;
  /// The warps of a block that share a row, and the shared memory for their parts.
  static constexpr unsigned most_warps = 8, most_shared_bytes = 32768;
  /// The most chunks of a row or column, which blocks may share: their totals are combined one after another.
  static constexpr int most_chunks = 256;
  /// Blocks share rows of at least so many tiles, if there are no more rows, or groups of 32 columns, than that.
  static constexpr int shared_tiles = 8, most_shared_rows = 64;
  /// The warps of a block that scans columns, and the bytes of a column that a lane holds, and loads meanwhile.
  static constexpr unsigned column_warps = 16, bytes_of_column = 32;
};

/// A row as blocks of some warps walk it: tile after tile, in chunks of some tiles.
struct scan_rows_cut {
  unsigned warps;
  int tiles, chunk_tiles, chunks;

  static constexpr int ceiling(int a, int b) { return (a + b - 1) / b; }
  /// The cut of a row of `parts` > 0 parts of a warp.
  static constexpr scan_rows_cut of(int parts, int most_warps) {
    int const warps = ceiling(parts, ceiling(parts, most_warps));
    int const tiles = ceiling(parts, warps), chunk_tiles = ceiling(tiles, scan_rows_tuning::most_chunks);
    return {static_cast<unsigned>(warps), tiles, chunk_tiles, ceiling(tiles, chunk_tiles)};
  }
};

/// The rows that a warp holds, each in neighboring lanes.
struct lanes_of_rows {
  unsigned lanes, row_count, inverse;

  static constexpr lanes_of_rows of(unsigned lanes) { return {lanes, 32 / lanes, (1023 + lanes) / lanes}; }
  /// lane / lanes
  TESSERA_FN constexpr unsigned row_of(unsigned lane) const { return lane * inverse >> 10; }
};

/// How the lanes of a warp hold rows of elements of so many bytes, whose results have so many.
struct scan_rows_lanes {
  using tuning = scan_rows_tuning;
  unsigned width;       // a lane's neighboring elements: whole vectors of 16 bytes, if there are such
  unsigned steps;       // how many times as many it has
  unsigned most_warps;  // of a block

  static constexpr unsigned word_bytes(std::size_t element, std::size_t result) {
    std::size_t const longer = element > result ? element : result;
    return static_cast<unsigned>(longer < 4 ? 4 : longer);
  }
  static constexpr scan_rows_lanes of(std::size_t element, std::size_t result) {
    unsigned const bytes = word_bytes(element, result), room = tuning::most_shared_bytes / (2 * bytes);
    unsigned width = 1;
    while (width * element % 16 != 0) width *= 2;
    if (width * element > tuning::most_loaded_bytes || width * bytes > tuning::most_step_bytes) width = 1;
    unsigned const steps = width * bytes < tuning::bytes_of_lane ? tuning::bytes_of_lane / (width * bytes) : 1;
    return {width, steps, room < tuning::most_warps ? room : tuning::most_warps};
  }

  /// The elements of a warp's step, and of a warp's part of a tile.
  constexpr int step_elements() const { return static_cast<int>(32 * width); }
  constexpr int part_elements() const { return static_cast<int>(32 * width * steps); }
  /// The lanes that hold a row of at most step_elements().
  constexpr unsigned lanes_for(int column_count) const {
    unsigned const lanes = (static_cast<unsigned>(column_count) + width - 1) / width;
    return lanes > 1 ? lanes : 1;
  }
  /// The cut of a row of more than part_elements().
  constexpr scan_rows_cut cut_of(int column_count) const {
    return scan_rows_cut::of((column_count - 1) / part_elements() + 1, static_cast<int>(most_warps));
  }
  /// The chunks of a row of any length that blocks share; 0 if they don't.
  constexpr int shared_chunks(std::int64_t row_count, int column_count) const {
    if (column_count <= part_elements() || row_count > tuning::most_shared_rows) return 0;
    scan_rows_cut const cut = cut_of(column_count);
    return cut.tiles >= tuning::shared_tiles ? cut.chunks : 0;
  }
};

/// The shape of scans of rows of T with results of type R.
template <class T, class R>
struct scan_rows_shape {
  using tuning = scan_rows_tuning;
  static constexpr scan_rows_lanes lanes = scan_rows_lanes::of(sizeof(T), sizeof(R));
  static constexpr unsigned width = lanes.width, steps = lanes.steps, most_warps = lanes.most_warps;
  static constexpr int step_elements = lanes.step_elements(), part_elements = lanes.part_elements();
  /// The blocks of a multiprocessor for short rows for which there are registers. Longer results would spill.
  static constexpr unsigned least_blocks = scan_rows_lanes::word_bytes(sizeof(T), sizeof(R)) <= 4 ? 7 : 4;
  /// As many blocks for long rows that go through shared memory.
  static constexpr unsigned least_staged_blocks = scan_rows_lanes::word_bytes(sizeof(T), sizeof(R)) <= 4 ? 4 : 2;
  /// A warp moves rows that begin anywhere through so many bytes of shared memory; 0 if they are too long for that.
  static constexpr unsigned stage_bytes = [] {
    constexpr unsigned step = width * sizeof(T), result = width * sizeof(R), longer = step > result ? step : result;
    constexpr bool fits = step % 16 == 0 && result % 16 == 0 && longer * steps <= tuning::most_staged_bytes;
    return fits ? 32 * longer * steps : 0;
  }();
};

/// Columns as blocks of some warps walk them: tile after tile of some rows, in chunks of some tiles.
struct scan_columns_cut {
  unsigned warps;
  std::int64_t tiles, chunk_tiles;
  int chunks;

  static constexpr std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
  /// The cut of columns of `parts` > 0 parts of a lane.
  static constexpr scan_columns_cut of(std::int64_t parts, int most_warps) {
    std::int64_t const warps = ceiling(parts, ceiling(parts, most_warps));
    std::int64_t const tiles = ceiling(parts, warps), chunk_tiles = ceiling(tiles, scan_rows_tuning::most_chunks);
    return {static_cast<unsigned>(warps), tiles, chunk_tiles, static_cast<int>(ceiling(tiles, chunk_tiles))};
  }
};

/// How lanes hold columns of elements of so many bytes, whose results have so many.
struct scan_columns_lanes {
  using tuning = scan_rows_tuning;
  unsigned rows_of_lane;  // that a lane has of a column
  unsigned most_warps;    // of a block; with long results there is one alone

  static constexpr scan_columns_lanes of(std::size_t element, std::size_t result) {
    unsigned const bytes = scan_rows_lanes::word_bytes(element, result),
                   room = tuning::most_shared_bytes / (2 * 32 * bytes);
    return {bytes < tuning::bytes_of_column ? tuning::bytes_of_column / bytes : 1, room < 1 ? 1
                                                                                   : room < tuning::column_warps
                                                                                       ? room
                                                                                       : tuning::column_warps};
  }
  constexpr scan_columns_cut cut_of(std::int64_t row_count) const {
    std::int64_t const parts = row_count == 0 ? 1 : (row_count - 1) / rows_of_lane + 1;
    return scan_columns_cut::of(parts, static_cast<int>(most_warps));
  }
  /// The chunks of columns that blocks share; 0 if they don't.
  constexpr int shared_chunks(std::int64_t row_count, std::int64_t column_count) const {
    if (column_count > 32 * tuning::most_shared_rows) return 0;
    scan_columns_cut const cut = cut_of(row_count);
    return cut.tiles >= tuning::shared_tiles ? cut.chunks : 0;
  }
};

/// The shape of scans of columns of T with results of type R.
template <class T, class R>
struct scan_columns_shape {
  static constexpr scan_columns_lanes lanes = scan_columns_lanes::of(sizeof(T), sizeof(R));
  static constexpr unsigned rows_of_lane = lanes.rows_of_lane, most_warps = lanes.most_warps;
  /// The blocks of a multiprocessor for which there are registers. Longer results would spill.
  static constexpr unsigned least_blocks = scan_rows_lanes::word_bytes(sizeof(T), sizeof(R)) <= 4 ? 2 : 1;
  /// The totals of chunks that a lane loads together.
  static constexpr unsigned totals_together = sizeof(R) < 64 ? 64 / sizeof(R) : 1;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
