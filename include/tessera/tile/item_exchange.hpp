// K items a lane from striped to blocked order and back: each lane sends one item a step, and receives one.
//
//   rank      0        1        2        3        4        5        6        7
//   striped   0  8     1  9     2 10     3 11     4 12     5 13     6 14     7 15   element s·N + l: slot s of lane l
//   blocked   0  1     2  3     4  5     6  7     8  9    10 11    12 13    14 15   element r·K + k: item k of lane r
//
// With g = gcd(K, N), q = K / g, p = N / g, and step t = high · g + low, so that low < g and high < q:
//
//   lane r receives item    high · g + (low ^ r / p)
//   lane l sends slot       c · q + w    with c = low ^ l mod g and w = (high − l / g) / p mod q
//
// The two agree: modulo g, low ^ r / p = l mod g, hence c = r / p, and the rest, divided by g, is r · q + high = (c · q
// + w) · p + l / g. So each lane sends and receives all its items, each once. Within a lane, the item of a step is
// found by one rotation and one xor of positions, which alone depend on the lane: registers do this in rounds of
// selection, one for each bit of the rotation and of the xor.
//
// Steps whose numbers differ by N have the same source, so items smaller than a word share one.
// Source: derived here; for K = N it is the well-known transpose by shuffle_xor(x[rank ^ t], t).
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/items.hpp>
#include <tessera/core/words.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

TESSERA_FN constexpr unsigned greatest_common_divisor(unsigned a, unsigned b) {
  return b == 0 ? a : detail::greatest_common_divisor(b, a % b);
}

/// The inverse of a modulo m; a and m have no common divisor.
TESSERA_FN constexpr unsigned inverse_modulo(unsigned a, unsigned m) {
  unsigned x = 0;
  while (a * x % m != 1 % m) ++x;
  return x;
}

/// The schedule: which lane sends which item at which step. The striped ranks may be rotated (right by `Pairings` bits,
/// as pair_neighbors.hpp leaves them): lane l is then striped rank l / 2^Pairings + l % 2^Pairings · N / 2^Pairings.
template <unsigned K, unsigned N, unsigned Pairings = 0>
struct exchange_schedule {
  static constexpr unsigned g = detail::greatest_common_divisor(K, N);
  static constexpr unsigned q = K / g;
  static constexpr unsigned p = N / g;
  static constexpr unsigned p_inverse = detail::inverse_modulo(p, q);
  static constexpr unsigned q_inverse = detail::inverse_modulo(q, p);
  static constexpr unsigned lanes = N;
  /// The number of different rotations of the striped lanes' slots.
  static constexpr unsigned rotations = p < q ? p : q;
  /// Steps with sources of their own: items of later steps travel with one of these.
  static constexpr unsigned rounds = K < N ? K : N;

  TESSERA_FN static constexpr unsigned striped_rank(unsigned lane) {
    return (lane >> Pairings) + lane % (1u << Pairings) * (N >> Pairings);
  }
  TESSERA_FN static constexpr unsigned lane_of(unsigned striped_rank) {
    return (striped_rank % (N >> Pairings) << Pairings) + striped_rank / (N >> Pairings);
  }

  /// The slot that striped rank 0 sends at step t.
  TESSERA_FN static constexpr unsigned slot(unsigned t) { return t % g * q + t / g * p_inverse % q; }

  /// The lane that sends to blocked lane r at step t, and the blocked lane that striped rank l sends to.
  TESSERA_FN static constexpr unsigned sender(unsigned r, unsigned t) {
    return lane_of((r * q + t / g) % p * g + (t % g ^ r / p));
  }
  TESSERA_FN static constexpr unsigned receiver(unsigned l, unsigned t) {
    return (t % g ^ l % g) * p + (l / g - t / g) * q_inverse % p;
  }

  /// True if every lane keeps its own item at steps 0, N, 2N, …. It never does at other steps.
  TESSERA_FN static constexpr bool does_first_stay() {
    for (unsigned r = 0; r < N; ++r) {
      if (sender(r, 0) != r) return false;
    }
    return true;
  }
  static constexpr bool first_stays = does_first_stay();
  /// True if the lanes of step t are r and r ^ t.
  static constexpr bool by_xor = p == 1 && Pairings == 0;

  /// The number of steps that have the source of step t < rounds, and the number of words that their items fill.
  TESSERA_FN static constexpr unsigned steps_like(unsigned t) { return (K - t + N - 1) / N; }
  TESSERA_FN static constexpr unsigned words_of(unsigned t, unsigned bytes) { return (steps_like(t) * bytes + 3) / 4; }

  /// The number of shuffles for items of this many bytes.
  TESSERA_FN static constexpr unsigned shuffles(unsigned bytes) {
    unsigned total = 0;
    for (unsigned t = first_stays ? 1 : 0; t < rounds; ++t) total += words_of(t, bytes);
    return total;
  }
};

/// v[t] becomes v[t ^ bits]; bits < Span, a power of two that divides Size.
template <unsigned Span, class Word, unsigned Size>
TESSERA_FN void reorder_by_xor(Word (&v)[Size], unsigned bits) {
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Span; bit *= 2) {
    bool const swaps = (bits & bit) != 0;
    TESSERA_UNROLL
    for (unsigned t = 0; t < Size; ++t) {
      if ((t & bit) != 0) continue;
      Word const a = v[t], b = v[t | bit];
      v[t] = detail::select(swaps, b, a);
      v[t | bit] = detail::select(swaps, a, b);
    }
  }
}

/// v[t] becomes v[t − rotation · Unit mod Size], with `Back` v[t + …]; rotation < Limit, and Limit · Unit ≤ Size.
template <unsigned Unit, unsigned Limit, bool Back, class Word, unsigned Size>
TESSERA_FN void rotate_order(Word (&v)[Size], unsigned rotation) {
  TESSERA_UNROLL
  for (unsigned bit = 1; bit < Limit; bit *= 2) {
    bool const moves = (rotation & bit) != 0;
    Word old[Size];
    TESSERA_UNROLL
    for (unsigned t = 0; t < Size; ++t) old[t] = v[t];
    TESSERA_UNROLL
    for (unsigned t = 0; t < Size; ++t) {
      v[t] = detail::select(moves, old[(t + (Back ? bit * Unit : Size - bit * Unit)) % Size], old[t]);
    }
  }
}

/// One item of a lane as words, from its bytes.
template <class T>
TESSERA_FN words<T> words_at(void const* bytes) {
  words<T> w;
  if constexpr (sizeof(T) % 4 != 0) w.word[word_count<T> - 1] = 0;
  detail::copy_bytes(w.word, bytes, sizeof(T));
  return w;
}

/// The items of steps t, t + N, t + 2N, … packed into words, padded with zeros.
template <class Steps, class T>
struct message {
  unsigned char byte[Steps::steps_like(0) * sizeof(T)];
};

template <class Steps, class T, unsigned K>
TESSERA_FN void pack(words<message<Steps, T>> (&m)[Steps::rounds], words<T> const (&v)[K]) {
  TESSERA_UNROLL
  for (unsigned t = 0; t < Steps::rounds; ++t) {
    message<Steps, T> packed{};
    TESSERA_UNROLL
    for (unsigned i = 0; i < Steps::steps_like(0); ++i) {
      unsigned const step = t + i * Steps::lanes;
      if (step < K) detail::copy_bytes(packed.byte + i * sizeof(T), v[step].word, sizeof(T));
    }
    m[t] = detail::to_words(packed);
  }
}

template <class Steps, class T, unsigned K>
TESSERA_FN void unpack(words<T> (&v)[K], words<message<Steps, T>> const (&m)[Steps::rounds]) {
  TESSERA_UNROLL
  for (unsigned t = 0; t < Steps::rounds; ++t) {
    message<Steps, T> const packed = detail::from_words<message<Steps, T>>(m[t]);
    TESSERA_UNROLL
    for (unsigned i = 0; i < Steps::steps_like(0); ++i) {
      unsigned const step = t + i * Steps::lanes;
      if (step < K) v[step] = detail::words_at<T>(packed.byte + i * sizeof(T));
    }
  }
}

/// Moves the first `Count` words of step t to their receiver, and leaves the others unchanged.
template <unsigned Count, class Steps, class Group, class Words, class Source>
TESSERA_FN void move_words(Group group, Words& w, unsigned t, [[maybe_unused]] Source source) {
  struct first_words {
    stl::uint32_t word[Count];
  } part;
  detail::copy_bytes(TESSERA_ADDRESS_OF(part), TESSERA_ADDRESS_OF(w), sizeof(part));
  if constexpr (Steps::by_xor) {
    part = group.shuffle_xor(part, t);
  } else {
    part = group.shuffle(part, source(t));
  }
  detail::copy_bytes(TESSERA_ADDRESS_OF(w), TESSERA_ADDRESS_OF(part), sizeof(part));
}

/// Moves each message to its receiver; `source(t)` is the lane that sends to this one at step t.
template <class Steps, class T, class Group, class Source>
TESSERA_FN void move_messages(Group group, words<message<Steps, T>> (&m)[Steps::rounds], Source source) {
  constexpr unsigned most = Steps::words_of(0, sizeof(T));
  constexpr unsigned least = Steps::words_of(Steps::rounds - 1, sizeof(T));
  TESSERA_UNROLL
  for (unsigned t = Steps::first_stays ? 1 : 0; t < Steps::rounds; ++t) {
    if (Steps::words_of(t, sizeof(T)) == most) {
      detail::move_words<most, Steps>(group, m[t], t, source);
    } else {
      detail::move_words<least, Steps>(group, m[t], t, source);
    }
  }
}

/// Reorders items from striped order (with ranks rotated by `Pairings` bits) to blocked order.
template <unsigned Pairings, class Group, class T, unsigned K>
TESSERA_FN items<T, K> striped_to_blocked(Group group, items<T, K> x) {
  using steps = exchange_schedule<K, Group::size, Pairings>;
  unsigned const r = group.rank(), l = steps::striped_rank(r);
  words<T> v[K];
  words<message<steps, T>> m[steps::rounds];
  TESSERA_UNROLL
  for (unsigned t = 0; t < K; ++t) v[t] = detail::words_at<T>(TESSERA_ADDRESS_OF(x.item[steps::slot(t)]));
  detail::rotate_order<steps::g, steps::rotations, false>(v, l / steps::g % steps::q);
  detail::pack<steps, T>(m, v);
  detail::reorder_by_xor<steps::g>(m, l % steps::g);
  detail::move_messages<steps, T>(group, m, [&](unsigned t) { return steps::sender(r, t); });
  detail::reorder_by_xor<steps::g>(m, r / steps::p);
  detail::unpack<steps, T>(v, m);
  TESSERA_UNROLL
  for (unsigned t = 0; t < K; ++t) detail::copy_bytes(TESSERA_ADDRESS_OF(x.item[t]), v[t].word, sizeof(T));
  return x;
}

/// The inverse of striped_to_blocked.
template <unsigned Pairings, class Group, class T, unsigned K>
TESSERA_FN items<T, K> blocked_to_striped(Group group, items<T, K> x) {
  using steps = exchange_schedule<K, Group::size, Pairings>;
  unsigned const r = group.rank(), l = steps::striped_rank(r);
  words<T> v[K];
  words<message<steps, T>> m[steps::rounds];
  TESSERA_UNROLL
  for (unsigned t = 0; t < K; ++t) v[t] = detail::words_at<T>(TESSERA_ADDRESS_OF(x.item[t]));
  detail::pack<steps, T>(m, v);
  detail::reorder_by_xor<steps::g>(m, r / steps::p);
  detail::move_messages<steps, T>(group, m, [&](unsigned t) { return steps::receiver(l, t); });
  detail::reorder_by_xor<steps::g>(m, l % steps::g);
  detail::unpack<steps, T>(v, m);
  detail::rotate_order<steps::g, steps::rotations, true>(v, l / steps::g % steps::q);
  TESSERA_UNROLL
  for (unsigned t = 0; t < K; ++t) detail::copy_bytes(TESSERA_ADDRESS_OF(x.item[steps::slot(t)]), v[t].word, sizeof(T));
  return x;
}

}  // namespace detail
TESSERA_NAMESPACE_END
