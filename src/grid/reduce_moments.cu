// minmax and moments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reduce_instances.cuh"

#define TESSERA_MOMENT_INSTANCES(T)                                                                  \
  template cudaError_t minmax_instance<T>(T const*, std::int64_t, min_max<T>*, cudaStream_t,         \
                                          workspace*) noexcept;                                      \
  template cudaError_t moments_instance<T>(T const*, std::int64_t, tessera::moments<double>*, order, \
                                           cudaStream_t, workspace*) noexcept;

namespace tessera::grid::detail {

TESSERA_MOMENT_INSTANCES(float)
TESSERA_MOMENT_INSTANCES(double)
TESSERA_MOMENT_INSTANCES(__half)
TESSERA_MOMENT_INSTANCES(__nv_bfloat16)
TESSERA_MOMENT_INSTANCES(std::int32_t)
TESSERA_MOMENT_INSTANCES(std::uint32_t)
TESSERA_MOMENT_INSTANCES(std::int64_t)
TESSERA_MOMENT_INSTANCES(std::uint64_t)

}  // namespace tessera::grid::detail
