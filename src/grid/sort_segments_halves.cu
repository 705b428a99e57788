// sort_segments of 16-bit floats. Types of one size share their kernels.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "sort_segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_SEGMENTS_INSTANTIATIONS(__half)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(__nv_bfloat16)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
