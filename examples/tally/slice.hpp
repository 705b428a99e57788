// The input of a block, and its result.
#pragma once

#include <tessera/core/config.hpp>

#include "text.hpp"

namespace tally {

/// The 32 bytes of text that a lane loads in one step. Byte i is in word i / 4, from bit 8 (i % 4) on.
struct alignas(16) piece {
  static constexpr unsigned bytes = 32;
  tessera::stl::uint32_t words[8];
};

/// Consecutive pieces of a batch, which one block counts.
struct slice {
  unsigned first_piece;
  unsigned bytes;
};

/// The result of a block for its slice.
struct slice_count {
  text<unsigned> seen;
  unsigned bytes[256];  // the number of bytes of each value
};

}  // namespace tally
