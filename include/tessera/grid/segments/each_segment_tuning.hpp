// The numbers of each_segment.hpp.
//
// The least time of a call is its bytes divided by the memory's bandwidth: the elements of all segments, 8 to 16 bytes
// for the bounds of each, and the results. A lane has 16 to 64 bytes outstanding, so a multiprocessor needs all its
// warps. A segment goes to blocks if one warp would need longer for it than for most other segments.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/grid/parts/workspace_layout.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

struct each_segment_tuning {
  static constexpr unsigned threads = 256;
  static constexpr unsigned blocks_per_multiprocessor = 4;
  /// The number of blocks of a multiprocessor that have enough registers for values of `Bytes` bytes.
  template <stl::size_t Bytes>
  static constexpr unsigned blocks_for = Bytes > 16        ? 1
                                         : 16 % Bytes != 0 ? 3
                                                           : blocks_per_multiprocessor;
  /// A segment of up to most_by_lanes elements has a lane for every most_of_lane of them, one of up to most_by_warp a
  /// warp, and a longer one blocks.
  static constexpr unsigned most_of_lane = 8;
  static constexpr std::int64_t most_by_lanes = 32 * most_of_lane;
  static constexpr std::int64_t most_by_warp = 2048;
  /// The segments that a warp draws at a time, if there are `each` for every warp: of more, fewer rounds have lanes to
  /// spare; of fewer, warps have more equal shares.
  TESSERA_FN static constexpr std::int64_t chunk_of(std::int64_t each) {
    return each <= 32 ? each : each < 256 ? 32 : each < 4096 ? each / 8 : 512;
  }
  /// The long segments that a block keeps if they aren't listed. If it has more than half of them, its warps take no
  /// others before it is done with those.
  static constexpr unsigned most_own = 2 * threads;
  /// A block takes some microseconds for a piece. A segment has at most most_pieces, each of a multiple of piece_step
  /// elements.
  static constexpr std::int64_t piece = 16384;
  static constexpr std::int64_t piece_step = 1024;
  static constexpr unsigned most_pieces = 1024;
  /// The most entries of the list. Blocks process what has no room, so that work is uneven if neighbors are long.
  static constexpr std::int64_t most_listed = 32768;

  static constexpr std::int64_t most_result_bytes = std::int64_t{1} << 22;  // of all pieces

  /// The entries of the list for `count` segments, whose pieces have results of `result` bytes, or none if that is 0.
  static constexpr unsigned capacity(std::int64_t count, std::int64_t result, bool divisible) {
    std::int64_t const each = divisible ? most_pieces : 1;
    std::int64_t const most = most_listed * result > most_result_bytes ? most_result_bytes / result : most_listed;
    return static_cast<unsigned>(count < most / each ? count * each : most);
  }
};

/// The memory of the list of pieces: its entries, then the results of pieces and how many are done.
struct piece_list_memory {
  unsigned capacity;
  std::size_t results_at, done_at, bytes;

  /// For `count` segments, whose pieces have results of `result` bytes, or none if that is 0. Segments that aren't
  /// divisible are one piece each.
  static constexpr piece_list_memory of(std::int64_t count, std::size_t result, bool divisible) {
    unsigned const capacity = each_segment_tuning::capacity(count, static_cast<std::int64_t>(result), divisible);
    std::size_t const results_at = detail::on_lines(capacity * sizeof(std::uint64_t));
    if (result == 0) return {capacity, results_at, results_at, results_at};
    std::size_t const done_at = results_at + detail::on_lines(capacity * result);
    return {capacity, results_at, done_at, done_at + capacity * sizeof(unsigned)};
  }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
