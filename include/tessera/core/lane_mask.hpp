// A set of the lanes of one tile, of any size from 1 to 1024.
//
//   lane        0 1 2 3 4 5 6 7
//   in the set  . x . . x x . x      count() = 4, first() = 1, last() = 7, nth(2) = 5, rank_of(5) = 2
//
// Up to 32 lanes it is one 32-bit word, and every operation takes a few instructions.
#pragma once

#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN

namespace detail {

TESSERA_FN unsigned bits_set(stl::uint32_t word) {
#if TESSERA_ARCH
  return static_cast<unsigned>(__popc(word));
#else
  return compiler::population(word);
#endif
}

/// Position of the lowest set bit; 32 for an empty word.
TESSERA_FN unsigned lowest_bit(stl::uint32_t word) {
#if TESSERA_ARCH
  return word == 0 ? 32u : static_cast<unsigned>(__ffs(word)) - 1u;
#else
  return word == 0 ? 32u : compiler::trailing_zeros(word);
#endif
}

/// Position of the highest set bit of a word that isn't empty.
TESSERA_FN unsigned highest_bit(stl::uint32_t word) {
#if TESSERA_ARCH
  return 31u - static_cast<unsigned>(__clz(word));
#else
  return 31u - compiler::leading_zeros(word);
#endif
}

/// The lowest `count` bits set, for a count of 0 to 32.
TESSERA_FN constexpr stl::uint32_t low_bits(unsigned count) {
  return count >= 32u ? ~stl::uint32_t{0} : (stl::uint32_t{1} << count) - 1u;
}

template <unsigned N>
class lane_iterator;

}  // namespace detail

/// A set of lanes of a tile of `N`. An ordinary value: no member is a collective. `first()`, `last()` and `nth()`
/// return `N` if there is no such lane.
template <unsigned N>
class lane_mask {
  static_assert(N >= 1 && N <= 1024 && (N & (N - 1)) == 0,
                "lane_mask<N>: N is the number of lanes of a tile, a power of two from 1 to 1024.");

 public:
  static constexpr unsigned size = N;
  static constexpr unsigned word_count = (N + 31) / 32;

  lane_mask() = default;  // uninitialized, like an int; `lane_mask<N>{}` is the empty set

  /// The set whose words (lane 0 in bit 0 of word 0) are given; bits past lane N − 1 are dropped.
  TESSERA_FN static constexpr lane_mask from_word(stl::uint32_t word) {
    static_assert(word_count == 1, "from_word() is for tiles of up to 32 lanes: use set_word() for each word.");
    lane_mask m{};
    m.words_[0] = word & detail::low_bits(N);
    return m;
  }
  /// Every lane.
  TESSERA_FN static constexpr lane_mask full() { return prefix(N); }
  /// Lanes 0 … n − 1; all lanes if n > N.
  TESSERA_FN static constexpr lane_mask prefix(unsigned n) {
    lane_mask m{};
    for (unsigned w = 0; w < word_count; ++w) {
      unsigned const below = 32 * w;
      m.words_[w] = n <= below ? 0u : detail::low_bits((n < N ? n : N) - below);
    }
    return m;
  }
  /// Lane r alone; the empty set if there is no lane r.
  TESSERA_FN static constexpr lane_mask only(unsigned r) { return lane_mask{}.set(r); }

  TESSERA_FN constexpr stl::uint32_t word(unsigned w = 0) const { return words_[w]; }
  TESSERA_FN constexpr void set_word(unsigned w, stl::uint32_t bits) {
    words_[w] = bits & detail::low_bits(N - 32 * w);
  }

  TESSERA_FN constexpr bool test(unsigned r) const { return r < N && ((words_[r / 32] >> (r % 32)) & 1u) != 0; }
  /// Adds lane r, or removes it; does nothing if there is no lane r.
  TESSERA_FN constexpr lane_mask& set(unsigned r, bool in = true) {
    if (r >= N) return *this;
    stl::uint32_t const bit = stl::uint32_t{1} << (r % 32);
    words_[r / 32] = in ? words_[r / 32] | bit : words_[r / 32] & ~bit;
    return *this;
  }

  TESSERA_FN unsigned count() const {
    unsigned total = 0;
    for (unsigned w = 0; w < word_count; ++w) total += detail::bits_set(words_[w]);
    return total;
  }
  TESSERA_FN constexpr bool any() const { return !none(); }
  TESSERA_FN constexpr bool none() const { return *this == lane_mask{}; }
  TESSERA_FN constexpr bool all() const { return *this == full(); }

  /// The lowest lane of the set; N if it is empty. It is the leader of a group given as a mask.
  TESSERA_FN unsigned first() const {
    TESSERA_UNROLL
    for (unsigned w = 0; w < word_count; ++w)
      if (words_[w] != 0) return 32 * w + detail::lowest_bit(words_[w]);
    return N;
  }
  /// The highest lane of the set; N if it is empty.
  TESSERA_FN unsigned last() const {
    TESSERA_UNROLL
    for (unsigned w = word_count; w-- > 0;)
      if (words_[w] != 0) return 32 * w + detail::highest_bit(words_[w]);
    return N;
  }
  /// The lane with exactly k lanes of the set below it; N if the set has no more than k lanes.
  TESSERA_FN unsigned nth(unsigned k) const {
    for (unsigned w = 0; w < word_count; ++w) {
      unsigned const here = detail::bits_set(words_[w]);
      if (k < here) return 32 * w + nth_bit(words_[w], k);
      k -= here;
    }
    return N;
  }
  /// The number of the set's lanes below lane r (which need not be in the set).
  TESSERA_FN unsigned rank_of(unsigned r) const {
    if constexpr (word_count == 1) {
      return (*this & prefix(r)).count();
    } else {  // without a prefix mask, which would take a register a word
      stl::uint32_t const low = detail::low_bits(r % 32);
      unsigned total = 0;
      for (unsigned w = 0; w < word_count; ++w)
        total += w > r / 32 ? 0u : detail::bits_set(w < r / 32 ? words_[w] : words_[w] & low);
      return total;
    }
  }

  TESSERA_FN friend constexpr lane_mask operator&(lane_mask a, lane_mask b) {
    for (unsigned w = 0; w < word_count; ++w) a.words_[w] &= b.words_[w];
    return a;
  }
  TESSERA_FN friend constexpr lane_mask operator|(lane_mask a, lane_mask b) {
    for (unsigned w = 0; w < word_count; ++w) a.words_[w] |= b.words_[w];
    return a;
  }
  TESSERA_FN friend constexpr lane_mask operator^(lane_mask a, lane_mask b) {
    for (unsigned w = 0; w < word_count; ++w) a.words_[w] ^= b.words_[w];
    return a;
  }
  TESSERA_FN friend constexpr lane_mask operator~(lane_mask a) { return a ^ full(); }
  TESSERA_FN friend constexpr bool operator==(lane_mask a, lane_mask b) {
    for (unsigned w = 0; w < word_count; ++w)
      if (a.words_[w] != b.words_[w]) return false;
    return true;
  }
  TESSERA_FN friend constexpr bool operator!=(lane_mask a, lane_mask b) { return !(a == b); }

  /// Iteration gives the lanes of the set in ascending order: `for (unsigned lane : mask)`.
  TESSERA_FN detail::lane_iterator<N> begin() const { return detail::lane_iterator<N>(*this); }
  TESSERA_FN detail::lane_iterator<N> end() const { return detail::lane_iterator<N>(lane_mask{}); }

  /// A set is no integer: a conversion to int, unsigned or bool fails with a message. (Other conversions don't exist,
  /// so that generic code can test whether a value is an integer, for example to print it.)
  template <class Integer, stl::enable_if_t<stl::is_same_v<Integer, int> || stl::is_same_v<Integer, unsigned> ||
                                                stl::is_same_v<Integer, bool>,
                                            bool> = true>
  TESSERA_FN operator Integer() const {
    static_assert(detail::never<Integer>,
                  "A lane_mask is no integer: write ballot(tile, p).word() for the bits of up to 32 lanes, .any() "
                  "for whether it has a lane, .count() for how many.");
    return {};
  }

 private:
  // A binary search. Invariant: the bit is among the `width` bits at `base`, with k set bits before it there.
  TESSERA_FN static unsigned nth_bit(stl::uint32_t word, unsigned k) {
    unsigned base = 0;
    for (unsigned width = 16; width > 0; width /= 2) {
      unsigned const low = detail::bits_set((word >> base) & detail::low_bits(width));
      if (k >= low) {
        k -= low;
        base += width;
      }
    }
    return base;
  }

  stl::uint32_t words_[word_count];
};

namespace detail {

/// The position of an iteration over a set: the lowest of the remaining lanes.
template <unsigned N>
class lane_iterator {
 public:
  TESSERA_FN explicit lane_iterator(lane_mask<N> rest) : rest_(rest) {}
  TESSERA_FN unsigned operator*() const { return rest_.first(); }
  TESSERA_FN lane_iterator& operator++() {
    rest_.set(rest_.first(), false);
    return *this;
  }
  TESSERA_FN bool operator!=(lane_iterator other) const { return rest_ != other.rest_; }
  TESSERA_FN bool operator==(lane_iterator other) const { return rest_ == other.rest_; }

 private:
  lane_mask<N> rest_;
};

}  // namespace detail
TESSERA_NAMESPACE_END
