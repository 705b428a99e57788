// Operators on one value, on a value with its index, and on minimum and maximum together; and make_operator.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/exchangeable.hpp>
#include <tessera/core/minimum.hpp>
#include <tessera/core/number.hpp>
#include <tessera/core/operator_traits.hpp>
#include <tessera/core/rounded.hpp>

TESSERA_NAMESPACE_BEGIN

/// Sum. Integers wrap; joint_reduce adds integers of 8 and 16 bits as int; pairs of halves use their own `+`. A
/// collective's sum of bools is the number of trues, as `unsigned`; `plus{}(a, b)` of two bools is true if either is. A
/// sum of floats that are all −0 is −0, in collectives and launchers, however many lanes don't contribute; a sum of no
/// values is the identity, +0.
struct TESSERA_API plus {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    if constexpr (detail::is_integer<T>) {
      using wide = detail::wrapping_t<T>;
      return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
    } else if constexpr (detail::is_float<T>) {
      return detail::rounded_add(a, b);
    } else {
      return detail::arithmetic(detail::sum_of(a, b));
    }
  }
};

/// Product. Integers wrap.
struct TESSERA_API multiplies {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    if constexpr (detail::is_integer<T>) {
      using wide = detail::wrapping_t<T>;
      return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
    } else if constexpr (detail::is_float<T>) {
      return detail::rounded_multiply(a, b);
    } else {
      return detail::arithmetic(detail::product_of(a, b));
    }
  }
};

/// The lesser value; NaN if either is NaN; −0 is less than +0. Pairs member by member.
struct TESSERA_API minimum {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return detail::lesser_of<detail::nan_wins>(a, b);
  }
};

/// The greater value; NaN if either is NaN; +0 is greater than −0. Pairs member by member.
struct TESSERA_API maximum {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return detail::greater_of<detail::nan_wins>(a, b);
  }
};

/// The lesser value; if one is NaN, the other; −0 is less than +0. Pairs member by member.
struct minimum_number {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return detail::lesser_of<detail::number_wins>(a, b);
  }
};

/// The greater value; if one is NaN, the other; +0 is greater than −0. Pairs member by member.
struct maximum_number {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return detail::greater_of<detail::number_wins>(a, b);
  }
};

/// Bitwise and, of integers and bool.
struct TESSERA_API bit_and {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};

/// Bitwise or, of integers and bool.
struct TESSERA_API bit_or {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};

/// Bitwise exclusive or, of integers and bool.
struct TESSERA_API bit_xor {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

/// True if both are true. A number is true if it isn't 0, and a combination is 0 or 1. A value that isn't combined,
/// such as the first of a scan, stays as it is.
struct logical_and {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return detail::truth_as<T>(detail::is_true(a) && detail::is_true(b));
  }
};

/// True if either is true. Otherwise as logical_and.
struct logical_or {
  template <class T>
  TESSERA_FN T operator()(T a, T b) const {
    return detail::truth_as<T>(detail::is_true(a) || detail::is_true(b));
  }
};

/// A tuple, which `zip(op1, op2, …)` combines. See operators/zip.hpp.
template <class... T>
struct zipped;

/// A value with its index, which `argmin` and `argmax` combine.
template <class T, class Index = int>
struct indexed {
  T value;
  Index index;
};

/// A value with its index.
template <class T, class Index>
TESSERA_FN constexpr indexed<T, Index> with_index(T value, Index index) {
  return {value, index};
}

template <class T, class Index>
struct is_exchangeable<indexed<T, Index>> : stl::bool_constant<is_exchangeable_v<T> && is_exchangeable_v<Index>> {};

namespace detail {

/// True if b comes before a: its value comes before a's, NaN before all numbers, or the values tie and b has the lower
/// index. `before` is `<` or `>`. All parts are computed before the selection, so that nothing branches.
template <class Before, class T, class Index>
TESSERA_FN bool second_wins(T a, Index a_index, T b, Index b_index, Before before) {
  bool const a_is_nan = detail::is_nan(a), b_is_nan = detail::is_nan(b);
  bool const a_first = before(a, b), b_first = before(b, a);
  bool const lower_index = b_index < a_index;
  bool tie = !a_first && !b_first;
  if constexpr (is_number<T>) {
    bool const equal = detail::is_equal(a, b);
    tie = equal | (a_is_nan & b_is_nan);
  }
  return b_first | (b_is_nan & !a_is_nan) | (tie & lower_index);
}

struct less_value {
  template <class T>
  TESSERA_FN bool operator()(T const& x, T const& y) const {
    return detail::is_less(x, y);
  }
};
struct greater_value {
  template <class T>
  TESSERA_FN bool operator()(T const& x, T const& y) const {
    return detail::is_less(y, x);
  }
};

}  // namespace detail

/// The least value and its index; the lowest index if values are equal (−0 equals +0); the first NaN, if any. If the
/// index is equal, too, a tile takes the lower lane's, and a range takes either. For zipped<T, Index, …>
/// (operators/zip.hpp) the first member is the value and the second the index; with further members the lower lane's is
/// taken if value and index are equal, so it doesn't commute.
struct argmin {
  template <class T, class Index>
  TESSERA_FN indexed<T, Index> operator()(indexed<T, Index> a, indexed<T, Index> b) const {
    bool const second = detail::second_wins(a.value, a.index, b.value, b.index, detail::less_value{});
    return {second ? b.value : a.value, second ? b.index : a.index};
  }
  template <class T, class... Rest>
  TESSERA_FN zipped<T, Rest...> operator()(zipped<T, Rest...> const& a, zipped<T, Rest...> const& b) const;
};

/// The greatest value and its index. Otherwise as `argmin`.
struct argmax {
  template <class T, class Index>
  TESSERA_FN indexed<T, Index> operator()(indexed<T, Index> a, indexed<T, Index> b) const {
    bool const second = detail::second_wins(a.value, a.index, b.value, b.index, detail::greater_value{});
    return {second ? b.value : a.value, second ? b.index : a.index};
  }
  template <class T, class... Rest>
  TESSERA_FN zipped<T, Rest...> operator()(zipped<T, Rest...> const& a, zipped<T, Rest...> const& b) const;
};

/// The least and the greatest of a set of values, which `minmax` combines. `as_min_max(x)` is that of one value;
/// `as_min_max(with_index(x, i))` keeps the indices of both.
template <class T>
struct min_max {
  T min;
  T max;
};

/// The least and the greatest of a single value.
template <class T>
TESSERA_FN constexpr min_max<T> as_min_max(T value) {
  return {value, value};
}

template <class T>
struct is_exchangeable<min_max<T>> : is_exchangeable<T> {};

/// Minimum of the minima and maximum of the maxima, by the rules of `minimum` and `maximum`; for indexed values by
/// those of `argmin` and `argmax`.
struct minmax {
  template <class T, class Index>
  TESSERA_FN min_max<indexed<T, Index>> operator()(min_max<indexed<T, Index>> a, min_max<indexed<T, Index>> b) const {
    return {argmin{}(a.min, b.min), argmax{}(a.max, b.max)};
  }
  template <class T>
  TESSERA_FN min_max<T> operator()(min_max<T> a, min_max<T> b) const {
    return {minimum{}(a.min, b.min), maximum{}(a.max, b.max)};
  }
};

namespace detail {

/// The type of `commutative`.
struct commutative_t {};

/// A function with an identity: the result of `make_operator`.
template <class F, class Identity, bool Commutative>
struct custom_operator {
  F function;
  Identity identity;

  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    return static_cast<T>(detail::normalize<T>(function)(a, b));  // normalized: a GPU can't call std::plus<>
  }
};

}  // namespace detail

/// Declares that an operator commutes: `make_operator(f, identity, commutative)`.
inline constexpr detail::commutative_t commutative{};

/// An operator from an associative function and its identity: `f(identity, x) == x == f(x, identity)`.
template <class F, class Identity>
TESSERA_FN constexpr detail::custom_operator<F, Identity, false> make_operator(F function, Identity identity) {
  static_assert(!stl::is_same_v<Identity, detail::commutative_t>,
                "make_operator: the identity is missing: write make_operator(f, identity, commutative).");
  return {function, identity};
}
/// As above, for a function that commutes.
template <class F, class Identity>
TESSERA_FN constexpr detail::custom_operator<F, Identity, true> make_operator(F function, Identity identity,
                                                                              detail::commutative_t) {
  return {function, identity};
}

TESSERA_NAMESPACE_END
