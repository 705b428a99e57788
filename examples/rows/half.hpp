// float16 as the host reads and writes it: IEEE 754 binary16, in the low bits of a number.
//
//   binary16   s eeeee mmmmmmmmmm
//   float      s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm
//   value      (−1)^s · 2^(e − 15) · 1.m;  e = 0: 2^−14 · 0.m;  e = 31: inf, NaN       of binary16
#pragma once

#include <cstdint>
#include <cstring>

namespace rows {

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

/// Exactly.
inline float float_of_half(std::uint16_t half) {
  std::uint32_t const sign = (half & 0x8000u) << 16;
  std::uint32_t const exponent = half >> 10 & 31u;
  std::uint32_t const mantissa = half & 1023u;
  if (exponent == 31) return float_of_bits(sign | 0x7f800000u | mantissa << 13);
  if (exponent > 0) return float_of_bits(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
  float const magnitude = static_cast<float>(mantissa) * float_of_bits((127u - 24u) << 23);  // · 2^−24
  return sign != 0 ? -magnitude : magnitude;
}

/// To nearest, ties to even; infinity from 65520 on. A NaN stays one.
inline std::uint16_t half_of_float(float x) {
  std::uint32_t const bits = bits_of_float(x);
  std::uint32_t const sign = bits >> 16 & 0x8000u;
  std::uint32_t const magnitude = bits & 0x7fffffffu;
  auto const with_sign = [&](std::uint32_t half) { return static_cast<std::uint16_t>(sign | half); };
  if (magnitude > 0x7f800000u) return with_sign(0x7e00u | (magnitude >> 13 & 0x1ffu));
  if (magnitude >= 0x477ff000u) return with_sign(0x7c00u);
  if (magnitude <
      0x38800000u) {  // below 2^−14: a multiple of 2^−24, as the sum with 0.5, whose last bit that is, rounds it
    float const sum = float_of_bits(magnitude) + 0.5f;
    return with_sign(bits_of_float(sum) - bits_of_float(0.5f));
  }
  std::uint32_t const odd = magnitude >> 13 & 1u;
  return with_sign((magnitude + 0xfffu + odd - ((127u - 15u) << 23)) >> 13);
}

}  // namespace rows
