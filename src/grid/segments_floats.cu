// reduce_segments of float, double and 16-bit floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SEGMENTS_INSTANTIATIONS(float)
TESSERA_SEGMENTS_INSTANTIATIONS(double)
TESSERA_SEGMENTS_INSTANTIATIONS(__half)
TESSERA_SEGMENTS_INSTANTIATIONS(__nv_bfloat16)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
