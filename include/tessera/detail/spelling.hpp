// Every library's spelling of an operator, and the operator of this library that it means.
//
// An operator on a fixed type (`std::plus<int>`) means ours only for values of that type: it converts others.
#pragma once

#include <tessera/config.hpp>

// The public headers, <functional>, <cuda/functional> and <cuda/std/functional>, take 0.8 s of nvcc's time together; the
// parts of them that declare the operators take none to speak of (benchmark/compile_time).
#if defined(__CUDACC_RTC__)
#elif __has_include(<bits/stl_function.h>)
#include <bits/stl_function.h>
#else
#include <functional>
#endif
#if TESSERA_CUDA
#if __has_include(<cuda/std/__functional/operations.h>) && __has_include(<cuda/__functional/maximum.h>)
#include <cuda/__functional/maximum.h>
#include <cuda/__functional/minimum.h>
#include <cuda/std/__functional/operations.h>
#else
#include <cuda/functional>
#include <cuda/std/functional>
#endif
// cuda::minimum and cuda::maximum came with CUDA 12.9.
#if __has_include(<cuda/__functional/maximum.h>) || defined(CCCL_MAJOR_VERSION) && CCCL_MAJOR_VERSION >= 3
#define TESSERA_HAS_CUDA_EXTREMES 1
#else
#define TESSERA_HAS_CUDA_EXTREMES 0
#endif
_CG_BEGIN_NAMESPACE
// Declared in <cooperative_groups/reduce.h>, which takes a second to compile.
template <class T>
struct plus;
template <class T>
struct less;
template <class T>
struct greater;
template <class T>
struct bit_and;
template <class T>
struct bit_or;
template <class T>
struct bit_xor;
_CG_END_NAMESPACE
#endif

namespace tessera {

struct plus;
struct multiplies;
struct minimum;
struct maximum;
struct minimum_number;
struct maximum_number;
struct bit_and;
struct bit_or;
struct bit_xor;
struct logical_and;
struct logical_or;
struct argmin;
struct argmax;
struct minmax;

namespace detail {

/// `means<Op>::type` is our operator, void where there is none; `on` is the type it is fixed to, void for
/// any.
template <class Op>
struct means {
  using type = void;
  using on = void;
};

template <class Ours, class On>
struct meaning {
  using type = Ours;
  using on = On;
};

#define TESSERA_MEANS(theirs, ours) \
  template <class T>                \
  struct means<theirs<T>> : meaning<ours, T> {}

#if !defined(__CUDACC_RTC__)
TESSERA_MEANS(::std::plus, plus);
TESSERA_MEANS(::std::multiplies, multiplies);
TESSERA_MEANS(::std::bit_and, bit_and);
TESSERA_MEANS(::std::bit_or, bit_or);
TESSERA_MEANS(::std::bit_xor, bit_xor);
TESSERA_MEANS(::std::logical_and, logical_and);
TESSERA_MEANS(::std::logical_or, logical_or);
#endif

#if TESSERA_CUDA
TESSERA_MEANS(::cuda::std::plus, plus);
TESSERA_MEANS(::cuda::std::multiplies, multiplies);
#if TESSERA_HAS_CUDA_EXTREMES
TESSERA_MEANS(::cuda::minimum, minimum);
TESSERA_MEANS(::cuda::maximum, maximum);
#endif
TESSERA_MEANS(::cuda::std::bit_and, bit_and);
TESSERA_MEANS(::cuda::std::bit_or, bit_or);
TESSERA_MEANS(::cuda::std::bit_xor, bit_xor);
TESSERA_MEANS(::cuda::std::logical_and, logical_and);
TESSERA_MEANS(::cuda::std::logical_or, logical_or);

TESSERA_MEANS(::cooperative_groups::plus, plus);
TESSERA_MEANS(::cooperative_groups::less, minimum);
TESSERA_MEANS(::cooperative_groups::greater, maximum);
TESSERA_MEANS(::cooperative_groups::bit_and, bit_and);
TESSERA_MEANS(::cooperative_groups::bit_or, bit_or);
TESSERA_MEANS(::cooperative_groups::bit_xor, bit_xor);
#endif

#undef TESSERA_MEANS

template <class Op, class T>
inline constexpr bool means_ours =
    !stl::is_void_v<typename means<Op>::type> &&
    (stl::is_void_v<typename means<Op>::on> || stl::is_same_v<typename means<Op>::on, T>);

}  // namespace detail
}  // namespace tessera
