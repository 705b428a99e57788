// Items of one or two bytes, rearranged so that those of neighboring lanes are in one word.
//
//   lane             0          1          2          3
//   chars            a e i m    b f j n    c g k o    d h l p
//   neighbors of 1   a b i j    e f m n    c d k l    g h o p      pairs: items of two bytes
//   neighbors of 2   a b c d    e f g h    i j k l    m n o p      pairs of pairs: one word
//
// Two lanes transpose 2×2 blocks of their items: of each pair of items a lane keeps one and sends the other. The items
// sent from two words fit into one. Source: the transpose of 2×2 blocks in Hacker's Delight, 7-3, with lanes for rows.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/words.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The word whose byte i is byte `selector >> 4i & 7` of the eight bytes of a and b, beginning with a's.
TESSERA_FN unsigned permute_bytes(unsigned a, unsigned b, unsigned selector) {
#if TESSERA_ARCH
  return __byte_perm(a, b, selector);
#else
  stl::uint64_t const bytes = stl::uint64_t{b} << 32 | a;
  unsigned out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    out |= static_cast<unsigned>(bytes >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
  }
  return out;
#endif
}

/// The number of shuffles of `pair_neighbors` for this many bytes a lane.
TESSERA_FN constexpr unsigned shuffles_of_pairing(unsigned bytes) {
  return (bytes + 7) / 8;
}

/// Transposes items 2j and 2j + 1, of one or two bytes, with those of lane rank ^ distance. The number of items is
/// even. Its own inverse.
template <unsigned ItemBytes, class Group, class Items>
TESSERA_FN Items pair_neighbors(Group group, Items const& x, unsigned distance) {
  static_assert(ItemBytes == 1 || ItemBytes == 2);
  constexpr bool bytes = ItemBytes == 1;
  bool const upper = (group.rank() & distance) != 0;
  // Two words are sent as one, and each keeps the received half.
  unsigned const sent = upper ? (bytes ? 0x6420 : 0x5410) : (bytes ? 0x7531 : 0x7632);
  unsigned const into_first = upper ? (bytes ? 0x3514 : 0x3254) : (bytes ? 0x5240 : 0x5410);
  unsigned const into_second = upper ? (bytes ? 0x3716 : 0x3276) : (bytes ? 0x7260 : 0x7610);
  constexpr unsigned count = word_count<Items>;
  words<Items> w = detail::to_words(x);
  TESSERA_UNROLL
  for (unsigned i = 0; i < count; i += 2) {
    unsigned const next = i + 1 < count ? i + 1 : i;
    unsigned const come = group.shuffle_xor(detail::permute_bytes(w.word[i], w.word[next], sent), distance);
    if (next != i) w.word[next] = detail::permute_bytes(w.word[next], come, into_second);
    w.word[i] = detail::permute_bytes(w.word[i], come, into_first);
  }
  return detail::from_words<Items>(w);
}

}  // namespace detail
TESSERA_NAMESPACE_END
