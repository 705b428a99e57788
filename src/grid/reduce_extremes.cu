// argmin and argmax.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reduce_instances.cuh"

#define TESSERA_ARG_INSTANCES(T)                                                                           \
  template cudaError_t argmin_instance<T>(T const*, std::int64_t, indexed<T, std::int64_t>*, cudaStream_t, \
                                          workspace*) noexcept;                                            \
  template cudaError_t argmax_instance<T>(T const*, std::int64_t, indexed<T, std::int64_t>*, cudaStream_t, \
                                          workspace*) noexcept;

namespace tessera::grid::detail {

TESSERA_ARG_INSTANCES(float)
TESSERA_ARG_INSTANCES(double)
TESSERA_ARG_INSTANCES(__half)
TESSERA_ARG_INSTANCES(__nv_bfloat16)
TESSERA_ARG_INSTANCES(std::int32_t)
TESSERA_ARG_INSTANCES(std::uint32_t)
TESSERA_ARG_INSTANCES(std::int64_t)
TESSERA_ARG_INSTANCES(std::uint64_t)

}  // namespace tessera::grid::detail
