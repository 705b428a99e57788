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

/// 32 bits of a key, of a kind.
struct few {
  TESSERA_FN unsigned operator()(unsigned i) const { return scrambled(i) % 8; }
};
struct random_words {
  TESSERA_FN unsigned operator()(unsigned i) const { return scrambled(i); }
};
/// Three that differ in the lowest bits alone, in the wrong order.
struct close_ones {
  TESSERA_FN unsigned operator()(unsigned i) const { return (scrambled(i / 3) & ~15u) + 15 - i % 3; }
};
/// As many as a sort still puts in order among themselves, and one more.
template <unsigned Tied>
struct tied_ones {
  TESSERA_FN unsigned operator()(unsigned i) const { return (scrambled(i / Tied) & ~63u) + 63 - i % Tied; }
};
/// One has the highest bit of a key; the others differ in the lower half, the highest bit of which few have.
struct outlier {
  TESSERA_FN unsigned operator()(unsigned i) const {
    return i == 7 ? ~0u : i % 50 == 3 ? 0xffff - i : scrambled(i) % 512;
  }
};
/// In order, but for the last of a warp's places and the next one, which differ in the lowest bit alone.
template <unsigned Begin>
struct straddling {
  TESSERA_FN unsigned operator()(unsigned i) const { return i == Begin - 1 ? (Begin << 22) + 1 : i << 22; }
};
struct falling {
  TESSERA_FN unsigned operator()(unsigned i) const { return 100000 - i; }
};
struct equal {
  TESSERA_FN unsigned operator()(unsigned) const { return 1u << 31; }
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
/// All bits but those of infinities and NaNs; zeros with both signs.
template <>
struct from_word<float> {
  TESSERA_FN static float key(unsigned word) {
    return word % 16 == 0   ? -0.0f
           : word % 16 == 1 ? 0.0f
                            : tessera::detail::from_bits<float>(word & 0xbf7fffffu);
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

  template <class Kind>
  TESSERA_FN keys_at(unsigned first, Kind kind) : key{}, position{} {
    for (unsigned i = 0; i < K; ++i) {
      position[i] = first + i;
      key[i] = from_word<Key>::key(kind(position[i]));
    }
  }
};

/// Sorts and returns how many are wrong: what is at a place isn't the pair of a position, or doesn't come behind what is before it.
template <class Key, unsigned K, class Tile, class Policy, class Kind, class Before>
TESSERA_FN unsigned wrong_pairs(Tile const& tile, unsigned limit, Kind kind, Before before, Policy policy) {
  unsigned const first = tile.thread_rank() * K;
  keys_at<Key, K> const given(first, kind);
  auto const sorted = tessera::stable_sort_by_key(tile, given.key, given.position, before, policy);
  unsigned wrong = 0;
  tessera::items<numbered<Key>, K> pairs{};
  for (unsigned i = 0; i < K; ++i) {
    Key const expected = from_word<Key>::key(kind(sorted.values[i]));
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
