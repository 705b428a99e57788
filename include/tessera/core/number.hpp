// Properties of number types that the operators need: integer, float, half or pair of halves, and the extreme values.
//
// The half types are only declared here: their header is large, and a program that has such values has included it.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/ieee_float.hpp>

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// Integers of 8 to 128 bits, whether or not the standard library classifies the widest as integers. bool is excluded.
template <class T>
inline constexpr bool is_integer =
    (stl::is_integral_v<T> && !stl::is_same_v<T, bool>) || stl::is_same_v<T, int128> || stl::is_same_v<T, uint128>;

template <class T, bool Integer = is_integer<T>>
inline constexpr bool is_signed_integer = static_cast<T>(-1) < static_cast<T>(0);
template <class T>
inline constexpr bool is_signed_integer<T, false> = false;

/// 16-bit floats.
template <class T>
inline constexpr bool is_half = stl::is_same_v<T, __half> || stl::is_same_v<T, __nv_bfloat16>;

template <class T>
inline constexpr bool is_float =
    stl::is_same_v<T, float> || stl::is_same_v<T, double> || stl::is_same_v<T, long double>;

/// Two 16-bit floats in a word; operators combine them member by member. `half_of<Pair>` is the type of a member.
template <class T>
struct pair_member {
  using type = void;
};
template <>
struct pair_member<__half2> {
  using type = __half;
};
template <>
struct pair_member<__nv_bfloat162> {
  using type = __nv_bfloat16;
};
template <class T>
using half_of = typename pair_member<T>::type;
template <class T>
inline constexpr bool is_half_pair = !stl::is_void_v<half_of<T>>;

template <class T>
inline constexpr bool is_any_float = is_float<T> || is_half<T> || is_half_pair<T>;

/// True if a number of type To can't hold the fraction of one of type From.
template <class From, class To>
inline constexpr bool loses_fraction = is_any_float<From> && (is_integer<To> || stl::is_same_v<To, bool>);

/// The types whose operators this library knows: their identities, and that they commute.
template <class T>
inline constexpr bool is_number = is_integer<T> || is_any_float<T> || stl::is_same_v<T, bool>;

/// The unsigned type in which arithmetic on integers of type T wraps: at least `unsigned`, to avoid promotion.
template <class T>
struct wrapping {
  using type = stl::make_unsigned_t<decltype(T{} + T{})>;
};
template <>
struct wrapping<int128> {
  using type = uint128;
};
template <>
struct wrapping<uint128> {
  using type = uint128;
};
template <class T>
using wrapping_t = typename wrapping<T>::type;

// Halves are converted and combined by their headers' functions, never by operators: a program may have disabled those
// (__CUDA_NO_HALF_OPERATORS__, __CUDA_NO_HALF_CONVERSIONS__ …), as PyTorch does.

/// A number to be converted to a half. Argument-dependent lookup finds the rounding functions in the half types'
/// namespace, with which this type is associated; a plain float isn't.
template <class Half, class From>
struct for_half {
  From value;
  TESSERA_FN operator From() const { return value; }
};

/// static_cast<To>(x).
template <class To, class From>
TESSERA_FN To convert(From const& x) {
  if constexpr (stl::is_same_v<To, From>) {
    return x;
  } else if constexpr (stl::is_same_v<From, __half>) {
    return detail::convert<To>(__half2float(x));
  } else if constexpr (stl::is_same_v<From, __nv_bfloat16>) {
    return detail::convert<To>(__bfloat162float(x));
  } else if constexpr (stl::is_same_v<To, __half> && stl::is_same_v<From, double>) {
    return __double2half(for_half<To, double>{x});
  } else if constexpr (stl::is_same_v<To, __nv_bfloat16> && stl::is_same_v<From, double>) {
    return __double2bfloat16(for_half<To, double>{x});
  } else if constexpr (stl::is_same_v<To, __half> && stl::is_same_v<From, float>) {
    return __float2half_rn(for_half<To, float>{x});
  } else if constexpr (stl::is_same_v<To, __nv_bfloat16> && stl::is_same_v<From, float>) {
    return __float2bfloat16_rn(for_half<To, float>{x});
  } else if constexpr (is_half<To> && stl::is_arithmetic_v<From>) {
    return detail::convert<To>(static_cast<double>(x));
  } else {
    return static_cast<To>(x);
  }
}

/// a + b. Here and below, halves use the functions that end in _rn, since the compiler may contract the others.
template <class T>
TESSERA_FN T sum_of(T a, T b) {
  if constexpr (is_half<T>) {
    return __hadd_rn(a, b);
  } else if constexpr (is_half_pair<T>) {
    return __hadd2_rn(a, b);
  } else {
    return static_cast<T>(a + b);
  }
}
template <class T>
TESSERA_FN T difference_of(T a, T b) {
  if constexpr (is_half<T>) {
    return __hsub_rn(a, b);
  } else if constexpr (is_half_pair<T>) {
    return __hsub2_rn(a, b);
  } else {
    return static_cast<T>(a - b);
  }
}
template <class T>
TESSERA_FN T product_of(T a, T b) {
  if constexpr (is_half<T>) {
    return __hmul_rn(a, b);
  } else if constexpr (is_half_pair<T>) {
    return __hmul2_rn(a, b);
  } else {
    return static_cast<T>(a * b);
  }
}
template <class T>
TESSERA_FN bool is_less(T const& a, T const& b) {
  if constexpr (is_half<T>) {
    return __hlt(a, b);
  } else if constexpr (stl::is_same_v<T, float>) {
    return detail::ieee_is_less(a, b);
  } else {
    return a < b;
  }
}
template <class T>
TESSERA_FN bool is_at_least(T const& a, T const& b) {
  if constexpr (is_half<T>) {
    return __hge(a, b);
  } else if constexpr (stl::is_same_v<T, float>) {
    return detail::ieee_is_at_least(a, b);
  } else {
    return a >= b;
  }
}
template <class T>
TESSERA_FN bool is_equal(T const& a, T const& b) {
  if constexpr (is_half<T>) {
    return __heq(a, b);
  } else if constexpr (stl::is_same_v<T, float>) {
    return detail::ieee_is_equal(a, b);
  } else {
    return a == b;
  }
}
/// static_cast<bool>(x).
template <class T>
TESSERA_FN bool is_true(T const& x) {
  if constexpr (is_half<T>) {
    return detail::convert<float>(x) != 0.0f;
  } else if constexpr (stl::is_same_v<T, float>) {
    return !detail::ieee_is_equal(x, 0.0f);
  } else {
    return static_cast<bool>(x);
  }
}

/// static_cast<T>(x) for a truth value x.
template <class T>
TESSERA_FN T truth_as(bool x) {
  if constexpr (is_half<T>) {
    return detail::convert<T>(x ? 1.0f : 0.0f);
  } else {
    return static_cast<T>(x);
  }
}

/// A number of any kind from a float; a pair gets it in both members. For 0, 1, infinities and NaN.
template <class T>
TESSERA_FN constexpr T number(float x) {
  if constexpr (is_half_pair<T>) {
    return T{detail::convert<half_of<T>>(x), detail::convert<half_of<T>>(x)};
  } else if constexpr (is_half<T>) {
    return detail::convert<T>(x);
  } else {
    return T(x);
  }
}

/// The greatest value of a type: +infinity if it has one.
template <class T>
TESSERA_FN constexpr T highest() {
  if constexpr (is_integer<T>) {
    constexpr int value_bits = static_cast<int>(8 * sizeof(T)) - (is_signed_integer<T> ? 1 : 0);
    constexpr T top = static_cast<T>(T{1} << (value_bits - 1));
    return static_cast<T>(static_cast<T>(top - 1) + top);
  } else if constexpr (is_any_float<T>) {
    return detail::number<T>(infinity);
  } else {
    return (stl::numeric_limits<T>::max)();
  }
}

/// The least value of a type: −infinity if it has one.
template <class T>
TESSERA_FN constexpr T lowest() {
  if constexpr (is_integer<T>) {
    return static_cast<T>(~highest<T>() * T{is_signed_integer<T>});
  } else if constexpr (is_any_float<T>) {
    return detail::number<T>(-infinity);
  } else {
    return stl::numeric_limits<T>::lowest();
  }
}

/// True if a value is a NaN; false for types without NaN.
template <class T>
TESSERA_FN bool is_nan([[maybe_unused]] T x) {
  if constexpr (is_float<T>) {
    return x != x;
  } else if constexpr (is_half<T>) {
    return detail::is_nan(detail::convert<float>(x));
  } else {
    return false;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
