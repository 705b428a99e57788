// A chain: the warps of a tile call a collective repeatedly, and each call takes the result of the previous
// one.
//
//   x ← next(collective(x), weight, own)      each lane reads its own and weight from memory at run time
//
// This header is the host's side: a chain of one method, which can be launched, checked and timed.
// chain.cuh makes the chains, each with its own kernel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace bench {

constexpr unsigned warp_lanes = 32;
constexpr unsigned threads_per_block = 256;  // the default of a chain
constexpr unsigned warps_per_sm = 64;        // the maximum of sm_90
constexpr unsigned threads_per_sm = warps_per_sm * warp_lanes;
constexpr std::size_t bytes_per_sm = threads_per_sm * 128;  // the size of an array for the blocks of one SM
constexpr std::size_t most_bytes = bytes_per_sm / 8;        // the greatest size of an array for one block

/// The times that the warps of a launch record for one SM, in cycles of that SM's clock. All are zero
/// before the launch.
struct sm_times {
  unsigned long long not_start;  // ~ the first warp's first cycle, so that zero is the neutral element of max
  unsigned long long end;        // the last warp's last cycle
  unsigned warps;
};

struct chain_launch {
  unsigned blocks;
  unsigned threads;
  unsigned trips;  // the number of iterations, of `in_a_row` collectives each
  void const* own;
  void const* weight;
  void* results;
  sm_times* times;
};

enum class kind { ours, peer, loop };

/// One method of one collective, on one type and width.
struct chain {
  std::string what;    // such as "float sum"; chains with the same `what` and width are measured in turn
  std::string method;  // such as "tessera adaptive"
  bench::kind kind;
  unsigned width;
  unsigned threads = threads_per_block;  // the size of a block, when the throughput is measured
  unsigned in_a_row;                     // the number of collectives in one iteration of the loop
  std::size_t own_bytes, weight_bytes;   // the sizes of the arrays that all blocks read
  std::size_t result_bytes;              // the size of the array that each block writes
  void const* kernel;
  void (*launch)(chain_launch const&);
  /// Fills the arrays `own` and `weight` on the host.
  void (*fill)(void* own, void* weight);
  /// Compares the results of a launch with a plain loop on the host. Returns an empty string if they agree,
  /// or else a description of the difference.
  std::string (*mismatch)(void const* results, unsigned blocks, unsigned calls);

  unsigned blocks_per_sm() const { return threads_per_sm / threads; }
  /// The number of warps of a collective: those of a large tile, or one, which may have several small tiles.
  unsigned warps() const { return std::max(width / warp_lanes, 1u); }
};

}  // namespace bench
