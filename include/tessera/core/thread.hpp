// The running thread's number in its block. GPU only.
#pragma once

#include <tessera/core/config.hpp>

#if TESSERA_CUDA

TESSERA_NAMESPACE_BEGIN
namespace detail {

TESSERA_FN unsigned thread_of_block() {
#if TESSERA_ARCH
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
#else
  return 0;
#endif
}
TESSERA_FN unsigned threads_of_block() {
#if TESSERA_ARCH
  return blockDim.x * blockDim.y * blockDim.z;
#else
  return 0;
#endif
}

}  // namespace detail
TESSERA_NAMESPACE_END

#endif
