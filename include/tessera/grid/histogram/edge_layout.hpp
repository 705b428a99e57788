// The shared memory of a block that counts in bins between edges of any spacing.
//
//   edges                | guide table          | counters             | comparisons for each scale
//   e0 e0 … e1 e1 …      | a0 a0 … a1 a1 …      | c0 c0 … c1 c1 …      |        `copies` of each: 1, 2, 4 … 32
//
// Lane l uses copy l % copies. With 32 copies every lane has a bank of its own: a warp's 32 accesses never meet at a
// bank, where those to one copy meet three to four times. The guide table, the largest, has at most 16 copies.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The division of a block's shared memory, and of the bins among blocks.
struct edge_layout {
  unsigned begin, bins;    // the bins that the block counts
  unsigned copies;         // of each edge and each counter
  unsigned interval_bits;  // The guide table has 2^interval_bits intervals.
  bool weighted = false;   // Counters are three words, without copies.

  TESSERA_FN unsigned edges() const { return bins + 2; }  // with one after all
  TESSERA_FN unsigned cells() const { return bins + 3; }
  TESSERA_FN unsigned intervals() const { return 1u << interval_bits; }
  TESSERA_FN unsigned guide_copies() const { return copies < 16 ? copies : 16; }
  TESSERA_FN unsigned guide_words() const { return intervals() * guide_copies(); }
  TESSERA_FN unsigned counters() const { return cells() * (weighted ? 3 : copies); }
  TESSERA_FN unsigned bytes(unsigned key_bytes) const {
    return edges() * key_bytes * copies + (guide_words() + counters() + scale_choices) * 4;
  }

  /// The scales that a block tries: of 1, 4, 16 and 64 octaves.
  static constexpr unsigned scale_choices = 4;
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
