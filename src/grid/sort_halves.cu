// sort, sort_by_key and argsort of 16-bit floats.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "sort_instantiations.cuh"

TESSERA_NAMESPACE_BEGIN
namespace grid::detail {

TESSERA_SORT_INSTANTIATIONS(__half, less)
TESSERA_SORT_INSTANTIATIONS(__half, greater)
TESSERA_SORT_INSTANTIATIONS(__nv_bfloat16, less)
TESSERA_SORT_INSTANTIATIONS(__nv_bfloat16, greater)

}  // namespace grid::detail
TESSERA_NAMESPACE_END
