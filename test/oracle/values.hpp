// The types, operators and values of the oracle's programs. Types have 1 to 64 bytes. One hash function
// draws the values, in kernels and on the host, so that no input is copied.
#pragma once

#include <tessera/tessera.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "halves.hpp"
#include "model/list.hpp"

namespace oracle {

using u64 = unsigned long long;
using u32 = unsigned;

// ---- The hash

TESSERA_FN u64 mixed(u64 z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
TESSERA_FN u64 mixed(u64 seed, u64 a, u64 b = 0) {
  return mixed(mixed(seed + 0x51ed27ull * a) ^ (b * 0xd1342543de82ef95ull));
}

// ---- Types that are not numbers. Each has an operation `joined` with an identity, which is associative
// and doesn't commute.

/// The map x -> w[0] * x + w[1], modulo 2^32.
struct alignas(8) affine {
  std::uint32_t w[2];
};
/// A map of {0, 1, 2} to itself, in 3 bytes.
struct map3 {
  std::uint8_t w[3];
};
/// An upper triangular matrix of 2 by 2, modulo 2^32, in 12 bytes.
struct upper2 {
  std::uint32_t w[3];
};
/// A matrix of 2 by 2, modulo 2^32, in 16 bytes.
struct matrix2 {
  std::uint32_t w[4];
};
/// A matrix of 4 by 4, modulo 2^32, in 64 bytes.
struct matrix4 {
  std::uint32_t w[16];
};
/// A string of parentheses after removing matching pairs: the number of closing ones, and then of opening
/// ones.
struct brackets {
  std::uint32_t w[2];
};

TESSERA_FN affine joined(affine const& a, affine const& b) {
  return {{a.w[0] * b.w[0], a.w[1] * b.w[0] + b.w[1]}};
}
TESSERA_FN map3 joined(map3 const& a, map3 const& b) {
  return {{b.w[a.w[0] & 3], b.w[a.w[1] & 3], b.w[a.w[2] & 3]}};
}
TESSERA_FN upper2 joined(upper2 const& a, upper2 const& b) {
  return {{a.w[0] * b.w[0], a.w[0] * b.w[1] + a.w[1] * b.w[2], a.w[2] * b.w[2]}};
}
TESSERA_FN matrix2 joined(matrix2 const& a, matrix2 const& b) {
  return {{a.w[0] * b.w[0] + a.w[1] * b.w[2], a.w[0] * b.w[1] + a.w[1] * b.w[3], a.w[2] * b.w[0] + a.w[3] * b.w[2],
           a.w[2] * b.w[1] + a.w[3] * b.w[3]}};
}
TESSERA_FN matrix4 joined(matrix4 const& a, matrix4 const& b) {
  matrix4 c{};
  for (unsigned i = 0; i < 4; ++i)
    for (unsigned j = 0; j < 4; ++j)
      for (unsigned k = 0; k < 4; ++k) c.w[4 * i + j] += a.w[4 * i + k] * b.w[4 * k + j];
  return c;
}
TESSERA_FN brackets joined(brackets const& a, brackets const& b) {
  std::uint32_t const matched = a.w[1] < b.w[0] ? a.w[1] : b.w[0];
  return {{a.w[0] + b.w[0] - matched, a.w[1] - matched + b.w[1]}};
}

template <class T>
struct neutral;
template <>
struct neutral<affine> {
  TESSERA_FN static affine get() { return {{1, 0}}; }
};
template <>
struct neutral<map3> {
  TESSERA_FN static map3 get() { return {{0, 1, 2}}; }
};
template <>
struct neutral<upper2> {
  TESSERA_FN static upper2 get() { return {{1, 0, 1}}; }
};
template <>
struct neutral<matrix2> {
  TESSERA_FN static matrix2 get() { return {{1, 0, 0, 1}}; }
};
template <>
struct neutral<matrix4> {
  TESSERA_FN static matrix4 get() { return {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}; }
};
template <>
struct neutral<brackets> {
  TESSERA_FN static brackets get() { return {{0, 0}}; }
};

// ---- Custom operators

struct join {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    return joined(a, b);
  }
};
/// The value of the lowest lane, and that of the highest. These operators don't commute and have no identity.
struct take_first {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const&) const {
    return a;
  }
};
struct take_last {
  template <class T>
  TESSERA_FN T operator()(T const&, T const& b) const {
    return b;
  }
};
/// The sum of structs word by word, which is declared to commute.
struct add_words {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    T c = a;
    for (unsigned i = 0; i < sizeof(c.w) / sizeof(c.w[0]); ++i)
      c.w[i] = static_cast<std::remove_reference_t<decltype(c.w[0])>>(a.w[i] + b.w[i]);
    return c;
  }
};

/// `join` and `add_words` with their identities.
template <class T>
TESSERA_FN auto joining() {
  return tessera::make_operator(join{}, neutral<T>::get());
}
template <class T>
TESSERA_FN auto adding() {
  return tessera::make_operator(add_words{}, T{}, tessera::commutative);
}

// ---- Values

/// The kinds of values. `any` are any bits. `exact` are floats whose sums are exact in any order, and
/// `unit` floats whose products are. `special` are floats with NaN, infinities and both zeros, for minima
/// and maxima. `truth` are 0 and 1 only. `few` are keys that several lanes share. `least` and `greatest`
/// are values for `smallest` and `largest`.
enum class values { any, exact, unit, special, truth, few, least, greatest };

template <class T>
struct sampler;

template <class T>
TESSERA_FN T integer_of(u64 h, unsigned profile, values which) {
  if (which == values::truth) return static_cast<T>(h >> 7 & 1u);
  if (which == values::few) return static_cast<T>(profile < 2 ? 1 : profile < 5 ? h % 3 : h % 40);
  u64 const limits[8] = {0, 1, ~0ull, 2, 0x7fffffffffffffffull, 0x8000000000000000ull, 0x7f, 0x80};
  if (profile == 0) return static_cast<T>(h % 5);
  if (profile == 1) return static_cast<T>(limits[h % 8] >> (h >> 8 & 1u ? 0 : 64 - 8 * sizeof(T)));
  return static_cast<T>(h);
}

template <class T>
TESSERA_FN T float_of(u64 h, unsigned profile, values which) {
  double const small = static_cast<double>(static_cast<int>(h % 129) - 64);
  T const nan = static_cast<T>(__builtin_nanf("")), infinity = static_cast<T>(__builtin_inff());
  if (which == values::unit) {
    T const units[8] = {T(1), T(-1), T(1), T(2), T(0.5), T(1), T(-1), T(1)};
    unsigned const at = static_cast<unsigned>(h % 8);
    if (profile == 1 && (h >> 8) % 64 == 0) return nan;
    return (at == 3 || at == 4) && (h >> 8) % 16 != 0 ? T(1) : units[at];
  }
  if (which == values::exact) {
    if (profile == 1) return T(-0.0);
    if (profile == 2) return (h >> 8) % 32 == 0 ? nan : static_cast<T>(small);
    if (profile == 3) return (h >> 8) % 32 == 0 ? infinity : static_cast<T>(small);
    if (profile == 4) return h >> 8 & 1u ? T(-0.0) : T(0.0);
    return static_cast<T>(small * 0.25);
  }
  if (which == values::special) {
    T const of[8] = {T(-0.0), T(0.0), T(1), T(-1), infinity, -infinity, T(-0.0), nan};
    if (profile == 1) return of[h % 8];
    if (profile == 2) return of[h % 7];
    if (profile == 3) return (h >> 8) % 16 == 0 ? nan : static_cast<T>(small);
    if (profile == 4) return nan;
    return static_cast<T>(small);
  }
  if (which == values::truth) return static_cast<T>(h >> 7 & 1u);
  if (which == values::few) return static_cast<T>(h % 3);
  return static_cast<T>(static_cast<double>(static_cast<long long>(h)) * 4.656612873077393e-10);
}

/// Halves. Sums of `any` are rounded, and products of `unit` are exact. draws::value replaces most `exact`
/// values by zero.
template <class T>
TESSERA_FN T half_of(u64 h, unsigned profile, values which) {
  int const number = static_cast<int>(h % 4001) - 2000;
  if (which == values::any) return T(static_cast<float>(number) / 7.0f);
  if (which == values::exact && (profile == 0 || profile > 4)) return T(static_cast<float>(number % 4));
  if (which == values::unit) {
    float const units[4] = {1.0f, -1.0f, 1.0f, (h >> 8) % 16 == 0 ? -0.0f : -1.0f};
    return profile == 1 && (h >> 8) % 64 == 0 ? T(__builtin_nanf("")) : T(units[h % 4]);
  }
  return T(float_of<float>(h, profile, which));
}

template <class T>
struct sampler {
  TESSERA_FN static T of(u64 h, unsigned profile, values which) {
    if constexpr (is_half<T>) {
      return half_of<T>(h, profile, which);
    } else if constexpr (std::is_same_v<T, bool>) {
      return profile == 0   ? true
             : profile == 1 ? false
             : profile == 2 ? h % 32 != 0
             : profile == 3 ? h % 32 == 0
                            : (h >> 9 & 1u) != 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      return float_of<T>(h, profile, which);
    } else {
      return integer_of<T>(h, profile, which);
    }
  }
};
template <>
struct sampler<affine> {
  TESSERA_FN static affine of(u64 h, unsigned, values which) {
    if (which == values::few) return {{1u, static_cast<std::uint32_t>(h % 3)}};
    return {{static_cast<std::uint32_t>(h) | 1u, static_cast<std::uint32_t>(h >> 32)}};
  }
};
template <>
struct sampler<map3> {
  TESSERA_FN static map3 of(u64 h, unsigned profile, values) {
    if (profile == 0)
      return {{static_cast<std::uint8_t>(h % 3), static_cast<std::uint8_t>((h >> 8) % 3),
               static_cast<std::uint8_t>((h >> 16) % 3)}};
    std::uint8_t const a = static_cast<std::uint8_t>(h % 3);
    std::uint8_t const b = static_cast<std::uint8_t>((a + 1 + (h >> 8) % 2) % 3);
    return {{a, b, static_cast<std::uint8_t>(3 - a - b)}};
  }
};
template <>
struct sampler<upper2> {
  TESSERA_FN static upper2 of(u64 h, unsigned, values) {
    return {{static_cast<std::uint32_t>(h) | 1u, static_cast<std::uint32_t>(h >> 20),
             static_cast<std::uint32_t>(h >> 32) | 1u}};
  }
};
template <>
struct sampler<matrix2> {
  TESSERA_FN static matrix2 of(u64 h, unsigned, values) {
    return {{static_cast<std::uint32_t>(h) | 1u, static_cast<std::uint32_t>(h >> 13),
             static_cast<std::uint32_t>(h >> 27) & ~1u, static_cast<std::uint32_t>(h >> 32) | 1u}};
  }
};
template <>
struct sampler<matrix4> {
  TESSERA_FN static matrix4 of(u64 h, unsigned, values) {
    matrix4 m{};
    for (unsigned i = 0; i < 4; ++i)
      for (unsigned j = 0; j < 4; ++j) {
        h = h * 6364136223846793005ull + 1442695040888963407ull;
        std::uint32_t const bits = static_cast<std::uint32_t>(h >> 32);
        m.w[4 * i + j] = i == j ? bits | 1u : j < i ? bits & ~1u : bits;
      }
    return m;
  }
};
template <>
struct sampler<brackets> {
  TESSERA_FN static brackets of(u64 h, unsigned, values) {
    return {{static_cast<std::uint32_t>(h % 4), static_cast<std::uint32_t>((h >> 8) % 4)}};
  }
};
template <class T, class Index>
struct sampler<tessera::indexed<T, Index>> {
  /// Of −0 and +0 with the same index `argmin` may take either, so negative values have odd indices.
  TESSERA_FN static tessera::indexed<T, Index> of(u64 h, unsigned profile, values which) {
    T const value = sampler<T>::of(h, profile, which);
    return {value, static_cast<Index>((h >> 40) % 2500 * 2 + has_sign(value))};
  }

 private:
  TESSERA_FN static bool has_sign(T const& value) {
    if constexpr (std::is_floating_point_v<T>) {
      return value < T(0) || (value == T(0) && T(1) / value < T(0));
    } else {
      return value < T(0);
    }
  }
};
template <class T>
struct sampler<tessera::min_max<T>> {
  TESSERA_FN static tessera::min_max<T> of(u64 h, unsigned profile, values which) {
    return tessera::as_min_max(sampler<T>::of(h, profile, which));
  }
};
template <class A, class B>
struct sampler<tessera::zipped<A, B>> {
  TESSERA_FN static tessera::zipped<A, B> of(u64 h, unsigned profile, values which) {
    return tessera::as_zipped(sampler<A>::of(h, profile, which), sampler<B>::of(mixed(h), profile, which));
  }
};
template <class T, class Index, class Rest>
struct sampler<tessera::zipped<T, Index, Rest>> {  // for argmin and argmax; some have the same value and index
  TESSERA_FN static tessera::zipped<T, Index, Rest> of(u64 h, unsigned profile, values which) {
    return tessera::as_zipped(sampler<T>::of(h, profile, which), static_cast<Index>((h >> 40) % 50),
                              static_cast<Rest>(h >> 20));
  }
};
/// The moments of one value, or sometimes of none or of several.
/// Steps whose results don't depend on the order, if they are to be exact: a is −1, 0 or 1, and b a small integer.
template <class T>
struct sampler<tessera::affine_map<T>> {
  TESSERA_FN static tessera::affine_map<T> of(u64 h, unsigned profile, values which) {
    if (which != values::exact) return {sampler<T>::of(h, profile, which), sampler<T>::of(mixed(h), profile, which)};
    return {static_cast<T>(static_cast<int>(h % 3) - 1), static_cast<T>(static_cast<int>(h / 3 % 16) - 8)};
  }
};
template <class T>
struct sampler<tessera::moments<T>> {
  TESSERA_FN static tessera::moments<T> of(u64 h, unsigned profile, values) {
    T const small = static_cast<T>(static_cast<int>(h % 129) - 64) * T(0.25);
    u64 const more = h >> 8;
    if (profile == 1) return tessera::as_moments(T(1000) + small);
    if (profile == 2) return tessera::as_moments(more % 32 == 0 ? static_cast<T>(__builtin_nanf("")) : small);
    if (profile == 3) return tessera::as_moments(more % 32 == 0 ? static_cast<T>(__builtin_inff()) : small);
    if (profile == 4) return tessera::as_moments(T(0.1f));
    if (profile == 5)
      return more % 2 == 0 ? tessera::moments<T>{T(0), T(0), T(0)}
                           : tessera::moments<T>{static_cast<T>(1 + more % 5), small,
                                                 more % 5 == 0 ? T(0) : static_cast<T>(more % 100) * T(0.3f)};
    return tessera::as_moments(small);
  }
};
/// Multiples of a quarter, whose differences are exact, and −∞; some kinds also have +∞ or NaN.
template <class T>
TESSERA_FN T score_of(u64 h, unsigned profile) {
  T const infinity = static_cast<T>(__builtin_inff());
  T const small = static_cast<T>(static_cast<int>(h % 129) - 64) * T(0.25);
  u64 const more = h >> 8;
  if (profile == 0) return -infinity;
  if (profile == 1 && more % 2 == 0) return -infinity;
  if (profile == 2 && more % 32 == 0) return static_cast<T>(__builtin_nanf(""));
  if (profile == 3 && more % 16 == 0) return infinity;
  if (profile == 4) return small * T(64);
  return small;
}
template <class T>
struct sampler<tessera::exp_sum<T>> {
  TESSERA_FN static tessera::exp_sum<T> of(u64 h, unsigned profile, values) {
    return tessera::as_exp_sum(score_of<T>(h, profile));
  }
};
/// Payloads are at most 16. The payload of −∞ must be ignored, so it is NaN.
template <class T, class V, unsigned K>
struct sampler<tessera::exp_sum<T, tessera::items<V, K>>> {
  TESSERA_FN static tessera::exp_sum<T, tessera::items<V, K>> of(u64 h, unsigned profile, values) {
    T const score = score_of<T>(h, profile);
    tessera::items<V, K> payload{};
    for (unsigned k = 0; k < K; ++k)
      payload[k] = score < T(-1e30f) ? static_cast<V>(__builtin_nanf(""))
                                     : static_cast<V>(static_cast<int>(mixed(h, k) % 129) - 64) * V(0.25);
    return tessera::as_exp_sum(score, payload);
  }
};
template <class T, unsigned K>
struct sampler<tessera::selection<T, K>> {
  TESSERA_FN static tessera::selection<T, K> of(u64 h, unsigned profile, values which) {
    T const x = sampler<T>::of(h, profile, values::special);
    return which == values::greatest ? tessera::as_largest<K>(x) : tessera::as_smallest<K>(x);
  }
};

template <class T, unsigned K>
struct sampler<tessera::items<T, K>> {
  TESSERA_FN static tessera::items<T, K> of(u64 h, unsigned profile, values which) {
    tessera::items<T, K> x{};
    for (unsigned k = 0; k < K; ++k) x[k] = sampler<T>::of(mixed(h, k), profile, which);
    return x;
  }
};

/// The type of a scratch's elements, of which only the size matters.
template <unsigned Bytes>
struct bytes {
  unsigned char byte[Bytes];
};

/// n of first(n) for sorts, which counts values: of n lanes with so many items, not all of the last lane's.
TESSERA_FN int values_of_first(int n, unsigned items) {
  return n * static_cast<int>(items) - (n > 0 ? n % static_cast<int>(items) : 0);
}

/// A predicate that holds for few values of any type.
template <class T>
TESSERA_FN bool is_rare(T const& x) {
  auto const* const bytes_of_x = reinterpret_cast<unsigned char const*>(&x);
  if constexpr (std::is_same_v<T, bool>) {
    return !x;
  } else {
    return bytes_of_x[sizeof(T) - 1] % 64 == 63;
  }
}

/// Whether an integer is odd, for each of a lane's.
template <class T>
TESSERA_FN bool is_odd(T const& x) {
  return (x & 1) != 0;
}
template <class T, unsigned K>
TESSERA_FN tessera::items<bool, K> is_odd(tessera::items<T, K> const& x) {
  tessera::items<bool, K> odd{};
  for (unsigned i = 0; i < K; ++i) odd[i] = is_odd(x[i]);
  return odd;
}

/// Lengths of runs, from 0 to 3, by integers.
TESSERA_FN unsigned length_of(int x) {
  return static_cast<unsigned>(x) % 4;
}
template <unsigned K>
TESSERA_FN tessera::items<unsigned, K> length_of(tessera::items<int, K> const& x) {
  tessera::items<unsigned, K> lengths{};
  for (unsigned i = 0; i < K; ++i) lengths[i] = length_of(x[i]);
  return lengths;
}
template <class X>
auto lengths_of(model::list<X> const& x) {
  model::list<decltype(length_of(x[0]))> lengths;
  for (X const& one : x) lengths.push_back(length_of(one));
  return lengths;
}
/// Which half of the values of any type one is in.
template <class T>
TESSERA_FN bool is_high(T const& x) {
  auto const* const bytes_of_x = reinterpret_cast<unsigned char const*>(&x);
  if constexpr (std::is_same_v<T, bool>) {
    return x;
  } else {
    return bytes_of_x[0] % 2 != 0;
  }
}

// ---- Comparing results, and printing values for a program

template <class T>
bool same(T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a && b != b;
  } else if constexpr (is_half<T>) {
    if (same(static_cast<float>(a), static_cast<float>(b))) return true;
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T, class Index>
bool same(tessera::indexed<T, Index> const& a, tessera::indexed<T, Index> const& b) {
  return same(a.value, b.value) && same(a.index, b.index);
}
template <class T>
bool same(tessera::min_max<T> const& a, tessera::min_max<T> const& b) {
  return same(a.min, b.min) && same(a.max, b.max);
}
template <class A, class B>
bool same(tessera::zipped<A, B> const& a, tessera::zipped<A, B> const& b) {
  return same(tessera::get<0>(a), tessera::get<0>(b)) && same(tessera::get<1>(a), tessera::get<1>(b));
}
template <class A, class B, class C>
bool same(tessera::zipped<A, B, C> const& a, tessera::zipped<A, B, C> const& b) {
  return same(tessera::get<0>(a), tessera::get<0>(b)) && same(tessera::get<1>(a), tessera::get<1>(b)) &&
         same(tessera::get<2>(a), tessera::get<2>(b));
}
template <class T>
bool same(tessera::affine_map<T> const& a, tessera::affine_map<T> const& b) {
  return same(a.a, b.a) && same(a.b, b.b);
}
template <class T>
bool same(tessera::moments<T> const& a, tessera::moments<T> const& b) {
  return same(a.count, b.count) && same(a.mean, b.mean) && same(a.m2, b.m2);
}
template <class T, unsigned K>
bool same(tessera::selection<T, K> const& a, tessera::selection<T, K> const& b) {
  for (unsigned k = 0; k < K; ++k)
    if (!same(a[k], b[k])) return false;
  return true;
}
/// The order of two zeros with the same index is unspecified.
template <class T, class Index, unsigned K>
bool same(tessera::selection<tessera::indexed<T, Index>, K> const& a,
          tessera::selection<tessera::indexed<T, Index>, K> const& b) {
  for (unsigned k = 0; k < K; ++k)
    if (a[k].index != b[k].index || !(a[k].value == b[k].value || same(a[k].value, b[k].value))) return false;
  return true;
}
template <class T, unsigned K>
bool same(tessera::items<T, K> const& a, tessera::items<T, K> const& b) {
  for (unsigned k = 0; k < K; ++k)
    if (!same(a[k], b[k])) return false;
  return true;
}
template <class X, class T>
bool same(tessera::scanned<X, T> const& a, tessera::scanned<X, T> const& b) {
  return same(a.value, b.value) && same(a.total, b.total);
}
template <unsigned N>
bool same(tessera::peer_group<N> const& a, tessera::peer_group<N> const& b) {
  return a.mask == b.mask && a.rank == b.rank && a.leader == b.leader;
}

// ---- Comparing results within the error of their arithmetic, if the order of combination or the rounding
// of exp is unspecified. ---- `n` values were combined in any order, so that no value goes through more
// than n combinations.

template <class T>
bool near(T const& got, T const& expected, double) {
  return same(got, expected);
}

/// welford. u is half an ulp of 1, and S is the greatest |x|, which is at most |mean| + √m2.
///
///   mean   A combination computes mean + (difference · share). The difference has a rounding error of 2uS, the share, which is at
///          most 1, one of 2u, and the sum one of uS; the errors of the operands are weighted with their shares. So n
///          combinations have an error of at most 5nuS, and the model one of uS.
///   m2     √m2 is the length of the vector of √(a·b/(a+b)) · difference over all combinations (which are orthogonal). Each
///          difference has an error of at most (10n + 2)uS, and the sum of a·b/(a+b) is at most n · log2(n)/2. The rounding errors
///          of m2 itself are less than 6nu of it, and √m2 ≤ √n · 2S. So the error of √(m2/n) is less than
///          (14 · √(log2(n)) + 12)nuS.
///
/// The count is exact. The mean of one value, or of equal values, is that value, and their m2 is 0. With a
/// NaN or an infinity, m2 is NaN, and the mean isn't finite.
template <class T>
bool near(tessera::moments<T> const& got, tessera::moments<T> const& expected, double n) {
  if (!same(got.count, expected.count)) return false;
  if (expected.count <= T(1)) return same(got, expected);
  if (expected.m2 != expected.m2) return got.m2 != got.m2 && got.mean - got.mean != T(0);
  if (expected.m2 == T(0)) return got.mean == expected.mean && got.m2 == T(0);
  double const u = std::numeric_limits<T>::epsilon() / 2.0, count = expected.count;
  double const largest = std::fabs(expected.mean) + std::sqrt(static_cast<double>(expected.m2));
  double const unit = n * u * largest;
  return std::fabs(static_cast<double>(got.mean) - expected.mean) <= 6 * unit &&
         std::fabs(std::sqrt(static_cast<double>(got.m2)) - std::sqrt(static_cast<double>(expected.m2))) <=
             (14 * std::sqrt(std::log2(n + 1)) + 12) * unit * std::sqrt(count);
}

/// The greatest ulp of a number up to x.
template <class T>
double ulp_near(double x) {
  return std::numeric_limits<T>::epsilon() * x + std::numeric_limits<T>::denorm_min();
}
/// log_sum_exp. max is exact. By its contract a combination has an error of at most 4 ulps in the sum, and
/// the model's has less than one. An ulp is at most 2u of the rounded number, or the least subnormal, and
/// nothing is subtracted. A subnormal weight exp(x - max) has an error of as many least subnormals. At most
/// n terms of at most 1 are weighted with it once; those weighted with it twice are 0.
template <class T>
bool near(tessera::exp_sum<T> const& got, tessera::exp_sum<T> const& expected, double n) {
  if (!same(got.max, expected.max)) return false;
  if (expected.sum != expected.sum) return got.sum != got.sum;
  double const bound = 5 * n * ulp_near<T>(expected.sum);
  return std::fabs(static_cast<double>(got.sum) - expected.sum) <= bound;
}
/// With payloads the error is relative to the sum of the weighted magnitudes, which is at most 16 times the
/// sum; see the sampler. If a value is NaN, the contract only promises that mean() is NaN.
template <class T, class V, unsigned K>
bool near(tessera::exp_sum<T, tessera::items<V, K>> const& got,
          tessera::exp_sum<T, tessera::items<V, K>> const& expected, double n) {
  using base = tessera::exp_sum<T>;
  if (!near(static_cast<base const&>(got), static_cast<base const&>(expected), n)) return false;
  if (expected.max != expected.max) return got.mean()[0] != got.mean()[0];
  double const bound = 16 * 5 * n * ulp_near<T>(expected.sum);
  for (unsigned k = 0; k < K; ++k)
    if (!(std::fabs(static_cast<double>(got.weighted[k]) - expected.weighted[k]) <= bound)) return false;
  return true;
}
template <class T, unsigned K>
bool near(tessera::items<T, K> const& got, tessera::items<T, K> const& expected, double n) {
  for (unsigned k = 0; k < K; ++k)
    if (!near(got[k], expected[k], n)) return false;
  return true;
}
template <class X, class T>
bool near(tessera::scanned<X, T> const& got, tessera::scanned<X, T> const& expected, double n) {
  return near(got.value, expected.value, n) && near(got.total, expected.total, n);
}

template <class T>
std::string shown(T const& x) {
  char text[64];
  if constexpr (is_half<T>) {
    return shown(static_cast<float>(x));
  } else if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return "NAN";
    if (x - x != 0) return x < 0 ? "-INFINITY" : "INFINITY";
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(x));
    return text;
  } else if constexpr (std::is_integral_v<T>) {
    if (std::is_signed_v<T> && x < 0 &&
        static_cast<T>(x - 1) > 0) {  // the least integer, which isn't the negative of a literal
      std::snprintf(text, sizeof text, "%lld - 1", static_cast<long long>(x + 1));
    } else if (std::is_signed_v<T>) {
      std::snprintf(text, sizeof text, "%lld", static_cast<long long>(x));
    } else {
      std::snprintf(text, sizeof text, sizeof(T) == 8 ? "%lluu" : "%llu", static_cast<unsigned long long>(x));
    }
    return text;
  } else if constexpr (std::is_same_v<T, tessera::appended<unsigned>>) {
    return "{" + std::to_string(x.begin) + ", " + std::to_string(x.count) + "}";
  } else {
    std::string all = "{{";
    for (unsigned i = 0; i < sizeof(x.w) / sizeof(x.w[0]); ++i) all += (i == 0 ? "" : ", ") + std::to_string(x.w[i]);
    return all + "}}";
  }
}
template <class T, class Index>
std::string shown(tessera::indexed<T, Index> const& x) {
  return "{" + shown(x.value) + ", " + shown(x.index) + "}";
}
template <class T>
std::string shown(tessera::min_max<T> const& x) {
  return "{" + shown(x.min) + ", " + shown(x.max) + "}";
}
template <class A, class B>
std::string shown(tessera::zipped<A, B> const& x) {
  return "tessera::as_zipped(" + shown(tessera::get<0>(x)) + ", " + shown(tessera::get<1>(x)) + ")";
}
template <class A, class B, class C>
std::string shown(tessera::zipped<A, B, C> const& x) {
  return "tessera::as_zipped(" + shown(tessera::get<0>(x)) + ", " + shown(tessera::get<1>(x)) + ", " +
         shown(tessera::get<2>(x)) + ")";
}
template <class T>
std::string shown(tessera::affine_map<T> const& x) {
  return "{" + shown(x.a) + ", " + shown(x.b) + "}";
}
template <class T>
std::string shown(tessera::moments<T> const& x) {
  return "{" + shown(x.count) + ", " + shown(x.mean) + ", " + shown(x.m2) + "}";
}
template <class T>
std::string shown(tessera::exp_sum<T> const& x) {
  return "{" + shown(x.max) + ", " + shown(x.sum) + "}";
}
template <class T, class V, unsigned K>
std::string shown(tessera::exp_sum<T, tessera::items<V, K>> const& x) {
  std::string all = "{" + shown(static_cast<tessera::exp_sum<T> const&>(x)) + ", {{";
  for (unsigned k = 0; k < K; ++k) all += (k == 0 ? "" : ", ") + shown(x.weighted[k]);
  return all + "}}}";
}
template <class T, unsigned K>
std::string shown(tessera::selection<T, K> const& x) {
  std::string all = "{{";
  for (unsigned k = 0; k < K; ++k) all += (k == 0 ? "" : ", ") + shown(x[k]);
  return all + "}}";
}
template <class T, unsigned K>
std::string shown(tessera::items<T, K> const& x) {
  std::string all = "{{";
  for (unsigned k = 0; k < K; ++k) all += (k == 0 ? "" : ", ") + shown(x[k]);
  return all + "}}";
}
inline std::string shown(tessera::index_range<int> const& x) {
  return "{" + shown(x.begin) + ", " + shown(x.end) + "}";
}
template <class X, class T>
std::string shown(tessera::scanned<X, T> const& x) {
  return "{" + shown(x.value) + ", " + shown(x.total) + "}";
}
template <unsigned N>
std::string shown(tessera::lane_mask<N> const& x) {
  std::string all = "lanes";
  char text[16];
  for (unsigned w = 0; w < tessera::lane_mask<N>::word_count; ++w) {
    std::snprintf(text, sizeof text, " %08x", x.word(w));
    all += text;
  }
  return all;
}
template <unsigned N>
std::string shown(tessera::peer_group<N> const& x) {
  return "{" + shown(x.mask) + ", " + shown(x.rank) + ", " + shown(x.leader) + "}";
}

}  // namespace oracle
