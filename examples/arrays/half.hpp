// Conversions of float16 (IEEE 754 binary16) on the host.
//
//   binary16   s eeeee mmmmmmmmmm
//   float      s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm
//   value      (−1)^s · 2^(e − 15) · 1.m;  e = 0: 2^−14 · 0.m;  e = 31: inf, NaN       of binary16
#pragma once

#include <cstdint>
#include <cstring>

namespace arrays {

inline float float_of_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
inline std::uint32_t bits_of_float(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

/// Converts exactly.
inline float float_of_half(std::uint16_t half) {
  std::uint32_t const sign = (half & 0x8000u) << 16;
  std::uint32_t const exponent = half >> 10 & 31u;
  std::uint32_t const mantissa = half & 1023u;
  if (exponent == 31) return float_of_bits(sign | 0x7f800000u | mantissa << 13);
  if (exponent > 0) return float_of_bits(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
  float const magnitude = static_cast<float>(mantissa) * float_of_bits((127u - 24u) << 23);  // · 2^−24
  return sign != 0 ? -magnitude : magnitude;
}

/// Rounds to the nearest value, ties to even; 65520 and up become infinity. A NaN stays a NaN.
inline std::uint16_t half_of_float(float x) {
  std::uint32_t const bits = bits_of_float(x);
  std::uint32_t const sign = bits >> 16 & 0x8000u;
  std::uint32_t const magnitude = bits & 0x7fffffffu;
  auto const with_sign = [&](std::uint32_t half) { return static_cast<std::uint16_t>(sign | half); };
  if (magnitude > 0x7f800000u) return with_sign(0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude >= 0x477ff000u) return with_sign(0x7c00u);
  if (magnitude < 0x38800000u) {
    // Below 2^−14 a half is a multiple of 2^−24. That is the last bit of 0.5f, so adding 0.5 rounds to a
    // multiple.
    float const sum = float_of_bits(magnitude) + 0.5f;
    return with_sign(bits_of_float(sum) - bits_of_float(0.5f));
  }
  std::uint32_t const odd = magnitude >> 13 & 1u;
  return with_sign((magnitude + 0xfffu + odd - ((127u - 15u) << 23)) >> 13);
}

}  // namespace arrays
