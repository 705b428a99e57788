// Every number that was chosen by measuring, with the measurement.
#pragma once

#include <tessera/config.hpp>

namespace tessera {

/// The warp's instructions that combine values of all lanes, by what they take.
enum class warp_instruction {
  none,           // this operator on this type has none
  redux,          // redux.sync: integers of up to 32 bits
  redux_pair,     // two of them: bitwise operators on 64 bits
  redux_ordered,  // redux.sync on an order-preserving integer image: minimum and maximum of float and halves
  vote,           // ballot: operators on truth values
};

/// Whether `reduce` with method `automatic` combines `N` lanes by the warp's instruction rather than by
/// shuffles.
///
/// On an H200 (benchmark/tile_reduce), in SM cycles per warp: 32 lanes by redux 3.0, by shuffles 5.2. Below
/// 32 lanes the instruction combines over its mask, so that the tiles of a warp would run one after another:
/// shuffles win there. A vote takes all tiles of a warp at once, at every size.
TESSERA_FN constexpr bool prefers_warp_instruction(warp_instruction instruction, unsigned N) {
  switch (instruction) {
    case warp_instruction::none:
      return false;
    case warp_instruction::vote:
      return N > 1;
    default:
      return N == 32;
  }
}

/// Whether N lanes find those with the same word by N − 1 shuffles rather than by one `match.any`.
TESSERA_FN constexpr bool matches_by_shuffles(unsigned N) {
  return N <= 8;
}

}  // namespace tessera
