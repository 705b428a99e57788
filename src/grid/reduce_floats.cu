// reduce of float, double and 16-bit floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "reduce_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_REDUCE_INSTANTIATIONS(float)
TESSERA_REDUCE_INSTANTIATIONS(double)
TESSERA_REDUCE_INSTANTIATIONS(__half)
TESSERA_REDUCE_INSTANTIATIONS(__nv_bfloat16)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
