// welford: count, mean and variance in one pass, without the cancellation of Σx² − (Σx)²/n.
//
//   rank              0           1           2           3
//   x                 2           4           4           6
//   as_moments(x)     {1, 2, 0}   {1, 4, 0}   {1, 4, 0}   {1, 6, 0}    count, mean, m2
//   xor 1             {2, 3, 2}   .           {2, 5, 2}   .
//   xor 2, in all     {4, 4, 8}                                        variance() 2
//
// Sources: B. P. Welford, "Note on a method for calculating corrected sums of squares and products", 1962; the formula
// for two groups: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm for computing
// sample variances", 1979.
#pragma once

#include <tessera/core/rounded.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN

/// The number of values, their mean, and m2, the sum of the squared distances from it, which `welford` combines.
/// `as_moments(x)` is that of one value. The count is a T: exact up to 2^24 for float, 2^53 for double.
template <class T>
struct moments {
  static_assert(stl::is_same_v<T, float> || stl::is_same_v<T, double>,
                "moments<T>: T is float or double: write as_moments(static_cast<float>(x)).");
  T count;
  T mean;
  T m2;

  /// The mean squared distance from the mean; NaN if there are no values.
  TESSERA_FN T variance() const { return detail::rounded_divide(m2, count); }
  /// The unbiased estimate of the population's variance; NaN if there are fewer than two values.
  TESSERA_FN T sample_variance() const { return detail::rounded_divide(m2, detail::rounded_subtract(count, T(1))); }
  /// The square root of variance().
  TESSERA_FN T standard_deviation() const { return detail::rounded_sqrt(variance()); }
};

/// The moments of one value. An infinity or a NaN has a NaN as m2 from the start.
template <class T>
TESSERA_FN moments<T> as_moments(T x) {
  return {T(1), x, detail::rounded_result(detail::rounded_subtract(x, x))};
}

/// The moments of all values of both operands.
///
/// Identity  no values: {0, 0, 0}. An operand is returned unchanged if the other has no values.
/// Order     as for a sum of floats, the bits depend on it. It doesn't commute. The same bits on GPU and host.
/// Error     a few roundings a combination for the mean and the distances of a group, relative to the largest |x|:
///           equal values have variance 0.
/// Cost      one division and six other operations.
struct welford {
  template <class T>
  TESSERA_FN moments<T> operator()(moments<T> a, moments<T> b) const {
    T const count = detail::rounded_add(a.count, b.count);
    T const share = detail::rounded_divide(b.count, count);  // b's share
    T const apart = detail::rounded_subtract(b.mean, a.mean);
    T const mean = detail::rounded_result(detail::rounded_fma(apart, share, a.mean));
    T const weighted = detail::rounded_multiply(apart, detail::rounded_multiply(a.count, share));
    T const m2 = detail::rounded_result(detail::rounded_fma(weighted, apart, detail::rounded_add(a.m2, b.m2)));
    bool const only_a = detail::is_equal(b.count, T(0)), only_b = detail::is_equal(a.count, T(0));
    return {count, only_a ? a.mean : only_b ? b.mean : mean, only_a ? a.m2 : only_b ? b.m2 : m2};
  }
};

template <class T>
struct operator_traits<welford, moments<T>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = false;
  template <class Op>
  TESSERA_FN static moments<T> identity(Op const&) {
    return {T(0), T(0), T(0)};
  }
};

TESSERA_NAMESPACE_END
