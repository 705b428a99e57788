// sort_segments. Types of one size share their kernels.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "sort_segments_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_SEGMENTS_INSTANTIATIONS(__half)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(__nv_bfloat16)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(float)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::int32_t)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::uint32_t)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(double)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::int64_t)
TESSERA_SORT_SEGMENTS_INSTANTIATIONS(std::uint64_t)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
