// affine: linear recurrences as a scan.
//
//   rank                 0            1            2            3
//   step                 h = 2h + 1   h = 3h       h = h + 4    h = 5h + 1
//   as_affine(a, b)      {2, 1}       {3, 0}       {1, 4}       {5, 1}
//   inclusive_scan       {2, 1}       {6, 3}       {6, 7}       {30, 36}     all steps up to this lane as one
//   … (h), from h = 1    3            9            13           66
//
// State-space models, decayed sums and exponential averages compute h[i] = a[i] · h[i − 1] + b[i].
//
// Source: G. E. Blelloch, "Prefix sums and their applications", 1990, 1.4 (first-order recurrences).
#pragma once

#include <tessera/core/rounded.hpp>
#include <tessera/operators/basic.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// a · h + b: rounded once for floats; integers wrap.
template <class T>
TESSERA_FN T affine_value(T a, T h, T b) {
  if constexpr (is_float<T>) {
    return detail::rounded_result(detail::rounded_fma(a, h, b));
  } else {
    return plus{}(multiplies{}(a, h), b);
  }
}

}  // namespace detail

/// The function h → a · h + b, which `affine` combines. T is float, double or an integer, which wraps.
template <class T>
struct affine_map {
  static_assert(stl::is_same_v<T, float> || stl::is_same_v<T, double> || detail::is_integer<T>,
                "affine_map<T>: T is float, double or an integer: write as_affine(static_cast<float>(a), b).");
  T a;
  T b;

  /// a · h + b.
  TESSERA_FN T operator()(T h) const { return detail::affine_value(a, h, b); }
};

/// One step of a recurrence: h = a · h + b.
template <class T>
TESSERA_FN affine_map<T> as_affine(T a, decltype(a) b) {
  return {a, b};
}

/// The steps of the lower lane, followed by those of the higher one, as one step: {a2 · a1, a2 · b1 + b2}.
///
///   float const h = tessera::inclusive_scan(tile, tessera::as_affine(decay, x), tessera::affine{})(start);
///
/// Identity  h → h: {1, 0}.
/// Order     as for a sum of floats, the bits depend on it. It doesn't commute. The same bits on GPU and host.
/// Edge      a step with b = 0 adds nothing: no NaN if the a after it is infinite.
/// Cost      one multiplication, one multiply-add, one addition, one comparison, one selection; integers the first
///           three.
struct affine {
  template <class T>
  TESSERA_FN affine_map<T> operator()(affine_map<T> first, affine_map<T> second) const {
    T b = second(first.b);
    if constexpr (detail::is_float<T>) {  // the neutral element must change no bits
      T const unscaled = detail::rounded_result(detail::rounded_add(first.b, second.b));
      b = detail::is_equal(first.b, T(0)) ? unscaled : b;
    }
    return {multiplies{}(second.a, first.a), b};
  }
};

template <class T>
struct operator_traits<affine, affine_map<T>> {
  static constexpr bool has_identity = true;
  static constexpr bool commutative = false;
  template <class Op>
  TESSERA_FN static affine_map<T> identity(Op const&) {
    return {T(1), T(0)};
  }
  /// −0 is neutral: adding it changes nothing.
  template <class Op>
  TESSERA_FN static affine_map<T> neutral(Op const&) {
    return {T(1), static_cast<T>(-T(0))};
  }
};

TESSERA_NAMESPACE_END
