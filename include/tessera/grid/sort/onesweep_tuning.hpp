// Shapes of the blocks of a radix sort (onesweep_agent.hpp).
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The digits of a pass.
struct radix_digits {
  static constexpr unsigned bits = 8, count = 1u << bits;
};

/// How a warp finds the lanes that have the same digit.
///
///   masks     a mask for each digit in shared memory, in which each lane sets its bit
///   ballots   a vote on each bit of the digit
///   matches   the instruction match.any
enum class digit_match { masks, ballots, matches };

/// A block that ranks the digits of a tile: each of so many threads has so many keys. blocks: as many of them as have
/// room on a multiprocessor.
template <unsigned Threads, unsigned Items, unsigned Blocks = 1, digit_match Match = digit_match::ballots>
struct radix_shape {
  static_assert(Threads % 32 == 0 && Threads >= radix_digits::count, "Each digit has a thread.");
  static constexpr unsigned threads = Threads, items = Items, blocks = Blocks, warps = Threads / 32;
  static constexpr unsigned elements = Threads * Items;
  static constexpr digit_match match = Match;
  static constexpr unsigned look_back_batch = 4;  // words that a thread loads before it looks at the first
};

/// The passes' shape for keys and values, whichever is longer, of so many bytes. Their elements fit into 48 KiB.
constexpr unsigned onesweep_items(unsigned bytes, bool has_values) {
  return bytes <= 4 ? (has_values ? 17 : 19) : bytes <= 96 ? 96 / bytes : 1;
}
constexpr unsigned onesweep_threads(unsigned bytes) {
  return bytes <= 96 ? 384 : 256;
}
template <unsigned Bytes, bool HasValues>
using onesweep_shape = radix_shape<onesweep_threads(Bytes), onesweep_items(Bytes, HasValues), 2>;

/// The shapes of one block that sorts all: for few elements, and for as many as fit into 48 KiB with their positions.
template <unsigned KeyBytes>
using small_sort_shape = radix_shape<256, 4>;
template <unsigned KeyBytes>
using block_sort_shape = radix_shape<512, (KeyBytes <= 4 ? 14 : 8)>;

/// The kernel that counts the digits of all places.
struct digit_counts_tuning {
  static constexpr unsigned threads = 256, items = 16, blocks_per_multiprocessor = 8;
  static constexpr unsigned of_block = threads * items;
  /// Counters of a digit, to which different lanes add.
  static constexpr unsigned copies(unsigned places) { return places <= 4 ? 2 : 1; }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
