// Random values for tests, including special ones, and the comparison of two values.
#pragma once

#include <tessera/operators.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "same_bits.hpp"

namespace test {

using random_engine = std::mt19937_64;

/// 2×2 matrices of integers. Their product wraps around, is associative, and doesn't commute.
struct matrix {
  unsigned a, b, c, d;
};
struct matrix_product {
  TESSERA_FN matrix operator()(matrix x, matrix y) const {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};
inline constexpr matrix matrix_one{1, 0, 0, 1};

/// A string of brackets after removing matching pairs: `closed` closing brackets and then `opened` opening
/// ones. This is the bicyclic monoid.
struct brackets {
  unsigned closed, opened;
};
struct bracket_concatenation {
  TESSERA_FN brackets operator()(brackets x, brackets y) const {
    unsigned const matched = x.opened < y.closed ? x.opened : y.closed;
    return {x.closed + y.closed - matched, x.opened + y.opened - matched};
  }
};

/// A string of decimal digits: its number modulo 2^64, and the power of ten for its length.
struct digits {
  unsigned long long value, shift;
};
struct digit_concatenation {
  TESSERA_FN digits operator()(digits x, digits y) const { return {x.value * y.shift + y.value, x.shift * y.shift}; }
};

/// A struct of `Bytes` bytes. Each two bytes are an affine map x → scale·x + offset, and the operator
/// composes them.
template <unsigned Bytes>
struct row {
  unsigned char scale_and_offset[Bytes];
};
template <unsigned Bytes>
struct compose_rows {
  TESSERA_FN row<Bytes> operator()(row<Bytes> x, row<Bytes> y) const {
    row<Bytes> out = y;  // of a single byte at the end, the last one wins
    for (unsigned i = 0; i + 1 < Bytes; i += 2) {
      out.scale_and_offset[i] = static_cast<unsigned char>(x.scale_and_offset[i] * y.scale_and_offset[i]);
      out.scale_and_offset[i + 1] =
          static_cast<unsigned char>(x.scale_and_offset[i + 1] * y.scale_and_offset[i] + y.scale_and_offset[i + 1]);
    }
    return out;
  }
};

template <class T>
inline constexpr unsigned row_bytes = 0;
template <unsigned Bytes>
inline constexpr unsigned row_bytes<row<Bytes>> = Bytes;

/// A random value of T. One in three is a special value. Matrices and maps have an inverse: products of others are soon 0,
/// whatever their order is.
template <class T>
T sample(random_engine& random) {
  auto const bits = random();
  if constexpr (std::is_same_v<T, bool>) {
    return bits % 3 != 0;
  } else if constexpr (tessera::detail::is_integer<T>) {
    T const awkward[] = {T(0), T(1), static_cast<T>(~T(0)), tessera::detail::lowest<T>(),
                         tessera::detail::highest<T>()};
    if (bits % 3 == 0) return awkward[bits / 3 % 5];
    if constexpr (sizeof(T) == 16) return static_cast<T>(static_cast<T>(random()) << 64 | static_cast<T>(random()));
    return static_cast<T>(random());
  } else if constexpr (std::is_floating_point_v<T>) {
    T const awkward[] = {T(0), -T(0), T(1), -T(1), std::numeric_limits<T>::denorm_min()};
    if (bits % 3 == 0) return awkward[bits / 3 % 5];
    return std::ldexp(std::uniform_real_distribution<T>(-1, 1)(random), static_cast<int>(bits / 3 % 24) - 12);
  } else if constexpr (tessera::detail::is_half<T>) {
    return T(sample<float>(random));
  } else if constexpr (tessera::detail::is_half_pair<T>) {
    using half = tessera::detail::half_of<T>;
    half const first = sample<half>(random);
    return T{first, sample<half>(random)};
  } else if constexpr (std::is_same_v<T, brackets>) {
    return {static_cast<unsigned>(bits % 3), static_cast<unsigned>(bits / 3 % 3)};
  } else if constexpr (std::is_same_v<T, digits>) {
    return {bits % 10, 10};
  } else if constexpr (std::is_same_v<T, matrix>) {
    auto const x = static_cast<unsigned>(bits), y = static_cast<unsigned>(bits >> 32);
    return {1 + x * y, x, y, 1};
  } else {
    T out;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      reinterpret_cast<unsigned char*>(&out)[i] = static_cast<unsigned char>(random());
    if constexpr (row_bytes<T> != 0) {
      for (std::size_t i = 0; i + 1 < sizeof(T); i += 2) reinterpret_cast<unsigned char*>(&out)[i] |= 1;
    }
    return out;
  }
}

/// The same, in which every other value is a NaN, an infinity, or a zero of either sign.
template <class T>
T sample_special(random_engine& random) {
  if constexpr (tessera::detail::is_half_pair<T>) {
    using half = tessera::detail::half_of<T>;
    half const first = sample_special<half>(random);
    return T{first, sample_special<half>(random)};
  } else {
    float const special[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(), 0.0f, -0.0f};
    return random() % 2 == 0 ? T(special[random() % 5]) : sample<T>(random);
  }
}

/// Bools, of which one in eight is false.
template <class T>
T sample_truth(random_engine& random) {
  return random() % 8 == 0 ? T(0) : T(1);
}

/// Whether a and b have the same bits, or are both NaN.
template <class T>
bool same(T const& a, T const& b) {
  if constexpr (tessera::detail::is_half_pair<T>) {
    return same(a.x, b.x) && same(a.y, b.y);
  } else {
    return same_bits(a, b) || (tessera::detail::is_nan(a) && tessera::detail::is_nan(b));
  }
}
template <class T, class I>
bool same(tessera::indexed<T, I> const& a, tessera::indexed<T, I> const& b) {
  return same(a.value, b.value) && a.index == b.index;
}
template <class T>
bool same(tessera::min_max<T> const& a, tessera::min_max<T> const& b) {
  return same(a.min, b.min) && same(a.max, b.max);
}
template <class T, unsigned K>
bool same(tessera::selection<T, K> const& a, tessera::selection<T, K> const& b) {
  bool all = true;
  for (unsigned i = 0; i < K; ++i) all = all && same(a[i], b[i]);
  return all;
}
template <class T>
bool same(tessera::moments<T> const& a, tessera::moments<T> const& b) {
  return same(a.count, b.count) && same(a.mean, b.mean) && same(a.m2, b.m2);
}
template <class T>
bool same(tessera::exp_sum<T> const& a, tessera::exp_sum<T> const& b) {
  return same(a.max, b.max) && same(a.sum, b.sum);
}
template <class... T, std::size_t... I>
bool same_members(tessera::zipped<T...> const& a, tessera::zipped<T...> const& b, std::index_sequence<I...>);
template <class... T>
bool same(tessera::zipped<T...> const& a, tessera::zipped<T...> const& b) {
  return same_members(a, b, std::index_sequence_for<T...>{});
}
template <class... T, std::size_t... I>
bool same_members(tessera::zipped<T...> const& a, tessera::zipped<T...> const& b, std::index_sequence<I...>) {
  return (same(tessera::get<I>(a), tessera::get<I>(b)) && ...);
}

/// Prints a value for the message of a failure.
template <class T>
std::string show(T const& x) {
  std::ostringstream out;
  if constexpr (std::is_arithmetic_v<T>) out << +x << " = ";
  out << "0x" << std::hex;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    unsigned const byte = reinterpret_cast<unsigned char const*>(&x)[i];
    out << byte / 16 << byte % 16;
  }
  return out.str();
}

}  // namespace test
