// Arithmetic in which every operation rounds once, so that GPU and host give the same bits.
//
// A compiler may contract a product and a sum into one `fma`, which rounds once instead of twice. nvcc does, and so
// does g++ if the CPU has the instruction (-mfma, -march=native, aarch64); it may even contract a product of the
// caller's with a sum in this library. Here an fma is used only where it is written, and no flag makes a GPU flush
// subnormals.
#pragma once

#include <tessera/core/config.hpp>
#include <tessera/core/ieee_float.hpp>
#include <tessera/core/minimum.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

template <class T>
TESSERA_FN T rounded_add(T a, T b) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return detail::ieee_add(a, b);
  } else {
    return __dadd_rn(a, b);
  }
#else
  return detail::arithmetic(compiler::rounded(a) + compiler::rounded(b));
#endif
}

template <class T>
TESSERA_FN T rounded_subtract(T a, T b) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) return detail::ieee_subtract(a, b);
#endif
  return detail::rounded_add(a, -b);
}

template <class T>
TESSERA_FN T rounded_multiply(T a, T b) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return detail::ieee_multiply(a, b);
  } else {
    return __dmul_rn(a, b);
  }
#else
  return detail::arithmetic(compiler::rounded(a * b));
#endif
}

template <class T>
TESSERA_FN T rounded_divide(T a, T b) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return detail::ieee_divide(a, b);
  } else {
    return __ddiv_rn(a, b);
  }
#else
  return detail::arithmetic(a / b);
#endif
}

/// 1 / x, rounded once, if it and x are normal: what __frcp_rn does, without its call for other x, whose result is
/// unspecified but NaN if x is infinite or NaN.
TESSERA_FN float normal_reciprocal(float x) {
#if TESSERA_ARCH
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  float const excess = detail::ieee_fma(x, r, -1.0f);
  return detail::ieee_fma(-excess, r, r);
#else
  return x - x == 0.0f ? detail::arithmetic(1.0f / x) : x - x;
#endif
}

/// a · b + c, rounded once.
template <class T>
TESSERA_FN T rounded_fma(T a, T b, T c) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return detail::ieee_fma(a, b, c);
  } else {
    return __fma_rn(a, b, c);
  }
#else
  return detail::arithmetic(compiler::fma(a, b, c));
#endif
}

template <class T>
TESSERA_FN T rounded_sqrt(T x) {
#if TESSERA_ARCH
  if constexpr (sizeof(T) == 4) {
    return detail::ieee_sqrt(x);
  } else {
    return __dsqrt_rn(x);
  }
#else
  return detail::arithmetic(compiler::sqrt(x));
#endif
}

/// x, from 0 to 2^31, as the nearest integer; ties to even.
TESSERA_FN stl::uint32_t nearest_integer(float x) {
#if TESSERA_ARCH
  return __float2uint_rn(x);
#else
  constexpr float all_integers = 0x1p23f;  // from here on
  if (x >= all_integers) return static_cast<stl::uint32_t>(x);
  return static_cast<stl::uint32_t>(detail::rounded_add(x, all_integers) - all_integers);
#endif
}

/// The result of such operations: a NaN of double gets the same bits everywhere. (A NaN of float has them already.)
template <class T>
TESSERA_FN T rounded_result(T x) {
  if constexpr (stl::is_same_v<T, double>) {
    return detail::with_canonical_nan(x);
  } else {
    return x;
  }
}

}  // namespace detail
TESSERA_NAMESPACE_END
