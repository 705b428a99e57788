// How values are ordered: function objects before(a, b), strict weak orders; and which are equal.
#pragma once

#include <tessera/config.hpp>
#include <tessera/detail/number.hpp>

TESSERA_NAMESPACE_BEGIN

/// a < b. Of floats NaNs come last, equal to each other, and −0 is equal to +0. Any type with `<`.
struct less {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    if constexpr (detail::is_number<T>) {
      return detail::is_less(a, b) || (!detail::is_nan(a) && detail::is_nan(b));
    } else {
      return a < b;
    }
  }
};

/// a > b. Of floats NaNs come last here, too, equal to each other, and −0 is equal to +0. Any type with `>`.
struct greater {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    if constexpr (detail::is_number<T>) {
      return detail::is_less(b, a) || (!detail::is_nan(a) && detail::is_nan(b));
    } else {
      return a > b;
    }
  }
};

/// a == b. Of floats NaNs are equal to each other, and −0 is equal to +0: neither comes before the other by `less`. Any type with
/// `==`.
struct equal_to {
  template <class T>
  TESSERA_FN bool operator()(T const& a, T const& b) const {
    if constexpr (detail::is_number<T>) {
      return (detail::is_nan(a) && detail::is_nan(b)) || detail::is_equal(a, b);
    } else {
      return a == b;
    }
  }
};

TESSERA_NAMESPACE_END
