// Minimum and maximum of numbers of any kind, with a defined result for NaN and for zeros of both signs.
//
// Sources: IEEE 754-2019, 9.6 (minimum, minimumNumber); PTX ISA, `min` and `min.NaN`.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/ieee_float.hpp>
#include <tessera/core/number.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

struct nan_wins {};
struct number_wins {};

/// The NaN that arithmetic on T gives, so that all lanes hold the same bits, on the host and on the GPU.
template <class T>
TESSERA_FN T one_nan() {
  if constexpr (stl::is_same_v<T, float>) {
    return detail::from_bits<float>(0x7fffffffu);  // the GPU's
  } else {
    return stl::numeric_limits<T>::quiet_NaN();
  }
}

/// True if x is a quiet NaN: all bits of the exponent are set, and the quiet bit. Computed by one `LOP3` of the upper
/// half: a comparison of doubles would wait for the unit that the sum itself needs.
TESSERA_FN bool is_quiet_nan(double x) {
#if TESSERA_ARCH
  unsigned missing;
  asm("lop3.b32 %0, %1, %2, 0, 0x30;" : "=r"(missing) : "r"(0x7ff80000u), "r"(__double2hiint(x)));  // a & ~b
  return missing == 0;
#else
  return x != x;
#endif
}

/// x, with any NaN replaced by that one. For results of arithmetic, whose NaNs are quiet.
template <class T>
TESSERA_FN T with_canonical_nan(T x) {
  if constexpr (stl::is_same_v<T, double> && TESSERA_ARCH != 0) {
    return detail::is_quiet_nan(x) ? one_nan<T>() : x;
  } else if constexpr (is_float<T>) {
    return x != x ? one_nan<T>() : x;
  } else {
    return x;
  }
}

/// The result of arithmetic with the GPU's NaN, which it already has on the GPU.
template <class T>
TESSERA_FN T arithmetic(T x) {
  if constexpr (TESSERA_ARCH == 0) {
    return detail::with_canonical_nan(x);
  } else {
    return x;
  }
}

/// The lesser of two floats; with `Greater` the greater.
template <class Nan, bool Greater, class T>
TESSERA_FN T extreme_float(T a, T b) {
  if (a != a || b != b) {
    if constexpr (stl::is_same_v<Nan, nan_wins>) return one_nan<T>();
    return detail::with_canonical_nan(a != a ? b : a);
  }
#if TESSERA_ARCH
  if constexpr (stl::is_same_v<T, float>) {
    return detail::ieee_extreme<Greater>(a, b);
  } else {
    return Greater ? fmax(a, b) : fmin(a, b);
  }
#else
  if (a == b) return compiler::is_negative(a) != Greater ? a : b;
  return (a < b) != Greater ? a : b;
#endif
}

#if TESSERA_ARCH >= 800
/// One instruction where the GPU has one.
template <class Nan, bool Greater>
TESSERA_FN float extreme_float(float a, float b) {
  if constexpr (stl::is_same_v<Nan, number_wins>) {
    return detail::ieee_extreme<Greater>(a, b);
  } else {
    float result;
    if constexpr (Greater) {
      asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    } else {
      asm("min.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    }
    return result;
  }
}
template <class Nan, bool Greater>
TESSERA_FN double extreme_float(double a, double b) {
  double const number = Greater ? fmax(a, b) : fmin(a, b);
  bool const is_nan_too = stl::is_same_v<Nan, number_wins> ? a != a && b != b : a != a || b != b;
  return is_nan_too ? one_nan<double>() : number;
}
#endif

/// The half types' own instructions, found where the half types are: T is incomplete here.
template <class Nan, bool Greater, class T>
TESSERA_FN T extreme_half([[maybe_unused]] T a, [[maybe_unused]] T b) {
  constexpr bool propagate = stl::is_same_v<Nan, nan_wins>;
  if constexpr (TESSERA_ARCH >= 800) {
    if constexpr (is_half_pair<T>) {
      if constexpr (propagate)
        return Greater ? __hmax2_nan(a, b) : __hmin2_nan(a, b);
      else
        return Greater ? __hmax2(a, b) : __hmin2(a, b);
    } else {
      if constexpr (propagate)
        return Greater ? __hmax_nan(a, b) : __hmin_nan(a, b);
      else
        return Greater ? __hmax(a, b) : __hmin(a, b);
    }
  } else if constexpr (is_half_pair<T>) {
    return T{detail::extreme_half<Nan, Greater>(a.x, b.x), detail::extreme_half<Nan, Greater>(a.y, b.y)};
  } else {
    return detail::convert<T>(
        detail::extreme_float<Nan, Greater>(detail::convert<float>(a), detail::convert<float>(b)));
  }
}

template <class Nan, class T>
TESSERA_FN T lesser_of(T a, T b) {
  if constexpr (is_float<T>) {
    return detail::extreme_float<Nan, false>(a, b);
  } else if constexpr (is_half<T> || is_half_pair<T>) {
    return detail::extreme_half<Nan, false>(a, b);
  } else {
    return b < a ? b : a;
  }
}

template <class Nan, class T>
TESSERA_FN T greater_of(T a, T b) {
  if constexpr (is_float<T>) {
    return detail::extreme_float<Nan, true>(a, b);
  } else if constexpr (is_half<T> || is_half_pair<T>) {
    return detail::extreme_half<Nan, true>(a, b);
  } else {
    return a < b ? b : a;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
