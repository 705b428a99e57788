// Arithmetic and comparisons of floats that respect subnormals, whatever flags a program is compiled with.
//
// nvcc's `-ftz=true`, part of `-use_fast_math`, makes every float instruction generated from C++ or an intrinsic flush
// subnormal inputs and results to 0. Inline assembly and integer instructions are not affected. So a sum would depend
// on which of them computes it, and values that a sort moves as integers would violate the order of their comparisons.
// For that reason the library's operators and comparators never flush. (Doubles are never flushed; halves have
// functions of their own.)
//
// Without the flag, only the C++ code is compiled.
//
// Source: PTX ISA, "Floating Point Instructions": `.ftz`.
#pragma once

#include <tessera/core/bits.hpp>
#include <tessera/core/config.hpp>

TESSERA_NAMESPACE_BEGIN
namespace detail {

/// True if the compiler's own instructions flush subnormals. No macro says so, but the compiler evaluates this
/// comparison of constants as the program would.
TESSERA_FN bool flushes_subnormals() {
#if TESSERA_ARCH
  return !(detail::from_bits<float>(stl::uint32_t{1}) > 0.0f);
#else
  return false;
#endif
}

#if TESSERA_ARCH
__device__ __forceinline__ float ieee_add(float a, float b) {
  float result = __fadd_rn(a, b);
  if (flushes_subnormals()) asm("add.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ __forceinline__ float ieee_subtract(float a, float b) {
  float result = __fadd_rn(a, -b);
  if (flushes_subnormals()) asm("sub.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ __forceinline__ float ieee_multiply(float a, float b) {
  float result = __fmul_rn(a, b);
  if (flushes_subnormals()) asm("mul.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ __forceinline__ float ieee_divide(float a, float b) {
  float result = __fdiv_rn(a, b);
  if (flushes_subnormals()) asm("div.rn.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
/// a · b + c, rounded once.
__device__ __forceinline__ float ieee_fma(float a, float b, float c) {
  float result = __fmaf_rn(a, b, c);
  if (flushes_subnormals()) asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
  return result;
}
__device__ __forceinline__ float ieee_sqrt(float x) {
  float result = __fsqrt_rn(x);
  if (flushes_subnormals()) asm("sqrt.rn.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}
/// The lesser of two numbers, with `Greater` the greater; if one is NaN, the other.
template <bool Greater>
__device__ __forceinline__ float ieee_extreme(float a, float b) {
  float result = Greater ? fmaxf(a, b) : fminf(a, b);
  if (!flushes_subnormals()) return result;
  if constexpr (Greater) {
    asm("max.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  } else {
    asm("min.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  }
  return result;
}
#endif

TESSERA_FN bool ieee_is_less(float a, float b) {
#if TESSERA_ARCH
  if (flushes_subnormals()) {
    unsigned is_less;
    asm("{ .reg .pred p; setp.lt.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(is_less) : "f"(a), "f"(b));
    return is_less != 0;
  }
#endif
  return a < b;
}
TESSERA_FN bool ieee_is_at_least(float a, float b) {
#if TESSERA_ARCH
  if (flushes_subnormals()) {
    unsigned is_at_least;
    asm("{ .reg .pred p; setp.ge.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(is_at_least) : "f"(a), "f"(b));
    return is_at_least != 0;
  }
#endif
  return a >= b;
}
TESSERA_FN bool ieee_is_equal(float a, float b) {
#if TESSERA_ARCH
  if (flushes_subnormals()) {
    unsigned is_equal;
    asm("{ .reg .pred p; setp.eq.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(is_equal) : "f"(a), "f"(b));
    return is_equal != 0;
  }
#endif
  return a == b;
}

}  // namespace detail
TESSERA_NAMESPACE_END
