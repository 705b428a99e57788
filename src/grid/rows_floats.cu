// reduce_rows and moments_rows of float, double and 16-bit floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "rows_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_ROWS_INSTANTIATIONS(float)
TESSERA_ROWS_INSTANTIATIONS(double)
TESSERA_ROWS_MOMENTS(float)
TESSERA_ROWS_MOMENTS(double)

TESSERA_ROWS_INSTANTIATIONS(__half)
TESSERA_ROWS_INSTANTIATIONS(__nv_bfloat16)
TESSERA_ROWS_MOMENTS(__half)
TESSERA_ROWS_MOMENTS(__nv_bfloat16)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
