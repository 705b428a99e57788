// Scans by a loop, of numbers whose sums are exact.
#pragma once

#include <tessera/operators.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <vector>

#include "numbers.hpp"

namespace test {

template <class T>
bool is_less(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return a < b;
  } else {
    return as_double(a) < as_double(b);
  }
}

struct sum {
  using op = tessera::plus;
  /// Of integers modulo 2^bits.
  template <class T>
  static T join(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using word = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<word>(static_cast<word>(a) + static_cast<word>(b)));
    } else {
      return rounded<T>(as_double(a) + as_double(b));
    }
  }
};
struct least {
  using op = tessera::minimum;
  template <class T>
  static T join(T a, T b) {
    return is_less(b, a) ? b : a;
  }
};
struct greatest {
  using op = tessera::maximum;
  template <class T>
  static T join(T a, T b) {
    return is_less(a, b) ? b : a;
  }
};

/// The same number in R, which holds all numbers of T.
template <class R, class T>
R in_wider(T x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<R>(x);
  } else {
    return rounded<R>(as_double(x));
  }
}

/// The elements of a scan and its total. With a start it is exclusive.
template <class T>
struct scan_reference {
  std::vector<T> scanned;
  std::optional<T> total;

  template <class Fold>
  scan_reference(Fold, std::vector<T> const& x, bool suffix, std::optional<T> start) : scanned(x.size()), total(start) {
    for (std::size_t k = 0; k < x.size(); ++k) {
      std::size_t const i = suffix ? x.size() - 1 - k : k;
      T const with_own = total ? Fold::join(*total, x[i]) : x[i];
      scanned[i] = start ? *total : with_own;
      total = with_own;
    }
  }
};

}  // namespace test
