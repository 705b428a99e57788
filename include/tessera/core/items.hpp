// Several items a lane: the values of collectives on more values than lanes.
//
//   rank              0        1        2        3
//   items<char, 3>    a b c    d e f    g h i    j k l      blocked order: rank 0's items come first
//   the same, striped a e i    b f j    c g k    d h l      item i of lane r is number i · N + r
//
// They are in registers. As with any local array, an index that isn't known at compile time moves them to local memory.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/exchangeable.hpp>
#include <tessera/core/words.hpp>

TESSERA_NAMESPACE_BEGIN

/// K values of T of one lane, in order. An aggregate: `items<float, 4> x{1, 2, 3, 4}`.
template <class T, unsigned K>
struct items {
  static_assert(K >= 1, "items<T, K>: a lane has at least one item.");
  using value_type = T;
  static constexpr unsigned count = K;

  T item[K];

  TESSERA_FN constexpr T& operator[](unsigned i) { return item[i]; }
  TESSERA_FN constexpr T const& operator[](unsigned i) const { return item[i]; }
  TESSERA_FN static constexpr unsigned size() { return K; }

  TESSERA_FN constexpr T* begin() { return item; }
  TESSERA_FN constexpr T* end() { return item + K; }
  TESSERA_FN constexpr T const* begin() const { return item; }
  TESSERA_FN constexpr T const* end() const { return item + K; }
};

template <class T, unsigned K>
struct is_exchangeable<items<T, K>> : is_exchangeable<T> {};

/// True if T is items<U, K>.
template <class T>
inline constexpr bool is_items_v = false;
template <class T, unsigned K>
inline constexpr bool is_items_v<items<T, K>> = true;

/// A lane's items from a C array: `as_items(x)` of `float x[4]`.
template <class T, unsigned K>
TESSERA_FN items<T, K> as_items(T const (&x)[K]) {
  detail::words<items<T, K>> w{};
  detail::copy_bytes(w.word, TESSERA_ADDRESS_OF(x), sizeof(x));
  return detail::from_words<items<T, K>>(w);
}

namespace detail {

/// The type of one item, of a lane's items or of a single value.
template <class X>
struct item_of {
  using type = X;
};
template <class T, unsigned K>
struct item_of<items<T, K>> {
  using type = T;
};
template <class X>
using item_t = typename item_of<X>::type;

/// The number of items of an X; a single value is one.
template <class X>
inline constexpr unsigned item_count_of = 1;
template <class T, unsigned K>
inline constexpr unsigned item_count_of<items<T, K>> = K;

/// The items of x and y, concatenated.
template <class T, unsigned K, unsigned L>
TESSERA_FN items<T, K + L> joined(items<T, K> const& a, items<T, L> const& b) {
  words<items<T, K + L>> w;
  if constexpr (sizeof(w) != sizeof(T) * (K + L)) w.word[word_count<items<T, K + L>> - 1] = 0;
  auto* const to = reinterpret_cast<unsigned char*>(w.word);
  detail::copy_bytes(to, TESSERA_ADDRESS_OF(a), sizeof(a));
  detail::copy_bytes(to + sizeof(a), TESSERA_ADDRESS_OF(b), sizeof(b));
  return detail::from_words<items<T, K + L>>(w);
}

/// The first M of K items.
template <unsigned M, class T, unsigned K>
TESSERA_FN items<T, M> first_items(items<T, K> const& x) {
  static_assert(M <= K);
  words<items<T, M>> w;
  if constexpr (sizeof(w) != sizeof(T) * M) w.word[word_count<items<T, M>> - 1] = 0;
  detail::copy_bytes(w.word, TESSERA_ADDRESS_OF(x), sizeof(T) * M);
  return detail::from_words<items<T, M>>(w);
}

}  // namespace detail

TESSERA_NAMESPACE_END
