// Selecting entries by words of 32 bits: the highest bits of the key, a digit, above a place. Words are compared by a
// minimum and a maximum each; those with equal digits are in the order of their places, which may not be that of the
// entries.
//
// Source: as tile/top_k_by_digits.hpp.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/lanes.hpp>
#include <tessera/top_k.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// The first Most of a tile's words, number s · N + i in item s of lane i of N.
template <unsigned Most, class Tile, class Word, unsigned Items>
TESSERA_FN auto first_words(Tile const& tile, tessera::items<Word, Items> const& words) {
  constexpr unsigned lanes = tile_size_v<Tile>;
  auto const first = tessera::top_k<Most>(tile, words, less{}, scattered | converged);
  if constexpr (Most > lanes) {
    return first;
  } else {
    return tessera::items<Word, 1>{{first}};
  }
}

/// True if the first words of so many are the first entries in order: no two of them have one digit, and no other word
/// has that of the last of them.
///
/// first   as first_words gives them. `places` are the bits below the digit.
/// count   the number of words that are entries' in the tile; the others have all bits set.
template <unsigned Most, class Tile, unsigned Results, unsigned Items>
TESSERA_FN bool digits_tell_order(Tile const& tile, tessera::items<std::uint32_t, Results> const& first,
                                  tessera::items<std::uint32_t, Items> const& words, std::uint32_t places,
                                  unsigned count) {
  constexpr unsigned lanes = tile_size_v<Tile>;
  unsigned const rank = tile.thread_rank();
  bool right = true;
  std::uint32_t previous = 0;
  TESSERA_UNROLL
  for (unsigned s = 0; s < Results; ++s) {
    std::uint32_t const of_lane_before = tessera::shuffle(tile, first[s], (rank + lanes - 1) % lanes, converged);
    std::uint32_t const before = rank == 0 ? previous : of_lane_before;
    previous = of_lane_before;  // rank 0's is the last lane's
    unsigned const i = s * lanes + rank;
    right = right && (i == 0 || i >= Most || i >= count || (first[s] ^ before) > places);
  }
  std::uint32_t const last = tessera::shuffle(tile, first[Results - 1], (Most - 1) % lanes, converged);
  std::uint32_t const ties = places - (last & places);  // the number of possible words after the last with its digit
  bool others = false;
  TESSERA_UNROLL
  for (unsigned i = 0; i < Items; ++i) others = others || words[i] - (last + 1) < ties;
  return right && !(others && count > Most);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
