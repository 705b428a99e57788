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

/// Warps      of a block
/// Rounds     how many labels a lane holds
/// IsSorted   whether a tile is sorted in shared memory
template <unsigned Warps, unsigned Rounds, bool IsSorted = false>
struct group_shape {
  static constexpr unsigned warps = Warps, rounds = Rounds, threads = 32 * Warps, tile = threads * Rounds;
  static constexpr bool is_sorted = IsSorted;
};

struct group_tuning {
  static constexpr int most_bins = 1024;
  static constexpr int blocks = 2;           // of a multiprocessor
  using sorted = group_shape<16, 16, true>;  // where a block has the shared memory for it
  using shape = group_shape<16, 8>;          // elsewhere
  /// The shape of blocks that route rows, whose tiles choose up to as many columns as they have threads.
  using routed = group_shape<16, 1>;

  static constexpr std::int64_t single = shape::tile;  // labels: one block
  /// Labels of a part while there are up to `few` parts, and where there are more: each block reads the counts of all.
  static constexpr std::int64_t least_part = 512, few = 32;
  static constexpr std::int64_t large_part(std::int64_t bins) { return bins <= few_bins ? 2048 : 4096; }
  static constexpr std::int64_t few_bins = 64;
  /// From `many` labels on all blocks that can run at once take part, if each has `part_of_bin` labels for each bin.
  /// Otherwise each multiprocessor has one block at most.
  static constexpr std::int64_t many = std::int64_t{1} << 21, part_of_bin = 64;
  static constexpr std::int64_t most_routed_parts = 256;  // so that sums of counts of 8 bits have 16 bits
  static constexpr std::int64_t most_routed_rows = 255;   // of a part, each of which chooses a column at most once
  /// The number of polls after which a block counts another one's part: 2048 take about a millisecond, and one for 64
  /// labels takes a few times as long as counting them, so that a block that has begun is waited for.
  TESSERA_FN static constexpr unsigned polls_for(std::int64_t part) { return 2048 + static_cast<unsigned>(part / 64); }
};

/// The number of parts of n labels by their length: at most one for each multiprocessor.
constexpr std::int64_t parts_by_length(std::int64_t n, std::int64_t bins, std::int64_t multiprocessors) noexcept {
  using tuning = group_tuning;
  std::int64_t const short_ones = (n + tuning::least_part - 1) / tuning::least_part,
                     long_ones = n / tuning::large_part(bins);
  std::int64_t const few = short_ones < tuning::few ? short_ones : tuning::few;
  std::int64_t const wanted = few < long_ones ? long_ones : few;
  return wanted < multiprocessors ? wanted : multiprocessors;
}

/// The number of parts of n labels, each a block's, of which each multiprocessor runs so many at once.
constexpr std::int64_t group_parts(std::int64_t n, std::int64_t bins, std::int64_t multiprocessors,
                                   std::int64_t blocks) noexcept {
  using tuning = group_tuning;
  if (n <= tuning::single) return 1;
  std::int64_t const all = blocks * multiprocessors;
  if (n >= tuning::many && n / all >= tuning::part_of_bin * bins) return all;
  return detail::parts_by_length(n, bins, multiprocessors);
}
/// The most counts that the parts of up to n labels of up to so many bins have, on a GPU with up to so many
/// multiprocessors: fewer multiprocessors may have more parts, by `part_of_bin`, and fewer bins too.
constexpr std::int64_t most_group_counts(std::int64_t n, std::int64_t bins, std::int64_t multiprocessors) noexcept {
  using tuning = group_tuning;
  if (n <= tuning::single) return 0;
  std::int64_t const few_bins = bins < tuning::few_bins ? bins : tuning::few_bins;
  std::int64_t const of_few = few_bins * detail::parts_by_length(n, few_bins, multiprocessors),
                     of_these = bins * detail::parts_by_length(n, bins, multiprocessors);
  std::int64_t const by_length = of_few < of_these ? of_these : of_few;
  std::int64_t const of_all = bins * tuning::blocks * multiprocessors, by_bins = n / tuning::part_of_bin;
  std::int64_t const most = n < tuning::many ? 0 : of_all < by_bins ? of_all : by_bins;
  return by_length < most ? most : by_length;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
