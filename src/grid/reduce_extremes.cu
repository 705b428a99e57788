// argmin, argmax, minmax and moments.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reduce_instantiations.cuh"

#define TESSERA_ARG_INSTANTIATIONS(T)                                                             \
  template cudaError_t argmin_instantiation<T>(T const*, std::int64_t, indexed<T, std::int64_t>*, \
                                               execution) noexcept;                               \
  template cudaError_t argmax_instantiation<T>(T const*, std::int64_t, indexed<T, std::int64_t>*, \
                                               execution) noexcept;

#define TESSERA_MOMENT_INSTANTIATIONS(T)                                                                  \
  template cudaError_t minmax_instantiation<T>(T const*, std::int64_t, min_max<T>*, execution) noexcept;  \
  template cudaError_t moments_instantiation<T>(T const*, std::int64_t, tessera::moments<double>*, order, \
                                                execution) noexcept;

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_ARG_INSTANTIATIONS(float)
TESSERA_ARG_INSTANTIATIONS(double)
TESSERA_ARG_INSTANTIATIONS(__half)
TESSERA_ARG_INSTANTIATIONS(__nv_bfloat16)
TESSERA_ARG_INSTANTIATIONS(std::int32_t)
TESSERA_ARG_INSTANTIATIONS(std::uint32_t)
TESSERA_ARG_INSTANTIATIONS(std::int64_t)
TESSERA_ARG_INSTANTIATIONS(std::uint64_t)

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
