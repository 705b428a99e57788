// The platform: the only file with compiler-specific code.
//
// It defines
//   TESSERA_FN      a function of the library, for GPU lanes under nvcc and for host lanes everywhere
//   TESSERA_UNROLL  before a loop whose index must be a constant in device code
//   TESSERA_LOOP    before a loop that must not be unrolled
//   TESSERA_INLINE  after the parameters of a long lambda: otherwise nvcc may make it a function, with its captures in
//                   local memory
//   TESSERA_ADDRESS_OF(x)  &x, also if x's type overloads `&`
//   TESSERA_ARCH    the architecture this pass compiles for (900 for sm_90), 0 on a host
//   TESSERA_BIT_CAST  whether code for GPUs has __builtin_bit_cast
//   TESSERA_CHECK   defined by the user: broken promises trap on the GPU, with tile, block and source line
//   tessera::stl    the standard library: `cuda::std` with CUDA, `std` without
//   compiler::…     compiler intrinsics for the host; TESSERA_PLAIN_CPP (defined by the user, or 1 if the compiler is
//                   unknown) replaces them by plain C++ without 128-bit integers
//   call_site       the source position of a collective's call; empty in device code that doesn't report it
//   TESSERA_VERSION_…, and the parts of symbol names: TESSERA_NAMESPACE_BEGIN, TESSERA_ARCHS, TESSERA_API
#pragma once

// Compilers continue after an error. This message comes first, since every header of the library includes this file
// first.
#if __cplusplus < 201703L && !defined(_MSVC_LANG)
#error "tessera needs C++17 or later: compile with -std=c++17."
#endif

// The version, the same as `version` in the project's meson.build.
#define TESSERA_VERSION_MAJOR 0
#define TESSERA_VERSION_MINOR 1
#define TESSERA_VERSION_PATCH 0

#define TESSERA_QUOTE(tokens) #tokens
#define TESSERA_TEXT(macro) TESSERA_QUOTE(macro)  // its expansion, as a string

#if defined(__CUDACC__)
#include <cooperative_groups.h>
#include <tessera/core/cuda_std.hpp>
#define TESSERA_CUDA 1
#define TESSERA_FN __host__ __device__ __forceinline__
#define TESSERA_NOT_INLINED __host__ __device__ __noinline__
// Before a TESSERA_FN whose body is for the host only or for the GPU only, and isn't called elsewhere.
#if defined(__clang__) && defined(__CUDA__)
#define TESSERA_ONE_SIDED  // clang checks calls only where it emits code for them
#else
#define TESSERA_ONE_SIDED _Pragma("nv_exec_check_disable")
#endif
#else
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#define TESSERA_CUDA 0
#define TESSERA_FN inline
#define TESSERA_NOT_INLINED inline
#define TESSERA_ONE_SIDED
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 750
#error "tessera needs compute capability 7.5 or later: compile for sm_75 or a later architecture."
#endif
#if defined(__CUDA_ARCH__)
#define TESSERA_ARCH __CUDA_ARCH__
#define TESSERA_UNROLL _Pragma("unroll")
#define TESSERA_LOOP _Pragma("unroll 1")
#else
#define TESSERA_ARCH 0
#define TESSERA_UNROLL
#define TESSERA_LOOP
#endif
// The captures of a large collective's body: copies where a function that isn't inlined may run it, since a reference
// would keep an argument in memory. (On hosts g++ would warn that copies of empty objects aren't initialized.)
#if TESSERA_ARCH
#define TESSERA_CAPTURES =
#else
#define TESSERA_CAPTURES &
#endif
// 1 if GPU code has __builtin_bit_cast: nvcc takes the host compiler's word for it.
#if TESSERA_ARCH && defined(__CUDACC_RTC__)
#define TESSERA_BIT_CAST 1
#elif TESSERA_ARCH && defined(__has_builtin)
#if __has_builtin(__builtin_bit_cast)
#define TESSERA_BIT_CAST 1
#endif
#endif
#ifndef TESSERA_BIT_CAST
#define TESSERA_BIT_CAST 0
#endif
#if TESSERA_ARCH && !defined(_MSC_VER)
#define TESSERA_INLINE __attribute__((always_inline))
#else
#define TESSERA_INLINE
#endif

#if !defined(TESSERA_PLAIN_CPP)
#if defined(__GNUC__) || defined(__clang__) || defined(__CUDACC_RTC__)
#define TESSERA_PLAIN_CPP 0
#else
#define TESSERA_PLAIN_CPP 1
#endif
#endif
#if TESSERA_PLAIN_CPP
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#endif

// True if a default argument can tell the line of the call: NVRTC can from CUDA 12.9 on, plain C++17 can't.
#if TESSERA_PLAIN_CPP || defined(__CUDACC_RTC__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1209
#define TESSERA_KNOWS_CALLERS 0
#else
#define TESSERA_KNOWS_CALLERS 1
#endif

// True if it can tell the column, too: clang can, and g++ with the library of C++20. Only the column distinguishes two
// calls on one line.
#if !TESSERA_KNOWS_CALLERS || defined(__CUDACC__)
#define TESSERA_COLUMN_OF_CALL 0
#elif defined(__clang__)
#define TESSERA_COLUMN_OF_CALL static_cast<unsigned>(__builtin_COLUMN())
#elif __cplusplus >= 202002L && __has_include(<source_location>)
#include <source_location>
#define TESSERA_COLUMN_OF_CALL static_cast<unsigned>(std::source_location::current().column())
#else
#define TESSERA_COLUMN_OF_CALL 0
#endif

// Everything is declared in an inline namespace named after the version: tessera::plus is tessera::v0_1_0::plus. So two
// shared objects of one process that were built with different versions share no symbol. The name is the same for all
// compilers, since plain C++ calls code that nvcc has compiled.
#define TESSERA_JOIN_VERSION(major, minor, patch) v##major##_##minor##_##patch
#define TESSERA_NAME_VERSION(major, minor, patch) TESSERA_JOIN_VERSION(major, minor, patch)
#define TESSERA_ABI TESSERA_NAME_VERSION(TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR, TESSERA_VERSION_PATCH)
#define TESSERA_NAMESPACE_BEGIN \
  namespace tessera {           \
  inline namespace TESSERA_ABI {
#define TESSERA_NAMESPACE_END \
  }                           \
  }

// Functions that launch kernels are in another inline namespace, named after the architectures that nvcc compiles for
// (sm_800900) and after the file's default stream (sm_800900_per_thread). Otherwise the linker would keep only one of
// two files' launchers. That one launches the kernels of its own file, which may lack code for the other file's GPU,
// and uses its own file's default stream.
#if defined(__NVCC__) && defined(__CUDA_ARCH_LIST__)
#define TESSERA_JOIN_ARCHS(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, ...) \
  sm_##a##b##c##d##e##f##g##h##i##j##k##l##m##n##o##p##q##r##s##t##u##v##w##x
#define TESSERA_NAME_ARCHS(...) TESSERA_JOIN_ARCHS(__VA_ARGS__)
#define TESSERA_ARCHS_ALONE TESSERA_NAME_ARCHS(__CUDA_ARCH_LIST__, , , , , , , , , , , , , , , , , , , , , , , , )
#define TESSERA_LISTED_ARCHS __CUDA_ARCH_LIST__  // the oldest is the first
#else
#define TESSERA_ARCHS_ALONE sm_unlisted
#define TESSERA_LISTED_ARCHS 0
#endif
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define TESSERA_JOIN_PER_THREAD(archs) archs##_per_thread
#define TESSERA_NAME_PER_THREAD(archs) TESSERA_JOIN_PER_THREAD(archs)
#define TESSERA_ARCHS TESSERA_NAME_PER_THREAD(TESSERA_ARCHS_ALONE)
#else
#define TESSERA_ARCHS TESSERA_ARCHS_ALONE
#endif

// The static library's entry points are hidden, so that a shared object that links the library calls its own copy. If
// the library is compiled with TESSERA_EXPORT, the shared object exports them.
#if defined(TESSERA_EXPORT) && !TESSERA_PLAIN_CPP
#define TESSERA_API __attribute__((visibility("default")))
#else
#define TESSERA_API
#endif

// The address of an object, whose type may overload `&`. It is a macro because nvcc generates other code for a
// function.
#if TESSERA_PLAIN_CPP
#define TESSERA_ADDRESS_OF(object) ::std::addressof(object)
#else
#define TESSERA_ADDRESS_OF(object) __builtin_addressof(object)
#endif

TESSERA_NAMESPACE_BEGIN

#if TESSERA_CUDA
namespace stl = ::cuda::std;
#else
namespace stl = ::std;
#endif

namespace detail {

/// False, for a static assertion that fails wherever its template is instantiated.
template <class T>
inline constexpr bool never = false;

#if defined(__SIZEOF_INT128__) && !TESSERA_PLAIN_CPP
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#else
struct int128;  // NVRTC has them with --device-int128
struct uint128;
#endif

#if defined(__CUDACC_RTC__)  // whose numeric_limits are constants from CUDA 12.9 on
inline constexpr float infinity = __builtin_bit_cast(float, 0x7f800000u);
inline constexpr float nan = __builtin_bit_cast(float, 0x7fffffffu);
#else
inline constexpr float infinity = stl::numeric_limits<float>::infinity();
inline constexpr float nan = stl::numeric_limits<float>::quiet_NaN();
#endif

/// Compiler intrinsics under common names. All but `bit_cast` and `copy` are for the host.
namespace compiler {

#if TESSERA_BIT_CAST
template <class To, class From>
TESSERA_FN To bit_cast(From const& from) {
  return __builtin_bit_cast(To, from);
}
#endif

/// Copies as memcpy does. Unlike memcpy it accepts types whose copy constructors are trivial in fact but not by
/// declaration.
TESSERA_FN void copy(void* to, void const* from, stl::size_t bytes) {
#if defined(__CUDACC_RTC__)
  memcpy(to, from, bytes);
#elif TESSERA_PLAIN_CPP
  ::std::memcpy(to, from, bytes);
#else
  __builtin_memcpy(to, from, bytes);
#endif
}

#if !TESSERA_ARCH
/// x itself, rounded to its type, so that the compiler can't contract a product x and the sum it is used in.
template <class T>
TESSERA_FN T rounded(T x) {
#if !TESSERA_PLAIN_CPP && defined(__SSE2__)
  if constexpr (sizeof(T) <= 8) asm("" : "+x"(x));  // long double is x87's, where nothing is contracted
  return x;
#elif !TESSERA_PLAIN_CPP && defined(__aarch64__)
  if constexpr (sizeof(T) <= 8) asm("" : "+w"(x));
  return x;
#else
  T volatile const stored = x;
  return stored;
#endif
}
#endif

#if TESSERA_PLAIN_CPP

TESSERA_FN unsigned population(stl::uint32_t word) {
  unsigned count = 0;
  for (; word != 0; word &= word - 1) ++count;
  return count;
}
/// As leading_zeros: the word isn't 0.
TESSERA_FN unsigned trailing_zeros(stl::uint64_t word) {
  unsigned count = 0;
  for (; (word & 1) == 0; word >>= 1) ++count;
  return count;
}
TESSERA_FN unsigned leading_zeros(stl::uint32_t word) {
  unsigned count = 0;
  for (; (word >> 31) == 0; word <<= 1) ++count;
  return count;
}

template <class T>
TESSERA_FN T fma(T a, T b, T c) {
  return ::std::fma(a, b, c);
}
template <class T>
TESSERA_FN T sqrt(T x) {
  return ::std::sqrt(x);
}
template <class T>
TESSERA_FN T exp(T x) {
  return ::std::exp(x);
}
template <class T>
TESSERA_FN T log(T x) {
  return ::std::log(x);
}
TESSERA_FN float exp2(float x) {
  return ::std::exp2(x);
}
template <class T>
TESSERA_FN bool is_negative(T x) {
  return ::std::signbit(x);
}

/// Stores `desired` if the cell holds `expected`. Returns the previous value.
template <class T>
TESSERA_FN T compare_and_swap(T* address, T expected, T desired) {
  static_assert(sizeof(::std::atomic<T>) == sizeof(T) && ::std::atomic<T>::is_always_lock_free);
  reinterpret_cast<::std::atomic<T>*>(address)->compare_exchange_strong(expected, desired, ::std::memory_order_relaxed);
  return expected;
}
template <class T>
TESSERA_FN T atomic_load(T const* address) {
  return reinterpret_cast<::std::atomic<T> const*>(address)->load(::std::memory_order_relaxed);
}

[[noreturn]] TESSERA_FN void never_reached() {
  ::std::abort();
}

#elif !defined(__CUDACC_RTC__)

TESSERA_FN unsigned population(stl::uint32_t word) {
  return static_cast<unsigned>(__builtin_popcount(word));
}
TESSERA_FN unsigned leading_zeros(stl::uint32_t word) {
  return static_cast<unsigned>(__builtin_clz(word));
}
/// As leading_zeros: the word isn't 0. nvcc takes __builtin_ctz for a host function.
TESSERA_FN unsigned trailing_zeros(stl::uint64_t word) {
  auto const low = static_cast<stl::uint32_t>(word), high = static_cast<stl::uint32_t>(word >> 32);
  return low != 0 ? 31 - compiler::leading_zeros(low & (0 - low)) : 63 - compiler::leading_zeros(high & (0 - high));
}

TESSERA_FN float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
TESSERA_FN double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
TESSERA_FN float sqrt(float x) {
  return __builtin_sqrtf(x);
}
TESSERA_FN double sqrt(double x) {
  return __builtin_sqrt(x);
}
TESSERA_FN float exp(float x) {
  return __builtin_expf(x);
}
TESSERA_FN double exp(double x) {
  return __builtin_exp(x);
}
TESSERA_FN float log(float x) {
  return __builtin_logf(x);
}
TESSERA_FN double log(double x) {
  return __builtin_log(x);
}
TESSERA_FN float exp2(float x) {
  return __builtin_exp2f(x);
}
template <class T>
TESSERA_FN bool is_negative(T x) {
  return __builtin_signbit(x) != 0;
}

/// Stores `desired` if the cell holds `expected`. Returns the previous value.
template <class T>
TESSERA_FN T compare_and_swap(T* address, T expected, T desired) {
  __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
template <class T>
TESSERA_FN T atomic_load(T const* address) {
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}

[[noreturn]] inline void never_reached() {
  __builtin_unreachable();
}

#endif

}  // namespace compiler

}  // namespace detail

/// The source position of a call, taken by a default argument `call_site site = call_site::here()`.
struct call_site {
  const char* file;
  const char* function;
  unsigned line;
  unsigned column = 0;  // 0 if the compiler doesn't tell

#if TESSERA_KNOWS_CALLERS
  TESSERA_FN static constexpr call_site here(const char* file = __builtin_FILE(),
                                             const char* function = __builtin_FUNCTION(),
                                             unsigned line = __builtin_LINE(),
                                             unsigned column = TESSERA_COLUMN_OF_CALL) {
    return {file, function, line, column};
  }
#else
  TESSERA_FN static constexpr call_site here() {
    return {"?", "?", 0};
  }
#endif
};

TESSERA_NAMESPACE_END
