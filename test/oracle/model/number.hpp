// Numbers of all kinds, for the operators of the model.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace oracle::model {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/// Whether T is an integer of 8 to 128 bits. bool isn't one.
template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <>
inline constexpr bool is_integer<int128> = true;
template <>
inline constexpr bool is_integer<uint128> = true;

/// Whether T is a float. A program with halves specializes this for them; they are computed as floats and
/// then rounded.
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;

template <class T>
inline constexpr bool is_number = is_integer<T> || is_float<T> || std::is_same_v<T, bool>;

/// The type in which a float is computed, and in which an integer wraps around.
template <class T, bool Narrow = (sizeof(T) < sizeof(unsigned)), bool Float = is_float<T>>
struct arithmetic_type {
  using type = unsigned;
};
template <class T>
struct arithmetic_type<T, true, true> {
  using type = float;
};
template <class T>
struct arithmetic_type<T, false, true> {
  using type = T;
};
template <class T>
struct arithmetic_type<T, false, false> : std::make_unsigned<T> {};
template <>
struct arithmetic_type<int128, false, false> {
  using type = uint128;
};
template <>
struct arithmetic_type<uint128, false, false> {
  using type = uint128;
};
template <class T>
using arithmetic_t = typename arithmetic_type<T>::type;

template <class T>
bool is_nan([[maybe_unused]] T const& x) {
  if constexpr (is_float<T>)
    return std::isnan(static_cast<arithmetic_t<T>>(x));
  else
    return false;
}

template <class T>
bool is_negative(T const& x) {
  if constexpr (is_float<T>)
    return std::signbit(static_cast<arithmetic_t<T>>(x));
  else
    return x < T(0);
}

/// The greatest value of a type, which is +infinity if the type has it.
template <class T>
T highest() {
  if constexpr (std::is_same_v<T, bool>) {
    return true;
  } else if constexpr (is_float<T>) {
    return static_cast<T>(std::numeric_limits<arithmetic_t<T>>::infinity());
  } else {
    bool const is_signed = static_cast<T>(-1) < static_cast<T>(0);
    arithmetic_t<T> const ones =
        static_cast<arithmetic_t<T>>(-1) >> (8 * (sizeof(arithmetic_t<T>) - sizeof(T)) + (is_signed ? 1 : 0));
    return static_cast<T>(ones);
  }
}

/// The least value of a type, which is −infinity if the type has it.
template <class T>
T lowest() {
  if constexpr (std::is_same_v<T, bool>)
    return false;
  else if constexpr (is_float<T>)
    return static_cast<T>(-std::numeric_limits<arithmetic_t<T>>::infinity());
  else
    return static_cast<T>(-1) < static_cast<T>(0) ? static_cast<T>(-highest<T>() - 1) : static_cast<T>(0);
}

template <class T>
T not_a_number() {
  return static_cast<T>(std::numeric_limits<arithmetic_t<T>>::quiet_NaN());
}

/// Sum and product. Integers wrap around, and a half is rounded once.
template <class T>
T sum(T const& a, T const& b) {
  using wide = arithmetic_t<T>;
  return static_cast<T>(static_cast<wide>(a) + static_cast<wide>(b));
}
template <class T>
T product(T const& a, T const& b) {
  using wide = arithmetic_t<T>;
  return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b));
}

/// Whether a comes before b in ascending order, where −0 comes before +0. Neither may be NaN.
template <class T>
bool is_less(T const& a, T const& b) {
  if constexpr (is_float<T>) {
    using wide = arithmetic_t<T>;
    if (static_cast<wide>(a) == static_cast<wide>(b)) return is_negative(a) && !is_negative(b);
    return static_cast<wide>(a) < static_cast<wide>(b);
  } else {
    return a < b;
  }
}

}  // namespace oracle::model
