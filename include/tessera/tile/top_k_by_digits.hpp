// Selection by digits of 64-bit entries: the upper word nearly always decides, and so do most of its bits.
//
//   entry     0110 1011 … | index
//   word      0110 1 | position        the upper word, its lowest bits replaced by the entry's place in the tile
//   select    the first P words, by minimum and maximum
//   fetch     each lane has one of them, and fetches the rest of the entry from its place
//
// Words with the same digit (the remaining bits) are in the order of places. So each of the first is compared with the
// one before it, and all words with the last one's digit are compared with that. If any two aren't in order, the
// entries themselves are selected.
//
// Source: derived here, as tile/sort_by_digits.hpp.
#pragma once

#include <tessera/group/tuning.hpp>
#include <tessera/tile/top_k.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// x, with its lowest byte replaced by byte i of y.
TESSERA_FN stl::uint32_t with_lowest_byte(stl::uint32_t x, stl::uint32_t y, unsigned i) {
#if TESSERA_ARCH
  return __byte_perm(x, y, 0x3214 + i);
#else
  return (x & ~stl::uint32_t{0xff}) | (y >> 8 * i & 0xff);
#endif
}

/// Selects from a group's I entries a lane by their upper words.
template <class Group, unsigned Items>
class digit_selector {
  static constexpr unsigned row = detail::power_of_two_from(Items);
  using word = stl::uint32_t;
  using entry = stl::uint64_t;

 public:
  static constexpr unsigned position_bits = detail::exponent_of(Group::size * row);

 private:
  static constexpr word position_mask = (word{1} << position_bits) - 1;
  static_assert(position_bits <= 8);

 public:
  TESSERA_FN digit_selector(Group group, items<entry, Items> const& x) : group_(group), x_(x) {}

  /// The first P words in order: lane i has word number i % P.
  template <unsigned P>
  TESSERA_FN word select() const {
    auto words = detail::from_words<items<word, Items>>({});
    TESSERA_UNROLL
    for (unsigned i = 0; i < Items; ++i) words[i] = word_of(i);
    auto const run = detail::first_entries<P>(group_, key_order{}, words, ~word{0});
    using places = typename decltype(run)::places;
    return P == 1 ? run.x[0] : group_.shuffle(run.x[0], places::lane_of(group_.rank() % P));
  }
  /// The entry of a word. Unspecified if there is none.
  TESSERA_FN entry entry_of(word of) const {
    unsigned const place = of & position_mask, lane = place / row, item = place % row;
    word const one = detail::opaque_one();
    word kept = 0, lower = 0;
    TESSERA_UNROLL
    for (unsigned from = 0; from < Items; from += 4) {
      word four = 0;
      TESSERA_UNROLL
      for (unsigned i = from; i < Items && i < from + 4; ++i) four |= (upper(i) & 0xff) << 8 * (i - from);
      four = group_.shuffle(four, lane);
      kept = from == 0 ? four : detail::replace_if(item / 4 == from / 4, kept, four, one);
    }
    TESSERA_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      word const other = group_.shuffle(static_cast<word>(x_[i]), lane);
      lower = i == 0 ? other : detail::replace_if(item == i, lower, other, one);
    }
    return entry{detail::with_lowest_byte(of, kept, item % 4)} << 32 | lower;
  }
  /// True if the first K, number i in lane i, are the first K entries in order.
  template <unsigned K>
  TESSERA_FN bool is_right(word of, entry const& whole) const {
    unsigned const rank = group_.rank();
    word const previous = group_.shuffle_up(of, 1), last = group_.shuffle(of, K - 1);
    bool const has_tie = rank > 0 && rank < K && (of ^ previous) <= position_mask;
    word const ties =
        position_mask - (last & position_mask);  // the number of possible words after the last with its digit
    word nearest = ~word{0};                     // the least distance of another word of the lane after the last
    TESSERA_UNROLL
    for (unsigned i = 0; i < Items; ++i) {
      word const distance = word_of(i) - (last + 1);
      nearest = distance < nearest ? distance : nearest;
    }
    if (group_.all_agree(!has_tie && nearest >= ties)) return true;

    entry const before = group_.shuffle_up(whole, 1), limit = group_.shuffle(whole, K - 1);
    bool is_wrong = has_tie && whole < before;
    TESSERA_UNROLL
    for (unsigned i = 0; i < Items; ++i) is_wrong = is_wrong || (word_of(i) - (last + 1) < ties && x_[i] < limit);
    return group_.all_agree(!is_wrong);
  }

 private:
  TESSERA_FN word upper(unsigned i) const { return static_cast<word>(x_[i] >> 32); }
  TESSERA_FN word word_of(unsigned i) const { return (upper(i) & ~position_mask) | (group_.rank() * row + i); }

  Group group_;
  items<entry, Items> const& x_;
};

/// True if the first P of a group's I entries a lane are selected by digits. Each lane gets one of them.
template <class Form, class Group, unsigned Items, unsigned P>
inline constexpr bool selects_by_digits = Form::has_digits&& P <=
                                              Group::size&& Group::size* detail::power_of_two_from(Items) <= 256 &&
                                          detail::prefers_selection_by_digits(Group::size, Items, P);

/// The first K of the group's values: lane i has number i.
template <unsigned K, class T, class Policy, class Form, class Group, class Entry, unsigned Items>
TESSERA_FN auto select_by_digits(Group group, Form const& form, items<Entry, Items> const& x, Entry const& missing) {
  constexpr unsigned P = detail::power_of_two_from(K);
  digit_selector<Group, Items> const digits(group, x);
  auto const word = digits.template select<P>();
  Entry entry = digits.entry_of(word);
  if (!digits.template is_right<K>(word, entry)) {
    auto const run = detail::first_entries<P>(group, form.order(), x, missing);
    entry = group.shuffle(run.x[0], decltype(run)::places::lane_of(group.rank() % P));
  }
  return detail::place_run<K, Policy>(
      group, sorted_run<T, 1, run_places<detail::exponent_of(P), 0>>{{{form.decode(entry)}}, group.rank() % P});
}

}  // namespace detail
TESSERA_NAMESPACE_END
