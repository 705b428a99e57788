// layer_norm_rows and rms_norm_rows.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "norm_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

template cudaError_t norm_instantiation<float>(matrix<float const>, matrix<float>, float const*, float const*,
                                               double, bool, execution) noexcept;
template cudaError_t norm_instantiation<double>(matrix<double const>, matrix<double>, double const*,
                                                double const*, double, bool, execution) noexcept;
template cudaError_t norm_instantiation<__half>(matrix<__half const>, matrix<__half>, __half const*,
                                                __half const*, double, bool, execution) noexcept;
template cudaError_t norm_instantiation<__nv_bfloat16>(matrix<__nv_bfloat16 const>, matrix<__nv_bfloat16>,
                                                       __nv_bfloat16 const*, __nv_bfloat16 const*, double,
                                                       bool, execution) noexcept;

}  // namespace grid::detail
TESSERA_NAMESPACE_END
