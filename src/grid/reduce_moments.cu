// minmax and moments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reduce_instantiations.cuh"

#define TESSERA_MOMENT_INSTANTIATIONS(T)                                                                  \
  template cudaError_t minmax_instantiation<T>(T const*, std::int64_t, min_max<T>*, cudaStream_t,         \
                                               workspace*) noexcept;                                      \
  template cudaError_t moments_instantiation<T>(T const*, std::int64_t, tessera::moments<double>*, order, \
                                                cudaStream_t, workspace*) noexcept;

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_MOMENT_INSTANTIATIONS(float)
TESSERA_MOMENT_INSTANTIATIONS(double)
TESSERA_MOMENT_INSTANTIATIONS(__half)
TESSERA_MOMENT_INSTANTIATIONS(__nv_bfloat16)
TESSERA_MOMENT_INSTANTIATIONS(std::int32_t)
TESSERA_MOMENT_INSTANTIATIONS(std::uint32_t)
TESSERA_MOMENT_INSTANTIATIONS(std::int64_t)
TESSERA_MOMENT_INSTANTIATIONS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
