// smallest, largest: the K least or greatest values of a tile in order, K ≤ 4, as one operator.
//
//   a                   1 4 7 9                        both in order
//   b, reversed         8 5 3 2
//   the better of two   1 4 3 2                        the K best of both, first rising, then falling
//   sorted              1 2 | 3 4, then 1 2 3 4        by comparing those 2 apart, then those 1 apart
//
//   auto const least = tessera::reduce(tile, as_smallest<4>(x), smallest{});    // least[0] ≤ least[1] ≤ …
//
// All in registers: K and all positions are known at compile time. Source: K. E. Batcher, "Sorting networks and their
// applications", 1968 (bitonic merging).
#pragma once

#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN

/// K values, the best first, which `smallest` and `largest` combine. Made by `as_smallest<K>(x)` and
/// `as_largest<K>(x)`. With fewer than K values the last places hold the operator's identity.
template <class T, unsigned K>
struct selection {
  static_assert(K >= 1 && K <= 4,
                "selection<T, K>: K is 1, 2, 3 or 4: the operator moves and compares all K values in every step; for "
                "more sort the tile's values.");
  T value[K];

  TESSERA_FN constexpr T& operator[](unsigned i) { return value[i]; }
  TESSERA_FN constexpr T const& operator[](unsigned i) const { return value[i]; }
  TESSERA_FN static constexpr unsigned size() { return K; }
};

template <class T, unsigned K>
struct is_exchangeable<selection<T, K>> : is_exchangeable<T> {};

namespace detail {

/// Sorts two values, the better one first. Numbers are sorted by minimum and maximum, so that −0 and +0 are ordered and
/// NaN has one pattern of bits; a NaN is better than all numbers, hence `Worse` prefers a number.
template <class Better, class Worse, class Before>
struct best_first {
  template <class T>
  TESSERA_FN static void exchange(T& a, T& b) {
    T const better = Better{}(a, b), worse = Worse{}(a, b);
    a = better;
    b = worse;
  }
  template <class T, class Index>
  TESSERA_FN static void exchange(indexed<T, Index>& a, indexed<T, Index>& b) {
    bool const second = detail::second_wins(a.value, a.index, b.value, b.index, Before{});
    indexed<T, Index> const better{second ? b.value : a.value, second ? b.index : a.index};
    indexed<T, Index> const worse{second ? a.value : b.value, second ? a.index : b.index};
    a = better;
    b = worse;
  }

  /// The K best of two selections, as in the picture above.
  template <class T, unsigned K>
  TESSERA_FN static selection<T, K> merge(selection<T, K> a, selection<T, K> b) {
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) exchange(a[i], b[K - 1 - i]);
    // Three values are sorted as four, the first of which is already the best.
    constexpr unsigned width = K == 3 ? 4 : K;
    constexpr unsigned missing = width - K;
    TESSERA_UNROLL
    for (unsigned apart = width / 2; apart > 0; apart /= 2) {
      TESSERA_UNROLL
      for (unsigned i = missing; i < width; ++i) {
        if ((i & apart) == 0) exchange(a[i - missing], a[i - missing + apart]);
      }
    }
    return a;
  }
};

using least_first = best_first<minimum, maximum_number, less_value>;
using greatest_first = best_first<maximum, minimum_number, greater_value>;

/// The last value in the order of T, a number or an indexed number: the identity of the operator on one value.
template <class OnNumbers, class OnIndexed, class T>
struct worst_of : operator_traits<OnNumbers, T> {};
template <class OnNumbers, class OnIndexed, class T, class Index>
struct worst_of<OnNumbers, OnIndexed, indexed<T, Index>> : operator_traits<OnIndexed, indexed<T, Index>> {};

/// True if two tied values may differ in their bits, as indexed floats −0 and +0 do.
template <class T>
inline constexpr bool ties_are_equal = true;
template <class T, class Index>
inline constexpr bool ties_are_equal<indexed<T, Index>> = !is_any_float<T>;

template <class Worst, class T, unsigned K>
struct selection_traits {
  static constexpr bool has_identity = Worst::has_identity;
  static constexpr bool commutative = has_identity && ties_are_equal<T>;

  template <class Op>
  TESSERA_FN static selection<T, K> identity(Op const& op) {
    selection<T, K> out;
    TESSERA_UNROLL
    for (unsigned i = 0; i < K; ++i) out[i] = Worst::identity(op);
    return out;
  }
};

}  // namespace detail

/// The K least values in order, from selections made by `as_smallest<K>(x)`.
///
/// T         numbers of any kind, pairs of halves member by member, or indexed numbers: write
///           as_smallest<K>(with_index(x, i)).
/// Order     by `minimum` and `argmin`: NaNs come first, −0 before +0; equal indexed values (−0 equals +0) by their
///           index.
/// Identity  K times that of `minimum` or `argmin`, which the last places hold if there are fewer than K values.
/// Cost      K exchanges of a step's words; 1, 3, 5 or 8 comparisons of two values for K of 1, 2, 3 or 4. No branch.
struct smallest {
  template <class T, unsigned K>
  TESSERA_FN selection<T, K> operator()(selection<T, K> const& a, selection<T, K> const& b) const {
    return detail::least_first::merge(a, b);
  }
};

/// The K greatest values, the greatest first, from selections made by `as_largest<K>(x)`. As `smallest`, by `maximum`
/// and `argmax`: NaNs come first, +0 before −0; equal indexed values by their index, the lowest first. (NaNs come first
/// so that they aren't lost, as with `maximum`. `top_k` orders by a comparator, by which NaNs come last.)
struct largest {
  template <class T, unsigned K>
  TESSERA_FN selection<T, K> operator()(selection<T, K> const& a, selection<T, K> const& b) const {
    return detail::greatest_first::merge(a, b);
  }
};

template <class T, unsigned K>
struct operator_traits<smallest, selection<T, K>>
    : detail::selection_traits<detail::worst_of<minimum, argmin, T>, T, K> {};
template <class T, unsigned K>
struct operator_traits<largest, selection<T, K>>
    : detail::selection_traits<detail::worst_of<maximum, argmax, T>, T, K> {};

namespace detail {

template <class Op, unsigned K, class T>
TESSERA_FN selection<T, K> selection_of_one(T const& x) {
  using traits = operator_traits<Op, selection<T, K>>;
  static_assert(traits::has_identity,
                "as_smallest<K>(x), as_largest<K>(x): x is a number, or a number with its index: write "
                "as_smallest<K>(with_index(x, i)).");
  selection<T, K> out = traits::identity(Op{});
  out[0] = x;
  return out;
}

}  // namespace detail

/// The selection of one value for `smallest`: x, then the identity.
template <unsigned K, class T>
TESSERA_FN selection<T, K> as_smallest(T x) {
  return detail::selection_of_one<smallest, K>(x);
}
/// The selection of one value for `largest`.
template <unsigned K, class T>
TESSERA_FN selection<T, K> as_largest(T x) {
  return detail::selection_of_one<largest, K>(x);
}

TESSERA_NAMESPACE_END
