// Sorts some hundreds of words in shared memory: each warp sorts a chunk, and a word's place is the sum of the numbers
// of words before it in all sorted lists.
//
//   words     7 2 9 4 | 3 8 1 6     chunks of 4, in place of 32
//   chunks    2 4 7 9 | 1 3 6 8
//   7 comes after 2 words of its own list and 3 of the other: its place is 5
//
// Sources: a rank sort of each chunk; ranks by binary search: S. Odeh et al., "Merge Path – Parallel Merging Made
// Simple", 2012.
#pragma once

#include <tessera/core/config.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

/// Sorts 32 · Each words of a warp: own[i] is that at words[lane + 32 · i]. Those after the first `count`, if there are
/// some, are all ones, and stay.
///
/// Called by  all lanes of a warp.
/// Cost       32 · Each loads of one word for all lanes, and as many comparisons for each of a lane's words.
template <unsigned Each, class Warp>
TESSERA_FN void sort_words_of_warp(Warp const& warp, std::uint64_t const (&own)[Each], std::uint64_t* words,
                                   unsigned count) {
  constexpr unsigned at_once = 8;
  unsigned before[Each] = {};
  warp.sync();
  TESSERA_LOOP
  for (unsigned from = 0; from < 32 * Each; from += at_once) {
    TESSERA_UNROLL
    for (unsigned j = 0; j < at_once; ++j) {
      std::uint64_t const other = words[from + j];
      TESSERA_UNROLL
      for (unsigned i = 0; i < Each; ++i) before[i] += other < own[i] ? 1u : 0u;
    }
  }
  warp.sync();
  TESSERA_UNROLL
  for (unsigned i = 0; i < Each; ++i) {
    if (warp.thread_rank() + 32 * i < count) words[before[i]] = own[i];
  }
}

/// Adds up the numbers of words that are less than x, of each of Lists sorted lists. List l begins at l · Room and has
/// size(l) words: fewer than 2 · `most`, a power of two.
template <unsigned Room, unsigned Lists, class Size>
TESSERA_FN void add_words_before(std::uint64_t x, std::uint64_t const* lists, unsigned most, Size size, unsigned& sum) {
  unsigned before[Lists] = {};
  TESSERA_LOOP
  for (unsigned step = most; step > 0; step /= 2) {
    TESSERA_UNROLL
    for (unsigned l = 0; l < Lists; ++l) {
      unsigned const next = before[l] + step;
      if (next <= size(l) && lists[l * Room + next - 1] < x) before[l] = next;
    }
  }
  TESSERA_UNROLL
  for (unsigned l = 0; l < Lists; ++l) sum += before[l];
}
/// As above, of lists of Size words, a power of two, that stand one after the other.
template <unsigned Size, unsigned Lists>
TESSERA_FN void add_words_before(std::uint64_t x, std::uint64_t const* lists, unsigned& sum) {
  std::uint64_t const* list[Lists];
  TESSERA_UNROLL
  for (unsigned l = 0; l < Lists; ++l) list[l] = lists + l * Size;
  TESSERA_UNROLL
  for (unsigned step = Size / 2; step > 0; step /= 2) {
    TESSERA_UNROLL
    for (unsigned l = 0; l < Lists; ++l) {
      if (list[l][step - 1] < x) list[l] += step;
    }
  }
  TESSERA_UNROLL
  for (unsigned l = 0; l < Lists; ++l)
    sum += static_cast<unsigned>(list[l] - (lists + l * Size)) + (*list[l] < x ? 1u : 0u);
}

}  // namespace grid::detail
TESSERA_NAMESPACE_END
