// The division of grid::histogram's work among blocks, and the numbers that were chosen by measuring.
#pragma once

#include <tessera/grid/histogram/edge_layout.hpp>
#include <tessera/group/tuning.hpp>

#include <cstddef>
#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The size of a block. There is one block on each multiprocessor: two would add to the totals twice. On an H200, in
/// GB/s, for 2^28 uniform ints in 256 bins, where reading alone makes 4600: 1 block of 1024 threads 4414, 2 of 1024
/// 4358, 2 of 512 4355, 3 of 512 4150. Full steps, whose loads need no condition, take 246.3 µs instead of 248.0 µs.
/// With the last 3, 6 and 12 % handed to warps as they get there, 2 KiB at a time, 247, 258 and 277 µs instead of
/// 244.4 µs (on another GPU); with 6 % handed out by 4 KiB 246 µs, by 8 KiB 242 µs.
inline constexpr unsigned histogram_threads = 1024;

/// The bytes of a workspace's data for sums of weights: 12 for each bin, and for the elements below, above and NaN.
constexpr std::size_t weighted_bytes(std::size_t bins) {
  return (bins + 3) * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
}

/// The number of copies of each cell in a block's shared memory, a power of two: more for smaller elements, since a
/// warp reads more of them at a time. On an H200, in GB/s, with 1 / 4 / 8 / 16 / 32 copies, 256 bins: bytes 2270 / 2231
/// / 2445 / 3120 / 4440; ints 4417 / 4414 / 4404 / – / 4384, constant and Zipf-distributed ones too (the hardware adds
/// equal keys together); halves 3320 with any number.
inline unsigned most_copies(unsigned element_bytes) {
  unsigned copies = 1;
  while (copies * 2 * element_bytes <= 32) copies *= 2;
  return copies;
}
/// At most so many counters, if there are several copies of a cell: a block clears all of them and adds them up
/// again. 16384 bins of ints, with 1 / 2 copies: 4215 / 4209 GB/s; 28000 bins 4000 / 3838.
inline constexpr unsigned preferred_counters = 9216;

/// preferred_counters for several channels of bytes, whose lanes add several times as often.
inline constexpr unsigned preferred_channel_counters = 24576;

/// A part isn't shorter than a step, so that a block's begin and end don't outweigh it.
inline constexpr unsigned least_part_bytes = histogram_threads * tessera::detail::bytes_in_flight;
/// A part isn't longer, so that its counts fit in 32 bits.
inline constexpr std::int64_t longest_part = std::int64_t{1} << 31;
inline constexpr std::int64_t longest_array = std::int64_t{1} << 40;

struct histogram_plan {
  unsigned copies;  // of each cell, in a block's shared memory
  unsigned slice;   // how many cells a block counts
  unsigned slices;  // how many blocks read the same part, each for another slice
  unsigned parts;   // how many parts the array has
};

/// The number of parts that n elements are divided into, if each is read by `readers` neighboring blocks.
inline unsigned part_count(std::int64_t n, unsigned element_bytes, unsigned readers, unsigned sms) {
  std::int64_t const at_a_time = readers < sms ? sms / readers : 1u;
  std::int64_t const useful = n * element_bytes / least_part_bytes;
  std::int64_t const enough = (n + longest_part - 1) / longest_part;
  std::int64_t parts = useful < at_a_time ? useful : at_a_time;
  if (parts < enough) parts = enough;
  return parts < 1 ? 1u : static_cast<unsigned>(parts);
}

/// The plan for n elements and so many cells on a GPU with `sms` multiprocessors whose blocks have up to
/// `shared_bytes` of shared memory.
inline histogram_plan plan_histogram(std::int64_t n, unsigned element_bytes, unsigned cells, unsigned sms,
                                     unsigned shared_bytes, unsigned most_counters = preferred_counters) {
  histogram_plan plan{detail::most_copies(element_bytes), cells, 1, 1};
  while (plan.slice * 4u > shared_bytes) {
    ++plan.slices;
    plan.slice = (cells + plan.slices - 1) / plan.slices;
  }
  while (plan.copies > 1 && plan.slice * plan.copies > most_counters) plan.copies /= 2;

  plan.parts = detail::part_count(n, element_bytes, plan.slices, sms);
  return plan;
}

// ---- Edges of any spacing.

/// The intervals of the guide table are at least so many times the bins, within these limits. With four, a value is
/// compared with one or two of 256 edges in most spacings.
inline constexpr unsigned intervals_for_a_bin = 4;
inline constexpr unsigned least_interval_bits = 10, most_interval_bits = 14;
/// Copies are made while a block takes no more shared memory than this, so that the rest of 256 KiB holds the lines
/// that its loads wait for.
inline constexpr unsigned preferred_edge_bytes = 131 * 1024;

struct edge_plan {
  edge_layout layout;  // of the first slice
  unsigned slices;
  unsigned parts;
};

inline edge_plan plan_edges(std::int64_t n, unsigned element_bytes, unsigned key_bytes, unsigned bins, unsigned sms,
                            unsigned shared_bytes, bool weighted = false) {
  edge_plan plan{{0, bins, 1, least_interval_bits, weighted}, 1, 1};
  edge_layout& layout = plan.layout;
  auto const divide = [&](unsigned slices) {
    plan.slices = slices;
    layout.bins = (bins + slices - 1) / slices;
    layout.interval_bits = least_interval_bits;
    while (layout.interval_bits < most_interval_bits &&
           1u << layout.interval_bits < intervals_for_a_bin * layout.bins &&
           4u << layout.interval_bits < shared_bytes / 8)
      ++layout.interval_bits;
  };
  for (divide(1); layout.bytes(key_bytes) > shared_bytes; divide(plan.slices + 1)) {
  }
  // Rounding may leave the last slices without bins.
  plan.slices = (bins + layout.bins - 1) / layout.bins;
  unsigned const preferred = shared_bytes < preferred_edge_bytes ? shared_bytes : preferred_edge_bytes;
  while (layout.copies < 32) {
    layout.copies *= 2;
    if (layout.bytes(key_bytes) <= preferred) continue;
    layout.copies /= 2;
    break;
  }
  plan.parts = detail::part_count(n, element_bytes, plan.slices, sms);
  return plan;
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
