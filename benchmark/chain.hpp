// A chain: one warp, or a tile of several, calls a collective again and again, each call on what the last one gave.
//
//   x ← next(collective(x), weight, own)      own, weight: each lane's, read from memory at run time
//
// This is the host's side: a chain of some method as a value that can be launched, checked and timed. chain.cuh makes
// them, one kernel each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace bench {

constexpr unsigned warp_lanes = 32;
constexpr unsigned threads_per_block = 256;  // where a chain doesn't say otherwise
constexpr unsigned warps_per_sm = 64;        // all that an SM of sm_90 holds
constexpr unsigned threads_per_sm = warps_per_sm * warp_lanes;
constexpr std::size_t bytes_per_sm = threads_per_sm * 128;  // of any array of the blocks of one SM
constexpr std::size_t most_bytes = bytes_per_sm / 8;        // of any array of one block

/// What the warps of a launch leave behind for the SM they ran on, in cycles of that SM's clock. All zero before.
struct sm_times {
  unsigned long long not_start;  // ~ the first warp's first cycle, so that zero is the neutral value
  unsigned long long end;        // the last warp's last cycle
  unsigned warps;
};

struct chain_launch {
  unsigned blocks;
  unsigned threads;
  unsigned trips;  // of `in_a_row` collectives
  void const* own;
  void const* weight;
  void* results;
  sm_times* times;
};

enum class kind { ours, peer, loop };

/// One method of one collective, on one type and width.
struct chain {
  std::string what;    // "float sum": chains of one `what` and width are measured side by side
  std::string method;  // "tessera adaptive"
  bench::kind kind;
  unsigned width;
  unsigned threads = threads_per_block;  // of a block, where SMs are full of them
  unsigned in_a_row;                     // collectives in one trip of the loop: a multiple of it is called
  std::size_t own_bytes, weight_bytes;   // that all blocks read
  std::size_t result_bytes;              // that each block writes
  void const* kernel;
  void (*launch)(chain_launch const&);
  /// Fills what `own` and `weight` point to on the host.
  void (*fill)(void* own, void* weight);
  /// Compares a launch's results with a plain host loop; empty if they agree, else what differs.
  std::string (*mismatch)(void const* results, unsigned blocks, unsigned calls);

  unsigned blocks_per_sm() const { return threads_per_sm / threads; }
  /// A collective's warps: those of a tile, or the one that holds several.
  unsigned warps() const { return std::max(width / warp_lanes, 1u); }
};

}  // namespace bench
