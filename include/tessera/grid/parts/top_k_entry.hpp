// Entries: what a selection from an array compares. An entry is an element's rank key and its index.
//
//   element     3.5     NaN     −0      0       3.5
//   rank key    7       9       2       2       7         an unsigned integer: −0 is 0, and NaNs of all bits are one
//   entry       (7, 0)  (9, 1)  (2, 2)  (2, 3)  (7, 4)    by key, then by index: no two entries of an array are equal
//
// So the order of entries is that of a stable sort, and a selection of entries never meets a tie.
//
//   packed_entry        64 bits    key ‖ index      keys of up to 32 bits, and n ≤ 2^32, or n ≤ 2^48 if they have 16
//   indexed_key_entry   128 bits   key, index       all others
//
// Keys of 8 and 16 bits stand in the highest bits of 32.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/sort_key.hpp>

#include <cstdint>

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

// ---- Rank keys.

/// The coding of numbers as rank keys, as data: no branch depends on it. Bits are flipped, all but the
/// sign once more where that is 0 then (floats), and counted from where keys begin. Or else those of floats with a sign
/// are flipped, all but the sign, and what that gives is multiplied by 1 or −1 and added to the key of 0.
template <class Key>
struct rank_order {
  Key flipped, flipped_again;
  Key begin;     // the raw key of −infinity: NaNs with a sign are below it, and so come last where it is subtracted
  Key infinity;  // the key of the last number that isn't NaN
  bool is_float;
  Key step, of_zero;  // 1 or −1, and the raw key of 0 minus `begin`
};

/// Rank keys of numbers of so many bits, in the order that is given: one kernel serves float, std::int32_t and
/// std::uint32_t, rising and falling.
///
/// A raw key minus `begin` is in the order of the numbers, too, but tells −0 from 0 and NaNs from each other. It takes
/// three instructions, and elements that can't be in a window are found by it.
template <class Bits>
struct rank_keys_of_bits {
  using bits = Bits;
  using key = stl::conditional_t<sizeof(Bits) == 8, stl::uint64_t, stl::uint32_t>;
  using order = rank_order<key>;
  static constexpr unsigned shift = 8 * (sizeof(key) - sizeof(Bits));  // of keys that don't fill their type
  static constexpr unsigned sign_bit = 8 * sizeof(key) - 1;
  static constexpr key sign = key{1} << sign_bit;
  static constexpr key unit = key{1} << shift;
  static constexpr key last = static_cast<key>(~key{0} << shift);  // the key of NaNs
  static constexpr bool has_last_number = true;

  /// The order of numbers of T.
  template <class T>
  static constexpr order order_of(bool falling) {
    static_assert(tessera::detail::is_ordered_number<T> && sizeof(T) == sizeof(Bits));
    if constexpr (tessera::detail::is_float<T> || tessera::detail::is_half<T>) {
      using image = tessera::detail::float_image<T>;
      constexpr key begin = static_cast<key>(key{image::begin} << shift),
                    fraction = (key{1} << image::fraction_bits) - 1,
                    raw_infinity = ((~key{0} >> 1 >> shift) & ~fraction) << shift;
      return {falling ? key{0} : sign,
              last & ~sign,
              begin,
              raw_infinity + sign - begin,
              true,
              step_of(falling),
              static_cast<key>((falling ? last & ~sign : sign) - begin)};
    } else {
      constexpr key rising = tessera::detail::is_signed_integer<T> ? sign : key{0};
      key const flipped = falling ? static_cast<key>(~rising & last) : rising;
      return {flipped, 0, 0, last, false, step_of(falling), flipped};
    }
  }

  template <class T>
  TESSERA_FN static key raw(T const& x, order const& o) {
    static_assert(sizeof(T) == sizeof(Bits));
    key const b = static_cast<key>(static_cast<key>(tessera::detail::from_bits<Bits>(x)) << shift) ^ o.flipped;
    auto const all_if_sign = static_cast<key>(static_cast<stl::make_signed_t<key>>(b) >> sign_bit);
    return b ^ (~all_if_sign & o.flipped_again);
  }

  /// The raw key of a number minus `begin`.
  template <class T>
  TESSERA_FN static key raw_from_begin(T const& x, order const& o) {
    if constexpr (sizeof(key) == 8) {
      return static_cast<key>(raw(x, o) - o.begin);
    } else {
      static_assert(sizeof(T) == sizeof(Bits));
      key const b = static_cast<key>(tessera::detail::from_bits<Bits>(x)) << shift;
      key const all_if_sign = static_cast<key>(static_cast<std::int32_t>(b) >> 31);
      return (b ^ (all_if_sign & o.flipped_again)) * o.step + o.of_zero;
    }
  }

  template <class T>
  TESSERA_FN static key of(T const& x, order const& o) {
    return from_begin(raw_from_begin(x, o), o);
  }
  /// The rank key of a raw key minus `begin`.
  TESSERA_FN static key from_begin(key k, order const& o) {
    key const to_upper_zero = o.is_float ? unit : key{0}, number = k == zero(o) - unit ? k + to_upper_zero : k;
    return k > o.infinity ? last : number;
  }

  /// The least and the greatest raw key minus `begin` of elements with this rank key.
  TESSERA_FN static key least_of(key k, order const& o) {
    if (k > o.infinity) return o.infinity + unit;
    return o.is_float && k == zero(o) ? zero(o) - unit : k;
  }

 private:
  static constexpr key step_of(bool falling) { return falling ? ~key{0} : key{1}; }
  TESSERA_FN static key zero(order const& o) { return sign - o.begin; }
};

template <class T>
using rank_keys = rank_keys_of_bits<typename tessera::detail::unsigned_of<sizeof(T)>::type>;

// ---- Entries.

/// Key and index in a word.
template <class Keys>
struct packed_entry {
  using key = typename Keys::key;
  static_assert(sizeof(key) == 4);
  static constexpr unsigned index_bits = 32 + Keys::shift, bits = 64;
  static constexpr unsigned below_key = index_bits;  // bits that stand below the lowest bit of the key
  static constexpr unsigned words = 1;

  stl::uint64_t word;

  TESSERA_FN stl::uint64_t word_at(unsigned) const { return word; }
  TESSERA_FN static packed_entry from_words(stl::uint64_t const (&w)[1]) { return {w[0]}; }
  TESSERA_FN static packed_entry of(key k, stl::uint64_t index) { return {stl::uint64_t{k} << 32 | index}; }
  TESSERA_FN static packed_entry least() { return {0}; }
  TESSERA_FN static packed_entry greatest() { return {~stl::uint64_t{0}}; }
  TESSERA_FN key rank_key() const { return static_cast<key>(word >> 32) & Keys::last; }
  TESSERA_FN stl::uint64_t index() const { return word & ((stl::uint64_t{1} << index_bits) - 1); }
  TESSERA_FN bool operator<(packed_entry const& other) const { return word < other.word; }
  /// How far this entry is from one that isn't after it, as a number of `bits` bits.
  TESSERA_FN packed_entry distance_from(packed_entry const& first) const { return {word - first.word}; }

  /// The digit of `width` bits above the lowest `from` bits.
  TESSERA_FN unsigned digit(unsigned from, unsigned width) const {
    return static_cast<unsigned>(word >> from) & ((1u << width) - 1);
  }
  /// True if the bits above the lowest `low` are the same.
  TESSERA_FN bool agrees(packed_entry const& other, unsigned low) const {
    return low >= 64 || (word ^ other.word) >> low == 0;
  }
  /// This entry with its lowest bits 0, or 1; and with a digit above them, which was 0.
  TESSERA_FN packed_entry cleared(unsigned low) const { return {low >= 64 ? 0 : word >> low << low}; }
  TESSERA_FN packed_entry filled(unsigned low) const {
    return {low >= 64 ? ~stl::uint64_t{0} : word | ((stl::uint64_t{1} << low) - 1)};
  }
  TESSERA_FN packed_entry with_digit(unsigned from, unsigned digit) const {
    return {word | stl::uint64_t{digit} << from};
  }
};

/// Key and index in two words. As a number of 104 bits it has the key above 40 bits of the index.
template <class Keys>
struct indexed_key_entry {
  using key = typename Keys::key;
  static constexpr unsigned index_bits = 40, bits = 104;
  static constexpr unsigned below_key = bits - 8 * sizeof(key) + Keys::shift;
  static constexpr unsigned words = 2;

  stl::uint64_t high, low_word;  // the key; the index

  TESSERA_FN stl::uint64_t word_at(unsigned i) const { return i == 0 ? high : low_word; }
  TESSERA_FN static indexed_key_entry from_words(stl::uint64_t const (&w)[2]) { return {w[0], w[1]}; }
  TESSERA_FN static indexed_key_entry of(key k, stl::uint64_t index) {
    return {stl::uint64_t{k} << (64 - 8 * sizeof(key)), index};
  }
  TESSERA_FN static indexed_key_entry least() { return {0, 0}; }
  TESSERA_FN static indexed_key_entry greatest() { return {~stl::uint64_t{0}, index_mask}; }
  TESSERA_FN key rank_key() const { return static_cast<key>(high >> (64 - 8 * sizeof(key))) & Keys::last; }
  TESSERA_FN stl::uint64_t index() const { return low_word; }
  TESSERA_FN bool operator<(indexed_key_entry const& other) const {
    return high < other.high || (high == other.high && low_word < other.low_word);
  }
  TESSERA_FN indexed_key_entry distance_from(indexed_key_entry const& first) const {
    return {high - first.high - (low_word < first.low_word ? 1 : 0), (low_word - first.low_word) & index_mask};
  }

  TESSERA_FN unsigned digit(unsigned from, unsigned width) const {
    stl::uint64_t const shifted =
        from >= index_bits ? high >> (from - index_bits) : high << (index_bits - from) | low_word >> from;
    return static_cast<unsigned>(shifted) & ((1u << width) - 1);
  }
  TESSERA_FN bool agrees(indexed_key_entry const& other, unsigned low) const {
    if (low >= bits) return true;
    if (low >= index_bits) return (high ^ other.high) >> (low - index_bits) == 0;
    return high == other.high && (low_word ^ other.low_word) >> low == 0;
  }
  TESSERA_FN indexed_key_entry cleared(unsigned low) const {
    if (low >= bits) return least();
    if (low >= index_bits) return {high >> (low - index_bits) << (low - index_bits), 0};
    return {high, low_word >> low << low};
  }
  TESSERA_FN indexed_key_entry filled(unsigned low) const {
    if (low >= bits) return greatest();
    if (low >= index_bits) return {high | ((stl::uint64_t{1} << (low - index_bits)) - 1), index_mask};
    return {high, low_word | ((stl::uint64_t{1} << low) - 1)};
  }
  TESSERA_FN indexed_key_entry with_digit(unsigned from, unsigned digit) const {
    stl::uint64_t const d = digit;
    if (from >= index_bits) return {high | d << (from - index_bits), low_word};
    return {high | d >> (index_bits - from), low_word | ((d << from) & index_mask)};
  }

 private:
  static constexpr stl::uint64_t index_mask = (stl::uint64_t{1} << index_bits) - 1;
};

/// The number of lowest bits in which two entries may differ: all above them agree.
template <class Entry>
TESSERA_FN unsigned differing_bits(Entry const& a, Entry const& b) {
  unsigned low = 0,
           high = Entry::bits;  // Invariant: the bits above the lowest `high` agree, those above `low` − 1 don't.
  while (low < high) {
    unsigned const middle = (low + high) / 2;
    if (a.agrees(b, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// The position of a digit in entries: `width` bits above the lowest `from`.
struct digit_place {
  unsigned from, width;

  /// The next digit, if the bits above the lowest `bits` are known: of at most `most` bits. Those that are 0 in all
  /// entries, between the key and the index, are left out.
  template <class Entry>
  TESSERA_FN static digit_place next(unsigned bits, unsigned used_index_bits, unsigned most) {
    unsigned const end = bits <= Entry::below_key && bits > used_index_bits ? used_index_bits : bits,
                   width = end < most ? end : most;
    return {end - width, width};
  }
};

/// Entries from `lower` to `upper`.
template <class Entry>
struct entry_window {
  Entry lower, upper;

  TESSERA_FN bool has(Entry const& e) const { return !(e < lower) && !(upper < e); }
};

}  // namespace grid::detail
TESSERA_NAMESPACE_END
