// The numbers that tune route_rows and group_by_label. No result depends on them.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Columns    that a lane holds: side by side
/// Threads    the size of the tile that shares a row
template <unsigned Columns, unsigned Threads>
struct route_shape {
  static constexpr unsigned column_count = Columns, threads = Threads;
};

struct route_tuning {
  static constexpr unsigned block_threads = 128;
  static constexpr int most_columns = 512, most_chosen = 32, most_groups = 32;
  /// The number of warps that is enough for a GPU: for more rows, tiles have several rows each.
  static constexpr std::int64_t enough_warps = 4224;
};

/// Warps    of a block
/// Rounds   how many labels a lane holds
template <unsigned Warps, unsigned Rounds>
struct group_shape {
  static constexpr unsigned warps = Warps, rounds = Rounds, threads = 32 * Warps, tile = threads * Rounds;
};

struct group_tuning {
  static constexpr int most_bins = 1024;
  static constexpr int blocks = 2;  // of a multiprocessor
  using shape = group_shape<16, 8>;
  /// The shape of blocks that route rows, whose tiles choose up to as many columns as they have threads.
  using routed = group_shape<16, 1>;

  static constexpr std::int64_t single = shape::tile;  // labels: one block
  static constexpr std::int64_t least_part = 2048;     // labels of a block, else
  static constexpr std::int64_t most_parts = 64;       // of fewer than `many` labels: each block reads all counts
  static constexpr std::int64_t many = std::int64_t{1} << 21;
  static constexpr std::int64_t most_routed_parts = 256;  // so that sums of counts of 8 bits have 16 bits
  static constexpr std::int64_t most_routed_rows = 255;   // of a part, each of which chooses a column at most once
  /// The number of polls after which a block counts another one's part: 2048 take about a millisecond, and one for 64
  /// labels takes a few times as long as counting them, so that a block that has begun is waited for.
  TESSERA_FN static constexpr unsigned polls_for(std::int64_t part) { return 2048 + static_cast<unsigned>(part / 64); }
};

/// The number of parts of n labels, each a block's.
constexpr std::int64_t group_parts(std::int64_t n, int multiprocessors) noexcept {
  if (n <= group_tuning::single) return 1;
  std::int64_t const most = n < group_tuning::many && group_tuning::most_parts < multiprocessors
                                ? group_tuning::most_parts
                                : std::int64_t{group_tuning::blocks} * multiprocessors;
  std::int64_t const wanted = (n + group_tuning::least_part - 1) / group_tuning::least_part;
  return wanted < most ? wanted : most;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
