// Operator aliases: other libraries' operators, and the operator of this library that each is replaced by.
//
// An operator on a fixed type (`std::plus<int>`) is an alias only for values of that type, since it converts others.
#pragma once

#include <tessera/core/config.hpp>

// The public headers, <functional>, <cuda/functional> and <cuda/std/functional>, cost nvcc 0.8 s together; the parts of
// them that declare the operators cost next to nothing (benchmark/compile_time).
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

TESSERA_NAMESPACE_BEGIN

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

/// `operator_alias<Op>::type` is the equivalent operator of this library, void if there is none; `on` is the type that
/// Op is fixed to, void for any.
template <class Op>
struct operator_alias {
  using type = void;
  using on = void;
};

template <class Ours, class On>
struct alias_of {
  using type = Ours;
  using on = On;
};

#define TESSERA_ALIAS(theirs, ours) \
  template <class T>                \
  struct operator_alias<theirs<T>> : alias_of<ours, T> {}

#if !defined(__CUDACC_RTC__)
TESSERA_ALIAS(::std::plus, plus);
TESSERA_ALIAS(::std::multiplies, multiplies);
TESSERA_ALIAS(::std::bit_and, bit_and);
TESSERA_ALIAS(::std::bit_or, bit_or);
TESSERA_ALIAS(::std::bit_xor, bit_xor);
TESSERA_ALIAS(::std::logical_and, logical_and);
TESSERA_ALIAS(::std::logical_or, logical_or);
#endif

#if TESSERA_CUDA
TESSERA_ALIAS(::cuda::std::plus, plus);
TESSERA_ALIAS(::cuda::std::multiplies, multiplies);
#if TESSERA_HAS_CUDA_EXTREMES
TESSERA_ALIAS(::cuda::minimum, minimum);
TESSERA_ALIAS(::cuda::maximum, maximum);
#endif
TESSERA_ALIAS(::cuda::std::bit_and, bit_and);
TESSERA_ALIAS(::cuda::std::bit_or, bit_or);
TESSERA_ALIAS(::cuda::std::bit_xor, bit_xor);
TESSERA_ALIAS(::cuda::std::logical_and, logical_and);
TESSERA_ALIAS(::cuda::std::logical_or, logical_or);

TESSERA_ALIAS(::cooperative_groups::plus, plus);
TESSERA_ALIAS(::cooperative_groups::less, minimum);
TESSERA_ALIAS(::cooperative_groups::greater, maximum);
TESSERA_ALIAS(::cooperative_groups::bit_and, bit_and);
TESSERA_ALIAS(::cooperative_groups::bit_or, bit_or);
TESSERA_ALIAS(::cooperative_groups::bit_xor, bit_xor);
#endif

#undef TESSERA_ALIAS

template <class Op, class T>
inline constexpr bool is_alias =
    !stl::is_void_v<typename operator_alias<Op>::type> &&
    (stl::is_void_v<typename operator_alias<Op>::on> || stl::is_same_v<typename operator_alias<Op>::on, T>);

}  // namespace detail
TESSERA_NAMESPACE_END
