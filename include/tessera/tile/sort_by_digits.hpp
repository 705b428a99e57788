// Sorting numbers of several warps, if a key with its value and position is larger than a word. A single word goes
// through the network, and keys and values move once, to where their words went.
//
//   key       0000 0110 1011 …           bits that all keys share | digit | the rest
//   word      digit | position           as many of the key's bits as the position leaves room for
//   network   sorts the words, by minimum and maximum
//   move      each place takes the key and the value of the position in its word
//
// Keys with equal digits are then in the order of their positions. If any of them are out of order, warps with many
// keys first exchange neighbors. Then each key out of order looks at its neighbors with the same digit, and moves by
// the number of them on its wrong side. If many keys share a digit, all digits are sorted instead, the lowest first:
// each pass keeps the order of the one before.
//
// Words have K slots a lane, and item i of rank r has slot i · N + r.
//
// Source: the network of tile/sort.hpp; passes from the lowest digit on as in D. E. Knuth, The Art of Computer
// Programming 3, 5.2.5; the word of digit and position is derived here.
#pragma once

#include <tessera/block/movement.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/lane_mask.hpp>
#include <tessera/core/sort_entry.hpp>
#include <tessera/group/multi_warp_group.hpp>
#include <tessera/group/tuning.hpp>
#include <tessera/operators/basic.hpp>
#include <tessera/warp/reduce.hpp>
#include <tessera/warp/sort_network.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// A warp's first key, and the bits in which its other keys differ from it.
template <class Key>
struct spread_of_keys {
  Key first;
  Key differing;
};

/// The number of significant bits.
TESSERA_FN unsigned bits_of_number(stl::uint32_t x) {
  return x == 0 ? 0 : detail::highest_bit(x) + 1;
}
TESSERA_FN unsigned bits_of_number(stl::uint64_t x) {
  stl::uint32_t const high = static_cast<stl::uint32_t>(x >> 32);
  return high != 0 ? 32 + detail::bits_of_number(high) : detail::bits_of_number(static_cast<stl::uint32_t>(x));
}
/// The number of the lowest bit that is set; 32 or 64 if none is.
TESSERA_FN unsigned lowest_bit_of_number(stl::uint32_t x) {
  return detail::lowest_bit(x);
}
TESSERA_FN unsigned lowest_bit_of_number(stl::uint64_t x) {
  auto const low = static_cast<stl::uint32_t>(x);
  return low != 0 ? detail::lowest_bit(low) : 32 + detail::lowest_bit(static_cast<stl::uint32_t>(x >> 32));
}

/// The data that moves with the keys: nothing, items, or the items of `keys_and_values`.
struct nothing_else {};

/// Sorts keys of a group of several warps by digits, with their values. `Network` sorts words, `Positions` numbers
/// them.
template <class Network, class Positions, class Group, class Key, unsigned K>
class digit_sorter {
  static constexpr unsigned N = Group::size;
  static constexpr unsigned position_bits = detail::exponent_of(detail::power_of_two_from(N * K)),
                            digit_bits = 32 - position_bits;
  static constexpr stl::uint32_t position_mask = (stl::uint32_t{1} << position_bits) - 1;
  using keys = items<Key, K>;
  using words = items<stl::uint32_t, K>;
  using distances = items<stl::uint32_t, (K + 3) / 4>;  // a signed byte an item

 public:
  /// Positions from `limit` on take no part.
  TESSERA_FN digit_sorter(Group group, unsigned limit) : group_(group), limit_(limit) {}

  /// Sorts by the highest digit and then sorts ties, or else sorts by all digits. Invariant of those passes: after pass
  /// p the keys are in the order of their lower p · digit_bits bits, and equal keys in that of their positions, which
  /// the first pass has kept.
  template <class Others>
  TESSERA_FN void sort(keys& key, Others& others) const {
    unsigned pass = by_highest;
    TESSERA_LOOP
    while (true) {
      bool const is_first = pass == by_highest;
      unsigned const low = is_first ? highest_digit(width_of(key)) : pass * digit_bits;
      words slot = slots_in_order(key, low, is_first);
      Key next{};
      move_keys(key, slot, next);
      bool is_open = false;
      if constexpr (detail::sorts_ties_in_warps(N, K)) {
        is_open = is_first && sort_ties_in_warp(key, slot, next, low);
      } else {
        is_open = is_first && is_out_of_order(key, next);
      }
      bool const is_done = !any(is_open);
      move_others(others, slot);
      if (is_first) {
        if (is_done || sort_ties(key, others)) break;
        pass = 0;
        group_.sync();
      } else {
        ++pass;
        group_.sync();
        if (pass * digit_bits >= width_of(key)) break;
      }
    }
    group_.trailing_barrier();
  }

 private:
  static constexpr unsigned by_highest = ~0u;
  /// The lowest bit of the highest digit.
  TESSERA_FN static unsigned highest_digit(unsigned width) { return width > digit_bits ? width - digit_bits : 0; }
  TESSERA_FN static unsigned slot_of(unsigned place) { return place % K * N + place / K; }
  TESSERA_FN unsigned place(unsigned i) const { return group_.rank() * K + i; }
  TESSERA_FN auto storage() const { return group_.backend().template inputs<stl::uint32_t, 32 * K>(); }

  /// True if any lane passes true. Afterwards slots may be written.
  TESSERA_FN bool any(bool mine) const {
    if (!group_.backend().can_count()) group_.sync();
    return group_.any(mine, true);
  }

  /// The number of the keys' lower bits in which they differ: those above are the same in all keys.
  TESSERA_FN unsigned width_of(keys const& key) const {
    using spread = spread_of_keys<Key>;
    auto const warp = group_.in_warp();
    Key const first = warp.shuffle(key[0], 0);
    Key differing = 0;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) differing |= place(i) < limit_ ? key[i] ^ first : Key{0};
    differing = detail::reduce_lanes<policy<>>(warp, differing, bit_or{});
    Key const all = group_.all_gather(
        spread{first, differing}, group_.lane() == 0, group_.warp(),
        [&](slots_of<Group, spread> storage) {
          Key const first_of_all = storage.read(0).first;
          Key in_some = 0;
          TESSERA_LOOP
          for (unsigned w = group_.lane(); w * 32 * K < limit_; w += warp.valid_count()) {
            spread const of = storage.read(w);
            in_some |= of.differing | (of.first ^ first_of_all);
          }
          return detail::reduce_lanes<policy<>>(warp, in_some, bit_or{});
        },
        true);
    return detail::bits_of_number(all);
  }

  /// The slots of the entries in the order of their digits from bit `low` on. `Positions` numbers them in their
  /// original places.
  TESSERA_FN words slots_in_order(keys const& key, unsigned low, bool is_given) const {
    words word{};
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      unsigned const position = is_given ? Positions::of(group_.rank(), i) : place(i);
      word[i] = static_cast<stl::uint32_t>(key[i] >> low) << position_bits | position;
    }
    key_order const order{};
    Network(group_, order, limit_).sort_in_slots(word);
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) {
      unsigned const position = word[i] & position_mask;
      word[i] = is_given ? Positions::slot_of(position) : slot_of(position);
    }
    return word;
  }

  /// Moves the keys to their places, and returns the first key of the next lane in `next`.
  TESSERA_FN void move_keys(keys& key, words const& slot, Key& next) const {
    // While a 64-bit key is written, another warp may still read a 32-bit slot of the network.
    if constexpr (sizeof(Key) > sizeof(stl::uint32_t)) group_.sync();
    auto const firsts = group_.backend().template outputs<stl::uint32_t, 32 * K>();
    if (group_.lane() == 0) firsts.write(group_.warp(), slot[0]);
    unsigned const slot_of_next = group_.in_warp().shuffle_down(slot[0], 1);
    auto const moved = detail::gather_items<K + 1>(group_, key, [&](unsigned i) -> unsigned {
      if (i < K) return slot[i < K ? i : 0];
      bool const in_next_warp = group_.lane() == 31 && group_.rank() + 1 < group_.valid_count();
      return in_next_warp ? firsts.read(group_.warp() + 1) : slot_of_next;
    });
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) key[i] = moved[i];
    next = moved[K];
  }
  TESSERA_FN bool is_out_of_order(keys const& key, Key next) const {
    bool is = false;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i)
      is = is || (place(i) + 1 < limit_ && (i + 1 < K ? key[i + 1 < K ? i + 1 : i] : next) < key[i]);
    return is;
  }

  /// Exchanges neighbors of a warp that are out of order, keys and slots; `low` is the digit's lowest bit. True if keys
  /// may still be out of order: within the warp, or because its first or last key has changed, which may share its
  /// digit with another warp's.
  TESSERA_FN bool sort_ties_in_warp(keys& key, words& slot, Key next, unsigned low) const {
    auto const warp = group_.in_warp();
    if (warp.ballot(is_out_of_order(key, next)).none()) return false;
    Key const first = key[0], last = key[K - 1];
    bool const has_next = group_.lane() < 31 && place(K - 1) + 1 < limit_;
    bool is_open = true;
    TESSERA_LOOP
    for (unsigned pass = 0; pass < most_tied_passes && is_open; ++pass) {
      TESSERA_UNROLL
      for (unsigned i = 1; i < K; ++i) {
        bool const swaps = place(i) < limit_ && key[i] < key[i - 1];
        exchange_if(swaps, key[i - 1], key[i]);
        exchange_if(swaps, slot[i - 1], slot[i]);
      }
      Key const above = warp.shuffle_down(key[0], 1), below = warp.shuffle_up(key[K - 1], 1);
      stl::uint32_t const slot_above = warp.shuffle_down(slot[0], 1), slot_below = warp.shuffle_up(slot[K - 1], 1);
      bool const is_lower = group_.lane() % 2 == pass % 2;
      if (is_lower && has_next && above < key[K - 1]) {
        key[K - 1] = above;
        slot[K - 1] = slot_above;
      }
      if (!is_lower && group_.lane() > 0 && place(0) < limit_ && key[0] < below) {
        key[0] = below;
        slot[0] = slot_below;
      }
      Key const following = warp.shuffle_down(key[0], 1);
      is_open = warp.ballot(is_out_of_order(key, has_next ? following : key[K - 1])).any();
    }
    bool const is_tied = group_.lane() == 31 && place(K - 1) + 1 < limit_ && (key[K - 1] ^ next) >> low == 0;
    return is_open || (group_.lane() == 0 && key[0] != first) || (is_tied && (next < key[K - 1] || key[K - 1] != last));
  }
  template <class T>
  TESSERA_FN static void exchange_if(bool swaps, T& a, T& b) {
    T const was = a;
    a = swaps ? b : a;
    b = swaps ? was : b;
  }

  /// Sorts keys with equal digits. False if too many share a digit, or if they don't differ in the 32 bits that are
  /// compared; then nothing has moved.
  template <class Others>
  TESSERA_FN bool sort_ties(keys& key, Others& others) const {
    group_.sync();
    unsigned const width = width_of(key);
    unsigned const below = width > 32 ? width - 32 : 0, rest = highest_digit(width) - below;
    auto const storage = this->storage();
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) storage.write(slot_of(place(i)), static_cast<stl::uint32_t>(key[i] >> below));
    group_.sync();
    distances distance{};
    bool is_open = false;
    TESSERA_UNROLL
    for (unsigned w = 0; w < distances::count; ++w) {
      TESSERA_LOOP
      for (unsigned i = 4 * w; i < K && i < 4 * w + 4; ++i) {
        if (place(i) >= limit_) break;
        unsigned const later = count_ties<true>(place(i), rest, below != 0, is_open);
        unsigned const earlier = count_ties<false>(place(i), rest, below != 0, is_open);
        distance[w] |= ((earlier - later) & 0xff) << 8 * (i % 4);
      }
    }
    if (any(is_open)) return false;
    move_by(distance, key);
    move_by(distance, others);
    return true;
  }
  /// Counts ties on the wrong side of this key: keys with its digit that come before it (with `Before`; else after it)
  /// but belong on the other side. Sets `is_open` if that can't be decided.
  template <bool Before>
  TESSERA_FN unsigned count_ties(unsigned own, unsigned rest, bool is_rounded, bool& is_open) const {
    auto const storage = this->storage();
    stl::uint32_t const mine = storage.read(slot_of(own));
    unsigned found = 0;
    TESSERA_LOOP
    for (unsigned at = 1; at <= (Before ? own : limit_ - 1 - own); ++at) {
      stl::uint32_t const theirs = storage.read(slot_of(Before ? own - at : own + at));
      if ((theirs ^ mine) >> rest != 0) break;
      is_open = is_open || at > most_tied_keys || (is_rounded && theirs == mine);
      if (is_open) break;
      found += (Before ? mine < theirs : theirs < mine) ? 1 : 0;
    }
    return found;
  }

  TESSERA_FN void move_others(nothing_else, words const&) const {}
  template <class T>
  TESSERA_FN void move_others(items<T, K>& x, words const& slot) const {
    detail::assign(x, detail::gather_items<K>(group_, x, [&](unsigned i) { return slot[i]; }));
  }
  template <class Keys, class Values>
  TESSERA_FN void move_others(keys_and_values<Keys, Values>& x, words const& slot) const {
    move_others(x.keys, slot);
    group_.sync();
    move_others(x.values, slot);
  }

  /// Moves each item by its distance. The caller provides the barrier after the last move.
  TESSERA_FN void move_by(distances const&, nothing_else) const {}
  template <class T>
  TESSERA_FN void move_by(distances const& distance, items<T, K>& x) const {
    auto const storage = this->storage();
    auto const of = [&](unsigned i) { return static_cast<int>(distance[i / 4] << (24 - 8 * (i % 4))) >> 24; };
    TESSERA_UNROLL
    for (unsigned w = 0; w < word_count<T>; ++w) {
      group_.sync();
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i)
        if (of(i) != 0) storage.write(slot_of(place(i) + static_cast<unsigned>(of(i))), detail::to_words(x[i]).word[w]);
      group_.sync();
      TESSERA_UNROLL
      for (unsigned i = 0; i < K; ++i) {
        if (of(i) == 0) continue;
        auto moved = detail::to_words(x[i]);
        moved.word[w] = storage.read(slot_of(place(i)));
        detail::assign(x[i], detail::from_words<T>(moved));
      }
    }
  }
  template <class Keys, class Values>
  TESSERA_FN void move_by(distances const& distance, keys_and_values<Keys, Values>& x) const {
    move_by(distance, x.keys);
    move_by(distance, x.values);
  }

  Group group_;
  unsigned limit_;
};

}  // namespace detail
TESSERA_NAMESPACE_END
