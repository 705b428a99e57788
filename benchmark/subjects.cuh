// The types that chains compute with. Each has initial values, an update, and a comparison on the host.
#pragma once

#include <cuda_fp16.h>
#include <tessera/core/items.hpp>
#include <tessera/operators.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace bench {

#define BENCH_FN __host__ __device__ __forceinline__

// ---- Types

using indexed = tessera::indexed<float, int>;

/// A 2×2 matrix; its product doesn't commute.
struct matrix {
  unsigned m[4];
};

// ---- After touch(x) the compiler must assume that x has changed. It costs no instruction

#if defined(__CUDA_ARCH__)
#define BENCH_TOUCH(constraint, x) asm volatile("" : "+" constraint(x))
#else
#define BENCH_TOUCH(constraint, x) static_cast<void>(x)
#endif
BENCH_FN void touch(float& x) {
  BENCH_TOUCH("f", x);
}
BENCH_FN void touch(double& x) {
  BENCH_TOUCH("d", x);
}
BENCH_FN void touch(int& x) {
  BENCH_TOUCH("r", x);
}
BENCH_FN void touch(unsigned& x) {
  BENCH_TOUCH("r", x);
}
BENCH_FN void touch(std::uint64_t& x) {
  BENCH_TOUCH("l", x);
}
BENCH_FN void touch(__half2& x) {
  BENCH_TOUCH("r", reinterpret_cast<unsigned&>(x));
}
BENCH_FN void touch(bool& x) {
  int word = x;
  touch(word);
  x = word != 0;
}
BENCH_FN void touch(indexed& x) {
  touch(x.value);
  touch(x.index);
}
BENCH_FN void touch(matrix& x) {
  for (unsigned& entry : x.m) touch(entry);
}
template <class T, unsigned K>
BENCH_FN void touch(tessera::items<T, K>& x) {
  TESSERA_UNROLL
  for (unsigned i = 0; i < K; ++i) touch(x[i]);
}

// ---- Updates are one multiply-add per word. They keep the lanes different and all numbers finite, and the
// compiler can't merge two of them

BENCH_FN float update(float x, float weight, float own) {
  return fmaf(x, weight, own);
}
BENCH_FN double update(double x, double weight, double own) {
  return fma(x, weight, own);
}
BENCH_FN __half2 update(__half2 x, __half2 weight, __half2 own) {
#if defined(__CUDA_ARCH__)
  return __hfma2(x, weight, own);
#else
  auto const member = [](__half a, __half b, __half c) {
    return __float2half(fmaf(__half2float(a), __half2float(b), __half2float(c)));
  };
  return {member(x.x, weight.x, own.x), member(x.y, weight.y, own.y)};
#endif
}
BENCH_FN unsigned update(unsigned x, unsigned weight, unsigned own) {
  return x * weight + own;
}
BENCH_FN int update(int x, int weight, int own) {  // wraps around
  return static_cast<int>(update(static_cast<unsigned>(x), static_cast<unsigned>(weight), static_cast<unsigned>(own)));
}
BENCH_FN std::uint64_t update(std::uint64_t x, std::uint64_t weight, std::uint64_t own) {  // each half
  auto const low = [](std::uint64_t y) { return static_cast<unsigned>(y); };
  auto const high = [](std::uint64_t y) { return static_cast<unsigned>(y >> 32); };
  return std::uint64_t{update(high(x), high(weight), high(own))} << 32 | update(low(x), low(weight), low(own));
}
BENCH_FN bool update(bool x, bool weight, bool own) {
  return (x && weight) != own;
}
BENCH_FN indexed update(indexed x, indexed weight, indexed own) {
  return {update(x.value, weight.value, own.value), update(x.index, weight.index, own.index)};
}
BENCH_FN matrix update(matrix const& x, matrix const& weight, matrix const& own) {
  matrix y;
  for (int i = 0; i < 4; ++i) y.m[i] = update(x.m[i], weight.m[i], own.m[i]);
  return y;
}

// ---- Values

/// A thread's own value. All of a block differ, those of type bool as far as they can.
template <class T>
T own_value(unsigned thread) {
  float const fraction = 1.0f + static_cast<float>(thread * 37 % 1024) / 1024;  // in [1, 2)
  unsigned const word = (thread + 1) * 2654435761u;
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(fraction);
  } else if constexpr (std::is_same_v<T, __half2>) {
    return {__float2half(fraction), __float2half(2 - fraction)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return thread / warp_lanes % 2 == 0 || thread % 3 != 0;  // whole warps of true: their conjunction toggles
  } else if constexpr (std::is_same_v<T, indexed>) {
    return {fraction, static_cast<int>(thread)};
  } else if constexpr (std::is_same_v<T, matrix>) {
    return {{word, word ^ 0x55555555u, word >> 3, word | 1u}};
  } else if constexpr (sizeof(T) == 8) {
    return T{1} << (word >> 26);
  } else {
    return static_cast<T>(word);
  }
}

/// The weight of a lane that uses the collective's result: `scale` for floats, 1 for integers.
template <class T>
T weight_value(float scale) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(scale);
  } else if constexpr (std::is_same_v<T, __half2>) {
    return {__float2half(scale), __float2half(scale)};
  } else if constexpr (std::is_same_v<T, indexed>) {
    return {scale, 1};
  } else if constexpr (std::is_same_v<T, matrix>) {
    return {{1, 1, 1, 1}};
  } else if constexpr (sizeof(T) == 8) {
    return T{1} << 32 | 1;
  } else {
    return static_cast<T>(1);
  }
}

// ---- Agreement: floats may be combined in any order, everything else is exact

inline bool close(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * std::fabs(b);
}
inline bool agree(float a, float b) {
  return close(a, b, 1e-5);
}
inline bool agree(double a, double b) {
  return close(a, b, 1e-13);
}
inline bool agree(__half2 a, __half2 b) {
  return close(__half2float(a.x), __half2float(b.x), 0.01) && close(__half2float(a.y), __half2float(b.y), 0.01);
}
inline bool agree(indexed a, indexed b) {
  return agree(a.value, b.value) && a.index == b.index;
}
inline bool agree(matrix const& a, matrix const& b) {
  return a.m[0] == b.m[0] && a.m[1] == b.m[1] && a.m[2] == b.m[2] && a.m[3] == b.m[3];
}
template <class T>
bool agree(T const& a, T const& b) {
  if constexpr (tessera::is_items_v<T>) {
    for (unsigned i = 0; i < T::count; ++i) {
      if (!agree(a[i], b[i])) return false;
    }
    return true;
  } else {
    static_assert(std::is_integral_v<T>);
    return a == b;
  }
}

/// The usual subject: values of T, and in each iteration one collective, whose result is a T, and one
/// multiply-add, which computes the next value.
template <class T>
struct plain_subject {
  using value = T;
  using parameter = T;
  static constexpr unsigned in_a_row = 1;
  static constexpr bool changes = true;
  static constexpr unsigned least_threads = 0;

  static T own(unsigned thread, unsigned /*width*/) { return own_value<T>(thread); }
  BENCH_FN static T start(T const& own) { return own; }
  BENCH_FN static T alone(T x) {
    touch(x);
    return x;
  }
  BENCH_FN static T next(T const&, T const& result, T const& weight, T const& own) {
    return update(result, weight, own);
  }
};

}  // namespace bench
