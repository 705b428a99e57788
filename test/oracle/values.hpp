// What the oracle's programs compute with: types of 1 to 64 bytes, operators on them, and values drawn by one hash function, which
// kernels and the host call alike, so that no input has to be copied.
#pragma once

#include <tessera/tessera.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace oracle {

using u64 = unsigned long long;

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

// ---- Types that are not numbers. Each is a monoid whose operation `joined` is associative and doesn't commute.

/// x -> w[0] * x + w[1], modulo 2^32.
struct alignas(8) affine {
  std::uint32_t w[2];
};
/// A map of {0, 1, 2} to itself: 3 bytes.
struct map3 {
  std::uint8_t w[3];
};
/// An upper triangular matrix of 2 by 2, modulo 2^32: 12 bytes.
struct upper2 {
  std::uint32_t w[3];
};
/// A matrix of 2 by 2, modulo 2^32: 16 bytes.
struct matrix2 {
  std::uint32_t w[4];
};
/// A matrix of 4 by 4, modulo 2^32: 64 bytes.
struct matrix4 {
  std::uint32_t w[16];
};
/// What is left of a string of parentheses once the matching ones are taken out: how many close, and then open.
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
  return {{a.w[0] * b.w[0] + a.w[1] * b.w[2], a.w[0] * b.w[1] + a.w[1] * b.w[3],
           a.w[2] * b.w[0] + a.w[3] * b.w[2], a.w[2] * b.w[1] + a.w[3] * b.w[3]}};
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

// ---- Operators that are not the library's

struct join {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    return joined(a, b);
  }
};
/// The value of the lowest lane; of the highest. Neither commutes, neither has an identity.
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
/// The sum of structs word by word: it commutes, and says so.
struct add_words {
  template <class T>
  TESSERA_FN T operator()(T const& a, T const& b) const {
    T c = a;
    for (unsigned i = 0; i < sizeof(c.w) / sizeof(c.w[0]); ++i)
      c.w[i] = static_cast<std::remove_reference_t<decltype(c.w[0])>>(a.w[i] + b.w[i]);
    return c;
  }
};

/// `join` with its identity; `add_words` with its own.
template <class T>
TESSERA_FN auto joining() {
  return tessera::make_operator(join{}, neutral<T>::get());
}
template <class T>
TESSERA_FN auto adding() {
  return tessera::make_operator(add_words{}, T{}, tessera::commutative);
}

// ---- Values

/// Which values: `any` bits; `exact`: floats whose sums are exact in any order; `unit`: floats whose products are; `special`:
/// floats with NaN, infinities and both zeros, which minima and maxima take; `truth`: 0 and 1 alone; `few`: keys of which lanes share some.
enum class values { any, exact, unit, special, truth, few };

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

template <class T>
struct sampler {
  TESSERA_FN static T of(u64 h, unsigned profile, values which) {
    if constexpr (std::is_same_v<T, bool>) {
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
  TESSERA_FN static affine of(u64 h, unsigned, values) {
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
  TESSERA_FN static tessera::indexed<T, Index> of(u64 h, unsigned profile, values which) {
    return {sampler<T>::of(h, profile, which), static_cast<Index>((h >> 40) % 5000)};
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

template <class T, unsigned K>
struct sampler<tessera::items<T, K>> {
  TESSERA_FN static tessera::items<T, K> of(u64 h, unsigned profile, values which) {
    tessera::items<T, K> x{};
    for (unsigned k = 0; k < K; ++k) x[k] = sampler<T>::of(mixed(h, k), profile, which);
    return x;
  }
};

/// What a scratch is for, where only the size matters.
template <unsigned Bytes>
struct bytes {
  unsigned char byte[Bytes];
};

/// A predicate that few values of any type have.
template <class T>
TESSERA_FN bool is_rare(T const& x) {
  auto const* const bytes_of_x = reinterpret_cast<unsigned char const*>(&x);
  if constexpr (std::is_same_v<T, bool>) {
    return !x;
  } else {
    return bytes_of_x[sizeof(T) - 1] % 64 == 63;
  }
}

// ---- Results: whether they are the same, and how they are written in a program

template <class T>
bool same(T const& a, T const& b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a && b != b;
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

template <class T>
std::string shown(T const& x) {
  char text[64];
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return "NAN";
    if (x - x != 0) return x < 0 ? "-INFINITY" : "INFINITY";
    std::snprintf(text, sizeof text, "%.17g", static_cast<double>(x));
    return text;
  } else if constexpr (std::is_integral_v<T>) {
    if (std::is_signed_v<T> && x < 0 &&
        static_cast<T>(x - 1) > 0) {  // the least, of which no literal is the negative
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
    for (unsigned i = 0; i < sizeof(x.w) / sizeof(x.w[0]); ++i)
      all += (i == 0 ? "" : ", ") + std::to_string(x.w[i]);
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
template <class T, unsigned K>
std::string shown(tessera::items<T, K> const& x) {
  std::string all = "{{";
  for (unsigned k = 0; k < K; ++k) all += (k == 0 ? "" : ", ") + shown(x[k]);
  return all + "}}";
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
