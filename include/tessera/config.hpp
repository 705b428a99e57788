// The platform: the only file that knows about compilers.
//
// It gives the rest of the library
//   TESSERA_FN      a function of the library, for GPU lanes under nvcc and for host lanes everywhere
//   TESSERA_UNROLL  before a loop that must leave no index behind in device code
//   TESSERA_ARCH    the architecture this pass compiles for (900 for sm_90), 0 on a host
//   TESSERA_CHECK   defined by the user: broken promises trap on the GPU, with tile, block and source line
//   tessera::stl    the standard library that is there: `cuda::std` with CUDA, `std` without
//   call_site       where a collective was called; takes no room in device code that doesn't report it
#pragma once

#if defined(__CUDACC__)
#include <cooperative_groups.h>
#include <cuda/std/cstddef>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#define TESSERA_CUDA 1
#define TESSERA_FN __host__ __device__ __forceinline__
// Before a TESSERA_FN whose body is for the host only, or for the GPU only, and is reached there only.
#if defined(__clang__) && defined(__CUDA__)
#define TESSERA_ONE_SIDED  // clang looks at calls where code is made of them, and not before
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
#define TESSERA_ONE_SIDED
#endif

#if defined(__CUDA_ARCH__)
#define TESSERA_ARCH __CUDA_ARCH__
#define TESSERA_UNROLL _Pragma("unroll")
#else
#define TESSERA_ARCH 0
#define TESSERA_UNROLL
#endif

// Whether a default argument can tell the line of the call: NVRTC can from CUDA 12.9 on.
#if defined(__CUDACC_RTC__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1209
#define TESSERA_KNOWS_CALLERS 0
#else
#define TESSERA_KNOWS_CALLERS 1
#endif

namespace tessera {

#if TESSERA_CUDA
namespace stl = ::cuda::std;
#else
namespace stl = ::std;
#endif

namespace detail {

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#else
struct int128;  // NVRTC has them where it is asked to: --device-int128
struct uint128;
#endif

}  // namespace detail

/// The source line of a call, taken by a default argument `call_site site = call_site::here()`.
struct call_site {
  const char* file;
  const char* function;
  unsigned line;

#if TESSERA_KNOWS_CALLERS
  TESSERA_FN static constexpr call_site here(const char* file = __builtin_FILE(),
                                             const char* function = __builtin_FUNCTION(),
                                             unsigned line = __builtin_LINE()) {
    return {file, function, line};
  }
#else
  TESSERA_FN static constexpr call_site here() { return {"?", "?", 0}; }
#endif
};

}  // namespace tessera
