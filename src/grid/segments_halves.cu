// reduce_segments of 16-bit floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "segments_instances.cuh"

namespace tessera::grid::detail {

TESSERA_SEGMENTS_INSTANCES(__half)
TESSERA_SEGMENTS_INSTANCES(__nv_bfloat16)

}  // namespace tessera::grid::detail
