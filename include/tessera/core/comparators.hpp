// Orders of values, as function objects before(a, b) that are strict weak orders; and equality.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/number.hpp>

TESSERA_NAMESPACE_BEGIN

namespace detail {

/// True if keys of type B can be compared with elements of type A: both are numbers, or they have `<` and `==` of their
/// own.
template <class A, class B, class = void>
inline constexpr bool are_comparable = is_number<A>&& is_number<B> && !is_half_pair<A> && !is_half_pair<B>;
template <class A, class B>
inline constexpr bool are_comparable<A, B,
                                     stl::void_t<decltype(stl::declval<A const&>() < stl::declval<B const&>()),
                                                 decltype(stl::declval<A const&>() == stl::declval<B const&>())>> =
    true;
template <class A, class B>
using if_comparable = stl::enable_if_t<!stl::is_same_v<A, B> && are_comparable<A, B>, bool>;

/// The type in which numbers of two types are compared: C++'s common type; halves are compared as floats.
template <class T>
using as_cpp_number = stl::conditional_t<is_half<T>, float, T>;
template <class A, class B>
using compared_t = decltype(true ? as_cpp_number<A>{} : as_cpp_number<B>{});

/// True if a is less than b as numbers, so that −1 is less than 1u.
template <class A, class B>
TESSERA_FN bool is_less_number(A const& a, B const& b) {
  if constexpr (is_integer<A> && is_integer<B>) {
    if constexpr (is_signed_integer<A> && !is_signed_integer<B>) {
      return a < A{} || static_cast<wrapping_t<A>>(a) < b;
    } else if constexpr (!is_signed_integer<A> && is_signed_integer<B>) {
      return b >= B{} && a < static_cast<wrapping_t<B>>(b);
    } else {
      return a < b;
    }
  } else {
    using both = compared_t<A, B>;
    return detail::is_less(detail::convert<both>(a), detail::convert<both>(b));
  }
}
template <class A, class B>
TESSERA_FN bool comes_before(A const& a, B const& b) {
  if constexpr (is_number<A> && is_number<B>) {
    return detail::is_less_number(a, b) || (!detail::is_nan(a) && detail::is_nan(b));
  } else {
    return a < b;
  }
}

}  // namespace detail

/// a < b. NaNs come last and are equal to each other; −0 equals +0. Takes any type with `<`, and numbers of two types,
/// as in a search for an int among doubles: integers are compared by value, others are converted as C++ does.
struct less {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    if constexpr (detail::is_number<T>) {
      bool const is_number = !detail::is_nan(a), is_below = !detail::is_at_least(a, b);
      return is_number & is_below;  // also where b alone is a NaN; two instructions of floats, and no branch
    } else {
      return a < b;
    }
  }
  template <class A, class B, detail::if_comparable<A, B> = true>
  TESSERA_FN bool operator()(A const& a, B const& b) const {
    return detail::comes_before(a, b);
  }
};

/// a > b. Here, too, NaNs come last and are equal to each other, and −0 equals +0. Takes any type with `>`.
struct greater {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    if constexpr (detail::is_number<T>) {
      bool const is_number = !detail::is_nan(a), is_above = !detail::is_at_least(b, a);
      return is_number & is_above;
    } else {
      return a > b;
    }
  }
  template <class A, class B, detail::if_comparable<A, B> = true>
  TESSERA_FN bool operator()(A const& a, B const& b) const {
    if constexpr (detail::is_number<A> && detail::is_number<B>) {
      return detail::is_less_number(b, a) || (!detail::is_nan(a) && detail::is_nan(b));
    } else {
      return b < a;
    }
  }
};

/// a == b. NaNs are equal to each other, and −0 equals +0, as neither comes before the other by `less`. Takes any type
/// with `==`.
struct equal_to {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    if constexpr (detail::is_number<T>) {
      return (detail::is_nan(a) && detail::is_nan(b)) || detail::is_equal(a, b);
    } else {
      return a == b;
    }
  }
  template <class A, class B, detail::if_comparable<A, B> = true>
  TESSERA_FN bool operator()(A const& a, B const& b) const {
    if constexpr (detail::is_number<A> && detail::is_number<B>) {
      return !detail::comes_before(a, b) && !detail::comes_before(b, a);
    } else {
      return a == b;
    }
  }
};

TESSERA_NAMESPACE_END
