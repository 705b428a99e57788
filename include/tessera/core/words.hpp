// Values of any exchangeable type as 32-bit words, which is what a shuffle moves.
//
//   bytes of the type   1 … 4   5 … 8   12   64
//   words               1       2       3    16
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/exchangeable.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class T>
inline constexpr unsigned word_count = (sizeof(T) + 3) / 4;

template <class T>
struct words {
  stl::uint32_t word[word_count<T>];
};

template <class T>
TESSERA_FN words<T> to_words(T const& x) {
  words<T> w;
  if constexpr (sizeof(T) % 4 != 0) w.word[word_count<T> - 1] = 0;
  detail::copy_bytes(w.word, TESSERA_ADDRESS_OF(x), sizeof(T));
  return w;
}

template <class T>
TESSERA_FN T from_words(words<T> const& w) {
  union uninitialized {  // T need not have a default constructor
    struct {
    } none;
    T value;
    TESSERA_FN uninitialized() : none() {}
  } x;
  detail::copy_bytes(TESSERA_ADDRESS_OF(x.value), w.word, sizeof(T));
  return x.value;
}

/// The value whose words are f(word) of the words of x.
template <class T, class F>
TESSERA_FN T by_words(T const& x, F f) {
  words<T> w = detail::to_words(x);
  TESSERA_UNROLL
  for (unsigned i = 0; i < word_count<T>; ++i) w.word[i] = f(w.word[i]);
  return detail::from_words<T>(w);
}

/// A part of a value: W words.
template <unsigned W>
struct piece {
  stl::uint32_t word[W];
};
/// The number of pieces of W words in a T. The last one is padded with zeros.
template <class T, unsigned W>
inline constexpr unsigned piece_count = (word_count<T> + W - 1) / W;

/// Words [number · W, (number + 1) · W) of a value.
template <unsigned W, class T>
TESSERA_FN piece<W> piece_of(words<T> const& w, unsigned number) {
  piece<W> p;
  TESSERA_UNROLL
  for (unsigned i = 0; i < W; ++i) p.word[i] = number * W + i < word_count<T> ? w.word[number * W + i] : 0u;
  return p;
}
template <unsigned W, class T>
TESSERA_FN void put_piece(words<T>& w, unsigned number, piece<W> const& p) {
  TESSERA_UNROLL
  for (unsigned i = 0; i < W; ++i)
    if (number * W + i < word_count<T>) w.word[number * W + i] = p.word[i];
}

/// `first ? a : b` in registers: a conditional between two structs would select an address.
template <class T>
TESSERA_FN T select(bool first, T const& a, T const& b) {
  words<T> w = detail::to_words(a);
  words<T> const other = detail::to_words(b);
  TESSERA_UNROLL
  for (unsigned i = 0; i < word_count<T>; ++i) w.word[i] = first ? w.word[i] : other.word[i];
  return detail::from_words<T>(w);
}

/// True if values of T are the same exactly if their bits are: no padding. (−0 and +0 differ; a NaN equals itself.)
template <class T>
inline constexpr bool has_comparable_bits = stl::has_unique_object_representations<T>::value ||
                                            (is_any_float<T> && !stl::is_same_v<T, long double>);

template <class T>
TESSERA_FN bool same_bits(T const& a, T const& b) {
  words<T> const x = detail::to_words(a), y = detail::to_words(b);
  stl::uint32_t differ = 0;
  TESSERA_UNROLL
  for (unsigned i = 0; i < word_count<T>; ++i) differ |= x.word[i] ^ y.word[i];
  return differ == 0;
}

}  // namespace detail
TESSERA_NAMESPACE_END
