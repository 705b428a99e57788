// What a block is given to count, and what it finds.
#pragma once

#include <tessera/config.hpp>

#include "text.hpp"

namespace tally {

/// What a lane loads at a time: 32 bytes of text, byte i in bits 8 (i % 4) … of word i / 4.
struct alignas(16) piece {
  static constexpr unsigned bytes = 32;
  tessera::stl::uint32_t words[8];
};

/// A stretch of a batch's pieces that one block counts.
struct slice {
  unsigned first_piece;
  unsigned bytes;
};

/// What a block finds in its slice.
struct slice_count {
  text<unsigned> seen;
  unsigned bytes[256];  // how many there are of each
};

}  // namespace tally
