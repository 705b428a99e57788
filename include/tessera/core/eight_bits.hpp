// Floats rounded to eight bits: to e4m3, the 8-bit float that __nv_fp8_e4m3 has, and to integers.
//
//   e4m3   sign, 4 bits of exponent, 3 of mantissa; up to 448, multiples of 2^-9 below 2^-6; no infinity; NaN is 0x7f
//
// Types are known by name alone: no program needs cuda_fp8.h for this.
//
// Source: P. Micikevicius et al., "FP8 Formats for Deep Learning", 2022; PTX ISA, `cvt`.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/rounded.hpp>

struct __nv_fp8_e4m3;

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// The bits of x in e4m3: rounded to nearest, ties to even; ±448 beyond that.
TESSERA_FN stl::uint32_t e4m3_bits(float x) {
  auto const bits = detail::from_bits<stl::uint32_t>(x);
  stl::uint32_t const sign = bits >> 24 & 0x80u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7f;
  if (magnitude >= 0x43e00000u) return sign | 0x7e;  // from 448 on
  if (magnitude < 0x3c800000u) {                     // Below 2^-6; in 2^14 the last bit of a float is 2^-9.
    float const shifted = detail::rounded_add(detail::from_bits<float>(magnitude), 0x1p14f);
    return sign | (detail::from_bits<stl::uint32_t>(shifted) - detail::from_bits<stl::uint32_t>(0x1p14f));
  }
  return sign | (((magnitude + 0x7ffffu + (magnitude >> 20 & 1u)) >> 20) - (120u << 3));
}

/// Two floats in e4m3. The first goes to the lower byte.
TESSERA_FN stl::uint32_t e4m3_pair(float low, float high) {
#if TESSERA_ARCH >= 890
  unsigned short both;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(high), "f"(low));
  return both;
#else
  return detail::e4m3_bits(low) | detail::e4m3_bits(high) << 8;
#endif
}

/// The low byte of x as an integer, rounded to nearest, ties to even. |x| < 2^22.
TESSERA_FN stl::uint32_t integer_byte(float x) {
  // In 1.5 · 2^23 the last bit of a float is 1, and its bits count up from there, for negative x too.
  return detail::from_bits<stl::uint32_t>(detail::rounded_add(x, 0x1.8p23f)) & 0xffu;
}

/// An 8-bit type that floats are rounded to: the greatest number that it is used for, whether it has NaNs, and four
/// floats as a word, the first in the lowest byte.
template <class Q>
struct eight_bits;
template <>
struct eight_bits<__nv_fp8_e4m3> {
  static constexpr float most = 448;
  static constexpr bool has_nan = true;
  TESSERA_FN static stl::uint32_t word(float a, float b, float c, float d) {
    return detail::e4m3_pair(a, b) | detail::e4m3_pair(c, d) << 16;
  }
};
template <>
struct eight_bits<stl::int8_t> {
  static constexpr float most = 127;
  static constexpr bool has_nan = false;
  TESSERA_FN static stl::uint32_t word(float a, float b, float c, float d) {
    return detail::integer_byte(a) | detail::integer_byte(b) << 8 | detail::integer_byte(c) << 16 |
           detail::integer_byte(d) << 24;
  }
};

/// A type that eight_bits knows.
template <class Q>
inline constexpr bool has_eight_bits = stl::is_same_v<Q, __nv_fp8_e4m3> || stl::is_same_v<Q, stl::int8_t>;

}  // namespace detail
TESSERA_NAMESPACE_END
