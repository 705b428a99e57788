// The 16-bit floats. Programs that nvcc compiles use CUDA's. Others use these, so that the library's code
// for halves runs on host tiles without a CUDA toolkit. The library only declares the types and finds the
// functions by argument-dependent lookup.
#pragma once

#include <tessera/core/config.hpp>

#if TESSERA_CUDA

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#else

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace oracle::halves {

inline std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline float float_of_bits(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// Converts to 5 bits of exponent and 10 bits of mantissa, rounded to nearest, ties to even.
inline std::uint16_t to_half(float x) {
  std::uint32_t const sign = bits_of(x) >> 16 & 0x8000u, magnitude = bits_of(x) & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x47800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);  // 65536 and more
  if (magnitude < 0x38800000u) {  // subnormal; 0.5f has the same last bit as a subnormal half
    std::uint32_t const mantissa = bits_of(float_of_bits(magnitude) + 0.5f) - bits_of(0.5f);
    return static_cast<std::uint16_t>(sign | mantissa);
  }
  std::uint32_t const rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u) - (112u << 23);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}
inline float from_half(std::uint16_t bits) {
  std::uint32_t const sign = std::uint32_t{bits & 0x8000u} << 16, rest = bits & 0x7fffu;
  if (rest >= 0x7c00u) return float_of_bits(sign | 0x7f800000u | (rest << 13));
  if (rest >= 0x0400u) return float_of_bits(sign | ((rest << 13) + (112u << 23)));
  return float_of_bits(sign | bits_of(static_cast<float>(rest) * 0x1p-24f));
}

/// Converts to the upper half of a float, rounded to nearest, ties to even.
inline std::uint16_t to_bfloat16(float x) {
  if (x != x) return 0x7fff;
  return static_cast<std::uint16_t>((bits_of(x) + 0x7fffu + (bits_of(x) >> 16 & 1u)) >> 16);
}
inline float from_bfloat16(std::uint16_t bits) {
  return float_of_bits(std::uint32_t{bits} << 16);
}

}  // namespace oracle::halves

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names, which the library declares.
struct __half {
  std::uint16_t bits;

  __half() = default;
  __half(float x) : bits(oracle::halves::to_half(x)) {}
  operator float() const { return oracle::halves::from_half(bits); }
};
struct __nv_bfloat16 {
  std::uint16_t bits;

  __nv_bfloat16() = default;
  __nv_bfloat16(float x) : bits(oracle::halves::to_bfloat16(x)) {}
  operator float() const { return oracle::halves::from_bfloat16(bits); }
};
// NOLINTEND(bugprone-reserved-identifier)

#endif

namespace oracle {

template <class T>
inline constexpr bool is_half = false;
template <>
inline constexpr bool is_half<__half> = true;
template <>
inline constexpr bool is_half<__nv_bfloat16> = true;

}  // namespace oracle

#if !TESSERA_CUDA

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names, which the library declares.
inline float __half2float(__half x) {
  return x;
}
inline __half __float2half_rn(float x) {
  return x;
}
/// Converts numbers that a float represents exactly, which include all numbers in the programs.
inline __half __double2half(double x) {
  return static_cast<float>(x);
}
inline float __bfloat162float(__nv_bfloat16 x) {
  return x;
}
inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  return x;
}
inline __nv_bfloat16 __double2bfloat16(double x) {
  return static_cast<float>(x);
}

// A float has more than twice as many bits as either type. Computing in float and rounding again is the
// same as rounding once.
template <class Half, std::enable_if_t<oracle::is_half<Half>, int> = 0>
Half __hadd_rn(Half a, Half b) {
  return static_cast<float>(a) + static_cast<float>(b);
}
template <class Half, std::enable_if_t<oracle::is_half<Half>, int> = 0>
Half __hsub_rn(Half a, Half b) {
  return static_cast<float>(a) - static_cast<float>(b);
}
template <class Half, std::enable_if_t<oracle::is_half<Half>, int> = 0>
Half __hmul_rn(Half a, Half b) {
  return static_cast<float>(a) * static_cast<float>(b);
}
template <class Half, std::enable_if_t<oracle::is_half<Half>, int> = 0>
bool __hlt(Half a, Half b) {
  return static_cast<float>(a) < static_cast<float>(b);
}
template <class Half, std::enable_if_t<oracle::is_half<Half>, int> = 0>
bool __hge(Half a, Half b) {
  return static_cast<float>(a) >= static_cast<float>(b);
}
template <class Half, std::enable_if_t<oracle::is_half<Half>, int> = 0>
bool __heq(Half a, Half b) {
  return static_cast<float>(a) == static_cast<float>(b);
}
// NOLINTEND(bugprone-reserved-identifier)

#endif
