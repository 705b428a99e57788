// Selecting entries by words of 32 bits: the highest bits of the key, a digit, above a place. Words are compared by a
// minimum and a maximum each; those with equal digits are in the order of their places, which may not be that of the
// entries.
//
// Source: as tile/top_k_by_digits.hpp.
#pragma once

#include <tessera/core/items.hpp>
#include <tessera/core/sort_entry.hpp>
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

/// The first Most of a tile's words, number R · i + s in item s of lane i: lanes after the last number have copies.
template <unsigned Most, class Tile, class Word, unsigned Items>
TESSERA_FN auto first_words_in_blocks(Tile const& tile, tessera::items<Word, Items> const& words) {
  using policy_t = stl::remove_const_t<decltype(converged)>;
  using group_t = tessera::detail::group_of<Tile, policy_t>;
  return tessera::detail::collective<tessera::detail::collectives::top_k, tessera::items<Word, Items>, less>(
      tile, policy_t{}, call_site::here(), 0, [&](group_t group) {
        auto const run = tessera::detail::first_entries<Most>(group, tessera::detail::key_order{}, words,
                                                              static_cast<Word>(~Word{0}));
        return tessera::detail::run_in_order(group, run);
      });
}

/// True if the tile's lane has a word after `last` with the digit of `last`. `places` are the bits below the digit.
template <unsigned Items>
TESSERA_FN bool has_digit_after(tessera::items<std::uint32_t, Items> const& words, std::uint32_t last,
                                std::uint32_t places) {
  std::uint32_t nearest = ~std::uint32_t{0};  // distance from last + 1: those up to `last` are far away
  TESSERA_UNROLL
  for (unsigned i = 0; i < Items; ++i) {
    std::uint32_t const distance = words[i] - (last + 1);
    nearest = distance < nearest ? distance : nearest;
  }
  return nearest < places - (last & places);
}

/// True if two neighbors of the first words have one digit, the second of which is the lane's. `first` is as
/// first_words_in_blocks gives it. Words whose bits are all set aren't counted.
template <class Tile, unsigned Results>
TESSERA_FN bool neighbors_share_digit(Tile const& tile, tessera::items<std::uint32_t, Results> const& first,
                                      std::uint32_t places) {
  constexpr unsigned lanes = tile_size_v<Tile>;
  unsigned const rank = tile.thread_rank();
  std::uint32_t const of_lane_before =
      tessera::shuffle(tile, first[Results - 1], (rank + lanes - 1) % lanes, converged);
  std::uint32_t before = rank == 0 ? ~first[0] : of_lane_before, nearest = ~std::uint32_t{0};
  TESSERA_UNROLL
  for (unsigned s = 0; s < Results; ++s) {
    std::uint32_t const difference = (first[s] ^ before) - 1;  // of two without an element all bits are set
    nearest = difference < nearest ? difference : nearest;
    before = first[s];
  }
  return nearest < places;
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
  return right && !(count > Most && detail::has_digit_after(words, last, places));
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
