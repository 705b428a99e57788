// top_k, nth_element and quantiles. Numbers of a size share their kernels.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "top_k_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_TOP_K_INSTANTIATIONS(float)
TESSERA_TOP_K_INSTANTIATIONS(double)
TESSERA_TOP_K_INSTANTIATIONS(__half)
TESSERA_TOP_K_INSTANTIATIONS(__nv_bfloat16)
TESSERA_TOP_K_INSTANTIATIONS(std::int32_t)
TESSERA_TOP_K_INSTANTIATIONS(std::uint32_t)
TESSERA_TOP_K_INSTANTIATIONS(std::int64_t)
TESSERA_TOP_K_INSTANTIATIONS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
