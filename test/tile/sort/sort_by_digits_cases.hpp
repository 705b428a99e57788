// Keys that share digits in every way, and what is wrong after a block has sorted them with their positions.
#pragma once

#include <tessera/block_tile.hpp>
#include <tessera/is_sorted.hpp>
#include <tessera/reduce.hpp>
#include <tessera/sort.hpp>

#if !TESSERA_CUDA
#include <tessera/host/launch.hpp>
#endif

#include "backend.hpp"

namespace test {
namespace sorts_by_digits {

TESSERA_FN unsigned scrambled(unsigned i) {
  return (i * 2654435761u ^ i >> 3) * 2246822519u;
}

/// Kinds of keys. They are known at run time only, so that one kernel sorts all of them.
enum class kind {
  few,
  random,
  close_ones,  // three that differ in the lowest bits alone, in the wrong order
  tied,        // each `count` differ in the lowest bits alone
  outlier,     // one has the highest bit; the others differ in the lower half, the highest bit of which few have
  straddling,  // in order, but for place `first` - 1 and the next one, which differ in the lowest bit alone
  falling,
  equal,
  tied_once,  // in order, but for `count` from place `first` on, which share a digit: the first `step` of them come last
  tied_once_falling,  // as tied_once, but each comes before all that precede it
};

/// 32 bits of the key at a place.
struct words_of {
  kind of;
  unsigned first = 0, count = 0, step = 0;

  TESSERA_FN unsigned operator()(unsigned i) const {
    switch (of) {
      case kind::few:
        return scrambled(i) % 8;
      case kind::random:
        return scrambled(i);
      case kind::close_ones:
        return (scrambled(i / 3) & ~15u) + 15 - i % 3;
      case kind::tied:
        return (scrambled(i / count) & ~63u) + 63 - i % count;
      case kind::outlier:
        return i == 7 ? ~0u : i % 50 == 3 ? 0xffff - i : scrambled(i) % 512;
      case kind::straddling:
        return i == first - 1 ? (first << 22) + 1 : i << 22;
      case kind::falling:
        return 100000 - i;
      case kind::equal:
        return 1u << 31;
      case kind::tied_once:
        return is_tied(i) ? first << 16 | (i - first + count - step) % count : i << 16;
      case kind::tied_once_falling:
        return is_tied(i) ? first << 16 | (first + count - 1 - i) : i << 16;
    }
    return 0;
  }

 private:
  TESSERA_FN bool is_tied(unsigned i) const { return i >= first && i < first + count; }
};

/// A key of these bits, in their order.
template <class Key>
struct from_word {
  TESSERA_FN static Key key(unsigned word) { return static_cast<Key>(word); }
};
/// The lower bits of long keys are of the same kind, in the opposite order.
template <>
struct from_word<unsigned long long> {
  TESSERA_FN static unsigned long long key(unsigned word) {
    return static_cast<unsigned long long>(word) << 32 | ~word << 4;
  }
};
/// All bits but those of infinities; zeros with both signs, which are equal, and NaNs with both signs and many payloads, which are, too.
template <>
struct from_word<float> {
  TESSERA_FN static float key(unsigned word) {
    unsigned const nan = 0x7f800001u | (word << 4 & 0x803ffff0u) | word >> 28;
    return word % 16 == 0   ? -0.0f
           : word % 16 == 1 ? 0.0f
                            : tessera::detail::from_bits<float>(word % 16 == 2 ? nan : word & 0xbf7fffffu);
  }
};

template <class Key>
struct numbered {
  Key key;
  unsigned position, place;
};

/// A lane's keys and their positions.
template <class Key, unsigned K>
struct keys_at {
  tessera::items<Key, K> key;
  tessera::items<unsigned, K> position;

  TESSERA_FN keys_at(unsigned first, words_of const& words) : key{}, position{} {
    for (unsigned i = 0; i < K; ++i) {
      position[i] = first + i;
      key[i] = from_word<Key>::key(words(position[i]));
    }
  }
};

/// Sorts and returns how many are wrong: what is at a place isn't the pair of a position, or doesn't come after what is before it.
template <class Key, unsigned K, class Tile, class Policy, class Before>
TESSERA_FN unsigned wrong_pairs(Tile const& tile, unsigned limit, words_of const& words, Before before, Policy policy) {
  unsigned const first = tile.thread_rank() * K;
  keys_at<Key, K> const given(first, words);
  auto const sorted = tessera::stable_sort_by_key(tile, given.key, given.position, before, policy);
  unsigned wrong = 0;
  tessera::items<numbered<Key>, K> pairs{};
  for (unsigned i = 0; i < K; ++i) {
    Key const expected = from_word<Key>::key(words(sorted.values[i]));
    wrong += tessera::detail::same_bits(sorted.keys[i], expected) ? 0 : 1;
    wrong += first + i < limit ? (sorted.values[i] < limit ? 0 : 1) : (sorted.values[i] == first + i ? 0 : 1);
    pairs[i] = {sorted.keys[i], sorted.values[i], first + i};
  }
  auto const comes_before = [&](numbered<Key> const& a, numbered<Key> const& b) {
    bool const takes_part = a.place < limit && b.place < limit;
    return takes_part && (before(a.key, b.key) || (!before(b.key, a.key) && a.position < b.position));
  };
  wrong += tessera::is_sorted(tile, pairs, comes_before) ? 0 : 1;
  unsigned sum = 0, squares = 0, expected_sum = 0, expected_squares = 0;
  for (unsigned i = 0; i < K; ++i) {
    sum += sorted.values[i];
    squares += sorted.values[i] * sorted.values[i];
    expected_sum += first + i;
    expected_squares += (first + i) * (first + i);
  }
  wrong += tessera::reduce(tile, sum - expected_sum) == 0 ? 0 : 1;
  wrong += tessera::reduce(tile, squares - expected_squares) == 0 ? 0 : 1;
  return wrong;
}

}  // namespace sorts_by_digits
}  // namespace test
